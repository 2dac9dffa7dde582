//! Service types: the second level of the catalogue, below networks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Choice, NamedRef, Patch, Translations};
use crate::ids::{NetworkId, ServiceId, ServiceTypeId};
use crate::moment::{Time, Timestamp};
use crate::upload::ImageInput;

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
    /// Network of the service type, by id and name.
    pub network: NamedRef<NetworkId>,
    /// Heading of the page of the service type; null if there is none.
    pub title: Option<String>,
    /// Platform of the service type.
    #[serde(rename = "type")]
    pub kind: ServiceTypeKind,
    /// URL slug of the page of the service type; null if there is none.
    pub slug: Option<String>,
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
    /// Color of the service type, `#rrggbb`; null if there is none.
    pub color: Option<String>,
    /// Sort position within the network, from 1.
    pub sorting: i64,
    /// Number of services of this type that are not archived.
    pub services_count: i64,
    /// Number of reviews that the page shows.
    pub reviews_count: i64,
    /// Rating that the page shows, 0 to 5.
    pub reviews_rating: Fraction,
    /// When the service type was created.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// A service type with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceType {
    /// Fields of a row of the service types list.
    #[serde(flatten)]
    pub row: ServiceTypeRow,
    /// Short description of the service type; null if there is none.
    pub description: Option<String>,
    /// Text of the page of the service type; null if there is none.
    pub full_description: Option<String>,
    /// The same value as `id`, which an update must contain as `panel_service_type.id`.
    pub panel_service_type_id: ServiceTypeId,
    /// Category of external panels that corresponds to the service type. An import with `keep_categories` assigns services of this
    /// category to the service type. Null if there is none.
    pub panel_category: Option<String>,
    /// Texts by locale and field: `name`, `title`, `short_description`, `reviews`, `faq`, `meta_title`, `meta_description`.
    pub translations: Translations,
}

/// Body of `POST service-types`, and within [`ServiceTypeUpdate`]. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServiceTypeInput {
    /// Id of the service type in an update, as in the URL; absent for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<ServiceTypeId>,
    /// English name, 1 to 100 characters; required for a new service type, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Id of the network; required for a new service type. A change moves the service type to the last position of the new network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkId>,
    /// Heading of the page of the service type; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub title: Patch<String>,
    /// Short description of the service type; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub description: Patch<String>,
    /// Text of the page of the service type; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub full_description: Patch<String>,
    /// Platform of the service type; defaults to `Youtube`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ServiceTypeKind>,
    /// Unique URL slug of lowercase letters, digits and hyphens; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub slug: Patch<String>,
    /// Icon file of the service type.
    #[serde(skip_serializing_if = "ImageInput::is_unchanged")]
    pub icon: ImageInput,
    /// Color of the service type, `#rrggbb`; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub color: Patch<String>,
    /// Number of reviews that the page shows, 0 to 10,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews_count: Option<i64>,
    /// Rating that the page shows, 0 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews_rating: Option<Fraction>,
    /// All texts by locale and field; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the service type that the editor read; 409 `stale_record` if the service type has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Body of `PUT service-types/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceTypeUpdate {
    /// Fields of the service type. Absent fields keep their value.
    pub panel_service_type: ServiceTypeInput,
}

/// Response of `GET service-types/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTypeCollections {
    /// Values of `type`.
    pub types: Vec<Choice>,
}

/// A service of a service type, with its sort position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PositionedService {
    /// Id of the service.
    pub id: ServiceId,
    /// English name of the service.
    pub name: String,
    /// Price per `pricing_per` units, in the panel's currency.
    pub default_price: Money,
    /// Number of units that the price is for.
    pub pricing_per: i64,
    /// Whether customers can order the service.
    pub is_enabled: bool,
    /// Sort position within the service type, from 1.
    pub sorting: i64,
}

/// Body of `POST service-types/{id}/sort-services`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortServicesInput {
    /// Ids of all services of the type that are not archived, in their new order.
    pub services: Vec<ServiceId>,
}

crate::image_bodies!(ServiceTypeInput, ServiceTypeUpdate);
crate::json_bodies!(ServiceType, ServiceTypeCollections, PositionedService, SortServicesInput);
