//! Bulk actions on orders.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::bulk::action::Action;
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::orders::*;
use panel_contract::ids::RecordId;
use panel_contract::orders::{BulkCancelInput, CancelInput, CancelReason, ChangeProviderInput};

use super::list::ORDERS;
use crate::command::act::{Verb, bulk, single};
use crate::command::call::{arg, of, opt, word};
use crate::command::confirm::Danger;
use crate::failure::CmdResult;

pub(crate) const APPROVE: Verb = Verb {
    name: "approve",
    past: "approved",
    about: "Approve orders in moderation",
    list: &ORDERS,
    danger: Danger::ReversibleBriefly("panelctl undo, until the orders are sent"),
    ops: &[ApproveOrders::OP, ApproveOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk: bulk::<ApproveOrders>,
    single: single::<ApproveOrder>,
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

pub(crate) const REJECT: Verb = Verb {
    name: "reject",
    past: "rejected",
    about: "Reject orders in moderation",
    danger: Danger::Reversible("panelctl undo"),
    ops: &[RejectOrders::OP, RejectOrder::OP],
    bulk: bulk::<RejectOrders>,
    single: single::<RejectOrder>,
    examples: &[
        ("orders reject 981204", "reject one order"),
        (
            "orders reject --status in_moderation --url spam.example --all-matching --dry-run",
            "show which orders would be rejected",
        ),
    ],
    ..APPROVE
};

pub(crate) const ACTIVATE: Verb = Verb {
    name: "activate",
    past: "activated",
    about: "Activate stopped or unpaid orders; charges unpaid ones",
    danger: Danger::Final,
    ops: &[ActivateOrders::OP, ActivateOrder::OP],
    bulk: bulk::<ActivateOrders>,
    single: single::<ActivateOrder>,
    examples: &[
        ("orders activate 981204", "activate one order"),
        (
            "orders activate --status stopped --service-id 17 --all-matching",
            "activate all stopped orders of a service",
        ),
    ],
    ..APPROVE
};

pub(crate) const PAUSE: Verb = Verb {
    name: "pause",
    past: "paused",
    about: "Pause orders in processing",
    danger: Danger::Reversible("panelctl undo"),
    ops: &[PauseOrders::OP, PauseOrder::OP],
    bulk: bulk::<PauseOrders>,
    single: single::<PauseOrder>,
    examples: &[
        ("orders pause 981204", "pause one order"),
        (
            "orders pause --service-id 17 --status in_processing --all-matching",
            "pause all orders of a service whose provider fails",
        ),
    ],
    ..APPROVE
};

pub(crate) const COMPLETE: Verb = Verb {
    name: "complete",
    past: "completed",
    about: "Complete orders, regardless of the delivered quantity",
    danger: Danger::Final,
    ops: &[CompleteOrders::OP, CompleteOrder::OP],
    bulk: bulk::<CompleteOrders>,
    single: single::<CompleteOrder>,
    examples: &[("orders complete 981204", "complete one order")],
    ..APPROVE
};

pub(crate) const CANCEL: Verb = Verb {
    name: "cancel",
    past: "canceled",
    about: "Cancel orders, with or without a refund",
    danger: Danger::Final,
    ops: &[CancelOrders::OP, CancelOrder::OP],
    single_record_flags: &["amount"],
    args: cancel_args,
    bulk: cancel_bulk_action,
    single: cancel_request,
    examples: &[
        (
            "orders cancel 981204 --return-money --reason wrong_link",
            "cancel one order with its default refund",
        ),
        ("orders cancel 981204 --return-money --amount 2.50", "cancel one order and refund this amount"),
        (
            "orders cancel --service-id 17 --status stopped --all-matching --return-money --dry-run",
            "show what would be refunded",
        ),
        (
            "orders cancel --ids-from - --confirm 412 < ids.txt",
            "cancel in a script, only if there are exactly 412 orders",
        ),
    ],
    ..APPROVE
};

pub(crate) const CHANGE_PROVIDER: Verb = Verb {
    name: "change-provider",
    past: "moved to the new provider",
    about: "Move orders to another provider (see panelctl providers available)",
    danger: Danger::Final,
    ops: &[ChangeProvider::OP],
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
                // Not `--quantity`: the list has a filter of that name.
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
    bulk: |matches| {
        let provider_id = arg(matches, "provider")?;
        let quantity = opt(matches, "order-quantity");
        let body = ChangeProviderInput {
            provider_id,
            order_ids: Vec::new(),
            quantity,
            allow_excess: matches.get_flag("allow-excess"),
            reason: opt(matches, "reason"),
            confirm_negative_margin: matches.get_flag("confirm-negative-margin"),
        };
        Ok(Action::of::<ChangeProvider>("order_ids", &body)?)
    },
    single: |_, _| Ok(None),
    examples: &[
        ("orders change-provider 981204 --provider 9", "move one order"),
        (
            "orders change-provider --provider 9 --no-active-providers 1 --all-matching",
            "move all orders without an active provider",
        ),
    ],
    ..APPROVE
};

fn cancel_args(command: Command) -> Command {
    let words = clap::builder::PossibleValuesParser::new(CancelReason::VALUES.texts);
    command.args([
        Arg::new("return-money").long("return-money").action(ArgAction::SetTrue).help("Refund the customers"),
        Arg::new("amount")
            .long("amount")
            .value_name("MONEY")
            .value_parser(clap::value_parser!(Money))
            .requires("return-money")
            .help("Amount to refund, for one order [default: see orders refund-amount]"),
        Arg::new("reason").long("reason").value_name("WORD").value_parser(words).help("Reason"),
        Arg::new("description")
            .long("description")
            .value_name("TEXT")
            .help("Explanation; required for the reason other"),
        Arg::new("no-email").long("no-email").action(ArgAction::SetTrue).help("Do not email the customers"),
    ])
}

fn cancel_bulk_action(matches: &ArgMatches) -> CmdResult<Action> {
    let body = BulkCancelInput {
        order_ids: Vec::new(),
        return_money: matches.get_flag("return-money"),
        cancel_reason: word(matches, "reason"),
        cancel_description: opt(matches, "description"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(Action::of::<CancelOrders>("order_ids", &body)?)
}

fn cancel_request(matches: &ArgMatches, id: RecordId) -> CmdResult<Option<Request>> {
    let body = CancelInput {
        return_money: matches.get_flag("return-money"),
        amount: opt(matches, "amount"),
        cancel_reason: word(matches, "reason"),
        cancel_description: opt(matches, "description"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(Some(of::<CancelOrder>(id.typed_as(), &DryRun::NO, &body)?))
}
