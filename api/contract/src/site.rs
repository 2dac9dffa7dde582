//! Data for the server of the customer site: settings, content, and properties of services that only the site uses. The site reads
//! prices and places orders through the reseller API.

use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::amount::Fraction;
use crate::banners::Banner;
use crate::common::{NamedRef, Translations};
use crate::ids::{
    LabelId, NetworkId, PageId, ProviderId, RecordId, ServiceId, ServiceTypeId, SpecialOfferId,
};
use crate::moment::Timestamp;
use crate::services::DescriptionLocation;
use crate::settings::{SettingsTree, site_schema};
use crate::special_offers::{OfferPlace, OfferPosition};

/// All settings that the customer site uses, nested as in [`SettingsTree`]. Secrets are in plain text: the response must stay on
/// the server of the site.
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
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
    /// Whether services with the label require comments from the customer.
    pub is_custom_comments: bool,
}

/// An event of a provider, and the corresponding event of the customer site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteEvent {
    /// Id of the provider.
    pub provider_id: ProviderId,
    /// Name of the event of the provider; null if there is none.
    pub source_event: Option<String>,
    /// Name of the event of the customer site; null if there is none.
    pub target_event: Option<String>,
}

/// An active service, for the order form of the customer site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteService {
    /// Id of the service.
    pub id: ServiceId,
    /// English name of the service.
    pub name: String,
    /// URL slug of the page of the service; null if there is none.
    pub slug: Option<String>,
    /// Service type of the service, by id and name.
    pub service_type: NamedRef<ServiceTypeId>,
    /// Labels of the service.
    pub labels: Vec<SiteLabel>,
    /// Whether the order form calculates the quantity from the input of the customer.
    pub calculable_quantity: bool,
    /// Factor by which the order form multiplies the budget of a customer; null for 1.
    pub budget_multiplier: Option<Fraction>,
    /// Minutes for which viewers stay in a live stream; null for none.
    pub live_stream_support_minutes: Option<i64>,
    /// Viewers ordered at providers per viewer who stays in a live stream; null for none.
    pub live_stream_retention_quantity_multiplier: Option<Fraction>,
    /// Position of the full description on the page of the service.
    pub full_description_location: DescriptionLocation,
    /// URL of the order page of the service; null if there is none.
    pub buy_page_url: Option<String>,
    /// Whether orders can be sped up.
    pub can_speedup: bool,
    /// Events of the providers of the service; empty if there are none.
    pub events: Vec<SiteEvent>,
    /// When the service last changed.
    pub updated_at: Timestamp,
}

/// An enabled menu item of the customer site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteMenuItem {
    /// Id of the item. Menu items and custom menu items can have the same id.
    pub id: RecordId,
    /// Id of the parent item; null at the top level, and for a custom menu item.
    pub parent_id: Option<RecordId>,
    /// Name of the icon; null if there is none.
    pub icon: Option<String>,
    /// Target of the link: a path of the customer site, or an absolute URL.
    pub url: String,
    /// Whether the link opens in a new tab.
    pub is_blank: bool,
    /// Whether signed-in customers see the item.
    pub is_allowed_for_authorized: bool,
    /// Whether guests see the item.
    pub is_allowed_for_guest: bool,
    /// Texts by locale and field: `name`.
    pub translations: Translations,
}

/// A page of the customer site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SitePage {
    /// Id of the page.
    pub id: PageId,
    /// Name of the route of the page, such as `services.show`.
    pub route_name: String,
    /// Texts by locale and field: `name`, `meta_title`, `meta_description`.
    pub translations: Translations,
}

/// An enabled special offer of the customer site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteOffer {
    /// Id of the special offer.
    pub id: SpecialOfferId,
    /// Id of the network.
    pub network_id: NetworkId,
    /// Page of the customer site that shows the offer.
    pub place: OfferPlace,
    /// Position on the page.
    pub position: OfferPosition,
    /// Ids of the active services of the offer, in their order.
    pub services: Vec<ServiceId>,
    /// Ids of the service types of the offer, in their order.
    pub service_types: Vec<ServiceTypeId>,
    /// Texts by locale and field: `name`.
    pub translations: Translations,
}

/// An active service of the auto-promotion. The service, its service type and its network are enabled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SitePromotion {
    /// Service that customers can choose, by id and name.
    pub service: NamedRef<ServiceId>,
    /// Service type of the service, by id and name.
    pub service_type: NamedRef<ServiceTypeId>,
    /// Network of the service, by id and name.
    pub network: NamedRef<NetworkId>,
    /// Markup on the price, as a fraction: of the service, its service type or its network, in this order; null for none.
    pub resale_margin_fraction: Option<Fraction>,
}

/// Content of the customer site, without archived and disabled records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteContent {
    /// Menu items, parents before their children, each level in its order.
    pub menu: Vec<SiteMenuItem>,
    /// Custom menu items for the public part of the site.
    pub added_menu: Vec<SiteMenuItem>,
    /// Pages, sorted by the name of the route.
    pub pages: Vec<SitePage>,
    /// Banners, in the order of their placements.
    pub banners: Vec<Banner>,
    /// Special offers, newest first.
    pub special_offers: Vec<SiteOffer>,
    /// Services of the auto-promotion, in the order of networks, service types and services.
    pub auto_promotions: Vec<SitePromotion>,
}

crate::json_bodies!(PrivateSiteSettings, SiteContent, SiteService);
crate::serde_queries!(SiteServicesQuery);
