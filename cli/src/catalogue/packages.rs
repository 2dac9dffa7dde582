//! Packages: services that are sold together.

mod edit;

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::packages::{
    GetPackage, GetProviderPackage, ListPackages, ListProviderPackages,
};
use panel_contract::packages::PackageType;

use crate::command::filter::{Filter, Takes};
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `packages`.
pub(crate) const NOUN: Noun = Noun {
    name: "packages",
    alias: Some("package"),
    about: "Services that are sold together",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&edit::CREATE),
        Cmd::Call(&edit::UPDATE),
        Cmd::Call(&edit::BULK_UPDATE),
        Cmd::Call(&edit::ARCHIVE),
        Cmd::Call(&edit::UNARCHIVE),
        Cmd::Call(&edit::BUY),
        Cmd::Call(&edit::TOTAL_COST),
        Cmd::Call(&edit::AVAILABLE),
        Cmd::Call(&edit::TYPES),
        Cmd::Export(&LIST),
        Cmd::Nested(&PROVIDED),
    ],
};

/// `packages from-providers`.
const PROVIDED: Noun = Noun {
    name: "from-providers",
    alias: None,
    about: "Packages that external panels sell",
    verbs: &[Cmd::List(&PROVIDED_LIST), Cmd::Get(&PROVIDED_GET)],
};

const LIST: List = List {
    noun: "packages",
    one: "package",
    about: "Packages, newest first",
    op: ListPackages::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("type", Kind::Word),
        Column::new("network.name", Kind::Text).titled("network"),
        Column::new("contents_count", Kind::Number).titled("services"),
        Column::new("default_cost", Kind::Number).titled("one by one"),
        Column::new("total_cost", Kind::Number).titled("cost"),
        Column::new("difference", Kind::Number).titled("saves"),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::more("service_type.name", Kind::Text),
        Column::more("fixed_cost", Kind::Number),
        Column::more("discount_percent", Kind::Number),
        Column::more("is_archived", Kind::Word),
        Column::more("restricted_access", Kind::Word),
        Column::more("sync", Kind::Word),
        Column::more("provider.name", Kind::Text),
        Column::more("slug", Kind::Text),
        Column::more("created_at", Kind::Time),
    ],
    filters: &[
        Filter { flag: "name", column: "name", takes: Takes::Any("TEXT"), help: "Part of the name" },
        Filter { flag: "type", column: "type", takes: words_of!(PackageType), help: "Its type" },
        Filter {
            flag: "network",
            column: "network",
            takes: Takes::Any("TEXT"),
            help: "Part of the network's name",
        },
        Filter {
            flag: "panel",
            column: "provider",
            takes: Takes::Any("TEXT"),
            help: "Id or part of the name of the external panel that it comes from",
        },
        Filter { flag: "enabled", column: "is_enabled", takes: Takes::Flag, help: "Whether it is on sale" },
        Filter {
            flag: "archived",
            column: "is_archived",
            takes: Takes::Plain(&Takes::Flag),
            help: "Whether it is archived",
        },
    ],
    also_filters: &["network.id", "provider.id", "service_type", "service_type.id"],
    since: "created_at",
    examples: &[("packages list --archived 0 --enabled 1", "what is on sale")],
};

const GET: Get = Get {
    one: "package",
    about: "Packages with everything in them",
    op: GetPackage::OP,
    columns: &[],
    examples: &[("packages get 3", "one package")],
};

const PROVIDED_LIST: List = List {
    noun: "packages of external panels",
    one: "package of an external panel",
    about: "Packages that external panels sell, newest first",
    op: ListProviderPackages::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("external_panel.name", Kind::Text).titled("panel"),
        Column::new("type", Kind::Word),
        Column::new("contents_count", Kind::Number).titled("services"),
        Column::new("packages_count", Kind::Number).titled("packages"),
        Column::more("network.name", Kind::Text),
        Column::more("fixed_cost", Kind::Number),
        Column::more("discount_percent", Kind::Number),
        Column::more("sync", Kind::Word),
        Column::more("created_at", Kind::Time),
    ],
    filters: &[
        Filter { flag: "name", column: "name", takes: Takes::Any("TEXT"), help: "Part of the name" },
        Filter {
            flag: "panel",
            column: "external_panel",
            takes: Takes::Any("TEXT"),
            help: "Part of the panel's name",
        },
    ],
    also_filters: &["external_panel.id", "network.id"],
    since: "created_at",
    examples: &[("packages from-providers list", "what could be imported")],
};

const PROVIDED_GET: Get = Get {
    one: "package of an external panel",
    about: "Packages of external panels with what is in them",
    op: GetProviderPackage::OP,
    columns: &[],
    examples: &[("packages from-providers get 3", "one of them")],
};
