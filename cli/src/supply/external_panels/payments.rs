//! What was paid to an external panel.

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Money;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::external_panels::{
    AddExternalPanelPayment, DeleteExternalPanelPayment, ListExternalPanelPayments,
    UpdateExternalPanelPayment,
};
use panel_contract::external_panels::ExternalPanelPaymentInput;
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Day;
use panel_contract::table::TableQuery;

use super::shown;
use crate::command::call::{Call, Write, id, id_arg, of, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `external-panels payments`.
pub(super) const NOUN: Noun = Noun {
    name: "payments",
    alias: Some("payment"),
    about: "What was paid to an external panel, in its currency",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&ADD), Cmd::Call(&UPDATE), Cmd::Call(&DELETE)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("date", Kind::Text),
    Column::new("amount", Kind::Number).titled("spent"),
    Column::new("fee", Kind::Number),
    Column::new("payment_method_commission", Kind::Number).titled("commission"),
    Column::new("bonus", Kind::Number),
    Column::new("received", Kind::Number),
    Column::more("external_panel_id", Kind::Id),
    Column::more("created_at", Kind::Time),
    Column::more("updated_at", Kind::Time),
];

const LIST: Call = Call {
    name: "list",
    about: "What was paid to an external panel, the newest day first",
    examples: &[("external-panels payments list 3 --limit 100", "of panel 3")],
    op: ListExternalPanelPayments::OP,
    args: |command| {
        command.args([
            id_arg().help("The panel's id"),
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("ROWS")
                .value_parser(clap::value_parser!(i64).range(1..=1000))
                .help("At most so many [default: 30]"),
        ])
    },
    request: |_, matches| {
        let mut query =
            TableQuery::default().plain("external_panel_id", id::<ExternalPanelId>(matches)?.to_string());
        query.length = opt(matches, "limit");
        of::<ListExternalPanelPayments>((), &query, &NoBody {})
    },
    at: "/data",
    columns: COLUMNS,
    write: None,
};

const ADD: Call = Call {
    name: "add",
    about: "Writes down something paid to an external panel",
    examples: &[(
        "external-panels payments add 3 --date 2026-11-20 --amount 100 --fee 2.5 --bonus 5",
        "102.5 arrived there",
    )],
    op: AddExternalPanelPayment::OP,
    args: |command| fields(command.arg(id_arg().help("The panel's id"))),
    request: |_, matches| {
        let body = ExternalPanelPaymentInput { external_panel_id: Some(id(matches)?), ..input(matches) };
        of::<AddExternalPanelPayment>((), &NoQuery {}, &body)
    },
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Write this down for external panel {}?", shown(matches)),
        danger: Danger::Reversible("panelctl external-panels payments delete"),
        said: |_| "It is written down.".to_owned(),
        rehearses: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a billing entry; only what is named",
    examples: &[("external-panels payments update 12 --fee 3", "by the entry's id")],
    op: UpdateExternalPanelPayment::OP,
    args: |command| fields(command.arg(id_arg().help("The entry's id"))),
    request: |_, matches| of::<UpdateExternalPanelPayment>(id(matches)?, &NoQuery {}, &input(matches)),
    write: Some(Write {
        question: |matches| format!("Change billing entry {}?", shown(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Billing entry {} is changed.", shown(matches)),
        rehearses: false,
    }),
    ..ADD
};

const DELETE: Call = Call {
    name: "delete",
    about: "Takes a billing entry out",
    examples: &[("external-panels payments delete 12", "by the entry's id")],
    op: DeleteExternalPanelPayment::OP,
    args: |command| command.arg(id_arg().help("The entry's id")),
    request: |_, matches| of::<DeleteExternalPanelPayment>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Delete billing entry {}?", shown(matches)),
        danger: Danger::Reversible("panelctl external-panels payments add"),
        said: |matches| format!("Billing entry {} is deleted.", shown(matches)),
        rehearses: true,
    }),
    ..ADD
};

fn fields(command: Command) -> Command {
    let money = |name: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name("MONEY");
        arg.value_parser(clap::value_parser!(Money)).help(help)
    };
    command.args([
        Arg::new("date")
            .long("date")
            .value_name("DAY")
            .value_parser(clap::value_parser!(Day))
            .help("The day, as 2026-11-20"),
        money("amount", "What we spent"),
        money("fee", "What of it the panel kept"),
        money("payment-method-commission", "What of it the payment method kept"),
        money("bonus", "What the panel gave on top"),
    ])
}

fn input(matches: &ArgMatches) -> ExternalPanelPaymentInput {
    ExternalPanelPaymentInput {
        external_panel_id: None,
        date: opt(matches, "date"),
        amount: opt(matches, "amount"),
        fee: opt(matches, "fee"),
        payment_method_commission: opt(matches, "payment-method-commission"),
        bonus: opt(matches, "bonus"),
        updated_at: None,
    }
}
