//! `orders create`: places an order for a customer.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::intake::PlaceOrder;
use panel_contract::intake::PlaceOrderInput;

use crate::command::call::{Call, WriteSpec, optional_value, request_for, required_value};
use crate::command::confirm::{Reversibility, is_dry_run};
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const CREATE: Call = Call {
    name: "create",
    about: "Place an order for a customer and charge their main balance",
    examples: &[
        (
            "orders create --user-id 42 --service-id 7 --url https://example.com/p/7 --quantity 1000 --dry-run",
            "show the cost of the order",
        ),
        (
            "orders create --user-id 42 --service-id 9 --url https://example.com/p/7 --quantity 2 --target comment=$'Nice\\nGreat'",
            "pass the comments that the service requires",
        ),
    ],
    op: PlaceOrder::OP,
    args: create_args,
    request: create_request,
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Enum),
        Column::new("name", Kind::Text),
        Column::new("quantity", Kind::Number),
        Column::new("cost", Kind::Number),
        Column::new("user.email", Kind::Text).with_title("user"),
    ],
    write: Some(WriteSpec {
        question: |matches| {
            let quantity = optional_value::<i64>(matches, "quantity").unwrap_or_default();
            format!(
                "Place an order of {quantity} for customer {} and charge their balance?",
                optional_value::<i64>(matches, "user-id").unwrap_or_default()
            )
        },
        reversibility: Reversibility::Irreversible,
        success: |matches| {
            format!(
                "Order placed for customer {}.",
                optional_value::<i64>(matches, "user-id").unwrap_or_default()
            )
        },
        has_dry_run: true,
    }),
};

fn create_args(command: Command) -> Command {
    let number_arg = |flag: &'static str, value: &'static str, help: &'static str| {
        let parser = clap::value_parser!(i64).range(1..);
        Arg::new(flag).long(flag).value_name(value).value_parser(parser).required(true).help(help)
    };
    command.args([
        number_arg("user-id", "ID", "Id of the customer"),
        number_arg("service-id", "ID", "Id of the service"),
        Arg::new("url").long("url").value_name("URL").default_value("").help("Link to deliver to"),
        number_arg("quantity", "NUMBER", "Quantity: the service's minimum plus a multiple of its step"),
        target_arg(),
        Arg::new("speedup")
            .long("speedup")
            .action(ArgAction::SetTrue)
            .help("Speed up the order, for the panel's surcharge"),
        Arg::new("guarantee")
            .long("guarantee")
            .action(ArgAction::SetTrue)
            .help("Add a refill guarantee that the service does not have, for the panel's surcharge"),
        Arg::new("coupon").long("coupon").value_name("CODE").help("Coupon code that reduces the price"),
        Arg::new("country")
            .long("country")
            .value_name("ISO")
            .help("The customer's country, such as DE; discounts for it apply"),
        Arg::new("comment").long("comment").value_name("TEXT").help("Internal comment"),
        Arg::new("key").long("key").value_name("TEXT").help(
            "Idempotency key: repeating the command with the same key does not place another order [default: a new key]",
        ),
    ])
}

/// The option `--target` for the targets of a service, which are the information that it requires besides the link.
pub(crate) fn target_arg() -> Arg {
    Arg::new("target")
        .long("target")
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .help("Information that the service requires besides the link; may be repeated")
}

/// Parses `--target` to values by target name.
pub(crate) fn read_targets(matches: &ArgMatches) -> CmdResult<BTreeMap<String, String>> {
    let mut targets = BTreeMap::new();
    for pair in matches.get_many::<String>("target").into_iter().flatten() {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| Failure::usage("--target: expected NAME=VALUE, such as comment=Nice."))?;
        targets.insert(name.to_owned(), value.to_owned());
    }
    Ok(targets)
}

fn create_request(_: &Ctx, matches: &ArgMatches) -> CmdResult<Request> {
    let body = PlaceOrderInput {
        user_id: required_value(matches, "user-id")?,
        service_id: required_value(matches, "service-id")?,
        url: required_value(matches, "url")?,
        quantity: required_value(matches, "quantity")?,
        speedup: matches.get_flag("speedup"),
        guarantee: matches.get_flag("guarantee"),
        coupon: optional_value(matches, "coupon"),
        country: optional_value(matches, "country"),
        comment: optional_value(matches, "comment"),
        targets: read_targets(matches)?,
    };
    request_for::<PlaceOrder>((), &DryRun { dry_run: is_dry_run(matches) }, &body)
}
