//! Actions on orders.

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
use crate::command::act::{Verb, many, one};
use crate::command::call::{arg, of, opt, word};
use crate::command::confirm::Danger;
use crate::failure::Done;

/// `orders approve`.
pub(crate) const APPROVE: Verb = Verb {
    name: "approve",
    past: "approved",
    about: "Approves orders in moderation",
    list: &ORDERS,
    danger: Danger::ReversibleBriefly("Until they are sent, panelctl undo"),
    reaches: &[ApproveOrders::OP, ApproveOrder::OP],
    of_one: &[],
    args: |command| command,
    many: many::<ApproveOrders>,
    one: one::<ApproveOrder>,
    examples: &[
        ("orders approve 981204 981207", "two orders"),
        ("orders approve --status in_moderation --user-id 42 --all-matching", "everything of one customer"),
        ("orders approve --ids-from checked.csv --id-column order --yes", "a list that somebody checked"),
    ],
};

/// `orders reject`.
pub(crate) const REJECT: Verb = Verb {
    name: "reject",
    past: "rejected",
    about: "Rejects orders in moderation",
    danger: Danger::Reversible("panelctl undo"),
    reaches: &[RejectOrders::OP, RejectOrder::OP],
    many: many::<RejectOrders>,
    one: one::<RejectOrder>,
    examples: &[
        ("orders reject 981204", "one order"),
        (
            "orders reject --status in_moderation --url spam.example --all-matching --dry-run",
            "what it would hit",
        ),
    ],
    ..APPROVE
};

/// `orders activate`.
pub(crate) const ACTIVATE: Verb = Verb {
    name: "activate",
    past: "activated",
    about: "Activates stopped or unpaid orders; an unpaid one is charged",
    danger: Danger::Final,
    reaches: &[ActivateOrders::OP, ActivateOrder::OP],
    many: many::<ActivateOrders>,
    one: one::<ActivateOrder>,
    examples: &[
        ("orders activate 981204", "one order"),
        ("orders activate --status stopped --service-id 17 --all-matching", "every stopped one of a service"),
    ],
    ..APPROVE
};

/// `orders pause`.
pub(crate) const PAUSE: Verb = Verb {
    name: "pause",
    past: "paused",
    about: "Pauses orders in processing",
    danger: Danger::Reversible("panelctl undo"),
    reaches: &[PauseOrders::OP, PauseOrder::OP],
    many: many::<PauseOrders>,
    one: one::<PauseOrder>,
    examples: &[
        ("orders pause 981204", "one order"),
        (
            "orders pause --service-id 17 --status in_processing --all-matching",
            "a service whose provider fails",
        ),
    ],
    ..APPROVE
};

/// `orders complete`.
pub(crate) const COMPLETE: Verb = Verb {
    name: "complete",
    past: "completed",
    about: "Completes orders, whatever is delivered",
    danger: Danger::Final,
    reaches: &[CompleteOrders::OP, CompleteOrder::OP],
    many: many::<CompleteOrders>,
    one: one::<CompleteOrder>,
    examples: &[("orders complete 981204", "one order")],
    ..APPROVE
};

/// `orders cancel`.
pub(crate) const CANCEL: Verb = Verb {
    name: "cancel",
    past: "canceled",
    about: "Cancels orders, with or without returning money",
    danger: Danger::Final,
    reaches: &[CancelOrders::OP, CancelOrder::OP],
    of_one: &["amount"],
    args: cancel_args,
    many: cancel_many,
    one: cancel_one,
    examples: &[
        (
            "orders cancel 981204 --return-money --reason wrong_link",
            "one order; its default refund goes back",
        ),
        ("orders cancel 981204 --return-money --amount 2.50", "one order; this much goes back"),
        (
            "orders cancel --service-id 17 --status stopped --all-matching --return-money --dry-run",
            "what it would come to",
        ),
        ("orders cancel --ids-from - --confirm 412 < ids.txt", "a script that knows how many there are"),
    ],
    ..APPROVE
};

/// `orders change-provider`.
pub(crate) const CHANGE_PROVIDER: Verb = Verb {
    name: "change-provider",
    past: "moved",
    about: "Moves orders to another provider (panelctl providers available)",
    danger: Danger::Final,
    reaches: &[ChangeProvider::OP],
    of_one: &[],
    args: |command| {
        command
            .arg(
                Arg::new("provider")
                    .long("provider")
                    .value_name("ID")
                    .value_parser(clap::value_parser!(i64))
                    .required(true)
                    .help("The provider to move to"),
            )
            .arg(
                // The list filters by quantity under the same word.
                Arg::new("order-quantity")
                    .long("order-quantity")
                    .value_name("NUMBER")
                    .value_parser(clap::value_parser!(i64).range(1..))
                    .help("How much to order there [default: what is missing]"),
            )
            .args([
                Arg::new("allow-excess")
                    .long("allow-excess")
                    .action(ArgAction::SetTrue)
                    .help("Lets it be more than is missing; needs --reason"),
                Arg::new("reason")
                    .long("reason")
                    .value_name("TEXT")
                    .help("Why more is ordered, for the audit log"),
                Arg::new("confirm-negative-margin")
                    .long("confirm-negative-margin")
                    .action(ArgAction::SetTrue)
                    .help("Goes on at a loss, and where the cost is not known (--dry-run says both)"),
            ])
    },
    many: |matches| {
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
    one: |_, _| Ok(None),
    examples: &[
        ("orders change-provider 981204 --provider 9", "one order"),
        (
            "orders change-provider --provider 9 --no-active-providers 1 --all-matching",
            "everything that nobody delivers",
        ),
    ],
    ..APPROVE
};

fn cancel_args(command: Command) -> Command {
    let words = clap::builder::PossibleValuesParser::new(CancelReason::WORDS.texts);
    command.args([
        Arg::new("return-money")
            .long("return-money")
            .action(ArgAction::SetTrue)
            .help("Money goes back to customers"),
        Arg::new("amount")
            .long("amount")
            .value_name("MONEY")
            .value_parser(clap::value_parser!(Money))
            .requires("return-money")
            .help("How much, for one order [default: what orders refund-amount says]"),
        Arg::new("reason").long("reason").value_name("WORD").value_parser(words).help("Why"),
        Arg::new("description")
            .long("description")
            .value_name("TEXT")
            .help("Why, in words; required for the reason other"),
        Arg::new("no-email").long("no-email").action(ArgAction::SetTrue).help("Customers get no email"),
    ])
}

fn cancel_many(matches: &ArgMatches) -> Done<Action> {
    let body = BulkCancelInput {
        order_ids: Vec::new(),
        return_money: matches.get_flag("return-money"),
        cancel_reason: word(matches, "reason"),
        cancel_description: opt(matches, "description"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(Action::of::<CancelOrders>("order_ids", &body)?)
}

fn cancel_one(matches: &ArgMatches, id: RecordId) -> Done<Option<Request>> {
    let body = CancelInput {
        return_money: matches.get_flag("return-money"),
        amount: opt(matches, "amount"),
        cancel_reason: word(matches, "reason"),
        cancel_description: opt(matches, "description"),
        send_email_notification: !matches.get_flag("no-email"),
    };
    Ok(Some(of::<CancelOrder>(id.known_as(), &DryRun::NO, &body)?))
}
