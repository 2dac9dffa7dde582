//! `orders create`: places an order for a customer.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::order_requests::PlaceOrder;
use panel_contract::order_requests::PlaceOrderInput;

use crate::command::confirm::{Reversibility, is_dry_run};
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, optional_value, required_value,
};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const CREATE: RequestCommand = RequestCommand {
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
    request: build_create_request,
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("status", DisplayKind::Enum),
        Column::new("name", DisplayKind::Text),
        Column::new("quantity", DisplayKind::Number),
        Column::new("cost", DisplayKind::Number),
        Column::new("user.email", DisplayKind::Text).with_title("user"),
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
    let number_arg = |flag: &'static str, value_name: &'static str, help: &'static str| {
        let parser = clap::value_parser!(i64).range(1..);
        Arg::new(flag).long(flag).value_name(value_name).value_parser(parser).required(true).help(help)
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
            .help("Speed up the order, for a surcharge"),
        Arg::new("guarantee")
            .long("guarantee")
            .action(ArgAction::SetTrue)
            .help("Add a refill guarantee that the service does not have, for a surcharge"),
        Arg::new("coupon").long("coupon").value_name("CODE").help("Coupon code that reduces the price"),
        Arg::new("country")
            .long("country")
            .value_name("ISO")
            .help("The customer's country, such as DE; discounts for this country apply"),
        Arg::new("comment").long("comment").value_name("TEXT").help("Internal comment"),
        Arg::new("key").long("key").value_name("TEXT").help(
            "Idempotency key: repeating the command with the same key does not place another order [default: a new key]",
        ),
    ])
}

/// The option `--target`. Targets are the information that a service requires besides the link.
pub(crate) fn target_arg() -> Arg {
    Arg::new("target")
        .long("target")
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .help("Target: an extra field that the service requires besides the link; may be repeated")
}

/// Parses the values of `--target`, by target name.
pub(crate) fn read_targets(matches: &ArgMatches) -> CommandResult<BTreeMap<String, String>> {
    let mut targets = BTreeMap::new();
    for pair in matches.get_many::<String>("target").into_iter().flatten() {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| Failure::usage("--target: expected NAME=VALUE, such as comment=Nice."))?;
        targets.insert(name.to_owned(), value.to_owned());
    }
    Ok(targets)
}

fn build_create_request(_: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
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
    build_request::<PlaceOrder>((), &DryRun { dry_run: is_dry_run(matches) }, &body)
}
