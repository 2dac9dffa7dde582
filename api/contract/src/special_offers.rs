//! Special offers, in which pages of the customer site promote services and service types.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Choice, NamedRef, Translations};
use crate::ids::{NetworkId, ServiceId, ServiceTypeId, SpecialOfferId};
use crate::moment::{Time, Timestamp};

crate::string_enum! {
    /// Page of the customer site that shows a special offer.
    OfferPlace {
        HomePage = "home_page",
        Dashboard = "dashboard",
        Services = "services",
        CreateOrder = "create_order",
        Orders = "orders",
    }
}

crate::string_enum! {
    /// Position on the page. The positions on the home page differ from those on the other pages.
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
    /// Positions that the page has.
    #[must_use]
    pub const fn positions(self) -> &'static [OfferPosition] {
        match self {
            Self::HomePage => OfferPosition::HOME_PAGE,
            _ => OfferPosition::OTHER_PAGES,
        }
    }
}

impl OfferPosition {
    /// Positions of the home page.
    pub const HOME_PAGE: &'static [Self] = &[Self::First, Self::Second, Self::Third, Self::Fourth];
    /// Positions of all other pages.
    pub const OTHER_PAGES: &'static [Self] = &[Self::Top, Self::Middle, Self::Bottom];
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
    /// Network of the offer, by id and name.
    pub network: NamedRef<NetworkId>,
    /// Page that shows the offer.
    pub place: OfferPlace,
    /// Position on the page.
    pub position: OfferPosition,
    /// Number of services in the offer.
    pub services_count: i64,
    /// Number of service types in the offer.
    pub service_types_count: i64,
    /// Whether the offer is enabled. The customer site never shows an archived offer.
    pub is_enabled: bool,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// Status of the offer, which the server computes for each response.
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
    /// Fields of a row of the special offers list.
    #[serde(flatten)]
    pub row: SpecialOfferRow,
    /// Services of the offer by id and name, in their order.
    pub services: Vec<NamedRef<ServiceId>>,
    /// Service types of the offer by id and name, in their order.
    pub service_types: Vec<NamedRef<ServiceTypeId>>,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// Body of `POST special-offers` and `PUT special-offers/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpecialOfferInput {
    /// English name, 1 to 100 characters; required for a new offer, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Id of the network; required for a new offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_id: Option<NetworkId>,
    /// Page that shows the offer; required for a new offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<OfferPlace>,
    /// Position on the page; required for a new offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<OfferPosition>,
    /// Whether customers see the offer.
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
    /// `updated_at` of the offer that the editor read; 409 `stale_record` if the offer has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Response of `GET special-offers/collection`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpecialOfferCollection {
    /// Values of `place`.
    pub places: Vec<Choice>,
    /// Values of `position` for all pages except the home page.
    pub positions: Vec<Choice>,
    /// Values of `position` for the home page.
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
    /// Page number, from 1; defaults to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "1")]
    pub page: Option<i64>,
    /// Part of a name, or an id, to search for; absent for all services.
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

crate::serde_queries!(OfferServicesQuery, OfferTypesQuery);

/// Response of `GET special-offers/services`: a page of services.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferServices {
    /// Active services by id and name, sorted by name.
    pub items: Vec<NamedRef>,
    /// Number of this page, from 1.
    pub current_page: i64,
    /// Number of the last page, at least 1.
    pub last_page: i64,
}

crate::json_bodies!(SpecialOffer, SpecialOfferRow, SpecialOfferInput, SpecialOfferCollection, OfferServices);
