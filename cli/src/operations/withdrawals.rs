//! `withdrawals`: manages payouts that customers request.

mod payout;

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::BulkAction;
use panel_client::request::Request;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::withdrawals::{ApproveWithdrawal, MarkWithdrawalPaid, RejectWithdrawal};
use panel_contract::lists;
use panel_contract::withdrawals::{PaidWithdrawalInput, RejectWithdrawalInput};

use crate::command::bulk::{BulkCommand, action_per_id, single_record_request};
use crate::command::confirm::{Reversibility, is_dry_run};
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, id_arg, id_for_message, required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "withdrawals",
    alias: Some("withdrawal"),
    about: "Manage withdrawals: payouts that customers request",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Bulk(&APPROVE),
        CommandSpec::Bulk(&REJECT),
        CommandSpec::Request(&MARK_PAID),
        CommandSpec::Custom(&payout::PAYOUT),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::withdrawals::WITHDRAWALS,
    plural: "withdrawals",
    singular: "withdrawal",
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
    time_column: "created_at",
    examples: &[
        ("withdrawals list --status pending", "withdrawals that wait for a decision"),
        (
            "withdrawals list --status approved --all -o csv --columns id,amount,account_number",
            "export approved withdrawals for the bank",
        ),
    ],
};

const APPROVE: BulkCommand = BulkCommand {
    name: "approve",
    past_participle: "approved",
    about: "Approve pending withdrawals; the amounts stay on hold until they are paid",
    list: &LIST,
    reversibility: Reversibility::Reversible("panelctl withdrawals reject, which refunds the amount"),
    operations: &[ApproveWithdrawal::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<ApproveWithdrawal>,
    single_request: single_record_request::<ApproveWithdrawal>,
    examples: &[
        ("withdrawals approve 17 18", "approve two withdrawals"),
        (
            "withdrawals approve --status pending --amount ..50 --all-matching --dry-run",
            "show which small withdrawals would be approved",
        ),
    ],
};

const REJECT: BulkCommand = BulkCommand {
    name: "reject",
    past_participle: "rejected",
    about: "Reject pending or approved withdrawals; returns the amounts on hold to the balances",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[RejectWithdrawal::OP],
    single_record_flags: &[],
    args: |command| {
        let note = Arg::new("reason").long("reason").value_name("TEXT").required(true);
        command.arg(note.help("Reason shown to the customer"))
    },
    bulk_action: |matches| Ok(BulkAction::per_id::<RejectWithdrawal>(&read_rejection_input(matches)?)?),
    single_request: |matches, id| {
        Ok(Some(Request::for_endpoint::<RejectWithdrawal>(
            id.typed_as(),
            &DryRun::NO,
            &read_rejection_input(matches)?,
        )?))
    },
    examples: &[(
        "withdrawals reject 17 --reason 'The account is not yours'",
        "reject one withdrawal with a reason",
    )],
};

fn read_rejection_input(matches: &ArgMatches) -> CommandResult<RejectWithdrawalInput> {
    Ok(RejectWithdrawalInput { admin_note: required_value(matches, "reason")? })
}

const MARK_PAID: RequestCommand = RequestCommand {
    name: "mark-paid",
    about: "Mark an approved withdrawal as paid; debits the amount on hold; no money is sent",
    examples: &[(
        "withdrawals mark-paid 17 --transaction-id TX-9001",
        "record the bank's transaction number",
    )],
    op: MarkWithdrawalPaid::OP,
    args: |command| {
        let transaction_id =
            Arg::new("transaction-id").long("transaction-id").value_name("TEXT").required(true);
        command.arg(id_arg()).arg(transaction_id.help("Transaction number of the transfer"))
    },
    request: |_, matches| {
        let body = PaidWithdrawalInput { transaction_id: required_value(matches, "transaction-id")? };
        build_request::<MarkWithdrawalPaid>(
            required_id(matches)?,
            &DryRun { dry_run: is_dry_run(matches) },
            &body,
        )
    },
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Mark withdrawal {} as paid?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Withdrawal {} marked as paid.", id_for_message(matches)),
        has_dry_run: true,
    }),
};
