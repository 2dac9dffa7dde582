//! `external-panels`: manages the external panels at which the server places orders, their services, and our payments to them.

mod icon;
mod input;
mod payments;

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::external_panels::{
    AddRejectionMessage, ArchiveExternalPanel, CreateExternalAccount, CreateExternalPanel, GetExternalPanel,
    GetExternalPanelCollections, ListPresetPanels, UnarchiveExternalPanel, UpdateExternalPanel,
    ValidateExternalPanel,
};
use panel_contract::external_panels::{CreateAccountInput, ValidatePanelInput};
use panel_contract::lists;
use panel_contract::rejections::RejectionMessage;

use crate::command::archive_command::archive_command;
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, required_id,
    required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::Failure;
use crate::output::column::{Column, DisplayKind};
use crate::supply::external_panels::input::{panel_args, read_input, read_token, rejection_args, token_arg};
use crate::supply::{imports, syncs};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "external-panels",
    alias: Some("panels"),
    about: "Manage external panels, where orders are placed",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Custom(&icon::ICON),
        CommandSpec::Request(&PRESETS),
        CommandSpec::Request(&COLLECTIONS),
        CommandSpec::Request(&VALIDATE),
        CommandSpec::Request(&CREATE_ACCOUNT),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&ADD_REJECTION_MESSAGE),
        CommandSpec::Request(&ARCHIVE),
        CommandSpec::Request(&UNARCHIVE),
        CommandSpec::Request(&imports::LIST_SERVICES),
        CommandSpec::Request(&imports::PREVIEW_PRICES),
        CommandSpec::Request(&imports::LIST_AVAILABLE_SERVICES),
        CommandSpec::Request(&imports::FETCH_SERVICES),
        CommandSpec::Nested(&imports::IMPORT),
        CommandSpec::Request(&imports::START_SYNC),
        CommandSpec::Nested(&syncs::SYNC_RUN_COMMANDS),
        CommandSpec::Nested(&syncs::SYNC_CHANGE_COMMANDS),
        CommandSpec::Nested(&payments::COMMANDS),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::external_panels::EXTERNAL_PANELS,
    plural: "external panels",
    singular: "external panel",
    about: "List external panels, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("type", "type", "Filter by type"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new(
            "statistic-type",
            "statistic_type",
            "Filter by what the delivered quantity is computed from",
        ),
        Filter::new("token", "api_token", "Filter by the last characters of the token"),
        Filter::new("endpoint", "endpoint", "Filter by part of the URL"),
    ],
    time_column: "created_at",
    examples: &[(
        "external-panels list --status active,error --columns name,balance,last_error",
        "show the status and balance of external panels",
    )],
};

const GET: GetCommand = GetCommand {
    singular: "external panel",
    about: "Show external panels with all details except tokens",
    op: GetExternalPanel::OP,
    columns: &[],
    examples: &[("external-panels get 3 --jq .balance", "print our balance at the external panel")],
};

const PRESETS: RequestCommand = RequestCommand {
    name: "presets",
    about: "List well-known external panels, as a starting point",
    examples: &[],
    op: ListPresetPanels::OP,
    args: |command| command,
    request: |_, _| build_request::<ListPresetPanels>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("type", DisplayKind::Enum),
        Column::new("endpoint", DisplayKind::Text),
        Column::new("hint", DisplayKind::Text),
    ],
    write: None,
};

const COLLECTIONS: RequestCommand = RequestCommand {
    name: "collections",
    about: "List currencies, statistic types and external panel types with their labels",
    op: GetExternalPanelCollections::OP,
    request: |_, _| build_request::<GetExternalPanelCollections>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..BASE_COMMAND
};

const VALIDATE: RequestCommand = RequestCommand {
    name: "validate",
    about: "Check whether an external panel responds at an address and accepts a token",
    examples: &[
        ("external-panels validate panel.example", "https and /api/v2 are added automatically"),
        (
            "external-panels validate panel.example --api-token token.txt",
            "also check the token and show the balance",
        ),
    ],
    op: ValidateExternalPanel::OP,
    args: |command| command.arg(endpoint_arg()).arg(token_arg()),
    request: |_, matches| {
        let body = ValidatePanelInput {
            endpoint: required_value(matches, "endpoint")?,
            api_token: read_token(matches)?,
        };
        build_request::<ValidateExternalPanel>((), &EmptyQuery {}, &body)
    },
    columns: &[],
    ..BASE_COMMAND
};

