//! `orders create`: places an order for a customer.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::intake::PlaceOrder;
use panel_contract::intake::PlaceOrderInput;

use crate::command::call::{Call, Write, arg, of, opt};
use crate::command::confirm::{Danger, is_dry};
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const CREATE: Call = Call {
    name: "create",
    about: "Place an order for a customer and charge their main balance",
    examples: &[
        (
            "orders create --user-id 42 --service-id 7 --url https://example.com/p/7 --quantity 1000 --dry-run",
            "show what it would cost",
        ),
        (
            "orders create --user-id 42 --service-id 9 --url https://example.com/p/7 --quantity 2 --target comment=$'Nice\\nGreat'",
            "with the comments that the service requires",
        ),
    ],
    op: PlaceOrder::OP,
    args,
    request,
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Word),
        Column::new("name", Kind::Text),
        Column::new("quantity", Kind::Number),
        Column::new("cost", Kind::Number),
        Column::new("user.email", Kind::Text).titled("user"),
    ],
    write: Some(Write {
        question: |matches| {
            let quantity = opt::<i64>(matches, "quantity").unwrap_or_default();
            format!(
                "Place an order of {quantity} for customer {} and charge their balance?",
                opt::<i64>(matches, "user-id").unwrap_or_default()
            )
        },
        danger: Danger::Final,
        success: |matches| {
            format!("Order placed for customer {}.", opt::<i64>(matches, "user-id").unwrap_or_default())
        },
        has_dry_run: true,
    }),
};

fn args(command: Command) -> Command {
    let number = |flag: &'static str, value: &'static str, help: &'static str| {
        let parser = clap::value_parser!(i64).range(1..);
        Arg::new(flag).long(flag).value_name(value).value_parser(parser).required(true).help(help)
    };
    command.args([
        number("user-id", "ID", "Id of the customer"),
        number("service-id", "ID", "Id of the service"),
        Arg::new("url").long("url").value_name("URL").default_value("").help("Link to deliver to"),
        number("quantity", "NUMBER", "Quantity: the service's minimum plus a multiple of its step"),
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
            "Idempotency key: the same command with the same key places one order [default: a new key]",
        ),
    ])
}

/// `--target`: values for the targets of a service.
pub(crate) fn target_arg() -> Arg {
    Arg::new("target")
        .long("target")
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .help("Information that the service requires besides the link; may be repeated")
}

/// The values of `--target`, by target name.
pub(crate) fn targets_of(matches: &ArgMatches) -> CmdResult<BTreeMap<String, String>> {
    let mut targets = BTreeMap::new();
    for pair in matches.get_many::<String>("target").into_iter().flatten() {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| Failure::usage("--target: expected NAME=VALUE, such as comment=Nice."))?;
        targets.insert(name.to_owned(), value.to_owned());
    }
    Ok(targets)
}

fn request(_: &Ctx, matches: &ArgMatches) -> CmdResult<Request> {
    let body = PlaceOrderInput {
        user_id: arg(matches, "user-id")?,
        service_id: arg(matches, "service-id")?,
        url: arg(matches, "url")?,
        quantity: arg(matches, "quantity")?,
        speedup: matches.get_flag("speedup"),
        guarantee: matches.get_flag("guarantee"),
        coupon: opt(matches, "coupon"),
        country: opt(matches, "country"),
        comment: opt(matches, "comment"),
        targets: targets_of(matches)?,
    };
    of::<PlaceOrder>((), &DryRun { dry_run: is_dry(matches) }, &body)
}
