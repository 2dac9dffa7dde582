//! Bulk actions on orders.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::bulk::action::BulkAction;
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::orders::*;
use panel_contract::ids::RecordId;
use panel_contract::orders::{BulkCancelInput, CancelInput, CancelReason, ChangeProviderInput};

use super::list::ORDERS;
use crate::command::bulk::{BulkCommand, order_ids_action, single_record_request};
use crate::command::confirm::Reversibility;
use crate::command::request_command::{build_request, enum_value, optional_value, required_value};
use crate::failure::CommandResult;

pub(crate) const APPROVE: BulkCommand = BulkCommand {
    name: "approve",
    past_participle: "approved",
    about: "Approve orders in moderation",
    list: &ORDERS,
    reversibility: Reversibility::ReversibleBriefly("panelctl undo, until the orders are sent"),
    operations: &[ApproveOrders::OP, ApproveOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: order_ids_action::<ApproveOrders>,
    single_request: single_record_request::<ApproveOrder>,
    examples: &[
        ("orders approve 981204 981207", "approve two orders"),
        (
            "orders approve --status in_moderation --user-id 42 --all-matching",
            "approve all orders of one customer",
        ),
        (
            "orders approve --ids-from checked.csv --id-column order --yes",
            "approve the orders of a reviewed file",
        ),
    ],
};

pub(crate) const REJECT: BulkCommand = BulkCommand {
    name: "reject",
    past_participle: "rejected",
    about: "Reject orders in moderation",
    list: &ORDERS,
    reversibility: Reversibility::Reversible("panelctl undo"),
    operations: &[RejectOrders::OP, RejectOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: order_ids_action::<RejectOrders>,
    single_request: single_record_request::<RejectOrder>,
    examples: &[
        ("orders reject 981204", "reject one order"),
        (
            "orders reject --status in_moderation --url spam.example --all-matching --dry-run",
            "show which orders would be rejected",
        ),
    ],
};

pub(crate) const ACTIVATE: BulkCommand = BulkCommand {
    name: "activate",
    past_participle: "activated",
    about: "Activate stopped or unpaid orders; charges the customers of unpaid orders",
    list: &ORDERS,
    reversibility: Reversibility::Irreversible,
    operations: &[ActivateOrders::OP, ActivateOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: order_ids_action::<ActivateOrders>,
    single_request: single_record_request::<ActivateOrder>,
    examples: &[
        ("orders activate 981204", "activate one order"),
        (
            "orders activate --status stopped --service-id 17 --all-matching",
            "activate all stopped orders of a service",
        ),
    ],
};

pub(crate) const PAUSE: BulkCommand = BulkCommand {
    name: "pause",
    past_participle: "paused",
    about: "Stop orders in progress (status stopped) until you activate them again",
    list: &ORDERS,
    reversibility: Reversibility::Reversible("panelctl undo"),
    operations: &[PauseOrders::OP, PauseOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: order_ids_action::<PauseOrders>,
    single_request: single_record_request::<PauseOrder>,
    examples: &[
        ("orders pause 981204", "pause one order"),
        (
            "orders pause --service-id 17 --status in_processing --all-matching",
            "pause all orders of a service whose provider fails",
        ),
    ],
};

pub(crate) const COMPLETE: BulkCommand = BulkCommand {
    name: "complete",
    past_participle: "completed",
    about: "Complete orders, regardless of the delivered quantity",
    list: &ORDERS,
    reversibility: Reversibility::Irreversible,
    operations: &[CompleteOrders::OP, CompleteOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: order_ids_action::<CompleteOrders>,
    single_request: single_record_request::<CompleteOrder>,
    examples: &[("orders complete 981204", "complete one order")],
};

pub(crate) const CANCEL: BulkCommand = BulkCommand {
    name: "cancel",
    past_participle: "canceled",
    about: "Cancel orders, with or without a refund",
    list: &ORDERS,
    reversibility: Reversibility::Irreversible,
    operations: &[CancelOrders::OP, CancelOrder::OP],
    single_record_flags: &["amount"],
    args: cancel_args,
    bulk_action: build_cancel_action,
    single_request: build_cancel_request,
    examples: &[
        ("orders cancel 981204 --refund --reason wrong_link", "cancel one order with the default refund"),
        ("orders cancel 981204 --refund --amount 2.50", "cancel one order and refund this amount"),
        (
            "orders cancel --service-id 17 --status stopped --all-matching --refund --dry-run",
            "show how much would be refunded",
        ),
        (
            "orders cancel --ids-from - --confirm 412 < ids.txt",
            "cancel in a script, only if there are exactly 412 orders",
        ),
    ],
};

pub(crate) const CHANGE_PROVIDER: BulkCommand = BulkCommand {
    name: "change-provider",
    past_participle: "moved to the new provider",
    about: "Move orders to another provider (see panelctl providers available)",
    list: &ORDERS,
    reversibility: Reversibility::Irreversible,
    operations: &[ChangeProvider::OP],
    single_record_flags: &[],
    args: |command| {
        command
            .arg(
                Arg::new("provider")
                    .long("provider")
                    .value_name("ID")
                    .value_parser(clap::value_parser!(i64))
                    .required(true)
                    .help("Id of the new provider"),
            )
            .arg(
                // The name `--quantity` is reserved for a filter of the list.
                Arg::new("order-quantity")
                    .long("order-quantity")
                    .value_name("NUMBER")
                    .value_parser(clap::value_parser!(i64).range(1..))
                    .help("Quantity to order at the new provider [default: the undelivered quantity]"),
            )
            .args([
                Arg::new("allow-excess")
                    .long("allow-excess")
                    .action(ArgAction::SetTrue)
                    .help("Allow more than the undelivered quantity; requires --reason"),
                Arg::new("reason")
                    .long("reason")
                    .value_name("TEXT")
                    .help("Reason for the larger quantity, for the audit log"),
                Arg::new("confirm-negative-margin")
                    .long("confirm-negative-margin")
                    .action(ArgAction::SetTrue)
                    .help("Continue at a loss or if the cost is unknown (--dry-run shows both)"),
            ])
    },
    bulk_action: |matches| {
        let provider_id = required_value(matches, "provider")?;
        let quantity = optional_value(matches, "order-quantity");
        let body = ChangeProviderInput {
            provider_id,
            order_ids: Vec::new(),
            quantity,
            allow_excess: matches.get_flag("allow-excess"),
            reason: optional_value(matches, "reason"),
            confirm_negative_margin: matches.get_flag("confirm-negative-margin"),
        };
        Ok(BulkAction::bulk::<ChangeProvider>("order_ids", &body)?)
    },
    single_request: |_, _| Ok(None),
    examples: &[
        ("orders change-provider 981204 --provider 9", "move one order"),
        (
            "orders change-provider --provider 9 --no-active-providers 1 --all-matching",
            "move all orders without an active provider",
        ),
    ],
};

fn cancel_args(command: Command) -> Command {
    let reasons = clap::builder::PossibleValuesParser::new(CancelReason::VALUES.texts);
    command.args([
        Arg::new("refund").long("refund").action(ArgAction::SetTrue).help("Refund the customers"),
        Arg::new("amount")
            .long("amount")
            .value_name("MONEY")
            .value_parser(clap::value_parser!(Money))
            .requires("refund")
            .help("Amount to refund, for one order [default: see orders refund-amount]"),
        Arg::new("reason").long("reason").value_name("VALUE").value_parser(reasons).help("Reason"),
        Arg::new("description")
            .long("description")
            .value_name("TEXT")
            .help("Explanation; required for the reason other"),
        Arg::new("no-email").long("no-email").action(ArgAction::SetTrue).help("Do not email the customers"),
    ])
}

fn build_cancel_action(matches: &ArgMatches) -> CommandResult<BulkAction> {
    let body = BulkCancelInput {
        order_ids: Vec::new(),
        return_money: matches.get_flag("refund"),
        cancel_reason: enum_value(matches, "reason"),
        cancel_description: optional_value(matches, "description"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(BulkAction::bulk::<CancelOrders>("order_ids", &body)?)
}

fn build_cancel_request(matches: &ArgMatches, id: RecordId) -> CommandResult<Option<Request>> {
    let body = CancelInput {
        return_money: matches.get_flag("refund"),
        amount: optional_value(matches, "amount"),
        cancel_reason: enum_value(matches, "reason"),
        cancel_description: optional_value(matches, "description"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(Some(build_request::<CancelOrder>(id.typed_as(), &DryRun::NO, &body)?))
}
