//! Special offers as they cross the wire: services and service types that stand out at a place of the panel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Choice, Named, Translations};
use crate::ids::{NetworkId, ServiceId, ServiceTypeId, SpecialOfferId};
use crate::moment::{Stamp, Time};

crate::words! {
    /// Where an offer is shown.
    OfferPlace {
        HomePage = "home_page",
        Dashboard = "dashboard",
        Services = "services",
        CreateOrder = "create_order",
        Orders = "orders",
    }
}

crate::words! {
    /// Where at its place: the home page has positions of its own.
    OfferPosition {
        Top = "top",
        Middle = "middle",
        Bottom = "bottom",
        First = "first",
        Second = "second",
        Third = "third",
        Fourth = "fourth",
    }
}

impl OfferPlace {
    /// The positions that it has.
    #[must_use]
    pub const fn positions(self) -> &'static [OfferPosition] {
        match self {
            Self::HomePage => OfferPosition::HOME_PAGE,
            _ => OfferPosition::USUAL,
        }
    }
}

impl OfferPosition {
    /// Those of the home page.
    pub const HOME_PAGE: &'static [Self] = &[Self::First, Self::Second, Self::Third, Self::Fourth];
    /// Those of every other place.
    pub const USUAL: &'static [Self] = &[Self::Top, Self::Middle, Self::Bottom];
}

crate::words! {
    /// Whether an offer is shown.
    OfferStatus { Active = "active", Disabled = "disabled", Archived = "archived" }
}

/// One row of the special offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpecialOfferRow {
    /// The offer's id.
    pub id: SpecialOfferId,
    /// English name.
    pub name: String,
    /// Its network.
    pub network: Named<NetworkId>,
    /// Where it is shown.
    pub place: OfferPlace,
    /// Where at that place.
    pub position: OfferPosition,
    /// Services in it.
    pub services_count: i64,
    /// Service types in it.
    pub service_types_count: i64,
    /// Whether it is shown, unless it is archived.
    pub is_enabled: bool,
    /// Whether it is put away.
    pub is_archived: bool,
    /// Archived, disabled or active.
    pub status: OfferStatus,
    /// When it was made.
    pub created_at: Time,
    /// What the caller may do with it.
    pub actions: SpecialOfferActions,
}

/// What the caller may do with a special offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpecialOfferActions {
    /// Change it.
    pub editable: bool,
    /// Show it.
    pub enable: bool,
    /// Hide it.
    pub disable: bool,
    /// Put it away.
    pub archival: bool,
    /// Bring it back.
    pub restore: bool,
    /// Delete it for good; only an archived one.
    pub deletable: bool,
}

/// One special offer with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpecialOffer {
    /// What the list shows.
    #[serde(flatten)]
    pub row: SpecialOfferRow,
    /// Its services, in order.
    pub services: Vec<Named<ServiceId>>,
    /// Its service types, in order.
    pub service_types: Vec<Named<ServiceTypeId>>,
    /// Locale → `name` → text.
    pub translations: Translations,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// Body of `POST special-offers` and `PUT special-offers/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpecialOfferInput {
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its network; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Where it is shown; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<OfferPlace>,
    /// Where at that place; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<OfferPosition>,
    /// Whether it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// All its services, of its network, in order; at least one service or service type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// All its service types, of its network, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_types: Option<Vec<ServiceTypeId>>,
    /// All texts; empty ones are dropped. Field: `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// As it was read: refused when somebody changed the offer meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// What pickers of a special offer offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpecialOfferCollection {
    /// Places.
    pub places: Vec<Choice>,
    /// Positions of all places but the home page.
    pub positions: Vec<Choice>,
    /// Positions of the home page.
    pub home_page_positions: Vec<Choice>,
}

/// Query of `GET special-offers/services`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(rename_all = "camelCase")]
pub struct OfferServicesQuery {
    /// Only services of this network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "3")]
    pub network_id: Option<NetworkId>,
    /// The page, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "1")]
    pub page: Option<i64>,
    /// Part of a name, or an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
}

/// Query of `GET special-offers/service-types`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(rename_all = "camelCase")]
pub struct OfferTypesQuery {
    /// Only service types of this network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "3")]
    pub network_id: Option<NetworkId>,
}

crate::plain_query!(OfferServicesQuery, OfferTypesQuery);

/// A page of services for a picker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferServices {
    /// Services on sale, by name.
    pub items: Vec<Named>,
    /// This page.
    pub current_page: i64,
    /// The last page; 1 when there is nothing.
    pub last_page: i64,
}

crate::wire!(SpecialOffer, SpecialOfferRow, SpecialOfferInput, SpecialOfferCollection, OfferServices);
