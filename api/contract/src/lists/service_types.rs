//! The list of service types.

use crate::endpoints::service_types::ListServiceTypes;
use crate::lists::List;
use crate::lists::column::{Column, fraction, id, number, text, time, word};
use crate::service_types::ServiceTypeKind;

/// Service types, newest first.
pub static SERVICE_TYPES: List = List::of::<ListServiceTypes>("service-types", COLUMNS)
    .wide(&[
        "id",
        "name",
        "network.name",
        "type",
        "slug",
        "services_count",
        "sorting",
        "reviews_count",
        "reviews_rating",
    ])
    .narrow(&["id", "name", "network.name", "type", "sorting", "services_count"])
    .checked();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("network", "").filter_only(),
    id("network.id", ""),
    text("network.name", "Network").filtered_by("network"),
    text("title", "Title").nullable(),
    word("type", "Type", ServiceTypeKind::VALUES).short("type"),
    text("slug", "Slug").nullable(),
    number("sorting", "Position"),
    number("services_count", "Services"),
    number("reviews_count", "Reviews"),
    fraction("reviews_rating", "Rating"),
    time("created_at", "Created"),
];
