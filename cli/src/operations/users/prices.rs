//! Custom prices: a customer's own prices and terms for services.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::common::Patch;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::user_services::*;
use panel_contract::ids::{UserId, UserServiceId};
use panel_contract::user_services::{
    UserService, UserServiceInput, UserServicePatch, UserServicePrice, UserServiceTerms, UserServicesInput,
};
use serde_json::Value;

use crate::command::call::{Call, Write, arg, id, id_arg, of, on_off_arg, opt, patch_arg};
use crate::command::confirm::{Danger, below_margin_arg, confirms_below_margin, dry_run};
use crate::command::edit::Edit;
use crate::command::{Cmd, Noun};
use crate::failure::{CmdResult, Failure};
use crate::input::csv::{CsvRecord, CsvRecords};
use crate::input::{quoted, read_text};
use crate::output::column::{Column, Kind};

pub(crate) const PRICES: Noun = Noun {
    name: "prices",
    alias: Some("price"),
    about: "Manage a customer's custom prices",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&ADD), Cmd::Edit(&UPDATE), Cmd::Call(&REMOVE), Cmd::Call(&IMPORT)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("service_id", Kind::Id).titled("service"),
    Column::new("service.name", Kind::Text).titled("name"),
    Column::new("default_price", Kind::Number).titled("price"),
    Column::new("min_price", Kind::Number).titled("min price"),
    Column::new("service_default_price", Kind::Number).titled("standard price"),
    Column::new("has_refill", Kind::Word).titled("refill"),
    Column::new("auto_refill_is_allowed", Kind::Word).titled("auto refill"),
    Column::extra("pricing_per", Kind::Number),
    Column::extra("auto_refill_once_fill_percent", Kind::Number),
    Column::extra("auto_refill_min_drop_percent", Kind::Number),
    Column::extra("auto_refill_max_drop_percent", Kind::Number),
    Column::extra("auto_refill_max_total_refilled_percent", Kind::Number),
    Column::extra("max_order_quantity_for_use_throttle", Kind::Number),
    Column::extra("order_quantity_ratio", Kind::Number),
    Column::extra("below_margin_confirmed", Kind::Word),
    Column::extra("updated_at", Kind::Time),
];

