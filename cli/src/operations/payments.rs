//! Payments and transactions: movements on customers' balances.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::payments::{CreatePayment, PaymentCollectionsOp};
use panel_contract::lists;
use panel_contract::payments::{BalanceType, ManualPaymentInput, TransactionType};

use crate::command::call::{Call, Write, arg, of, opt, word};
use crate::command::confirm::{Danger, is_dry};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};

/// `payments`.
pub(crate) const NOUN: Noun = Noun {
    name: "payments",
    alias: Some("payment"),
    about: "Movements on customers' balances",
    verbs: &[Cmd::List(&PAYMENTS), Cmd::Call(&CREATE), Cmd::Call(&COLLECTIONS), Cmd::Export(&PAYMENTS)],
};

/// `transactions`.
pub(crate) const TRANSACTIONS_NOUN: Noun = Noun {
    name: "transactions",
    alias: Some("transaction"),
    about: "The transactions screen's list",
    verbs: &[Cmd::List(&TRANSACTIONS), Cmd::Export(&TRANSACTIONS)],
};

const PAYMENTS: List = List {
    of: &lists::payments::PAYMENTS,
    noun: "payments",
    one: "payment",
    about: "Movements on customers' balances, newest first",
    filters: &[
        Filter::new("type", "type", "What they are about"),
        Filter::new("transaction-type", "transaction_type", "Whether the balance grew or shrank"),
        Filter::new("balance-type", "balance_type", "Which balance"),
        Filter::new("amount", "amount", "With sign"),
        Filter::new("user-id", "user_id", "The customer"),
        Filter::new("order-id", "order_id", "The order"),
        Filter::new("created", "created_at", "When"),
    ],
    since: "created_at",
    examples: &[
        ("payments list --user-id 42", "one customer's"),
        ("payments list --type refund --since yesterday --all -o csv", "what went back since yesterday"),
    ],
};

const TRANSACTIONS: List = List {
    of: &lists::payments::TRANSACTIONS,
    noun: "transactions",
    one: "transaction",
    about: "Transactions, newest first",
    examples: &[("transactions list --type deposit --since 7d", "what came in this week")],
    ..PAYMENTS
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "Types, transaction types and balance types with their labels",
    examples: &[],
    op: PaymentCollectionsOp::OP,
    args: |command| command,
    request: |_, _| of::<PaymentCollectionsOp>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Credits or debits a customer by hand",
    examples: &[
        ("payments create --user-id 42 --amount 10 --comment 'For the delay'", "credits the main balance"),
        ("payments create --user-id 42 --amount 10 --debit --dry-run", "whether a debit would do"),
    ],
    op: CreatePayment::OP,
    args: create_args,
    request: create,
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("{}?", said(matches, ["Credit", "Debit"])),
        danger: Danger::Final,
        said: |matches| format!("{}.", said(matches, ["Credited", "Debited"])),
        rehearses: true,
    }),
};

fn create_args(command: Command) -> Command {
    let words = clap::builder::PossibleValuesParser::new(BalanceType::WORDS.texts);
    command.args([
        Arg::new("user-id")
            .long("user-id")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .required(true)
            .help("The customer"),
        Arg::new("amount")
            .long("amount")
            .value_name("MONEY")
            .value_parser(clap::value_parser!(Money))
            .required(true)
            .help("How much, above zero"),
        Arg::new("debit").long("debit").action(clap::ArgAction::SetTrue).help("Takes it from the balance"),
        Arg::new("balance")
            .long("balance")
            .value_name("WORD")
            .value_parser(words)
            .default_value("main")
            .help("Which balance"),
        Arg::new("comment").long("comment").value_name("TEXT").help("Why; needed where money is added"),
        Arg::new("key")
            .long("key")
            .value_name("TEXT")
            .help("The idempotency key: the same command with the same key pays once [default: a new one]"),
    ])
}

fn create(_: &Ctx, matches: &ArgMatches) -> Done<Request> {
    let body = ManualPaymentInput {
        user_id: arg(matches, "user-id")?,
        transaction_type: if matches.get_flag("debit") {
            TransactionType::Outcome
        } else {
            TransactionType::Income
        },
        amount: arg(matches, "amount")?,
        comment: opt(matches, "comment"),
        balance_type: word(matches, "balance").unwrap_or(BalanceType::Main),
    };
    if body.amount <= Money::default() {
        return Err(Failure::usage("--amount must be above zero; --debit takes money away."));
    }
    of::<CreatePayment>((), &DryRun { dry_run: is_dry(matches) }, &body)
}

/// Such as `Credit 10 to user 42`.
fn said(matches: &ArgMatches, [credit, debit]: [&str; 2]) -> String {
    let amount = opt::<Money>(matches, "amount").unwrap_or_default();
    let user = opt::<i64>(matches, "user-id").unwrap_or_default();
    match matches.get_flag("debit") {
        true => format!("{debit} {amount} from user {user}"),
        false => format!("{credit} {amount} to user {user}"),
    }
}
