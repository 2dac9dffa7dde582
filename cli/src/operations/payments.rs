//! `payments` and `transactions`: lists and creates changes of customers' balances.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::payments::{CreatePayment, GetPaymentCollections};
use panel_contract::lists;
use panel_contract::payments::{BalanceType, ManualPaymentInput, TransactionType};

use crate::command::confirm::{Reversibility, is_dry_run};
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, enum_value, optional_value, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "payments",
    alias: Some("payment"),
    about: "Manage payments: list all changes of balances, and credit or debit a balance",
    commands: &[
        CommandSpec::List(&PAYMENTS),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&LIST_ENUM_LABELS),
        CommandSpec::Export(&PAYMENTS),
    ],
};

pub(crate) const TRANSACTIONS_COMMANDS: CommandGroup = CommandGroup {
    name: "transactions",
    alias: Some("transaction"),
    about: "List the changes of balances, as payments list does",
    commands: &[CommandSpec::List(&TRANSACTIONS), CommandSpec::Export(&TRANSACTIONS)],
};

const PAYMENT_FILTERS: &[Filter] = &[
    Filter::new("type", "type", "Filter by type"),
    Filter::new(
        "transaction-type",
        "transaction_type",
        "Filter by transaction type: income (credit) or outcome (debit)",
    ),
    Filter::new("balance-type", "balance_type", "Filter by balance"),
    Filter::new("amount", "amount", "Filter by signed amount"),
    Filter::new("user-id", "user_id", "Filter by customer id"),
    Filter::new("order-id", "order_id", "Filter by order id"),
    Filter::new("created", "created_at", "Filter by time"),
];

const PAYMENTS: ListCommand = ListCommand {
    declaration: &lists::payments::PAYMENTS,
    plural: "payments",
    singular: "payment",
    about: "List payments, newest first",
    filters: PAYMENT_FILTERS,
    time_column: "created_at",
    examples: &[
        ("payments list --user-id 42", "payments of one customer"),
        ("payments list --type refund --since yesterday --all -o csv", "export refunds since yesterday"),
    ],
};

const TRANSACTIONS: ListCommand = ListCommand {
    declaration: &lists::payments::TRANSACTIONS,
    plural: "transactions",
    singular: "transaction",
    about: "List transactions, newest first",
    filters: PAYMENT_FILTERS,
    time_column: "created_at",
    examples: &[("transactions list --type deposit --since 7d", "deposits of the last week")],
};

const LIST_ENUM_LABELS: RequestCommand = RequestCommand {
    name: "collections",
    about: "List types, transaction types and balance types with their labels",
    examples: &[],
    op: GetPaymentCollections::OP,
    args: |command| command,
    request: |_, _| build_request::<GetPaymentCollections>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[],
    write: None,
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Credit or debit a customer's balance manually",
    examples: &[
        ("payments create --user-id 42 --amount 10 --comment 'For the delay'", "credit the main balance"),
        ("payments create --user-id 42 --amount 10 --debit --dry-run", "check whether a debit is possible"),
    ],
    op: CreatePayment::OP,
    args: create_args,
    request: build_create_request,
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("{}?", describe_payment(matches, ["Credit", "Debit"])),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("{}.", describe_payment(matches, ["Credited", "Debited"])),
        has_dry_run: true,
    }),
};

fn create_args(command: Command) -> Command {
    let balances = clap::builder::PossibleValuesParser::new(BalanceType::VALUES.texts);
    command.args([
        Arg::new("user-id")
            .long("user-id")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .required(true)
            .help("Id of the customer"),
        Arg::new("amount")
            .long("amount")
            .value_name("MONEY")
            .value_parser(clap::value_parser!(Money))
            .required(true)
            .help("Amount, above zero"),
        Arg::new("debit")
            .long("debit")
            .action(clap::ArgAction::SetTrue)
            .help("Debit the balance instead of crediting it"),
        Arg::new("balance")
            .long("balance")
            .value_name("BALANCE")
            .value_parser(balances)
            .default_value("main")
            .help("Balance to change"),
        Arg::new("comment").long("comment").value_name("TEXT").help("Reason; required for a credit"),
        Arg::new("key")
            .long("key")
            .value_name("TEXT")
            .help("Idempotency key: repeating the command with the same key does not pay again [default: a new key]"),
    ])
}

fn build_create_request(_: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
    let body = ManualPaymentInput {
        user_id: required_value(matches, "user-id")?,
        transaction_type: if matches.get_flag("debit") {
            TransactionType::Outcome
        } else {
            TransactionType::Income
        },
        amount: required_value(matches, "amount")?,
        comment: optional_value(matches, "comment"),
        balance_type: enum_value(matches, "balance").unwrap_or(BalanceType::Main),
    };
    if body.amount <= Money::default() {
        return Err(Failure::usage("--amount must be above zero. Use --debit to debit the balance."));
    }
    build_request::<CreatePayment>((), &DryRun { dry_run: is_dry_run(matches) }, &body)
}

/// Describes the payment, such as `Credit 10 to customer 42`, with the verb for a credit or for a debit.
fn describe_payment(matches: &ArgMatches, [credit, debit]: [&str; 2]) -> String {
    let amount = optional_value::<Money>(matches, "amount").unwrap_or_default();
    let user = optional_value::<i64>(matches, "user-id").unwrap_or_default();
    match matches.get_flag("debit") {
        true => format!("{debit} {amount} from customer {user}"),
        false => format!("{credit} {amount} to customer {user}"),
    }
}
