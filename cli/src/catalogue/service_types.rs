//! `service-types`: manages the second level of the catalogue, and sorts its services.

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::service_types::{
    CreateServiceType, DeleteServiceType, GetServiceType, GetServiceTypeCollections, ListServicesOfType,
    SortServices, UpdateServiceType,
};
use panel_contract::lists;
use panel_contract::service_types::{
    ServiceTypeInput, ServiceTypeKind, ServiceTypeUpdate, SortServicesInput,
};

use crate::catalogue::networks::{NETWORK_LIST, SORT_WRITE, UPDATE_WRITE, sorted_ids, sorted_ids_arg};
use crate::command::call::{
    Call, WriteSpec, enum_value, id_arg, id_for_message, optional_value, request_for, required_id,
};
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{read_image, read_translations, text_arg, text_patch, translations_arg};
use crate::command::{Cmd, CommandGroup};
use crate::failure::CmdResult;
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "service-types",
    alias: Some("service-type"),
    about: "Manage service types, the second level of the catalogue",
    commands: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Export(&LIST),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&DELETE),
        Cmd::Call(&COLLECTIONS),
        Cmd::Call(&SERVICES),
        Cmd::Call(&SORT_SERVICES),
    ],
};

const LIST: List = List {
    declaration: &lists::service_types::SERVICE_TYPES,
    plural: "service types",
    singular: "service type",
    about: "List service types",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("network", "network", "Filter by part of the network's name"),
        Filter::new("type", "type", "Filter by type"),
    ],
    time_column: "created_at",
    examples: &[(
        "service-types list --network youtube --sort sorting",
        "service types of a network by position",
    )],
};

const GET: Get = Get {
    singular: "service type",
    about: "Show service types with all details",
    op: GetServiceType::OP,
    columns: &[],
    examples: &[("service-types get 4", "show one service type")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a service type at the last position of its network",
    examples: &[("service-types create --name Likes --network 3 --type Instagram", "create a service type")],
    op: CreateServiceType::OP,
    args: type_args,
    request: |_, matches| request_for::<CreateServiceType>((), &EmptyQuery {}, &read_type_input(matches)?),
    write: Some(WriteSpec {
        question: |_| "Create this service type?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl service-types update"),
        success: |_| "Service type created.".to_owned(),
        has_dry_run: false,
    }),
    columns: &[],
    ..NETWORK_LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a service type; fields without an option keep their values, 'none' clears a field",
    examples: &[("service-types update 4 --rating 4.8 --reviews 1200", "change the reviews on its page")],
    op: UpdateServiceType::OP,
    args: |command| type_args(command.arg(id_arg())),
    request: |_, matches| {
        let body = ServiceTypeUpdate { panel_service_type: read_type_input(matches)? };
        request_for::<UpdateServiceType>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update service type {}?", id_for_message(matches)),
        success: |matches| format!("Service type {} updated.", id_for_message(matches)),
        ..UPDATE_WRITE
    }),
    columns: &[],
    ..NETWORK_LIST
};

const DELETE: Call = Call {
    name: "delete",
    about: "Delete an unused service type",
    examples: &[("service-types delete 3", "if it is in use, the error lists the records that use it")],
    op: DeleteServiceType::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<DeleteServiceType>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    pointer: "",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Delete service type {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Service type {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "List the kinds of service types",
    examples: &[],
    op: GetServiceTypeCollections::OP,
    request: |_, _| request_for::<GetServiceTypeCollections>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..NETWORK_LIST
};

const SERVICES: Call = Call {
    name: "services",
    about: "List the services of a type, by position",
    examples: &[("service-types services 4", "list all services of a type that are not archived")],
    op: ListServicesOfType::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<ListServicesOfType>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("default_price", Kind::Number).with_title("price"),
        Column::new("pricing_per", Kind::Number).with_title("per"),
        Column::new("is_enabled", Kind::Enum).with_title("enabled"),
        Column::new("sorting", Kind::Number).with_title("position"),
    ],
    ..NETWORK_LIST
};

const SORT_SERVICES: Call = Call {
    name: "sort-services",
    about: "Set the order of all services of a type",
    examples: &[("service-types sort-services 4 88,90,89", "put service 88 first")],
    op: SortServices::OP,
    args: |command| command.args([id_arg(), sorted_ids_arg()]),
    request: |_, matches| {
        request_for::<SortServices>(
            required_id(matches)?,
            &EmptyQuery {},
            &SortServicesInput { services: sorted_ids(matches) },
        )
    },
    columns: &[],
    write: Some(SORT_WRITE),
    ..NETWORK_LIST
};

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
        Arg::new("type").long("type").value_name("VALUE").value_parser(kinds).help("Kind of service type"),
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

fn read_type_input(matches: &ArgMatches) -> CmdResult<ServiceTypeInput> {
    Ok(ServiceTypeInput {
        id: None,
        name: optional_value(matches, "name"),
        network: optional_value(matches, "network"),
        title: text_patch(matches, "title"),
        description: text_patch(matches, "description"),
        full_description: text_patch(matches, "full-description"),
        kind: enum_value(matches, "type"),
        slug: text_patch(matches, "slug"),
        icon: read_image(matches, "icon")?,
        color: text_patch(matches, "hex-color"),
        reviews_count: optional_value(matches, "reviews-count"),
        reviews_rating: optional_value(matches, "reviews-rating"),
        translations: read_translations(matches)?,
        updated_at: None,
    })
}
