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

use crate::catalogue::networks::{SORT_WRITE, read_sorted_ids, sorted_ids_arg};
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, enum_value, id_arg, id_for_message,
    optional_value, required_id,
};
use crate::command::text::{read_image, read_text_or_none, read_translations, text_arg, translations_arg};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "service-types",
    alias: Some("service-type"),
    about: "Manage service types, the second level of the catalogue",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Export(&LIST),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&DELETE),
        CommandSpec::Request(&COLLECTIONS),
        CommandSpec::Request(&SERVICES),
        CommandSpec::Request(&SORT_SERVICES),
    ],
};

const LIST: ListCommand = ListCommand {
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

const GET: GetCommand = GetCommand {
    singular: "service type",
    about: "Show service types with all details",
    op: GetServiceType::OP,
    columns: &[],
    examples: &[("service-types get 4", "show one service type")],
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a service type at the last position of its network",
    examples: &[("service-types create --name Likes --network 3 --type Instagram", "create a service type")],
    op: CreateServiceType::OP,
    args: service_type_args,
    request: |_, matches| {
        build_request::<CreateServiceType>((), &EmptyQuery {}, &read_service_type_input(matches)?)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this service type?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl service-types update"),
        success: |_| "Service type created.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a service type; fields without an option keep their values, 'none' clears a field",
    examples: &[("service-types update 4 --rating 4.8 --reviews 1200", "change the reviews on its page")],
    op: UpdateServiceType::OP,
    args: |command| service_type_args(command.arg(id_arg())),
    request: |_, matches| {
        let body = ServiceTypeUpdate { panel_service_type: read_service_type_input(matches)? };
        build_request::<UpdateServiceType>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Update service type {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Service type {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete an unused service type",
    examples: &[("service-types delete 3", "if it is in use, the error lists the records that use it")],
    op: DeleteServiceType::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteServiceType>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    json_pointer: "",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Delete service type {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Service type {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
};

const COLLECTIONS: RequestCommand = RequestCommand {
    name: "collections",
    about: "List the allowed values of --type",
    examples: &[],
    op: GetServiceTypeCollections::OP,
    request: |_, _| build_request::<GetServiceTypeCollections>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..BASE_COMMAND
};

const SERVICES: RequestCommand = RequestCommand {
    name: "services",
    about: "List the services of a type, by position",
    examples: &[("service-types services 4", "list all services of a type that are not archived")],
    op: ListServicesOfType::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<ListServicesOfType>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("default_price", DisplayKind::Number).with_title("price"),
        Column::new("pricing_per", DisplayKind::Number).with_title("per"),
        Column::new("is_enabled", DisplayKind::Enum).with_title("enabled"),
        Column::new("sorting", DisplayKind::Number).with_title("position"),
    ],
    ..BASE_COMMAND
};

const SORT_SERVICES: RequestCommand = RequestCommand {
    name: "sort-services",
    about: "Set the positions of all services of a type",
    examples: &[("service-types sort-services 4 88,90,89", "put service 88 first")],
    op: SortServices::OP,
    args: |command| command.args([id_arg(), sorted_ids_arg()]),
    request: |_, matches| {
        build_request::<SortServices>(
            required_id(matches)?,
            &EmptyQuery {},
            &SortServicesInput { services: read_sorted_ids(matches) },
        )
    },
    columns: &[],
    write: Some(SORT_WRITE),
    ..BASE_COMMAND
};

fn service_type_args(command: Command) -> Command {
    let kinds = clap::builder::PossibleValuesParser::new(ServiceTypeKind::VALUES.texts);
    command.args([
        text_arg("name", "English name"),
        text_arg("icon", "Image file, or none to remove the image").value_name("FILE"),
        Arg::new("network")
            .long("network")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("Id of the network"),
        Arg::new("type")
            .long("type")
            .value_name("VALUE")
            .value_parser(kinds)
            .help("Kind of links, which decides the link rules: the groups of link patterns to choose from"),
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

fn read_service_type_input(matches: &ArgMatches) -> CommandResult<ServiceTypeInput> {
    Ok(ServiceTypeInput {
        id: None,
        name: optional_value(matches, "name"),
        network: optional_value(matches, "network"),
        title: read_text_or_none(matches, "title"),
        description: read_text_or_none(matches, "description"),
        full_description: read_text_or_none(matches, "full-description"),
        kind: enum_value(matches, "type"),
        slug: read_text_or_none(matches, "slug"),
        icon: read_image(matches, "icon")?,
        color: read_text_or_none(matches, "hex-color"),
        reviews_count: optional_value(matches, "reviews-count"),
        reviews_rating: optional_value(matches, "reviews-rating"),
        translations: read_translations(matches)?,
        updated_at: None,
    })
}
