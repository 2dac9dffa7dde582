//! Withdrawals: payouts that customers request.

mod payout;

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::Action;
use panel_client::request::Request;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::withdrawals::{ApproveWithdrawal, MarkWithdrawalPaid, RejectWithdrawal};
use panel_contract::lists;
use panel_contract::withdrawals::{PaidWithdrawalInput, RejectWithdrawalInput};

use crate::command::act::{Verb, one_request_each, single};
use crate::command::call::{Call, Write, arg, id, id_arg, id_value, of};
use crate::command::confirm::{Danger, is_dry};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;

pub(crate) const NOUN: Noun = Noun {
    name: "withdrawals",
    alias: Some("withdrawal"),
    about: "Manage withdrawals: payouts that customers request",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Act(&APPROVE),
        Cmd::Act(&REJECT),
        Cmd::Call(&MARK_PAID),
        Cmd::Custom(&payout::PAYOUT),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    declaration: &lists::withdrawals::WITHDRAWALS,
    noun: "withdrawals",
    one: "withdrawal",
    about: "List withdrawals, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("amount", "amount", "Filter by amount"),
        Filter::new("method", "withdrawal_method", "Filter by part of the payment method's name"),
        Filter::new("account", "account_number", "Filter by part of the account number"),
        Filter::new("balance-type", "balance_type", "Filter by the debited balance"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new("user-id", "user_id", "Filter by customer id"),
        Filter::new("created", "created_at", "Filter by request time"),
    ],
    since: "created_at",
    examples: &[
        ("withdrawals list --status pending", "withdrawals that wait for a decision"),
        (
            "withdrawals list --status approved --all -o csv --columns id,amount,account_number",
            "export approved withdrawals for the bank",
        ),
    ],
};

const APPROVE: Verb = Verb {
    name: "approve",
    past: "approved",
    about: "Approve pending withdrawals; the amounts stay reserved until they are paid",
    list: &LIST,
    danger: Danger::Reversible("panelctl withdrawals reject, which refunds the amount"),
    ops: &[ApproveWithdrawal::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk: one_request_each::<ApproveWithdrawal>,
    single: single::<ApproveWithdrawal>,
    examples: &[
        ("withdrawals approve 17 18", "approve two withdrawals"),
        (
            "withdrawals approve --status pending --amount ..50 --all-matching --dry-run",
            "show which small withdrawals would be approved",
        ),
    ],
};

const REJECT: Verb = Verb {
    name: "reject",
    past: "rejected",
    about: "Reject pending or approved withdrawals; returns the reserved amounts to the balances",
    danger: Danger::Final,
    ops: &[RejectWithdrawal::OP],
    args: |command| {
        let note = Arg::new("admin-note").long("admin-note").value_name("TEXT").required(true);
        command.arg(note.help("Reason, which is shown to the customer"))
    },
    bulk: |matches| Ok(Action::each::<RejectWithdrawal>(&rejection(matches)?)?),
    single: |matches, id| {
        Ok(Some(Request::of::<RejectWithdrawal>(id.typed_as(), &DryRun::NO, &rejection(matches)?)?))
    },
    examples: &[(
        "withdrawals reject 17 --admin-note 'The account is not yours'",
        "reject one withdrawal with a reason",
    )],
    ..APPROVE
};

fn rejection(matches: &ArgMatches) -> CmdResult<RejectWithdrawalInput> {
    Ok(RejectWithdrawalInput { admin_note: arg(matches, "admin-note")? })
}

const MARK_PAID: Call = Call {
    name: "mark-paid",
    about: "Mark an approved withdrawal as paid; debits the reserved amount",
    examples: &[(
        "withdrawals mark-paid 17 --transaction-id TX-9001",
        "record the bank's transaction number",
    )],
    op: MarkWithdrawalPaid::OP,
    args: |command| {
        let transfer = Arg::new("transaction-id").long("transaction-id").value_name("TEXT").required(true);
        command.arg(id_arg()).arg(transfer.help("Transaction number of the transfer"))
    },
    request: |_, matches| {
        let body = PaidWithdrawalInput { transaction_id: arg(matches, "transaction-id")? };
        of::<MarkWithdrawalPaid>(id(matches)?, &DryRun { dry_run: is_dry(matches) }, &body)
    },
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Mark withdrawal {} as paid?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Withdrawal {} marked as paid.", id_value(matches)),
        has_dry_run: true,
    }),
};