const LIST: Call = Call {
    name: "list",
    about: "List a customer's custom prices, by service name",
    examples: &[
        ("users prices list 42", "list the custom prices of one customer"),
        ("users prices list 42 -o csv", "export them as CSV"),
    ],
    op: ListUserServices::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| of::<ListUserServices>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const ADD: Call =
    Call {
        name: "add",
        about: "Add a custom price for a customer",
        examples: &[(
            "users prices add 42 118 --price 4.5 --min-price 4 --has-refill on",
            "add a custom price for service 118",
        )],
        op: CreateUserService::OP,
        args: |command| {
            let service = Arg::new("service").value_name("SERVICE").value_parser(clap::value_parser!(i64));
            terms(command.args([
                id_arg().help("Id of the customer"),
                service.required(true).help("Id of the service"),
            ]))
        },
        request: |_, matches| of::<CreateUserService>(id(matches)?, &EmptyQuery {}, &new_price(matches)?),
        write: Some(Write {
            question: |matches| format!("Add a custom price for customer {}?", id_value_of(matches, "id")),
            danger: Danger::Reversible("panelctl users prices remove"),
            success: |matches| format!("Custom price of customer {} added.", id_value_of(matches, "id")),
            has_dry_run: false,
        }),
        ..LIST
    };

const UPDATE: Edit = Edit {
    call: Call {
        name: "update",
        about: "Update a custom price; fields without an option keep their values, 'none' clears a field",
        examples: &[("users prices update 42 7 --price 4.2", "change price 7 of customer 42")],
        op: UpdateUserService::OP,
        args: |command| terms(command.args([id_arg().help("Id of the customer"), price_arg()])),
        write: Some(Write {
            question: |matches| format!("Update price {}?", id_value_of(matches, "record")),
            danger: Danger::Reversible("run the command again with the old values"),
            success: |matches| format!("Price {} updated.", id_value_of(matches, "record")),
            has_dry_run: false,
        }),
        ..LIST
    },
    read_op: ListUserServices::OP,
    change: update,
};

const REMOVE: Call = Call {
    name: "remove",
    about: "Remove a custom price; the service's standard terms apply again",
    examples: &[("users prices remove 42 7", "remove price 7 of customer 42")],
    op: DeleteUserService::OP,
    args: |command| command.args([id_arg().help("Id of the customer"), price_arg()]),
    request: |_, matches| {
        of::<DeleteUserService>((id(matches)?, arg(matches, "record")?), &dry_run(matches), &EmptyBody {})
    },
    write: Some(Write {
        question: |matches| format!("Remove price {}?", id_value_of(matches, "record")),
        danger: Danger::Reversible("panelctl users prices add"),
        success: |matches| format!("Price {} removed.", id_value_of(matches, "record")),
        has_dry_run: true,
    }),
    ..LIST
};

const IMPORT: Call = Call {
    name: "import",
    about: "Set many prices from a CSV file with the columns service_id, default_price and optionally min_price (empty keeps it, none removes it)",
    examples: &[(
        "users prices import 42 prices.csv",
        "set all prices of the file, or none if one is invalid",
    )],
    op: SetUserServices::OP,
    args: |command| {
        let file =
            Arg::new("file").value_name("FILE").required(true).help("CSV file, or - for standard input");
        command.args([id_arg().help("Id of the customer"), file, below_margin_arg()])
    },
    request: |_, matches| {
        let body = UserServicesInput {
            user_services: parse_prices(&arg::<String>(matches, "file")?)?,
            confirm_below_margin: confirms_below_margin(matches),
        };
        of::<SetUserServices>(id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Set the prices of customer {}?", id_value_of(matches, "id")),
        danger: Danger::Reversible("run the command again with the old prices"),
        success: |matches| format!("Prices of customer {} updated.", id_value_of(matches, "id")),
        has_dry_run: false,
    }),
    ..LIST
};

fn price_arg() -> Arg {
    Arg::new("record")
        .value_name("PRICE")
        .value_parser(clap::value_parser!(i64))
        .required(true)
        .help("Id of the price (see panelctl users prices list)")
}

fn id_value_of(matches: &ArgMatches, name: &str) -> i64 {
    opt(matches, name).unwrap_or_default()
}

fn terms(command: Command) -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command.args([
        text("price", "MONEY|none", "Price of the customer"),
        text("min-price", "MONEY|none", "Lowest price after discounts"),
        on_off_arg("has-refill").long("has-refill").help("Allow refill requests"),
        on_off_arg("auto-refill").long("auto-refill").help("Enable automatic refills"),
        text("once-fill", "FRACTION|none", "Share of the drop that one refill restores, such as 0.5"),
        text("min-drop", "FRACTION|none", "Smallest drop that is refilled"),
        text("max-drop", "FRACTION|none", "Largest drop that is refilled"),
        text("max-total", "FRACTION|none", "Limit of all refills of an order together"),
        text(
            "throttle",
            "NUMBER|none",
            "Apply the custom ratio to orders up to this quantity; none for all orders",
        ),
        text("ratio", "RATIO|none", "Quantity ordered at the provider for each unit sold"),
        below_margin_arg(),
    ])
}

