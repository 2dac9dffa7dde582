//! Custom prices: a customer's own terms of services.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::common::Patch;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::user_services::*;
use panel_contract::ids::{UserId, UserServiceId};
use panel_contract::user_services::{
    UserService, UserServiceInput, UserServicePatch, UserServicePrice, UserServiceTerms, UserServicesInput,
};
use serde_json::Value;

use crate::command::call::{Call, Write, arg, id, id_arg, of, on_off_arg, opt, wish};
use crate::command::confirm::{Danger, below_margin_arg, confirms_below_margin, dry_run};
use crate::command::edit::Edit;
use crate::command::{Cmd, Noun};
use crate::failure::{Done, Failure};
use crate::input::csv::{CsvRecord, CsvRecords};
use crate::input::{quoted, read_text};
use crate::output::column::{Column, Kind};

/// `users prices`.
pub(crate) const PRICES: Noun = Noun {
    name: "prices",
    alias: Some("price"),
    about: "A customer's own prices and terms of services",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&ADD), Cmd::Edit(&UPDATE), Cmd::Call(&REMOVE), Cmd::Call(&IMPORT)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("service_id", Kind::Id).titled("service"),
    Column::new("service.name", Kind::Text).titled("name"),
    Column::new("default_price", Kind::Number).titled("price"),
    Column::new("min_price", Kind::Number).titled("lowest"),
    Column::new("service_default_price", Kind::Number).titled("everybody's"),
    Column::new("has_refill", Kind::Word).titled("refill"),
    Column::new("auto_refill_is_allowed", Kind::Word).titled("auto refill"),
    Column::more("pricing_per", Kind::Number),
    Column::more("auto_refill_once_fill_percent", Kind::Number),
    Column::more("auto_refill_min_drop_percent", Kind::Number),
    Column::more("auto_refill_max_drop_percent", Kind::Number),
    Column::more("auto_refill_max_total_refilled_percent", Kind::Number),
    Column::more("max_order_quantity_for_use_throttle", Kind::Number),
    Column::more("order_quantity_ratio", Kind::Number),
    Column::more("below_margin_confirmed", Kind::Word),
    Column::more("updated_at", Kind::Time),
];

const LIST: Call = Call {
    name: "list",
    about: "A customer's prices, by the services' names",
    examples: &[("users prices list 42", "one customer"), ("users prices list 42 -o csv", "for a sheet")],
    op: ListUserServices::OP,
    args: |command| command.arg(id_arg().help("The customer")),
    request: |_, matches| of::<ListUserServices>(id(matches)?, &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: COLUMNS,
    write: None,
};

const ADD: Call = Call {
    name: "add",
    about: "Gives a customer a price of their own",
    examples: &[(
        "users prices add 42 118 --price 4.5 --min-price 4 --has-refill on",
        "for service 118, whatever others pay",
    )],
    op: CreateUserService::OP,
    args: |command| {
        let service = Arg::new("service").value_name("SERVICE").value_parser(clap::value_parser!(i64));
        terms(command.args([id_arg().help("The customer"), service.required(true).help("The service's id")]))
    },
    request: |_, matches| of::<CreateUserService>(id(matches)?, &NoQuery {}, &new_price(matches)?),
    write: Some(Write {
        question: |matches| format!("Give user {} a price of their own?", shown(matches, "id")),
        danger: Danger::Reversible("panelctl users prices remove"),
        said: |matches| format!("User {} has a price of their own.", shown(matches, "id")),
        rehearses: false,
    }),
    ..LIST
};

const UPDATE: Edit = Edit {
    call: Call {
        name: "update",
        about: "Changes a custom price; only what is named, and 'none' clears",
        examples: &[("users prices update 42 7 --price 4.2", "price 7 of customer 42")],
        op: UpdateUserService::OP,
        args: |command| terms(command.args([id_arg().help("The customer"), price_arg()])),
        write: Some(Write {
            question: |matches| format!("Change price {}?", shown(matches, "record")),
            danger: Danger::Reversible("The same command with the old values"),
            said: |matches| format!("Price {} is changed.", shown(matches, "record")),
            rehearses: false,
        }),
        ..LIST
    },
    reads: ListUserServices::OP,
    change: update,
};

const REMOVE: Call = Call {
    name: "remove",
    about: "Takes a custom price away: the service's own terms count again",
    examples: &[("users prices remove 42 7", "price 7 of customer 42")],
    op: DeleteUserService::OP,
    args: |command| command.args([id_arg().help("The customer"), price_arg()]),
    request: |_, matches| {
        of::<DeleteUserService>((id(matches)?, arg(matches, "record")?), &dry_run(matches), &NoBody {})
    },
    write: Some(Write {
        question: |matches| format!("Remove price {}?", shown(matches, "record")),
        danger: Danger::Reversible("panelctl users prices add"),
        said: |matches| format!("Price {} is removed.", shown(matches, "record")),
        rehearses: true,
    }),
    ..LIST
};

const IMPORT: Call = Call {
    name: "import",
    about: "Sets many prices at once from a CSV with the columns service_id, default_price and, if wanted, min_price, which stays where it is empty and goes with none",
    examples: &[("users prices import 42 prices.csv", "all of them or none")],
    op: SetUserServices::OP,
    args: |command| {
        let file = Arg::new("file").value_name("FILE").required(true).help("CSV; - is standard input");
        command.args([id_arg().help("The customer"), file, below_margin_arg()])
    },
    request: |_, matches| {
        let body = UserServicesInput {
            user_services: read(&arg::<String>(matches, "file")?)?,
            confirm_below_margin: confirms_below_margin(matches),
        };
        of::<SetUserServices>(id(matches)?, &NoQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Set the prices of user {}?", shown(matches, "id")),
        danger: Danger::Reversible("The same command with the old prices"),
        said: |matches| format!("The prices of user {} are set.", shown(matches, "id")),
        rehearses: false,
    }),
    ..LIST
};

fn price_arg() -> Arg {
    Arg::new("record")
        .value_name("PRICE")
        .value_parser(clap::value_parser!(i64))
        .required(true)
        .help("The price's id, of panelctl users prices list")
}

fn shown(matches: &ArgMatches, name: &str) -> i64 {
    opt(matches, name).unwrap_or_default()
}

fn terms(command: Command) -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command.args([
        text("price", "MONEY|none", "What they pay"),
        text("min-price", "MONEY|none", "The lowest price that discounts may lead to"),
        on_off_arg("has-refill").long("has-refill").help("Whether a refill may be asked for"),
        on_off_arg("auto-refill").long("auto-refill").help("Whether orders refill by themselves"),
        text("once-fill", "FRACTION|none", "How much of the drop one refill makes good, such as 0.5"),
        text("min-drop", "FRACTION|none", "The smallest drop that is refilled"),
        text("max-drop", "FRACTION|none", "The largest drop that is refilled"),
        text("max-total", "FRACTION|none", "How much all refills of an order may come to"),
        text("throttle", "NUMBER|none", "Orders up to this quantity take the own ratio; none for all"),
        text("ratio", "RATIO|none", "What is ordered at the provider for each unit sold"),
        below_margin_arg(),
    ])
}

