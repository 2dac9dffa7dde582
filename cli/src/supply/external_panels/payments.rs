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

use super::format_id;
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, optional_value, required_id,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(super) const COMMANDS: CommandGroup = CommandGroup {
    name: "payments",
    alias: Some("payment"),
    about: "Manage payments to an external panel, in its currency",
    commands: &[
        CommandSpec::Request(&LIST),
        CommandSpec::Request(&ADD),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&DELETE),
    ],
};

const COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("date", DisplayKind::Text),
    Column::new("amount", DisplayKind::Number).with_title("spent"),
    Column::new("fee", DisplayKind::Number),
    Column::new("payment_method_commission", DisplayKind::Number).with_title("commission"),
    Column::new("bonus", DisplayKind::Number),
    Column::new("received", DisplayKind::Number),
    Column::hidden("external_panel_id", DisplayKind::Id),
    Column::hidden("created_at", DisplayKind::Time),
    Column::hidden("updated_at", DisplayKind::Time),
];

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List payments to an external panel, newest first",
    examples: &[("external-panels payments list 3 --limit 100", "list the payments to external panel 3")],
    op: ListExternalPanelPayments::OP,
    args: |command| {
        command.args([
            id_arg().help("Id of the external panel"),
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
            .simple_filter("external_panel_id", required_id::<ExternalPanelId>(matches)?.to_string());
        query.length = optional_value(matches, "limit");
        build_request::<ListExternalPanelPayments>((), &query, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const ADD: RequestCommand = RequestCommand {
    name: "add",
    about: "Record a payment to an external panel",
    examples: &[(
        "external-panels payments add 3 --date 2026-11-20 --amount 100 --fee 2.5 --bonus 5",
        "record a payment that added 102.5 to the balance",
    )],
    op: AddExternalPanelPayment::OP,
    args: |command| payment_args(command.arg(id_arg().help("Id of the external panel"))),
    request: |_, matches| {
        let body = ExternalPanelPaymentInput {
            external_panel_id: Some(required_id(matches)?),
            ..read_input(matches)
        };
        build_request::<AddExternalPanelPayment>((), &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Record this payment to external panel {}?", format_id(matches)),
        reversibility: Reversibility::Reversible("panelctl external-panels payments delete"),
        success: |_| "Payment recorded.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a recorded payment; fields without an option keep their values",
    examples: &[("external-panels payments update 12 --fee 3", "change the fee of payment 12")],
    op: UpdateExternalPanelPayment::OP,
    args: |command| payment_args(command.arg(id_arg().help("Id of the payment"))),
    request: |_, matches| {
        build_request::<UpdateExternalPanelPayment>(
            required_id(matches)?,
            &EmptyQuery {},
            &read_input(matches),
        )
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update payment {}?", format_id(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Payment {} updated.", format_id(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete a recorded payment",
    examples: &[("external-panels payments delete 12", "delete payment 12")],
    op: DeleteExternalPanelPayment::OP,
    args: |command| command.arg(id_arg().help("Id of the payment")),
    request: |_, matches| {
        build_request::<DeleteExternalPanelPayment>(
            required_id(matches)?,
            &dry_run_query(matches),
            &EmptyBody {},
        )
    },
    write: Some(WriteSpec {
        question: |matches| format!("Delete payment {}?", format_id(matches)),
        reversibility: Reversibility::Reversible("panelctl external-panels payments add"),
        success: |matches| format!("Payment {} deleted.", format_id(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
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
        money_arg("fee", "Fee of the external panel, deducted from the amount"),
        money_arg("payment-method-commission", "Fee of the payment method, deducted from the amount"),
        money_arg("bonus", "Bonus that the external panel added"),
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
