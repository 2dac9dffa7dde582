//! Withdrawals: money that customers want back.

mod payout;

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::Action;
use panel_client::request::Request;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::withdrawals::{ApproveWithdrawal, MarkWithdrawalPaid, RejectWithdrawal};
use panel_contract::lists;
use panel_contract::withdrawals::{PaidWithdrawalInput, RejectWithdrawalInput};

use crate::command::act::{Verb, each, one};
use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of};
use crate::command::confirm::{Danger, is_dry};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::Done;

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
    of: &lists::withdrawals::WITHDRAWALS,
    noun: "withdrawals",
    one: "withdrawal",
    about: "Withdrawals, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("amount", "amount", "How much is wanted"),
        Filter::new("method", "withdrawal_method", "Part of the payment method's name"),
        Filter::new("account", "account_number", "Part of the account number"),
        Filter::new("balance-type", "balance_type", "The balance it is taken from"),
        Filter::new("user", "user", "The customer, by name or email"),
        Filter::new("user-id", "user_id", "The customer"),
        Filter::new("created", "created_at", "When it was asked for"),
    ],
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
    one: |matches, id| {
        Ok(Some(Request::of::<RejectWithdrawal>(id.known_as(), &DryRun::NO, &rejection(matches)?)?))
    },
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
        question: |matches| format!("Mark withdrawal {} as paid?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Withdrawal {} is paid.", given_id(matches)),
        rehearses: true,
    }),
};
