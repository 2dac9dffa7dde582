//! `external-panels`: manages the panels at which this panel places orders, their services, and the payments to them.

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
use crate::command::call::{
    Call, WriteSpec, id_arg, id_for_message, request_for, required_id, required_value,
};
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, CommandGroup};
use crate::failure::Failure;
use crate::output::column::{Column, Kind};
use crate::supply::external_panels::input::{panel_args, read_input, read_token, rejection_args, token_arg};
use crate::supply::{imports, syncs};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "external-panels",
    alias: Some("panels"),
    about: "Manage external panels, where orders are placed",
    commands: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Custom(&icon::ICON),
        Cmd::Call(&PRESETS),
        Cmd::Call(&COLLECTIONS),
        Cmd::Call(&VALIDATE),
        Cmd::Call(&CREATE_ACCOUNT),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&ADD_REJECTION_MESSAGE),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Call(&imports::SERVICES),
        Cmd::Call(&imports::PRICES),
        Cmd::Call(&imports::AVAILABLE),
        Cmd::Call(&imports::FETCH),
        Cmd::Nested(&imports::IMPORT),
        Cmd::Call(&imports::SYNC),
        Cmd::Nested(&syncs::RUNS_COMMANDS),
        Cmd::Nested(&syncs::PENDING_CHANGES_COMMANDS),
        Cmd::Nested(&payments::COMMANDS),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    declaration: &lists::external_panels::EXTERNAL_PANELS,
    plural: "external panels",
    singular: "external panel",
    about: "List external panels, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("type", "type", "Filter by type"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new("statistic-type", "statistic_type", "Filter by statistics type"),
        Filter::new("token", "api_token", "Filter by the last characters of the token"),
        Filter::new("endpoint", "endpoint", "Filter by part of the URL"),
    ],
    time_column: "created_at",
    examples: &[(
        "external-panels list --status active,error --columns name,balance,last_error",
        "show their status and balance",
    )],
};

const GET: Get = Get {
    singular: "external panel",
    about: "Show external panels with all details except tokens",
    op: GetExternalPanel::OP,
    columns: &[],
    examples: &[("external-panels get 3 --jq .balance", "print our balance there")],
};

const PRESETS: Call = Call {
    name: "presets",
    about: "List known panels, as a starting point",
    examples: &[],
    op: ListPresetPanels::OP,
    args: |command| command,
    request: |_, _| request_for::<ListPresetPanels>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("type", Kind::Enum),
        Column::new("endpoint", Kind::Text),
        Column::new("hint", Kind::Text),
    ],
    write: None,
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "List currencies, statistic types and panel types with their labels",
    op: GetExternalPanelCollections::OP,
    request: |_, _| request_for::<GetExternalPanelCollections>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..PRESETS
};

const VALIDATE: Call = Call {
    name: "validate",
    about: "Check whether a panel responds at an address, and whether it accepts a token",
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
        request_for::<ValidateExternalPanel>((), &EmptyQuery {}, &body)
    },
    columns: &[],
    ..PRESETS
};

const CREATE_ACCOUNT: Call = Call {
    name: "create-account",
    about: "Create an account at a panel that runs this product; its token is shown once and not stored",
    examples: &[(
        "external-panels create-account panel.example --jq .apiToken",
        "pass the token to external-panels create",
    )],
    op: CreateExternalAccount::OP,
    args: |command| {
        let checked_help =
            "Confirm that no earlier request created an account; required after an earlier request";
        command
            .arg(endpoint_arg())
            .arg(Arg::new("checked").long("checked").action(ArgAction::SetTrue).help(checked_help))
    },
    request: |_, matches| {
        let body = CreateAccountInput {
            endpoint: required_value(matches, "endpoint")?,
            checked: matches.get_flag("checked"),
        };
        request_for::<CreateExternalAccount>((), &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create an account at this panel?".to_owned(),
        reversibility: Reversibility::Irreversible,
        success: |_| "Account created. Its token is shown only once.".to_owned(),
        has_dry_run: false,
    }),
    ..PRESETS
};

const CREATE: Call = Call {
    name: "create",
    about: "Connect an external panel",
    examples: &[(
        "external-panels create --name Upstream --endpoint panel.example --api-token token.txt --currency USD --low-balance 50",
        "read the token from a file",
    )],
    op: CreateExternalPanel::OP,
    args: panel_args,
    request: |_, matches| request_for::<CreateExternalPanel>((), &EmptyQuery {}, &read_input(matches)?),
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Connect this panel?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl external-panels archive"),
        success: |_| "External panel connected.".to_owned(),
        has_dry_run: false,
    }),
    ..PRESETS
};

const UPDATE: Call = Call {
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
            "set the messages that mean: order rejected",
        ),
    ],
    op: UpdateExternalPanel::OP,
    args: |command| panel_args(command.arg(id_arg())),
    request: |_, matches| {
        request_for::<UpdateExternalPanel>(required_id(matches)?, &EmptyQuery {}, &read_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update external panel {}?", id_text(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("External panel {} updated.", id_text(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const ADD_REJECTION_MESSAGE: Call = Call {
    name: "add-rejection-message",
    about: "Add a message that means the panel rejected an order. It applies to new responses; orders with an unknown outcome require external-panel-orders recreate",
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
        request_for::<AddRejectionMessage>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Add this message to external panel {}?", id_text(matches)),
        reversibility: Reversibility::Reversible("panelctl external-panels update --rejection-message"),
        success: |matches| format!("Message added to external panel {}.", id_text(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archive_command!("archive", ArchiveExternalPanel, {
    about: "Archive an unused external panel",
    example: ("external-panels archive 3", "archive one panel; restore it with external-panels unarchive"),
    question: "Archive external panel {}?",
    success: "External panel {} archived.",
});

const UNARCHIVE: Call = archive_command!("unarchive", UnarchiveExternalPanel, {
    about: "Restore an archived external panel",
    example: ("external-panels unarchive 3", "restore one panel and check its balance"),
    question: "Restore external panel {}?",
    success: "External panel {} restored.",
});

fn endpoint_arg() -> Arg {
    let arg = Arg::new("endpoint").value_name("ENDPOINT").required(true);
    arg.help("URL of its API, such as panel.example or https://panel.example/api/v2")
}

fn id_text(matches: &ArgMatches) -> String {
    id_for_message(matches).to_string()
}