/// What the command line names of the terms.
fn named_terms(matches: &ArgMatches) -> Done<UserServicePatch> {
    Ok(UserServicePatch {
        service_id: None,
        min_price: wish(matches, "min-price")?,
        default_price: wish(matches, "price")?,
        auto_refill_is_allowed: opt(matches, "auto-refill"),
        auto_refill_once_fill_percent: wish(matches, "once-fill")?,
        auto_refill_min_drop_percent: wish(matches, "min-drop")?,
        auto_refill_max_drop_percent: wish(matches, "max-drop")?,
        auto_refill_max_total_refilled_percent: wish(matches, "max-total")?,
        max_order_quantity_for_use_throttle: wish(matches, "throttle")?,
        order_quantity_ratio: wish(matches, "ratio")?,
        has_refill: opt(matches, "has-refill"),
        updated_at: None,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

/// A new price with nothing but what the command line names.
fn new_price(matches: &ArgMatches) -> Done<UserServiceInput> {
    let terms = named_terms(matches)?.over(&UserServiceTerms::default());
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

fn update(matches: &ArgMatches, read: Value) -> Done<Request> {
    let (user, record): (UserId, UserServiceId) = (id(matches)?, arg(matches, "record")?);
    let all: Vec<UserService> =
        serde_json::from_value(read).map_err(|error| Failure::failed(error.to_string()))?;
    let Some(old) = all.into_iter().find(|price| price.id == record) else {
        return Err(Failure::failed(format!("User {user} has no price {record}."))
            .hint(format!("panelctl users prices list {user}")));
    };
    let named = named_terms(matches)?;
    if named == UserServicePatch::default() {
        return Err(Failure::usage("Say what to change; panelctl users prices update --help lists it."));
    }
    let body = UserServicePatch { updated_at: Some(old.updated_at), ..named };
    of::<UpdateUserService>((user, record), &NoQuery {}, &body)
}

/// The prices of a file, checked line by line before anything is sent.
fn read(file: &str) -> Done<Vec<UserServicePrice>> {
    let wrong = |error: &str| Failure::usage(format!("{file}: {error}."));
    let text = read_text("--file", file)?;
    let mut records = CsvRecords::new(&text);
    let names = records.next().transpose().map_err(|error| wrong(&error))?.map(|head| head.cells);
    let names = names.unwrap_or_default();
    let place = |name: &str| names.iter().position(|known| known.trim() == name);
    let (Some(service), Some(price)) = (place("service_id"), place("default_price")) else {
        return Err(wrong("the first line must name the columns service_id and default_price"));
    };
    let least = place("min_price");
    let mut prices = Vec::new();
    for record in records {
        let CsvRecord { line, cells } = record.map_err(|error| wrong(&error))?;
        let cell = |at: usize| cells.get(at).map_or("", |cell| cell.trim());
        let bad = |at: usize| wrong(&format!("line {line}: {} is no value", quoted(cell(at))));
        prices.push(UserServicePrice {
            service_id: cell(service).parse().map_err(|_| bad(service))?,
            default_price: cell(price).parse().map_err(|_| bad(price))?,
            min_price: match least.filter(|at| !cell(*at).is_empty()) {
                Some(at) if cell(at) == "none" => Patch::Clear,
                Some(at) => Patch::Set(cell(at).parse().map_err(|_| bad(at))?),
                None => Patch::Keep,
            },
        });
    }
    Ok(prices)
}
