//! Networks and service types, and the order of the catalogue's three levels.

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::networks::{
    CreateNetwork, DeleteNetwork, ListNetworkServiceTypes, ListNetworks, SortNetworks, SortServiceTypes,
    UpdateNetwork,
};
use panel_contract::endpoints::service_types::{
    CreateServiceType, DeleteServiceType, GetServiceType, ListServiceTypeCollections, ListServicesOfType,
    SortServices, UpdateServiceType,
};
use panel_contract::lists;
use panel_contract::networks::{NetworkInput, SortNetworksInput, SortServiceTypesInput};
use panel_contract::service_types::{
    ServiceTypeChange, ServiceTypeInput, ServiceTypeKind, SortServicesInput,
};

use crate::command::call::{Argument, Call, Write, id, id_arg, id_value, of, opt, repeated, word};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{patch, picture_of, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "networks",
    alias: Some("network"),
    about: "Manage networks, the first level of the catalogue",
    verbs: &[
        Cmd::Call(&LIST),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&DELETE),
        Cmd::Call(&SORT),
        Cmd::Call(&TYPES),
        Cmd::Call(&SORT_TYPES),
    ],
};

pub(crate) const TYPES_NOUN: Noun = Noun {
    name: "service-types",
    alias: Some("service-type"),
    about: "Manage service types, the second level of the catalogue",
    verbs: &[
        Cmd::List(&TYPE_LIST),
        Cmd::Get(&TYPE_GET),
        Cmd::Export(&TYPE_LIST),
        Cmd::Call(&TYPE_CREATE),
        Cmd::Call(&TYPE_UPDATE),
        Cmd::Call(&TYPE_DELETE),
        Cmd::Call(&TYPE_COLLECTIONS),
        Cmd::Call(&TYPE_SERVICES),
        Cmd::Call(&SORT_SERVICES),
    ],
};

const LIST: Call = Call {
    name: "list",
    about: "List networks, by position",
    examples: &[("networks list -o csv", "print as CSV, for a script")],
    op: ListNetworks::OP,
    args: |command| command,
    request: |_, _| of::<ListNetworks>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("color", Kind::Text),
        Column::new("sorting", Kind::Number).titled("position"),
        Column::extra("icon", Kind::Text),
        Column::extra("updated_at", Kind::Time),
    ],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a network at the last position",
    examples: &[("networks create --name Threads --hex-color '#101010'", "create a network")],
    op: CreateNetwork::OP,
    args: network_args,
    request: |_, matches| of::<CreateNetwork>((), &EmptyQuery {}, &network(matches)?),
    columns: &[],
    write: Some(Write {
        question: |_| "Create this network?".to_owned(),
        danger: Danger::Reversible("panelctl networks update"),
        success: |_| "Network created.".to_owned(),
        has_dry_run: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a network; fields without an option keep their values, 'none' clears a field",
    examples: &[("networks update 3 --hex-color none", "remove its color")],
    op: UpdateNetwork::OP,
    args: |command| network_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateNetwork>(id(matches)?, &EmptyQuery {}, &network(matches)?),
    columns: &[],
    write: Some(UPDATE_WRITE),
    ..LIST
};

const DELETE: Call = Call {
    name: "delete",
    about: "Delete an unused network",
    examples: &[("networks delete 3", "if it is in use, the error lists what uses it")],
    op: DeleteNetwork::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteNetwork>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    pointer: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete network {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Network {} deleted.", id_value(matches)),
        has_dry_run: true,
    }),
};

const TYPE_DELETE: Call = Call {
    name: "delete",
    about: "Delete an unused service type",
    examples: &[("service-types delete 3", "if it is in use, the error lists what uses it")],
    op: DeleteServiceType::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteServiceType>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    pointer: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete service type {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Service type {} deleted.", id_value(matches)),
        has_dry_run: true,
    }),
};

const UPDATE_WRITE: Write = Write {
    question: |matches| format!("Update network {}?", id_value(matches)),
    danger: Danger::Reversible("run the command again with the old values"),
    success: |matches| format!("Network {} updated.", id_value(matches)),
    has_dry_run: false,
};

