//! The list of special offers.

use crate::endpoints::special_offers::ListSpecialOffers;
use crate::lists::List;
use crate::lists::column::{Column, flag, id, number, text, time, word};
use crate::special_offers::{OfferPlace, OfferPosition, OfferStatus};

/// Special offers, newest first.
pub static SPECIAL_OFFERS: List = List::of::<ListSpecialOffers>("special-offers", COLUMNS)
    .wide(&[
        "id",
        "name",
        "network.name",
        "place",
        "position",
        "status",
        "services_count",
        "service_types_count",
    ])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("network", "").filter_only(),
    id("network.id", ""),
    text("network.name", "Network").filtered_by("network"),
    word("place", "Page", OfferPlace::VALUES),
    word("position", "Position", OfferPosition::VALUES),
    number("services_count", "Services"),
    number("service_types_count", "Service types").short("types"),
    word("status", "Status", OfferStatus::VALUES),
    flag("is_enabled", ""),
    flag("is_archived", ""),
    time("created_at", "Created"),
];
