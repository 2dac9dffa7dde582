//! External panels: where we order, and what was paid there.

mod icon;
mod input;
mod payments;

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::external_panels::{
    AddRejectionMessage, ArchiveExternalPanel, CreateExternalAccount, CreateExternalPanel,
    ExternalPanelCollectionsOp, GetExternalPanel, ListPresetPanels, UnarchiveExternalPanel,
    UpdateExternalPanel, ValidateExternalPanel,
};
use panel_contract::external_panels::{CreateAccountInput, ValidatePanelInput};
use panel_contract::lists;
use panel_contract::rejections::RejectionMessage;

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::Failure;
use crate::output::column::{Column, Kind};
use crate::supply::external_panels::input::{fields, input, rejection_args, token, token_arg};
use crate::supply::{imports, syncs};

/// `external-panels`.
pub(crate) const NOUN: Noun = Noun {
    name: "external-panels",
    alias: Some("panels"),
    about: "Other panels that orders go to",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Own(&icon::ICON),
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
        Cmd::Nested(&syncs::RUNS),
        Cmd::Nested(&syncs::HELD),
        Cmd::Nested(&payments::NOUN),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    of: &lists::external_panels::EXTERNAL_PANELS,
    noun: "external-panels",
    one: "external panel",
    about: "External panels, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("type", "type", "What kind it is"),
        Filter::new("status", "status", "How it does"),
        Filter::new("statistic-type", "statistic_type", "What tells how much it delivered"),
        Filter::new("token", "api_token", "The last characters of the token"),
        Filter::new("endpoint", "endpoint", "Part of the address"),
    ],
    since: "created_at",
    examples: &[(
        "external-panels list --status active,error --columns name,balance,last_error",
        "how they do",
    )],
};

const GET: Get = Get {
    one: "external panel",
    about: "External panels with everything about them but their tokens",
    op: GetExternalPanel::OP,
    columns: &[],
    examples: &[("external-panels get 3 --jq .balance", "what we have there")],
};

const PRESETS: Call = Call {
    name: "presets",
    about: "Kinds of panels that are known, to begin with",
    examples: &[],
    op: ListPresetPanels::OP,
    args: |command| command,
    request: |_, _| of::<ListPresetPanels>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("type", Kind::Word),
        Column::new("endpoint", Kind::Text),
        Column::new("hint", Kind::Text),
    ],
    write: None,
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "Currencies, statistic types and types of panels with their labels",
    op: ExternalPanelCollectionsOp::OP,
    request: |_, _| of::<ExternalPanelCollectionsOp>((), &NoQuery {}, &NoBody {}),
    columns: &[],
    ..PRESETS
};

const VALIDATE: Call = Call {
    name: "validate",
    about: "Asks whether a panel answers at an address, and with a token, whether it knows us",
    examples: &[
        ("external-panels validate panel.example", "https and /api/v2 are added"),
        ("external-panels validate panel.example --api-token token.txt", "and our balance there"),
    ],
    op: ValidateExternalPanel::OP,
    args: |command| command.arg(endpoint_arg()).arg(token_arg()),
    request: |_, matches| {
        let body = ValidatePanelInput { endpoint: arg(matches, "endpoint")?, api_token: token(matches)? };
        of::<ValidateExternalPanel>((), &NoQuery {}, &body)
    },
    columns: &[],
    ..PRESETS
};

const CREATE_ACCOUNT: Call = Call {
    name: "create-account",
    about: "Asks a panel of this product for an account; its token is shown once and not kept",
    examples: &[(
        "external-panels create-account panel.example --jq .apiToken",
        "then external-panels create",
    )],
    op: CreateExternalAccount::OP,
    args: |command| {
        let checked = "You looked whether it opened an account before; needed where it was asked already";
        command
            .arg(endpoint_arg())
            .arg(Arg::new("checked").long("checked").action(ArgAction::SetTrue).help(checked))
    },
    request: |_, matches| {
        let body =
            CreateAccountInput { endpoint: arg(matches, "endpoint")?, checked: matches.get_flag("checked") };
        of::<CreateExternalAccount>((), &NoQuery {}, &body)
    },
    columns: &[],
    write: Some(Write {
        question: |_| "Ask this panel for an account?".to_owned(),
        danger: Danger::Final,
        said: |_| "The panel gave us an account. Its token is shown this once.".to_owned(),
        rehearses: false,
    }),
    ..PRESETS
};

const CREATE: Call = Call {
    name: "create",
    about: "Connects an external panel",
    examples: &[(
        "external-panels create --name Upstream --endpoint panel.example --api-token token.txt --currency USD --low-balance 50",
        "the token from a file",
    )],
    op: CreateExternalPanel::OP,
    args: fields,
    request: |_, matches| of::<CreateExternalPanel>((), &NoQuery {}, &input(matches)?),
    columns: &[],
    write: Some(Write {
        question: |_| "Connect this panel?".to_owned(),
        danger: Danger::Reversible("panelctl external-panels archive"),
        said: |_| "The panel is connected.".to_owned(),
        rehearses: false,
    }),
    ..PRESETS
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes an external panel; only what is named",
    examples: &[
        ("external-panels update 3 --low-balance 100", "told when less is left"),
        (
            "external-panels update 3 --endpoint other.example --api-token - < token.txt",
            "another host wants its token",
        ),
        ("external-panels update 3 --sync prices,name", "exactly these"),
        (
            "external-panels update 3 --rejection-message 'service_disabled=Service #{number} is closed' --rejection-message 'too_many_calls=Slow down'",
            "its words that mean: not taken",
        ),
    ],
    op: UpdateExternalPanel::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |_, matches| of::<UpdateExternalPanel>(id(matches)?, &NoQuery {}, &input(matches)?),
    write: Some(Write {
        question: |matches| format!("Change external panel {}?", shown(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("External panel {} is changed.", shown(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const ADD_REJECTION_MESSAGE: Call = Call {
    name: "add-rejection-message",
    about: "Adds a message by which a panel says that it took no order. It counts for answers from now on; what is unknown stays so until external-panel-orders recreate",
    examples: &[(
        "external-panels add-rejection-message 3 --message 'Service #{number} is closed' --reason service_disabled",
        "see unknown_message of external-panel-orders list --stuck 1",
    )],
    op: AddRejectionMessage::OP,
    args: |command| rejection_args(command.arg(id_arg())),
    request: |_, matches| {
        let reason = matches.get_one::<String>("reason").and_then(|reason| reason.parse().ok());
        let reason = reason.ok_or_else(|| Failure::usage("Say the reason with --reason."))?;
        let body = RejectionMessage { message: arg(matches, "message")?, reason };
        of::<AddRejectionMessage>(id(matches)?, &NoQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Add this message to external panel {}?", shown(matches)),
        danger: Danger::Reversible("panelctl external-panels update --rejection-message"),
        said: |matches| format!("External panel {} has this message now.", shown(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveExternalPanel, {
    about: "Puts an external panel away that nothing uses any more",
    example: ("external-panels archive 3", "see external-panels unarchive"),
    question: "Archive external panel {}?",
    said: "External panel {} is archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveExternalPanel, {
    about: "Brings an archived external panel back",
    example: ("external-panels unarchive 3", "it is asked for our balance at once"),
    question: "Bring external panel {} back?",
    said: "External panel {} is back.",
});

fn endpoint_arg() -> Arg {
    let arg = Arg::new("endpoint").value_name("ENDPOINT").required(true);
    arg.help("The address of its API, such as panel.example or https://panel.example/api/v2")
}

fn shown(matches: &ArgMatches) -> String {
    given_id(matches).to_string()
}