const CREATE_ACCOUNT: RequestCommand = RequestCommand {
    name: "create-account",
    about: "Create an account at an external panel that runs this software; the token is shown once and not stored",
    examples: &[(
        "external-panels create-account panel.example --jq .apiToken",
        "pass the token to external-panels create",
    )],
    op: CreateExternalAccount::OP,
    args: |command| {
        let checked_help = "Send the request although an earlier request had no result; first check at the external panel that it created no account";
        command
            .arg(endpoint_arg())
            .arg(Arg::new("checked").long("checked").action(ArgAction::SetTrue).help(checked_help))
    },
    request: |_, matches| {
        let body = CreateAccountInput {
            endpoint: required_value(matches, "endpoint")?,
            checked: matches.get_flag("checked"),
        };
        build_request::<CreateExternalAccount>((), &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create an account at this external panel?".to_owned(),
        reversibility: Reversibility::Irreversible,
        success: |_| "Account created. Its token is shown only once.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Connect an external panel",
    examples: &[(
        "external-panels create --name Boost --endpoint panel.example --api-token token.txt --currency USD --low-balance 50",
        "read the token from a file",
    )],
    op: CreateExternalPanel::OP,
    args: panel_args,
    request: |_, matches| build_request::<CreateExternalPanel>((), &EmptyQuery {}, &read_input(matches)?),
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Connect this external panel?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl external-panels archive"),
        success: |_| "External panel connected.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update an external panel; fields without an option keep their values",
    examples: &[
        ("external-panels update 3 --low-balance 100", "notify staff when the balance falls below 100"),
        (
            "external-panels update 3 --endpoint other.example --api-token - < token.txt",
            "change the host, which requires a new token",
        ),
        ("external-panels update 3 --sync prices,name", "sync only these fields"),
        (
            "external-panels update 3 --rejection-message 'service_disabled=Service #{number} is closed' --rejection-message 'too_many_calls=Slow down'",
            "set the messages with which the external panel rejects an order",
        ),
    ],
    op: UpdateExternalPanel::OP,
    args: |command| panel_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateExternalPanel>(required_id(matches)?, &EmptyQuery {}, &read_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update external panel {}?", format_id(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("External panel {} updated.", format_id(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const ADD_REJECTION_MESSAGE: RequestCommand = RequestCommand {
    name: "add-rejection-message",
    about: "Add a message with which the external panel rejects orders. It applies to new responses. For external orders that already need attention, run external-panel-orders recreate",
    examples: &[(
        "external-panels add-rejection-message 3 --message 'Service #{number} is closed' --reason service_disabled",
        "find messages in unknown_message of external-panel-orders list --stuck 1",
    )],
    op: AddRejectionMessage::OP,
    args: |command| rejection_args(command.arg(id_arg())),
    request: |_, matches| {
        let reason = matches.get_one::<String>("reason").and_then(|reason| reason.parse().ok());
        let reason = reason.ok_or_else(|| Failure::usage("Specify --reason."))?;
        let body = RejectionMessage { message: required_value(matches, "message")?, reason };
        build_request::<AddRejectionMessage>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Add this message to external panel {}?", format_id(matches)),
        reversibility: Reversibility::Reversible("panelctl external-panels update --rejection-message"),
        success: |matches| format!("Message added to external panel {}.", format_id(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const ARCHIVE: RequestCommand = archive_command!("archive", ArchiveExternalPanel, {
    about: "Archive an unused external panel",
    example: ("external-panels archive 3", "archive one external panel; restore it with external-panels unarchive"),
    question: "Archive external panel {}?",
    success: "External panel {} archived.",
});

const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchiveExternalPanel, {
    about: "Restore an archived external panel",
    example: ("external-panels unarchive 3", "restore one external panel and check its balance"),
    question: "Restore external panel {}?",
    success: "External panel {} restored.",
});

fn endpoint_arg() -> Arg {
    let arg = Arg::new("endpoint").value_name("ENDPOINT").required(true);
    arg.help("URL of the API, such as panel.example or https://panel.example/api/v2")
}

fn format_id(matches: &ArgMatches) -> String {
    id_for_message(matches).to_string()
}
