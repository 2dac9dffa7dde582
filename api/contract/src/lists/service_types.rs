//! The list of service types.

use crate::endpoints::service_types::ListServiceTypes;
use crate::lists::List;
use crate::lists::column::{Column, enum_value, fraction, id, number, text, time};
use crate::service_types::ServiceTypeKind;

/// Service types, newest first.
pub static SERVICE_TYPES: List = List::for_endpoint::<ListServiceTypes>("service-types", COLUMNS)
    .console_columns(&[
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
    .terminal_columns(&["id", "name", "network.name", "type", "sorting", "services_count"])
    .validate();

const COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    text("network", "").filter_only(),
    id("network.id", ""),
    text("network.name", "Network").filtered_by("network"),
    text("title", "Title").nullable(),
    enum_value("type", "Type", ServiceTypeKind::VALUES).short_label("type"),
    text("slug", "Slug").nullable(),
    number("sorting", "Position"),
    number("services_count", "Services"),
    number("reviews_count", "Reviews"),
    fraction("reviews_rating", "Rating"),
    time("created_at", "Created"),
];
