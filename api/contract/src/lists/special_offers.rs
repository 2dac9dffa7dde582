//! The list of special offers.

use crate::endpoints::special_offers::ListSpecialOffers;
use crate::lists::List;
use crate::lists::column::{Column, enum_value, flag, id, number, text, time};
use crate::special_offers::{OfferPlace, OfferPosition, OfferStatus};

/// Special offers, newest first.
pub static SPECIAL_OFFERS: List = List::for_endpoint::<ListSpecialOffers>("special-offers", COLUMNS)
    .console_columns(&[
        "id",
        "name",
        "network.name",
        "place",
        "position",
        "status",
        "services_count",
        "service_types_count",
    ])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("network", "").filter_only(),
    id("network.id", ""),
    text("network.name", "Network").filtered_by("network"),
    enum_value("place", "Page", OfferPlace::VALUES),
    enum_value("position", "Position", OfferPosition::VALUES),
    number("services_count", "Services"),
    number("service_types_count", "Service types").short_label("types"),
    enum_value("status", "Status", OfferStatus::VALUES),
    flag("is_enabled", ""),
    flag("is_archived", ""),
    time("created_at", "Created"),
];
