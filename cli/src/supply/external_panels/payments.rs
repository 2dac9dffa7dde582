//! `external-panels payments`: records payments to an external panel.

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Money;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::external_panels::{
    AddExternalPanelPayment, DeleteExternalPanelPayment, ListExternalPanelPayments,
    UpdateExternalPanelPayment,
};
use panel_contract::external_panels::ExternalPanelPaymentInput;
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Day;
use panel_contract::table::TableQuery;

use super::id_text;
use crate::command::call::{Call, WriteSpec, id_arg, optional_value, request_for, required_id};
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::{Cmd, CommandGroup};
use crate::output::column::{Column, Kind};

pub(super) const COMMANDS: CommandGroup = CommandGroup {
    name: "payments",
    alias: Some("payment"),
    about: "Manage payments to an external panel, in its currency",
    commands: &[Cmd::Call(&LIST), Cmd::Call(&ADD), Cmd::Call(&UPDATE), Cmd::Call(&DELETE)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("date", Kind::Text),
    Column::new("amount", Kind::Number).with_title("spent"),
    Column::new("fee", Kind::Number),
    Column::new("payment_method_commission", Kind::Number).with_title("commission"),
    Column::new("bonus", Kind::Number),
    Column::new("received", Kind::Number),
    Column::hidden("external_panel_id", Kind::Id),
    Column::hidden("created_at", Kind::Time),
    Column::hidden("updated_at", Kind::Time),
];

const LIST: Call = Call {
    name: "list",
    about: "List payments to an external panel, newest first",
    examples: &[("external-panels payments list 3 --limit 100", "list the payments to panel 3")],
    op: ListExternalPanelPayments::OP,
    args: |command| {
        command.args([
            id_arg().help("Id of the panel"),
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("ROWS")
                .value_parser(clap::value_parser!(i64).range(1..=1000))
                .help("Maximum number of rows [default: 30]"),
        ])
    },
    request: |_, matches| {
        let mut query = TableQuery::default()
            .plain_filter("external_panel_id", required_id::<ExternalPanelId>(matches)?.to_string());
        query.length = optional_value(matches, "limit");
        request_for::<ListExternalPanelPayments>((), &query, &EmptyBody {})
    },
    pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const ADD: Call = Call {
    name: "add",
    about: "Record a payment to an external panel",
    examples: &[(
        "external-panels payments add 3 --date 2026-11-20 --amount 100 --fee 2.5 --bonus 5",
        "record a payment that added 102.5 to the balance",
    )],
    op: AddExternalPanelPayment::OP,
    args: |command| payment_args(command.arg(id_arg().help("Id of the panel"))),
    request: |_, matches| {
        let body = ExternalPanelPaymentInput {
            external_panel_id: Some(required_id(matches)?),
            ..read_input(matches)
        };
        request_for::<AddExternalPanelPayment>((), &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Record this payment to external panel {}?", id_text(matches)),
        reversibility: Reversibility::Reversible("panelctl external-panels payments delete"),
        success: |_| "Payment recorded.".to_owned(),
        has_dry_run: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a recorded payment; fields without an option keep their values",
    examples: &[("external-panels payments update 12 --fee 3", "change the fee of payment 12")],
    op: UpdateExternalPanelPayment::OP,
    args: |command| payment_args(command.arg(id_arg().help("Id of the payment"))),
    request: |_, matches| {
        request_for::<UpdateExternalPanelPayment>(required_id(matches)?, &EmptyQuery {}, &read_input(matches))
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update payment {}?", id_text(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Payment {} updated.", id_text(matches)),
        has_dry_run: false,
    }),
    ..ADD
};

const DELETE: Call = Call {
    name: "delete",
    about: "Delete a recorded payment",
    examples: &[("external-panels payments delete 12", "delete payment 12")],
    op: DeleteExternalPanelPayment::OP,
    args: |command| command.arg(id_arg().help("Id of the payment")),
    request: |_, matches| {
        request_for::<DeleteExternalPanelPayment>(
            required_id(matches)?,
            &dry_run_query(matches),
            &EmptyBody {},
        )
    },
    write: Some(WriteSpec {
        question: |matches| format!("Delete payment {}?", id_text(matches)),
        reversibility: Reversibility::Reversible("panelctl external-panels payments add"),
        success: |matches| format!("Payment {} deleted.", id_text(matches)),
        has_dry_run: true,
    }),
    ..ADD
};

fn payment_args(command: Command) -> Command {
    let money_arg = |name: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name("MONEY");
        arg.value_parser(clap::value_parser!(Money)).help(help)
    };
    command.args([
        Arg::new("date")
            .long("date")
            .value_name("DAY")
            .value_parser(clap::value_parser!(Day))
            .help("Day of the payment, such as 2026-11-20"),
        money_arg("amount", "Amount we paid"),
        money_arg("fee", "Fee of the panel, deducted from the amount"),
        money_arg("payment-method-commission", "Commission of the payment method, deducted from the amount"),
        money_arg("bonus", "Bonus that the panel added"),
    ])
}

fn read_input(matches: &ArgMatches) -> ExternalPanelPaymentInput {
    ExternalPanelPaymentInput {
        external_panel_id: None,
        date: optional_value(matches, "date"),
        amount: optional_value(matches, "amount"),
        fee: optional_value(matches, "fee"),
        payment_method_commission: optional_value(matches, "payment-method-commission"),
        bonus: optional_value(matches, "bonus"),
        updated_at: None,
    }
}
