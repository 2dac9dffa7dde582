//! Networks and service types: editors and the order of the catalogue's three levels.

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
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

use crate::command::call::{Argument, Call, Write, every, given_id, id, id_arg, of, opt, word};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{patch, picture_of, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::output::column::{Column, Kind};

/// `networks`.
pub(crate) const NOUN: Noun = Noun {
    name: "networks",
    alias: Some("network"),
    about: "The first level of the catalogue",
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

/// `service-types`.
pub(crate) const TYPES_NOUN: Noun = Noun {
    name: "service-types",
    alias: Some("service-type"),
    about: "The second level of the catalogue",
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
    about: "Networks in their order",
    examples: &[("networks list -o csv", "for a script")],
    op: ListNetworks::OP,
    args: |command| command,
    request: |_, _| of::<ListNetworks>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("color", Kind::Text),
        Column::new("sorting", Kind::Number).titled("place"),
        Column::more("icon", Kind::Text),
        Column::more("updated_at", Kind::Time),
    ],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a network, placed last",
    examples: &[("networks create --name Threads --hex-color '#101010'", "a new network")],
    op: CreateNetwork::OP,
    args: network_args,
    request: |_, matches| of::<CreateNetwork>((), &NoQuery {}, &network(matches)?),
    columns: &[],
    write: Some(Write {
        question: |_| "Make this network?".to_owned(),
        danger: Danger::Reversible("networks update"),
        said: |_| "The network is made.".to_owned(),
        rehearses: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a network; only what is named, and 'none' clears",
    examples: &[("networks update 3 --hex-color none", "without its colour")],
    op: UpdateNetwork::OP,
    args: |command| network_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateNetwork>(id(matches)?, &NoQuery {}, &network(matches)?),
    columns: &[],
    write: Some(CHANGED),
    ..LIST
};

const DELETE: Call = Call {
    name: "delete",
    about: "Deletes a network that nothing uses",
    examples: &[("networks delete 3", "refused with the names of what uses it")],
    op: DeleteNetwork::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteNetwork>(id(matches)?, &dry_run(matches), &NoBody {}),
    at: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete network {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Network {} is deleted.", given_id(matches)),
        rehearses: true,
    }),
};

const TYPE_DELETE: Call = Call {
    name: "delete",
    about: "Deletes a service type that nothing uses",
    examples: &[("service-types delete 3", "refused with the names of what uses it")],
    op: DeleteServiceType::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteServiceType>(id(matches)?, &dry_run(matches), &NoBody {}),
    at: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete service type {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Service type {} is deleted.", given_id(matches)),
        rehearses: true,
    }),
};

const CHANGED: Write = Write {
    question: |matches| format!("Change {}?", given_id(matches)),
    danger: Danger::Reversible("The same command with the old values"),
    said: |matches| format!("{} is changed.", given_id(matches)),
    rehearses: false,
};

const SORTED: Write = Write {
    question: |_| "Save this order?".to_owned(),
    danger: Danger::Reversible("The same command with the old order"),
    said: |_| "The order is saved.".to_owned(),
    rehearses: false,
};

const SORT: Call = Call {
    name: "sort",
    about: "Puts all networks in an order",
    examples: &[("networks sort 3,1,2", "the third one first")],
    op: SortNetworks::OP,
    args: |command| command.arg(ids_arg()),
    request: |_, matches| of::<SortNetworks>((), &NoQuery {}, &SortNetworksInput { networks: ids(matches) }),
    columns: &[],
    write: Some(SORTED),
    ..LIST
};

const TYPES: Call = Call {
    name: "types",
    about: "The service types of a network in their order",
    examples: &[("networks types 3", "all of them")],
    op: ListNetworkServiceTypes::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ListNetworkServiceTypes>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("network.name", Kind::Text).titled("network"),
        Column::new("type", Kind::Word),
        Column::new("sorting", Kind::Number).titled("place"),
        Column::new("services_count", Kind::Number).titled("services"),
        Column::more("slug", Kind::Text),
        Column::more("title", Kind::Text),
        Column::more("network.id", Kind::Id),
        Column::more("reviews_count", Kind::Number),
        Column::more("reviews_rating", Kind::Number),
        Column::more("created_at", Kind::Time),
    ],
    ..LIST
};

const SORT_TYPES: Call = Call {
    name: "sort-types",
    about: "Puts all service types of a network in an order",
    examples: &[("networks sort-types 3 12,10,11", "the twelfth first")],
    op: SortServiceTypes::OP,
    args: |command| command.args([id_arg(), ids_arg()]),
    request: |_, matches| {
        let body = SortServiceTypesInput { service_types: ids(matches) };
        of::<SortServiceTypes>(id(matches)?, &NoQuery {}, &body)
    },
    columns: &[],
    write: Some(SORTED),
    ..LIST
};

