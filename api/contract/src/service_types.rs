//! Service types, the second level of the catalogue, on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Choice, Named, Patch, Translations};
use crate::ids::{NetworkId, ServiceId, ServiceTypeId};
use crate::moment::{Stamp, Time};
use crate::upload::Picture;

crate::string_enum! {
    /// Platform of a service type, which determines the available checker groups for links.
    ServiceTypeKind {
        Youtube = "Youtube",
        Instagram = "Instagram",
        Tiktok = "Tiktok",
        Facebook = "Facebook",
        Twitter = "Twitter",
        Telegram = "Telegram",
        Spotify = "Spotify",
        Soundcloud = "Soundcloud",
        Twitch = "Twitch",
        Discord = "Discord",
        Linkedin = "Linkedin",
        Pinterest = "Pinterest",
        Reddit = "Reddit",
        Threads = "Threads",
        Vk = "Vk",
        Website = "Website",
        Other = "Other",
    }
}

/// A row of the service types list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTypeRow {
    /// Id of the service type.
    pub id: ServiceTypeId,
    /// English name of the service type.
    pub name: String,
    /// Network of the record.
    pub network: Named<NetworkId>,
    /// Heading of the page.
    pub title: Option<String>,
    /// Platform of the service type.
    #[serde(rename = "type")]
    pub kind: ServiceTypeKind,
    /// URL slug of its page; null without one.
    pub slug: Option<String>,
    /// URL of the icon.
    pub icon: Option<String>,
    /// Color of the service type, `#rrggbb`.
    pub color: Option<String>,
    /// Sort position, from 1.
    pub sorting: i64,
    /// Number of its services that are not archived.
    pub services_count: i64,
    /// Number of reviews that its page shows.
    pub reviews_count: i64,
    /// Rating that its page shows, 0 to 5.
    pub reviews_rating: Fraction,
    /// When the service type was created.
    pub created_at: Time,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
}

/// A service type with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceType {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: ServiceTypeRow,
    /// Short description of the service type.
    pub description: Option<String>,
    /// Text of the page.
    pub full_description: Option<String>,
    /// The same as `id`, for `panel_service_type.id` of an update.
    pub panel_service_type_id: ServiceTypeId,
    /// Category of external panels whose services imports with `keep_categories` put into this service type.
    pub panel_category: Option<String>,
    /// Texts by locale and field: `name`, `title`, `short_description`, `reviews`, `faq`, `meta_title`, `meta_description`.
    pub translations: Translations,
}

/// Body of `POST service-types`, and within [`ServiceTypeChange`]. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServiceTypeInput {
    /// For an update: the same id as in the URL. Absent for a new service type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<ServiceTypeId>,
    /// English name, 1 to 100 characters; required for a new record, here or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Id of the network; required for a new record. Changing it moves the service type to the last position of the new network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkId>,
    /// Heading of the page; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub title: Patch<String>,
    /// Short description; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub description: Patch<String>,
    /// Text of the page; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub full_description: Patch<String>,
    /// Platform; defaults to `Youtube`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ServiceTypeKind>,
    /// Unique URL slug of lowercase letters, digits and hyphens; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub slug: Patch<String>,
    /// Icon image of the service type.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// Color, `#rrggbb`; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub color: Patch<String>,
    /// Number of reviews to show, 0 to 10,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews_count: Option<i64>,
    /// Rating to show, 0 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews_rating: Option<Fraction>,
    /// All texts by locale and field; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the service type that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `PUT service-types/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceTypeChange {
    /// Fields to change.
    pub panel_service_type: ServiceTypeInput,
}

/// Options for forms and filters of service types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTypeCollections {
    /// Platforms of service types.
    pub types: Vec<Choice>,
}

/// A service with its position in a service type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlacedService {
    /// Id of the service.
    pub id: ServiceId,
    /// English name of the service.
    pub name: String,
    /// Price per `pricing_per` units.
    pub default_price: Money,
    /// Number of units that prices are for.
    pub pricing_per: i64,
    /// Whether customers can order it.
    pub is_enabled: bool,
    /// Sort position, from 1.
    pub sorting: i64,
}

/// Body of `POST service-types/{id}/sort-services`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortServicesInput {
    /// Ids of all services of the type that are not archived, in their new order.
    pub services: Vec<ServiceId>,
}

crate::upload!(ServiceTypeInput, ServiceTypeChange);
crate::wire!(ServiceType, ServiceTypeCollections, PlacedService, SortServicesInput);
