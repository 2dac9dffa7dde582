//! What the customer site asks the panel for with an account of its own: the settings and the facts of services that
//! only the site can obey. Prices and orders go through the reseller API.

use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::amount::Fraction;
use crate::banners::Banner;
use crate::common::{Named, Translations};
use crate::ids::{
    LabelId, NetworkId, PageId, ProviderId, RecordId, ServiceId, ServiceTypeId, SpecialOfferId,
};
use crate::moment::Stamp;
use crate::services::DescriptionLocation;
use crate::settings::{SettingsTree, site_schema};
use crate::special_offers::{OfferPlace, OfferPosition};

/// Every setting that the site obeys, nested as in [`SettingsTree`]. Secrets are in plain text: keep the response on the
/// server of the site and out of its pages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PrivateSiteSettings(pub SettingsTree);

impl PartialSchema for PrivateSiteSettings {
    fn schema() -> RefOr<Schema> {
        site_schema()
    }
}

impl ToSchema for PrivateSiteSettings {}

/// Query of `GET site/services`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct SiteServicesQuery {
    /// Return services with a higher id than this one; absent for the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<ServiceId>,
}

/// A label of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteLabel {
    /// Id of the label.
    pub id: LabelId,
    /// English name of the label.
    pub name: String,
    /// URL of the icon; null without one.
    pub icon: Option<String>,
    /// Whether services with the label require comments from the customer.
    pub is_custom_comments: bool,
}

/// Maps an event of a provider to an event of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteEvent {
    /// Id of the provider.
    pub provider_id: ProviderId,
    /// Name of the provider's event.
    pub source_event: Option<String>,
    /// Name of the event for the customer site.
    pub target_event: Option<String>,
}

/// An active service, for the order form of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteService {
    /// Id of the service.
    pub id: ServiceId,
    /// English name of the service.
    pub name: String,
    /// URL slug of its page; null without a page.
    pub slug: Option<String>,
    /// Service type that the service is listed under.
    pub service_type: Named<ServiceTypeId>,
    /// Labels of the service.
    pub labels: Vec<SiteLabel>,
    /// Whether the form computes the quantity from what the customer enters.
    pub calculable_quantity: bool,
    /// Factor for the budget of a customer; null for 1.
    pub budget_multiplier: Option<Fraction>,
    /// Minutes that viewers of a live stream stay, if it is sold by time.
    pub live_stream_support_minutes: Option<i64>,
    /// Number of viewers to order per viewer who stays.
    pub live_stream_retention_quantity_multiplier: Option<Fraction>,
    /// Position of the full description on its page.
    pub full_description_location: DescriptionLocation,
    /// URL of its own order page.
    pub buy_page_url: Option<String>,
    /// Whether an order can be sped up.
    pub can_speedup: bool,
    /// Events of its providers, if any are configured.
    pub events: Vec<SiteEvent>,
    /// Time of the last change of the service.
    pub updated_at: Stamp,
}

/// An enabled menu item of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteMenuItem {
    /// Id of the item; built-in and custom items have separate id sequences.
    pub id: RecordId,
    /// Parent item; null at the top, and for an added item.
    pub parent_id: Option<RecordId>,
    /// Name of the icon; null without one.
    pub icon: Option<String>,
    /// URL of the link.
    pub url: String,
    /// Whether the link opens in a new tab.
    pub is_blank: bool,
    /// Whether signed-in customers see it.
    pub is_allowed_for_authorized: bool,
    /// Whether guests see it.
    pub is_allowed_for_guest: bool,
    /// Texts by locale and field: `name`.
    pub translations: Translations,
}

/// A page of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SitePage {
    /// Id of the page.
    pub id: PageId,
    /// Route name of the page, which is its path with dots or slashes.
    pub route_name: String,
    /// Texts by locale and field: `name`, `meta_title`, `meta_description`.
    pub translations: Translations,
}

/// An enabled special offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteOffer {
    /// Id of the offer.
    pub id: SpecialOfferId,
    /// Id of the network.
    pub network_id: NetworkId,
    /// Placement of the offer.
    pub place: OfferPlace,
    /// Position at the placement.
    pub position: OfferPosition,
    /// Ids of its active services, in their order.
    pub services: Vec<ServiceId>,
    /// Ids of its service types, in their order.
    pub service_types: Vec<ServiceTypeId>,
    /// Texts by locale and field: `name`.
    pub translations: Translations,
}

/// An active service of the auto-promotion that is enabled at all three levels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SitePromotion {
    /// Service, by id and name.
    pub service: Named<ServiceId>,
    /// Service type of the record.
    pub service_type: Named<ServiceTypeId>,
    /// Network of the record.
    pub network: Named<NetworkId>,
    /// Markup on the price, as a fraction: of the service, its service type or its network, in this order; null for none.
    pub resale_margin_percent: Option<Fraction>,
}

/// Content of the site, without archived and disabled records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteContent {
    /// The menu, parents before their children, each level in its order.
    pub menu: Vec<SiteMenuItem>,
    /// Custom menu items for the public part of the site.
    pub added_menu: Vec<SiteMenuItem>,
    /// Pages, by route.
    pub pages: Vec<SitePage>,
    /// Banners, by placement.
    pub banners: Vec<Banner>,
    /// Special offers, newest first.
    pub special_offers: Vec<SiteOffer>,
    /// The auto-promotion: networks, their service types and their services, each in its order.
    pub auto_promotions: Vec<SitePromotion>,
}

crate::wire!(PrivateSiteSettings, SiteContent, SiteService);
crate::plain_query!(SiteServicesQuery);
