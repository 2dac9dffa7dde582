//! Lists of packages: those that the panel sells, and those of external panels.

use crate::endpoints::packages::{ListPackages, ListProviderPackages};
use crate::lists::column::{Column, flag, fraction, id, money, number, record, text, time, word};
use crate::lists::{List, Record};
use crate::packages::PackageType;

/// All packages, newest first.
pub static PACKAGES: List = List::of::<ListPackages>("packages", PACKAGES_COLUMNS)
    .filters(&[flag("is_archived", "Archived")])
    .wide(&[
        "id",
        "name",
        "type",
        "network.name",
        "contents_count",
        "default_cost",
        "total_cost",
        "difference",
        "discount_percent",
        "is_enabled",
    ])
    .narrow(&[
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
    .checked();

const PACKAGES_COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    word("type", "Start", PackageType::VALUES).short("type"),
    text("network", "").filter_only(),
    id("network.id", ""),
    text("network.name", "Network").filtered_by("network"),
    text("service_type", "").nullable().filter_only(),
    id("service_type.id", "").nullable(),
    text("service_type.name", "Type").nullable().filtered_by("service_type"),
    record("provider", "", Record::ExternalPanel).nullable().filter_only(),
    id("provider.id", "").nullable(),
    text("provider.name", "External panel").nullable().filtered_by("provider"),
    flag("is_enabled", "Status").short("enabled"),
    flag("is_archived", "Archived"),
    flag("restricted_access", "Only for selected customers"),
    flag("sync", "Synced with the panel"),
    text("slug", "Slug").nullable(),
    money("fixed_cost", "Fixed cost").nullable(),
    fraction("discount_percent", "Discount"),
    money("default_cost", "Cost without the package"),
    money("total_cost", "Cost"),
    money("difference", "Customer saves").short("saves"),
    number("contents_count", "Services"),
    time("created_at", "Created"),
];

/// Packages that external panels sell, newest first.
pub static PROVIDER_PACKAGES: List =
    List::of::<ListProviderPackages>("providers-packages", PROVIDER_PACKAGES_COLUMNS)
        .wide(&[
            "id",
            "name",
            "external_panel.name",
            "network.name",
            "contents_count",
            "packages_count",
            "fixed_cost",
            "discount_percent",
            "sync",
            "created_at",
        ])
        .narrow(&["id", "name", "external_panel.name", "type", "contents_count", "packages_count"])
        .checked();

const PROVIDER_PACKAGES_COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    word("type", "Start", PackageType::VALUES).short("type"),
    record("external_panel", "", Record::ExternalPanel).filter_only(),
    id("external_panel.id", ""),
    text("external_panel.name", "External panel").short("panel").filtered_by("external_panel"),
    id("network.id", "").nullable(),
    text("network.name", "Network").nullable(),
    money("fixed_cost", "Fixed cost").nullable(),
    fraction("discount_percent", "Discount"),
    flag("sync", "Synced with the panel"),
    time("created_at", "Created"),
    number("contents_count", "Services").row_only(),
    number("packages_count", "Packages").row_only(),
];
