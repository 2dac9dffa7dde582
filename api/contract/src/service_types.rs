//! Service types, the second level of the catalogue, as they cross the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Choice, Named, Patch, Translations};
use crate::ids::{NetworkId, ServiceId, ServiceTypeId};
use crate::moment::{Stamp, Time};
use crate::upload::Picture;

crate::words! {
    /// What a service type is about: decides which checks of an address are offered.
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

/// One row of the service types list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTypeRow {
    /// The service type's id.
    pub id: ServiceTypeId,
    /// English name.
    pub name: String,
    /// Its network.
    pub network: Named<NetworkId>,
    /// Heading of its page.
    pub title: Option<String>,
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: ServiceTypeKind,
    /// Part of its address.
    pub slug: Option<String>,
    /// Address of its icon.
    pub icon: Option<String>,
    /// `#rrggbb`.
    pub color: Option<String>,
    /// Its place within the network, from 1.
    pub sorting: i64,
    /// Services of it that are not archived.
    pub services_count: i64,
    /// How many reviews its page tells of.
    pub reviews_count: i64,
    /// 0 to 5.
    pub reviews_rating: Fraction,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// One service type with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceType {
    /// What the list shows.
    #[serde(flatten)]
    pub row: ServiceTypeRow,
    /// A few words.
    pub description: Option<String>,
    /// The text of its page.
    pub full_description: Option<String>,
    /// The id that `panel_service_type.id` of a change may repeat: its own.
    pub panel_service_type_id: ServiceTypeId,
    /// The category of external panels that it keeps: imports with `keep_categories` put services of it here.
    pub panel_category: Option<String>,
    /// Locale → field → text: `name`, `title`, `short_description`, `reviews`, `faq`, `meta_title`, `meta_description`.
    pub translations: Translations,
}

/// Body of `POST service-types`, and within [`ServiceTypeChange`]: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServiceTypeInput {
    /// Of a change: the id in the address once more. A new one gets its id from the panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<ServiceTypeId>,
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its network; required for a new one. Another one puts it last there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkId>,
    /// Heading of its page; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub title: Patch<String>,
    /// A few words; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub description: Patch<String>,
    /// The text of its page; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub full_description: Patch<String>,
    /// What it is about; `Youtube` when nothing is said.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ServiceTypeKind>,
    /// Small letters, digits and hyphens, no other service type's; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub slug: Patch<String>,
    /// Its icon.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// `#rrggbb`; null clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub color: Patch<String>,
    /// 0 to 10,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews_count: Option<i64>,
    /// 0 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews_rating: Option<Fraction>,
    /// All of them; empty texts are dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// As it was read: refused when somebody changed the service type meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `PUT service-types/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceTypeChange {
    /// What changes.
    pub panel_service_type: ServiceTypeInput,
}

/// What pickers of service types offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTypeCollections {
    /// What a service type can be about.
    pub types: Vec<Choice>,
}

/// A service in its place within a service type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlacedService {
    /// The service's id.
    pub id: ServiceId,
    /// English name.
    pub name: String,
    /// Price per `pricing_per` units.
    pub default_price: Money,
    /// Units that prices are for.
    pub pricing_per: i64,
    /// Whether it is on sale.
    pub is_enabled: bool,
    /// Its place, from 1.
    pub sorting: i64,
}

/// Body of `POST service-types/{id}/sort-services`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortServicesInput {
    /// All services of the type that are not archived, in their new order.
    pub services: Vec<ServiceId>,
}

crate::upload!(ServiceTypeInput, ServiceTypeChange);
crate::wire!(ServiceType, ServiceTypeCollections, PlacedService, SortServicesInput);
