//! Special offers on the wire: promoted services and service types on pages of the customer site.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Choice, Named, Translations};
use crate::ids::{NetworkId, ServiceId, ServiceTypeId, SpecialOfferId};
use crate::moment::{Stamp, Time};

crate::string_enum! {
    /// Placement of a special offer.
    OfferPlace {
        HomePage = "home_page",
        Dashboard = "dashboard",
        Services = "services",
        CreateOrder = "create_order",
        Orders = "orders",
    }
}

crate::string_enum! {
    /// Position at a placement; the home page has its own positions.
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
    /// Positions of the placement.
    #[must_use]
    pub const fn positions(self) -> &'static [OfferPosition] {
        match self {
            Self::HomePage => OfferPosition::HOME_PAGE,
            _ => OfferPosition::USUAL,
        }
    }
}

impl OfferPosition {
    /// Positions of the home page.
    pub const HOME_PAGE: &'static [Self] = &[Self::First, Self::Second, Self::Third, Self::Fourth];
    /// Positions of all other placements.
    pub const USUAL: &'static [Self] = &[Self::Top, Self::Middle, Self::Bottom];
}

crate::string_enum! {
    /// Status of a special offer.
    OfferStatus { Active = "active", Disabled = "disabled", Archived = "archived" }
}

/// A row of the special offers list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpecialOfferRow {
    /// Id of the offer.
    pub id: SpecialOfferId,
    /// English name of the special offer.
    pub name: String,
    /// Network of the record.
    pub network: Named<NetworkId>,
    /// Placement of the offer.
    pub place: OfferPlace,
    /// Position at the placement.
    pub position: OfferPosition,
    /// Number of services in the offer.
    pub services_count: i64,
    /// Number of service types in the offer.
    pub service_types_count: i64,
    /// Whether the offer is enabled; an archived offer is never shown.
    pub is_enabled: bool,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Status of the offer.
    pub status: OfferStatus,
    /// When the special offer was created.
    pub created_at: Time,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: SpecialOfferActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpecialOfferActions {
    /// Whether the caller can update the record.
    pub editable: bool,
    /// Whether the caller can enable the offer.
    pub enable: bool,
    /// Whether the caller can disable the offer.
    pub disable: bool,
    /// Whether the caller can archive the record.
    pub archival: bool,
    /// Whether the caller can restore the archived record.
    pub restore: bool,
    /// Whether the caller can delete the archived offer permanently.
    pub deletable: bool,
}

/// A special offer with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpecialOffer {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: SpecialOfferRow,
    /// Services of the offer, in order.
    pub services: Vec<Named<ServiceId>>,
    /// Service types of the offer, in order.
    pub service_types: Vec<Named<ServiceTypeId>>,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
}

/// Body of `POST special-offers` and `PUT special-offers/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpecialOfferInput {
    /// English name, 1 to 100 characters; required for a new record, here or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Id of the network; required for a new record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Placement; required for a new offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<OfferPlace>,
    /// Position at the placement; required for a new offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<OfferPosition>,
    /// Whether the offer is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Ids of all services in order, from the same network; at least one service or service type is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<ServiceId>>,
    /// Ids of all service types in order, from the same network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_types: Option<Vec<ServiceTypeId>>,
    /// All names by locale; empty texts are removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the offer that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Options for forms and filters of special offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpecialOfferCollection {
    /// Placements of special offers.
    pub places: Vec<Choice>,
    /// Positions of all placements except the home page.
    pub positions: Vec<Choice>,
    /// Positions of the home page.
    pub home_page_positions: Vec<Choice>,
}

/// Query of `GET special-offers/services`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(rename_all = "camelCase")]
pub struct OfferServicesQuery {
    /// Return only services of this network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "3")]
    pub network_id: Option<NetworkId>,
    /// Page number, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "1")]
    pub page: Option<i64>,
    /// Part of a name, or an id, to search for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
}

/// Query of `GET special-offers/service-types`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(rename_all = "camelCase")]
pub struct OfferTypesQuery {
    /// Return only service types of this network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "3")]
    pub network_id: Option<NetworkId>,
}

crate::plain_query!(OfferServicesQuery, OfferTypesQuery);

/// A page of services for a picker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferServices {
    /// Active services, sorted by name.
    pub items: Vec<Named>,
    /// Number of this page.
    pub current_page: i64,
    /// Number of the last page, at least 1.
    pub last_page: i64,
}

crate::wire!(SpecialOffer, SpecialOfferRow, SpecialOfferInput, SpecialOfferCollection, OfferServices);