const TYPE_LIST: List = List {
    of: &lists::service_types::SERVICE_TYPES,
    noun: "service types",
    one: "service type",
    about: "Service types",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("network", "network", "Part of the network's name"),
        Filter::new("type", "type", "What it is about"),
    ],
    since: "created_at",
    examples: &[("service-types list --network youtube --sort sorting", "in their order")],
};

const TYPE_GET: Get = Get {
    one: "service type",
    about: "Service types with everything about them",
    op: GetServiceType::OP,
    columns: &[],
    examples: &[("service-types get 4", "one service type")],
};

const TYPE_CREATE: Call = Call {
    name: "create",
    about: "Makes a service type, placed last in its network",
    examples: &[("service-types create --name Likes --network 3 --type Instagram", "a new type")],
    op: CreateServiceType::OP,
    args: type_args,
    request: |_, matches| of::<CreateServiceType>((), &NoQuery {}, &service_type(matches)?),
    write: Some(Write {
        question: |_| "Make this service type?".to_owned(),
        danger: Danger::Reversible("service-types update"),
        said: |_| "The service type is made.".to_owned(),
        rehearses: false,
    }),
    columns: &[],
    ..LIST
};

const TYPE_UPDATE: Call = Call {
    name: "update",
    about: "Changes a service type; only what is named, and 'none' clears",
    examples: &[("service-types update 4 --rating 4.8 --reviews 1200", "what its page tells")],
    op: UpdateServiceType::OP,
    args: |command| type_args(command.arg(id_arg())),
    request: |_, matches| {
        let body = ServiceTypeChange { panel_service_type: service_type(matches)? };
        of::<UpdateServiceType>(id(matches)?, &NoQuery {}, &body)
    },
    write: Some(CHANGED),
    columns: &[],
    ..LIST
};

const TYPE_COLLECTIONS: Call = Call {
    name: "collections",
    about: "What a service type can be about",
    examples: &[],
    op: ListServiceTypeCollections::OP,
    request: |_, _| of::<ListServiceTypeCollections>((), &NoQuery {}, &NoBody {}),
    columns: &[],
    ..LIST
};

const TYPE_SERVICES: Call = Call {
    name: "services",
    about: "The services of a type in their order",
    examples: &[("service-types services 4", "all that are not archived")],
    op: ListServicesOfType::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ListServicesOfType>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("default_price", Kind::Number).titled("price"),
        Column::new("pricing_per", Kind::Number).titled("per"),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("sorting", Kind::Number).titled("place"),
    ],
    ..LIST
};

const SORT_SERVICES: Call = Call {
    name: "sort-services",
    about: "Puts all services of a type in an order",
    examples: &[("service-types sort-services 4 88,90,89", "88 first")],
    op: SortServices::OP,
    args: |command| command.args([id_arg(), ids_arg()]),
    request: |_, matches| {
        of::<SortServices>(id(matches)?, &NoQuery {}, &SortServicesInput { services: ids(matches) })
    },
    columns: &[],
    write: Some(SORTED),
    ..LIST
};

fn ids_arg() -> Arg {
    Arg::new("order")
        .value_name("IDS")
        .value_delimiter(',')
        .value_parser(clap::value_parser!(i64).range(1..))
        .required(true)
        .help("All ids in their new order, with commas")
}

fn ids<I: Argument>(matches: &ArgMatches) -> Vec<I> {
    every(matches, "order")
}

fn network_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("icon", "A file with an image, or none").value_name("FILE"),
        text_arg("hex-color", "Such as #ff0033, or none"),
        text_arg("url-examples", "Addresses to show a customer, with commas").value_delimiter(','),
        translations_arg(),
    ])
}

fn network(matches: &ArgMatches) -> Done<NetworkInput> {
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
    let kinds = clap::builder::PossibleValuesParser::new(ServiceTypeKind::WORDS.texts);
    command.args([
        text_arg("name", "English name"),
        text_arg("icon", "A file with an image, or none").value_name("FILE"),
        Arg::new("network")
            .long("network")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("Its network"),
        Arg::new("type").long("type").value_name("WORD").value_parser(kinds).help("What it is about"),
        text_arg("title", "Heading of its page, or none"),
        text_arg("description", "A few words, or none"),
        text_arg("full-description", "The text of its page, or none"),
        text_arg("slug", "Part of its address, or none"),
        text_arg("hex-color", "Such as #ff0033, or none"),
        Arg::new("reviews-count")
            .long("reviews")
            .value_name("COUNT")
            .value_parser(clap::value_parser!(i64))
            .help("How many reviews its page tells of"),
        Arg::new("reviews-rating")
            .long("rating")
            .value_name("NUMBER")
            .value_parser(clap::value_parser!(Fraction))
            .help("0 to 5"),
        translations_arg(),
    ])
}

fn service_type(matches: &ArgMatches) -> Done<ServiceTypeInput> {
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