const SORT_WRITE: Write = Write {
    question: |_| "Save this order?".to_owned(),
    danger: Danger::Reversible("run the command again with the old order"),
    success: |_| "Order saved.".to_owned(),
    has_dry_run: false,
};

const SORT: Call = Call {
    name: "sort",
    about: "Set the order of all networks",
    examples: &[("networks sort 3,1,2", "put network 3 first")],
    op: SortNetworks::OP,
    args: |command| command.arg(ids_arg()),
    request: |_, matches| {
        of::<SortNetworks>((), &EmptyQuery {}, &SortNetworksInput { networks: ids(matches) })
    },
    columns: &[],
    write: Some(SORT_WRITE),
    ..LIST
};

const TYPES: Call = Call {
    name: "types",
    about: "List the service types of a network, by position",
    examples: &[("networks types 3", "list the service types of network 3")],
    op: ListNetworkServiceTypes::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ListNetworkServiceTypes>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("network.name", Kind::Text).titled("network"),
        Column::new("type", Kind::Word),
        Column::new("sorting", Kind::Number).titled("position"),
        Column::new("services_count", Kind::Number).titled("services"),
        Column::extra("slug", Kind::Text),
        Column::extra("title", Kind::Text),
        Column::extra("network.id", Kind::Id),
        Column::extra("reviews_count", Kind::Number),
        Column::extra("reviews_rating", Kind::Number),
        Column::extra("created_at", Kind::Time),
    ],
    ..LIST
};

const SORT_TYPES: Call = Call {
    name: "sort-types",
    about: "Set the order of all service types of a network",
    examples: &[("networks sort-types 3 12,10,11", "put service type 12 first")],
    op: SortServiceTypes::OP,
    args: |command| command.args([id_arg(), ids_arg()]),
    request: |_, matches| {
        let body = SortServiceTypesInput { service_types: ids(matches) };
        of::<SortServiceTypes>(id(matches)?, &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(SORT_WRITE),
    ..LIST
};

const TYPE_LIST: List = List {
    declaration: &lists::service_types::SERVICE_TYPES,
    noun: "service types",
    one: "service type",
    about: "List service types",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("network", "network", "Filter by part of the network's name"),
        Filter::new("type", "type", "Filter by type"),
    ],
    since: "created_at",
    examples: &[(
        "service-types list --network youtube --sort sorting",
        "service types of a network by position",
    )],
};

const TYPE_GET: Get = Get {
    one: "service type",
    about: "Show service types with all details",
    op: GetServiceType::OP,
    columns: &[],
    examples: &[("service-types get 4", "show one service type")],
};

const TYPE_CREATE: Call = Call {
    name: "create",
    about: "Create a service type at the last position of its network",
    examples: &[("service-types create --name Likes --network 3 --type Instagram", "create a service type")],
    op: CreateServiceType::OP,
    args: type_args,
    request: |_, matches| of::<CreateServiceType>((), &EmptyQuery {}, &service_type(matches)?),
    write: Some(Write {
        question: |_| "Create this service type?".to_owned(),
        danger: Danger::Reversible("panelctl service-types update"),
        success: |_| "Service type created.".to_owned(),
        has_dry_run: false,
    }),
    columns: &[],
    ..LIST
};

const TYPE_UPDATE: Call = Call {
    name: "update",
    about: "Update a service type; fields without an option keep their values, 'none' clears a field",
    examples: &[("service-types update 4 --rating 4.8 --reviews 1200", "change the reviews on its page")],
    op: UpdateServiceType::OP,
    args: |command| type_args(command.arg(id_arg())),
    request: |_, matches| {
        let body = ServiceTypeChange { panel_service_type: service_type(matches)? };
        of::<UpdateServiceType>(id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Update service type {}?", id_value(matches)),
        success: |matches| format!("Service type {} updated.", id_value(matches)),
        ..UPDATE_WRITE
    }),
    columns: &[],
    ..LIST
};

const TYPE_COLLECTIONS: Call = Call {
    name: "collections",
    about: "List the kinds of service types",
    examples: &[],
    op: ListServiceTypeCollections::OP,
    request: |_, _| of::<ListServiceTypeCollections>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..LIST
};

const TYPE_SERVICES: Call = Call {
    name: "services",
    about: "List the services of a type, by position",
    examples: &[("service-types services 4", "list all services of a type that are not archived")],
    op: ListServicesOfType::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ListServicesOfType>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("default_price", Kind::Number).titled("price"),
        Column::new("pricing_per", Kind::Number).titled("per"),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("sorting", Kind::Number).titled("position"),
    ],
    ..LIST
};

