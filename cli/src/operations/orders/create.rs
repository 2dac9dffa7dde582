//! Placing an order for a customer.

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
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `orders create`.
pub(crate) const CREATE: Call = Call {
    name: "create",
    about: "Places an order for a customer and charges their main balance",
    examples: &[
        (
            "orders create --user-id 42 --service-id 7 --url https://example.com/p/7 --quantity 1000 --dry-run",
            "what it would cost",
        ),
        (
            "orders create --user-id 42 --service-id 9 --url https://example.com/p/7 --quantity 2 --target comment=$'Nice\\nGreat'",
            "with what the service asks for",
        ),
    ],
    op: PlaceOrder::OP,
    args,
    request,
    at: "/data",
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
                "Order {quantity} for user {} at their cost?",
                opt::<i64>(matches, "user-id").unwrap_or_default()
            )
        },
        danger: Danger::Final,
        said: |matches| format!("Ordered for user {}.", opt::<i64>(matches, "user-id").unwrap_or_default()),
        rehearses: true,
    }),
};

fn args(command: Command) -> Command {
    let number = |flag: &'static str, value: &'static str, help: &'static str| {
        let parser = clap::value_parser!(i64).range(1..);
        Arg::new(flag).long(flag).value_name(value).value_parser(parser).required(true).help(help)
    };
    command.args([
        number("user-id", "ID", "The customer"),
        number("service-id", "ID", "What is ordered"),
        Arg::new("url").long("url").value_name("URL").default_value("").help("Where to deliver"),
        number("quantity", "NUMBER", "How many: the service's smallest order and whole steps more"),
        target_arg(),
        Arg::new("speedup").long("speedup").action(ArgAction::SetTrue).help("Sped up, at the panel's charge"),
        Arg::new("guarantee")
            .long("guarantee")
            .action(ArgAction::SetTrue)
            .help("Refilled although the service is not, at the panel's charge"),
        Arg::new("coupon").long("coupon").value_name("CODE").help("A coupon that lowers its cost"),
        Arg::new("country")
            .long("country")
            .value_name("ISO")
            .help("Where the customer is, such as DE: discounts for that country count"),
        Arg::new("comment").long("comment").value_name("TEXT").help("A word for colleagues"),
        Arg::new("key")
            .long("key")
            .value_name("TEXT")
            .help("The idempotency key: the same command with the same key orders once [default: a new one]"),
    ])
}

/// `--target`: answers to what a service asks.
pub(crate) fn target_arg() -> Arg {
    Arg::new("target")
        .long("target")
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .help("What the service asks for beside the address; may be given several times")
}

/// The answers of `--target`, by the names of the service's targets.
pub(crate) fn targets_of(matches: &ArgMatches) -> Done<BTreeMap<String, String>> {
    let mut targets = BTreeMap::new();
    for pair in matches.get_many::<String>("target").into_iter().flatten() {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| Failure::usage("Give --target as NAME=VALUE, such as comment=Nice."))?;
        targets.insert(name.to_owned(), value.to_owned());
    }
    Ok(targets)
}

fn request(_: &Ctx, matches: &ArgMatches) -> Done<Request> {
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