/// The terms that the command line sets.
fn terms_patch(matches: &ArgMatches) -> CmdResult<UserServicePatch> {
    Ok(UserServicePatch {
        service_id: None,
        min_price: patch_arg(matches, "min-price")?,
        default_price: patch_arg(matches, "price")?,
        auto_refill_is_allowed: opt(matches, "auto-refill"),
        auto_refill_once_fill_percent: patch_arg(matches, "once-fill")?,
        auto_refill_min_drop_percent: patch_arg(matches, "min-drop")?,
        auto_refill_max_drop_percent: patch_arg(matches, "max-drop")?,
        auto_refill_max_total_refilled_percent: patch_arg(matches, "max-total")?,
        max_order_quantity_for_use_throttle: patch_arg(matches, "throttle")?,
        order_quantity_ratio: patch_arg(matches, "ratio")?,
        has_refill: opt(matches, "has-refill"),
        updated_at: None,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

/// A new price with only the terms that the command line sets.
fn new_price(matches: &ArgMatches) -> CmdResult<UserServiceInput> {
    let terms = terms_patch(matches)?.apply_to(&UserServiceTerms::default());
    Ok(UserServiceInput {
        service_id: arg(matches, "service")?,
        min_price: terms.min_price,
        default_price: terms.default_price,
        auto_refill_is_allowed: terms.auto_refill_is_allowed,
        auto_refill_once_fill_percent: terms.auto_refill_once_fill_percent,
        auto_refill_min_drop_percent: terms.auto_refill_min_drop_percent,
        auto_refill_max_drop_percent: terms.auto_refill_max_drop_percent,
        auto_refill_max_total_refilled_percent: terms.auto_refill_max_total_refilled_percent,
        max_order_quantity_for_use_throttle: terms.max_order_quantity_for_use_throttle,
        order_quantity_ratio: terms.order_quantity_ratio,
        has_refill: terms.has_refill,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

fn update(matches: &ArgMatches, data: Value) -> CmdResult<Request> {
    let (user, record): (UserId, UserServiceId) = (id(matches)?, arg(matches, "record")?);
    let all: Vec<UserService> =
        serde_json::from_value(data).map_err(|error| Failure::failed(error.to_string()))?;
    let Some(current) = all.into_iter().find(|price| price.id == record) else {
        return Err(Failure::failed(format!("Customer {user} has no price {record}."))
            .hint(format!("panelctl users prices list {user}")));
    };
    let patch = terms_patch(matches)?;
    if patch == UserServicePatch::default() {
        return Err(Failure::usage(
            "Nothing to change: set an option (see panelctl users prices update --help).",
        ));
    }
    let body = UserServicePatch { updated_at: Some(current.updated_at), ..patch };
    of::<UpdateUserService>((user, record), &EmptyQuery {}, &body)
}

/// Parses a file of prices. Every line is checked before anything is sent.
fn parse_prices(file: &str) -> CmdResult<Vec<UserServicePrice>> {
    let invalid = |error: &str| Failure::usage(format!("{file}: {error}."));
    let text = read_text("--file", file)?;
    let mut records = CsvRecords::new(&text);
    let names = records.next().transpose().map_err(|error| invalid(&error))?.map(|head| head.cells);
    let names = names.unwrap_or_default();
    let column = |name: &str| names.iter().position(|column| column.trim() == name);
    let (Some(service), Some(price)) = (column("service_id"), column("default_price")) else {
        return Err(invalid("the first line must name the columns service_id and default_price"));
    };
    let min = column("min_price");
    let mut prices = Vec::new();
    for record in records {
        let CsvRecord { line, cells } = record.map_err(|error| invalid(&error))?;
        let cell = |index: usize| cells.get(index).map_or("", |cell| cell.trim());
        let bad =
            |index: usize| invalid(&format!("line {line}: {} is not a valid value", quoted(cell(index))));
        prices.push(UserServicePrice {
            service_id: cell(service).parse().map_err(|_| bad(service))?,
            default_price: cell(price).parse().map_err(|_| bad(price))?,
            min_price: match min.filter(|index| !cell(*index).is_empty()) {
                Some(index) if cell(index) == "none" => Patch::Clear,
                Some(index) => Patch::Set(cell(index).parse().map_err(|_| bad(index))?),
                None => Patch::Keep,
            },
        });
    }
    Ok(prices)
}
