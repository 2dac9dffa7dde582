//! Lists of packages that this panel sells, and of packages that external panels sell.

use crate::endpoints::packages::{ListPackages, ListProviderPackages};
use crate::lists::column::{Column, enum_value, flag, fraction, id, money, number, record, text, time};
use crate::lists::{List, RecordKind};
use crate::packages::PackageType;

/// Packages that this panel sells, newest first.
pub static PACKAGES: List = List::for_endpoint::<ListPackages>("packages", PACKAGES_COLUMNS)
    .filters(&[flag("is_archived", "Archived")])
    .console_columns(&[
        "id",
        "name",
        "type",
        "network.name",
        "contents_count",
        "default_cost",
        "total_cost",
        "difference",
        "discount_fraction",
        "is_enabled",
    ])
    .terminal_columns(&[
        "id",
        "name",
        "type",
        "network.name",
        "contents_count",
        "default_cost",
        "total_cost",
        "difference",
        "is_enabled",
    ])
    .validate();

const PACKAGES_COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    enum_value("type", "Start", PackageType::VALUES).short_label("type"),
    text("network", "").filter_only(),
    id("network.id", ""),
    text("network.name", "Network").filtered_by("network"),
    text("service_type", "").nullable().filter_only(),
    id("service_type.id", "").nullable(),
    text("service_type.name", "Type").nullable().filtered_by("service_type"),
    record("provider", "", RecordKind::ExternalPanel).nullable().filter_only(),
    id("provider.id", "").nullable(),
    text("provider.name", "External panel").nullable().filtered_by("provider"),
    flag("is_enabled", "Status").short_label("enabled"),
    flag("is_archived", "Archived"),
    flag("restricted_access", "Only for selected customers"),
    flag("sync", "Synced with the panel"),
    text("slug", "Slug").nullable(),
    money("fixed_cost", "Fixed cost").nullable(),
    fraction("discount_fraction", "Discount"),
    money("default_cost", "Cost without the package"),
    money("total_cost", "Cost"),
    money("difference", "Customer saves").short_label("saves"),
    number("contents_count", "Services"),
    time("created_at", "Created"),
];

/// Packages that external panels sell, newest first.
pub static PROVIDER_PACKAGES: List =
    List::for_endpoint::<ListProviderPackages>("providers-packages", PROVIDER_PACKAGES_COLUMNS)
        .console_columns(&[
            "id",
            "name",
            "external_panel.name",
            "network.name",
            "contents_count",
            "packages_count",
            "fixed_cost",
            "discount_fraction",
            "sync",
            "created_at",
        ])
        .terminal_columns(&["id", "name", "external_panel.name", "type", "contents_count", "packages_count"])
        .validate();

const PROVIDER_PACKAGES_COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    enum_value("type", "Start", PackageType::VALUES).short_label("type"),
    record("external_panel", "", RecordKind::ExternalPanel).filter_only(),
    id("external_panel.id", ""),
    text("external_panel.name", "External panel").short_label("panel").filtered_by("external_panel"),
    id("network.id", "").nullable(),
    text("network.name", "Network").nullable(),
    money("fixed_cost", "Fixed cost").nullable(),
    fraction("discount_fraction", "Discount"),
    flag("sync", "Synced with the panel"),
    time("created_at", "Created"),
    number("contents_count", "Services").row_only(),
    number("packages_count", "Packages").row_only(),
];
