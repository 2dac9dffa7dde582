//! What the customers' site asks the panel for with an account of its own: the settings and the facts of services that
//! only the site can obey. Prices and orders go through the reseller API.

use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::amount::Fraction;
use crate::common::Named;
use crate::moment::Stamp;
use crate::services::DescriptionLocation;
use crate::settings::{SettingsTree, site_schema};

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
    pub after: Option<i64>,
}

/// A label of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteLabel {
    /// Id of the label.
    pub id: i64,
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
    pub provider_id: i64,
    /// Name of the provider's event that is translated.
    pub source_event: Option<String>,
    /// Name of the event for the customers' site.
    pub target_event: Option<String>,
}

/// What the site needs to know of a service on sale to draw its order form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteService {
    /// Id of the service.
    pub id: i64,
    /// English name of the service.
    pub name: String,
    /// Service type that the service is listed under.
    pub service_type: Named,
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

crate::wire!(PrivateSiteSettings, SiteService);
crate::plain_query!(SiteServicesQuery);
