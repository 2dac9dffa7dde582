//! Withdrawals: money that customers want back.

mod payout;

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::Action;
use panel_client::request::Request;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::withdrawals::{
    ApproveWithdrawal, ListWithdrawals, MarkWithdrawalPaid, RejectWithdrawal,
};
use panel_contract::payments::BalanceType;
use panel_contract::withdrawals::{PaidWithdrawalInput, RejectWithdrawalInput, WithdrawalStatus};

use crate::command::act::{Verb, each, one};
use crate::command::call::{Call, Write, arg, id, id_arg, of};
use crate::command::confirm::{Danger, is_dry};
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `withdrawals`.
pub(crate) const NOUN: Noun = Noun {
    name: "withdrawals",
    alias: Some("withdrawal"),
    about: "Withdrawals: money that customers want back",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Act(&APPROVE),
        Cmd::Act(&REJECT),
        Cmd::Call(&MARK_PAID),
        Cmd::Own(&payout::PAYOUT),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    noun: "withdrawals",
    one: "withdrawal",
    about: "Withdrawals, newest first",
    op: ListWithdrawals::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Word),
        Column::new("created_at", Kind::Time).titled("created"),
        Column::new("amount", Kind::Number),
        Column::new("withdrawal_method.name", Kind::Text).titled("method"),
        Column::new("account_number", Kind::Text).titled("account"),
        Column::new("user.email", Kind::Text).titled("user"),
        Column::new("transaction_id", Kind::Text).titled("transaction"),
        Column::new("user_comment", Kind::Text).titled("comment"),
        Column::more("admin_note", Kind::Text),
        Column::more("balance_type", Kind::Word),
        Column::more("approved_at", Kind::Time),
        Column::more("paid_at", Kind::Time),
        Column::more("rejected_at", Kind::Time),
        Column::more("withdrawal_method.id", Kind::Id),
        Column::more("user.id", Kind::Id),
        Column::more("user.name", Kind::Text),
    ],
    filters: &[
        Filter {
            flag: "status",
            column: "status",
            takes: words_of!(WithdrawalStatus),
            help: "Where they stand",
        },
        Filter { flag: "amount", column: "amount", takes: Takes::Numbers, help: "How much is wanted" },
        Filter {
            flag: "method",
            column: "withdrawal_method",
            takes: Takes::Any("TEXT"),
            help: "Part of the payment method's name",
        },
        Filter {
            flag: "account",
            column: "account_number",
            takes: Takes::Any("TEXT"),
            help: "Part of the account number",
        },
        Filter {
            flag: "balance-type",
            column: "balance_type",
            takes: words_of!(BalanceType),
            help: "The balance it is taken from",
        },
        Filter {
            flag: "user",
            column: "user",
            takes: Takes::Any("TEXT"),
            help: "The customer, by name or email",
        },
        Filter { flag: "user-id", column: "user_id", takes: Takes::Plain(&Takes::Ids), help: "The customer" },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When it was asked for" },
    ],
    also_filters: &[],
    since: "created_at",
    examples: &[
        ("withdrawals list --status pending", "what waits for a decision"),
        (
            "withdrawals list --status approved --all -o csv --columns id,amount,account_number",
            "what the bank has to pay",
        ),
    ],
};

const APPROVE: Verb = Verb {
    name: "approve",
    past: "approved",
    about: "Approves pending withdrawals; the money stays held until they are paid",
    list: &LIST,
    danger: Danger::Reversible("panelctl withdrawals reject, which gives the money back"),
    reaches: &[ApproveWithdrawal::OP],
    of_one: &[],
    args: |command| command,
    many: each::<ApproveWithdrawal>,
    one: one::<ApproveWithdrawal>,
    examples: &[
        ("withdrawals approve 17 18", "two of them"),
        ("withdrawals approve --status pending --amount ..50 --all-matching --dry-run", "the small ones"),
    ],
};

const REJECT: Verb = Verb {
    name: "reject",
    past: "rejected",
    about: "Rejects pending or approved withdrawals; the held money goes back to the balance",
    danger: Danger::Final,
    reaches: &[RejectWithdrawal::OP],
    args: |command| {
        let note = Arg::new("admin-note").long("admin-note").value_name("TEXT").required(true);
        command.arg(note.help("Why; the customer reads it"))
    },
    many: |matches| Ok(Action::each::<RejectWithdrawal>(&rejection(matches)?)?),
    one: |matches, id| Ok(Some(Request::of::<RejectWithdrawal>(id, &DryRun::NO, &rejection(matches)?)?)),
    examples: &[("withdrawals reject 17 --admin-note 'The account is not yours'", "one, with the reason")],
    ..APPROVE
};

fn rejection(matches: &ArgMatches) -> Done<RejectWithdrawalInput> {
    Ok(RejectWithdrawalInput { admin_note: arg(matches, "admin-note")? })
}

const MARK_PAID: Call = Call {
    name: "mark-paid",
    about: "Marks an approved withdrawal as paid: the held money leaves the panel",
    examples: &[("withdrawals mark-paid 17 --transaction-id TX-9001", "with the number of the transfer")],
    op: MarkWithdrawalPaid::OP,
    args: |command| {
        let transfer = Arg::new("transaction-id").long("transaction-id").value_name("TEXT").required(true);
        command.arg(id_arg()).arg(transfer.help("The transfer that paid it"))
    },
    request: |_, matches| {
        let body = PaidWithdrawalInput { transaction_id: arg(matches, "transaction-id")? };
        of::<MarkWithdrawalPaid>(id(matches)?, &DryRun { dry_run: is_dry(matches) }, &body)
    },
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Mark withdrawal {} as paid?", id(matches).unwrap_or_default()),
        danger: Danger::Final,
        said: |matches| format!("Withdrawal {} is paid.", id(matches).unwrap_or_default()),
        rehearses: true,
    }),
};
