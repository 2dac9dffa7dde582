//! What the customers' site asks the panel for with an account of its own: the settings and the facts of services that
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

/// Every setting that the site obeys, nested as in [`SettingsTree`]. Secrets are opened: keep the answer on the site's
/// server and out of its pages.
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
    /// Services with a higher id than this one; from the first when absent.
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
    /// Whether services with it take the customer's own comments.
    pub is_custom_comments: bool,
}

/// Which event at a provider counts for which event of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteEvent {
    /// Id of the provider.
    pub provider_id: ProviderId,
    /// Name of the provider's event that is translated.
    pub source_event: Option<String>,
    /// Name of the event for the customers' site.
    pub target_event: Option<String>,
}

/// What the site needs to know of a service on sale to draw its order form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteService {
    /// Id of the service.
    pub id: ServiceId,
    /// English name of the service.
    pub name: String,
    /// The part of the address of its page that names it; null without a page of its own.
    pub slug: Option<String>,
    /// Service type that the service is listed under.
    pub service_type: Named<ServiceTypeId>,
    /// Labels of the service.
    pub labels: Vec<SiteLabel>,
    /// Whether the form computes the quantity from what the customer enters.
    pub calculable_quantity: bool,
    /// What the form multiplies a customer's budget by; none for 1.
    pub budget_multiplier: Option<Fraction>,
    /// How many minutes viewers of a live stream stay, where it is sold by time.
    pub live_stream_support_minutes: Option<i64>,
    /// How many viewers the form orders per viewer who stays.
    pub live_stream_retention_quantity_multiplier: Option<Fraction>,
    /// Where the full description stands on its page.
    pub full_description_location: DescriptionLocation,
    /// A page of its own that sells it.
    pub buy_page_url: Option<String>,
    /// Whether an order can be sped up.
    pub can_speedup: bool,
    /// Events of its providers, where staff named some.
    pub events: Vec<SiteEvent>,
    /// Time of the last change of the service.
    pub updated_at: Stamp,
}

/// An item of the site's menu that is switched on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteMenuItem {
    /// Id of the item; items and added items are counted apart.
    pub id: RecordId,
    /// Item that it stands below; null at the top, and for an added item.
    pub parent_id: Option<RecordId>,
    /// Name of the icon; null without one.
    pub icon: Option<String>,
    /// Where it leads.
    pub url: String,
    /// Whether it opens a tab of its own.
    pub is_blank: bool,
    /// Whether signed-in customers see it.
    pub is_allowed_for_authorized: bool,
    /// Whether guests see it.
    pub is_allowed_for_guest: bool,
    /// Locale → field → text: `name`.
    pub translations: Translations,
}

/// A page of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SitePage {
    /// Id of the page.
    pub id: PageId,
    /// Name of its route, which is its address with dots or slashes.
    pub route_name: String,
    /// Locale → field → text: `name`, `meta_title`, `meta_description`.
    pub translations: Translations,
}

/// A special offer that is switched on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteOffer {
    /// Id of the offer.
    pub id: SpecialOfferId,
    /// Id of its network.
    pub network_id: NetworkId,
    /// Where it stands.
    pub place: OfferPlace,
    /// Which position it has there.
    pub position: OfferPosition,
    /// Ids of its services on sale, in their order.
    pub services: Vec<ServiceId>,
    /// Ids of its service types, in their order.
    pub service_types: Vec<ServiceTypeId>,
    /// Locale → field → text: `name`.
    pub translations: Translations,
}

/// A service of the auto-promotion: on sale, and switched on at all three levels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SitePromotion {
    /// The service.
    pub service: Named<ServiceId>,
    /// Its service type.
    pub service_type: Named<ServiceTypeId>,
    /// Its network.
    pub network: Named<NetworkId>,
    /// What is put on top of its price: as the service says it, else its service type, else its network; null for nothing.
    pub resale_margin_percent: Option<Fraction>,
}

/// Everything that staff put on the site; what is archived or switched off is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteContent {
    /// The menu, parents before their children, each level in its order.
    pub menu: Vec<SiteMenuItem>,
    /// Items that staff added for the public part of the site.
    pub added_menu: Vec<SiteMenuItem>,
    /// Pages, by route.
    pub pages: Vec<SitePage>,
    /// Banners, by place.
    pub banners: Vec<Banner>,
    /// Special offers, newest first.
    pub special_offers: Vec<SiteOffer>,
    /// The auto-promotion: networks, their service types and their services, each in its order.
    pub auto_promotions: Vec<SitePromotion>,
}

crate::wire!(PrivateSiteSettings, SiteContent, SiteService);
crate::plain_query!(SiteServicesQuery);