const SORT_SERVICES: Call = Call {
    name: "sort-services",
    about: "Set the order of all services of a type",
    examples: &[("service-types sort-services 4 88,90,89", "put service 88 first")],
    op: SortServices::OP,
    args: |command| command.args([id_arg(), ids_arg()]),
    request: |_, matches| {
        of::<SortServices>(id(matches)?, &EmptyQuery {}, &SortServicesInput { services: ids(matches) })
    },
    columns: &[],
    write: Some(SORT_WRITE),
    ..LIST
};

fn ids_arg() -> Arg {
    Arg::new("order")
        .value_name("IDS")
        .value_delimiter(',')
        .value_parser(clap::value_parser!(i64).range(1..))
        .required(true)
        .help("All ids in the new order, separated by commas")
}

fn ids<I: Argument>(matches: &ArgMatches) -> Vec<I> {
    repeated(matches, "order")
}

fn network_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("icon", "Image file, or none to remove the image").value_name("FILE"),
        text_arg("hex-color", "Color, such as #ff0033, or none"),
        text_arg("url-examples", "Example links for customers, separated by commas").value_delimiter(','),
        translations_arg(),
    ])
}

fn network(matches: &ArgMatches) -> CmdResult<NetworkInput> {
    let examples = matches.get_many::<String>("url-examples");
    Ok(NetworkInput {
        name: opt(matches, "name"),
        icon: picture_of(matches, "icon")?,
        color: patch(matches, "hex-color"),
        url_examples: examples.map(|all| all.cloned().collect()),
        translations: translations_of(matches)?,
        updated_at: None,
    })
}

fn type_args(command: Command) -> Command {
    let kinds = clap::builder::PossibleValuesParser::new(ServiceTypeKind::VALUES.texts);
    command.args([
        text_arg("name", "English name"),
        text_arg("icon", "Image file, or none to remove the image").value_name("FILE"),
        Arg::new("network")
            .long("network")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("Id of the network"),
        Arg::new("type").long("type").value_name("WORD").value_parser(kinds).help("Kind of service type"),
        text_arg("title", "Heading of its page, or none"),
        text_arg("description", "Short description, or none"),
        text_arg("full-description", "Text of its page, or none"),
        text_arg("slug", "Last part of its URL, or none"),
        text_arg("hex-color", "Color, such as #ff0033, or none"),
        Arg::new("reviews-count")
            .long("reviews")
            .value_name("COUNT")
            .value_parser(clap::value_parser!(i64))
            .help("Number of reviews shown on its page"),
        Arg::new("reviews-rating")
            .long("rating")
            .value_name("NUMBER")
            .value_parser(clap::value_parser!(Fraction))
            .help("Rating shown on its page, 0 to 5"),
        translations_arg(),
    ])
}

fn service_type(matches: &ArgMatches) -> CmdResult<ServiceTypeInput> {
    Ok(ServiceTypeInput {
        id: None,
        name: opt(matches, "name"),
        network: opt(matches, "network"),
        title: patch(matches, "title"),
        description: patch(matches, "description"),
        full_description: patch(matches, "full-description"),
        kind: word(matches, "type"),
        slug: patch(matches, "slug"),
        icon: picture_of(matches, "icon")?,
        color: patch(matches, "hex-color"),
        reviews_count: opt(matches, "reviews-count"),
        reviews_rating: opt(matches, "reviews-rating"),
        translations: translations_of(matches)?,
        updated_at: None,
    })
}
