//! `networks`: manages the first level of the catalogue, and sorts its networks and service types.

use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::networks::{
    CreateNetwork, DeleteNetwork, ListNetworkServiceTypes, ListNetworks, SortNetworks, SortServiceTypes,
    UpdateNetwork,
};
use panel_contract::networks::{NetworkInput, SortNetworksInput, SortServiceTypesInput};

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::request_command::{
    Argument, BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    repeated_values, required_id,
};
use crate::command::text::{read_image, read_text_or_none, read_translations, text_arg, translations_arg};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "networks",
    alias: Some("network"),
    about: "Manage networks, the first level of the catalogue",
    commands: &[
        CommandSpec::Request(&NETWORK_LIST),
        CommandSpec::Request(&NETWORK_CREATE),
        CommandSpec::Request(&NETWORK_UPDATE),
        CommandSpec::Request(&NETWORK_DELETE),
        CommandSpec::Request(&SORT),
        CommandSpec::Request(&TYPES),
        CommandSpec::Request(&SORT_TYPES),
    ],
};

const NETWORK_LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List networks, by position",
    examples: &[("networks list -o csv", "print as CSV, for a script")],
    op: ListNetworks::OP,
    args: |command| command,
    request: |_, _| build_request::<ListNetworks>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("color", DisplayKind::Text),
        Column::new("sorting", DisplayKind::Number).with_title("position"),
        Column::hidden("icon", DisplayKind::Text),
        Column::hidden("updated_at", DisplayKind::Time),
    ],
    write: None,
};

const NETWORK_CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a network at the last position",
    examples: &[("networks create --name Threads --hex-color '#101010'", "create a network")],
    op: CreateNetwork::OP,
    args: network_args,
    request: |_, matches| build_request::<CreateNetwork>((), &EmptyQuery {}, &read_network_input(matches)?),
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this network?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl networks update"),
        success: |_| "Network created.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const NETWORK_UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a network; fields without an option keep their values, 'none' clears a field",
    examples: &[("networks update 3 --hex-color none", "remove its color")],
    op: UpdateNetwork::OP,
    args: |command| network_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateNetwork>(required_id(matches)?, &EmptyQuery {}, &read_network_input(matches)?)
    },
    columns: &[],
    write: Some(UPDATE_WRITE),
    ..BASE_COMMAND
};

const NETWORK_DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete an unused network",
    examples: &[("networks delete 3", "if it is in use, the error lists the records that use it")],
    op: DeleteNetwork::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteNetwork>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    json_pointer: "",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Delete network {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Network {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
};

const UPDATE_WRITE: WriteSpec = WriteSpec {
    question: |matches| format!("Update network {}?", id_for_message(matches)),
    reversibility: Reversibility::Reversible("run the command again with the old values"),
    success: |matches| format!("Network {} updated.", id_for_message(matches)),
    has_dry_run: false,
};

pub(super) const SORT_WRITE: WriteSpec = WriteSpec {
    question: |_| "Save these positions?".to_owned(),
    reversibility: Reversibility::Reversible("run the command again with the old positions"),
    success: |_| "Positions saved.".to_owned(),
    has_dry_run: false,
};

const SORT: RequestCommand = RequestCommand {
    name: "sort",
    about: "Set the positions of all networks",
    examples: &[("networks sort 3,1,2", "put network 3 first")],
    op: SortNetworks::OP,
    args: |command| command.arg(sorted_ids_arg()),
    request: |_, matches| {
        build_request::<SortNetworks>(
            (),
            &EmptyQuery {},
            &SortNetworksInput { networks: read_sorted_ids(matches) },
        )
    },
    columns: &[],
    write: Some(SORT_WRITE),
    ..BASE_COMMAND
};

const TYPES: RequestCommand = RequestCommand {
    name: "types",
    about: "List the service types of a network, by position",
    examples: &[("networks types 3", "list the service types of network 3")],
    op: ListNetworkServiceTypes::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<ListNetworkServiceTypes>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("network.name", DisplayKind::Text).with_title("network"),
        Column::new("type", DisplayKind::Enum),
        Column::new("sorting", DisplayKind::Number).with_title("position"),
        Column::new("services_count", DisplayKind::Number).with_title("services"),
        Column::hidden("slug", DisplayKind::Text),
        Column::hidden("title", DisplayKind::Text),
        Column::hidden("network.id", DisplayKind::Id),
        Column::hidden("reviews_count", DisplayKind::Number),
        Column::hidden("reviews_rating", DisplayKind::Number),
        Column::hidden("created_at", DisplayKind::Time),
    ],
    ..BASE_COMMAND
};

const SORT_TYPES: RequestCommand = RequestCommand {
    name: "sort-types",
    about: "Set the positions of all service types of a network",
    examples: &[("networks sort-types 3 12,10,11", "put service type 12 first")],
    op: SortServiceTypes::OP,
    args: |command| command.args([id_arg(), sorted_ids_arg()]),
    request: |_, matches| {
        let body = SortServiceTypesInput { service_types: read_sorted_ids(matches) };
        build_request::<SortServiceTypes>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(SORT_WRITE),
    ..BASE_COMMAND
};

pub(super) fn sorted_ids_arg() -> Arg {
    Arg::new("order")
        .value_name("IDS")
        .value_delimiter(',')
        .value_parser(clap::value_parser!(i64).range(1..))
        .required(true)
        .help("All ids in the new order, separated by commas")
}

pub(super) fn read_sorted_ids<I: Argument>(matches: &ArgMatches) -> Vec<I> {
    repeated_values(matches, "order")
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

fn read_network_input(matches: &ArgMatches) -> CommandResult<NetworkInput> {
    let url_examples = matches.get_many::<String>("url-examples");
    Ok(NetworkInput {
        name: optional_value(matches, "name"),
        icon: read_image(matches, "icon")?,
        color: read_text_or_none(matches, "hex-color"),
        url_examples: url_examples.map(|links| links.cloned().collect()),
        translations: read_translations(matches)?,
        updated_at: None,
    })
}
