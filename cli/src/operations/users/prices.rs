//! `users prices`: manages custom prices, which are prices and refill terms of a service for one customer.

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

use crate::command::confirm::{
    Reversibility, confirm_below_margin_arg, confirms_below_margin, dry_run_query,
};
use crate::command::edit::EditCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, on_off_arg, optional_value,
    parse_value_or_none, required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::{CommandResult, Failure};
use crate::input::csv::{CsvRecord, CsvRecords};
use crate::input::{quote_start, read_text};
use crate::output::column::{Column, DisplayKind};

pub(crate) const PRICES: CommandGroup = CommandGroup {
    name: "prices",
    alias: Some("price"),
    about: "Manage a customer's custom prices",
    commands: &[
        CommandSpec::Request(&LIST),
        CommandSpec::Request(&ADD),
        CommandSpec::Edit(&UPDATE),
        CommandSpec::Request(&REMOVE),
        CommandSpec::Request(&IMPORT),
    ],
};

const COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("service_id", DisplayKind::Id).with_title("service"),
    Column::new("service.name", DisplayKind::Text).with_title("name"),
    Column::new("default_price", DisplayKind::Number).with_title("price"),
    Column::new("min_price", DisplayKind::Number).with_title("min price"),
    Column::new("service_default_price", DisplayKind::Number).with_title("list price"),
    Column::new("has_refill", DisplayKind::Enum).with_title("refill"),
    Column::new("auto_refill_is_allowed", DisplayKind::Enum).with_title("auto refill"),
    Column::hidden("pricing_per", DisplayKind::Number),
    Column::hidden("auto_refill_once_fill_fraction", DisplayKind::Number),
    Column::hidden("auto_refill_min_drop_fraction", DisplayKind::Number),
    Column::hidden("auto_refill_max_drop_fraction", DisplayKind::Number),
    Column::hidden("auto_refill_max_total_refilled_fraction", DisplayKind::Number),
    Column::hidden("max_order_quantity_for_use_throttle", DisplayKind::Number),
    Column::hidden("order_quantity_ratio", DisplayKind::Number),
    Column::hidden("below_margin_confirmed", DisplayKind::Enum),
    Column::hidden("updated_at", DisplayKind::Time),
];

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List a customer's custom prices, by service name",
    examples: &[
        ("users prices list 42", "list the custom prices of one customer"),
        ("users prices list 42 -o csv", "export the custom prices as CSV"),
    ],
    op: ListUserServices::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| {
        build_request::<ListUserServices>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const ADD: RequestCommand = RequestCommand {
    name: "add",
    about: "Add a custom price for a customer",
    examples: &[(
        "users prices add 42 118 --price 4.5 --min-price 4 --has-refill on",
        "add a custom price for service 118",
    )],
    op: CreateUserService::OP,
    args: |command| {
        let service = Arg::new("service").value_name("SERVICE").value_parser(clap::value_parser!(i64));
        price_args(
            command.args([
                id_arg().help("Id of the customer"),
                service.required(true).help("Id of the service"),
            ]),
        )
    },
    request: |_, matches| {
        build_request::<CreateUserService>(required_id(matches)?, &EmptyQuery {}, &read_new_price(matches)?)
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Add a custom price for customer {}?", id_arg_for_message(matches, "id")),
        reversibility: Reversibility::Reversible("panelctl users prices remove"),
        success: |matches| format!("Custom price of customer {} added.", id_arg_for_message(matches, "id")),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE: EditCommand = EditCommand {
    request_command: RequestCommand {
        name: "update",
        about: "Update a custom price; fields without an option keep their values, 'none' clears a field",
        examples: &[("users prices update 42 7 --price 4.2", "change price 7 of customer 42")],
        op: UpdateUserService::OP,
        args: |command| price_args(command.args([id_arg().help("Id of the customer"), price_arg()])),
        request: |_, matches| {
            build_request::<ListUserServices>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
        },
        columns: COLUMNS,
        write: Some(WriteSpec {
            question: |matches| format!("Update price {}?", id_arg_for_message(matches, "record")),
            reversibility: Reversibility::Reversible("run the command again with the old values"),
            success: |matches| format!("Price {} updated.", id_arg_for_message(matches, "record")),
            has_dry_run: false,
        }),
        ..BASE_COMMAND
    },
    read_op: ListUserServices::OP,
    write_request: build_update_request,
};

const REMOVE: RequestCommand = RequestCommand {
    name: "remove",
    about: "Remove a custom price; the terms of the service apply again",
    examples: &[("users prices remove 42 7", "remove price 7 of customer 42")],
    op: DeleteUserService::OP,
    args: |command| command.args([id_arg().help("Id of the customer"), price_arg()]),
    request: |_, matches| {
        build_request::<DeleteUserService>(
            (required_id(matches)?, required_value(matches, "record")?),
            &dry_run_query(matches),
            &EmptyBody {},
        )
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Remove price {}?", id_arg_for_message(matches, "record")),
        reversibility: Reversibility::Reversible("panelctl users prices add"),
        success: |matches| format!("Price {} removed.", id_arg_for_message(matches, "record")),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const IMPORT: RequestCommand = RequestCommand {
    name: "import",
    about: "Set many prices from a CSV file with the columns service_id, default_price and optionally min_price (an empty cell keeps the minimum price, none removes it)",
    examples: &[(
        "users prices import 42 prices.csv",
        "set all prices of the file, or no price if a line is invalid",
    )],
    op: SetUserServices::OP,
    args: |command| {
        let file =
            Arg::new("file").value_name("FILE").required(true).help("CSV file, or - for standard input");
        command.args([id_arg().help("Id of the customer"), file, confirm_below_margin_arg()])
    },
    request: |_, matches| {
        let body = UserServicesInput {
            user_services: parse_prices(&required_value::<String>(matches, "file")?)?,
            confirm_below_margin: confirms_below_margin(matches),
        };
        build_request::<SetUserServices>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Set the prices of customer {}?", id_arg_for_message(matches, "id")),
        reversibility: Reversibility::Reversible("run the command again with the old prices"),
        success: |matches| format!("Prices of customer {} updated.", id_arg_for_message(matches, "id")),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

fn price_arg() -> Arg {
    Arg::new("record")
        .value_name("PRICE")
        .value_parser(clap::value_parser!(i64))
        .required(true)
        .help("Id of the price (see panelctl users prices list)")
}

fn id_arg_for_message(matches: &ArgMatches, name: &str) -> i64 {
    optional_value(matches, name).unwrap_or_default()
}

fn price_args(command: Command) -> Command {
    let option_arg = |name: &'static str, value_name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value_name).help(help)
    };
    command.args([
        option_arg("price", "MONEY|none", "Price of the customer"),
        option_arg("min-price", "MONEY|none", "Minimum price after discounts"),
        on_off_arg("has-refill").long("has-refill").help("Allow refill requests"),
        on_off_arg("auto-refill").long("auto-refill").help("Enable automatic refills"),
        option_arg(
            "once-fill",
            "FRACTION|none",
            "Fraction of the drop that one refill restores, such as 0.5",
        ),
        option_arg("min-drop", "FRACTION|none", "Minimum drop for a refill"),
        option_arg("max-drop", "FRACTION|none", "No automatic refill if more than this fraction was lost"),
        option_arg("max-total", "FRACTION|none", "Maximum of all refills of an order together"),
        option_arg(
            "throttle",
            "NUMBER|none",
            "Apply the custom ratio to orders up to this quantity; none for all orders",
        ),
        option_arg(
            "ratio",
            "RATIO|none",
            "Custom ratio: quantity ordered at the provider for each unit sold",
        ),
        confirm_below_margin_arg(),
    ])
}

/// Parses the terms that the command line sets.
fn read_terms_patch(matches: &ArgMatches) -> CommandResult<UserServicePatch> {
    Ok(UserServicePatch {
        service_id: None,
        min_price: parse_value_or_none(matches, "min-price")?,
        default_price: parse_value_or_none(matches, "price")?,
        auto_refill_is_allowed: optional_value(matches, "auto-refill"),
        auto_refill_once_fill_fraction: parse_value_or_none(matches, "once-fill")?,
        auto_refill_min_drop_fraction: parse_value_or_none(matches, "min-drop")?,
        auto_refill_max_drop_fraction: parse_value_or_none(matches, "max-drop")?,
        auto_refill_max_total_refilled_fraction: parse_value_or_none(matches, "max-total")?,
        max_order_quantity_for_use_throttle: parse_value_or_none(matches, "throttle")?,
        order_quantity_ratio: parse_value_or_none(matches, "ratio")?,
        has_refill: optional_value(matches, "has-refill"),
        updated_at: None,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

/// Builds a new price. Terms without an option have their default values.
fn read_new_price(matches: &ArgMatches) -> CommandResult<UserServiceInput> {
    let terms = read_terms_patch(matches)?.apply_to(&UserServiceTerms::default());
    Ok(UserServiceInput {
        service_id: required_value(matches, "service")?,
        min_price: terms.min_price,
        default_price: terms.default_price,
        auto_refill_is_allowed: terms.auto_refill_is_allowed,
        auto_refill_once_fill_fraction: terms.auto_refill_once_fill_fraction,
        auto_refill_min_drop_fraction: terms.auto_refill_min_drop_fraction,
        auto_refill_max_drop_fraction: terms.auto_refill_max_drop_fraction,
        auto_refill_max_total_refilled_fraction: terms.auto_refill_max_total_refilled_fraction,
        max_order_quantity_for_use_throttle: terms.max_order_quantity_for_use_throttle,
        order_quantity_ratio: terms.order_quantity_ratio,
        has_refill: terms.has_refill,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

fn build_update_request(matches: &ArgMatches, current_record: Value) -> CommandResult<Request> {
    let (user_id, price_id): (UserId, UserServiceId) =
        (required_id(matches)?, required_value(matches, "record")?);
    let prices: Vec<UserService> =
        serde_json::from_value(current_record).map_err(|error| Failure::failed(error.to_string()))?;
    let Some(current_price) = prices.into_iter().find(|price| price.id == price_id) else {
        return Err(Failure::failed(format!("Customer {user_id} has no price {price_id}."))
            .hint(format!("panelctl users prices list {user_id}")));
    };
    let patch = read_terms_patch(matches)?;
    if patch == UserServicePatch::default() {
        return Err(Failure::usage(
            "Nothing to change: set an option (see panelctl users prices update --help).",
        ));
    }
    let body = UserServicePatch { updated_at: Some(current_price.updated_at), ..patch };
    build_request::<UpdateUserService>((user_id, price_id), &EmptyQuery {}, &body)
}

/// Parses a file of prices, so that panelctl reports an invalid line before it sends a request.
fn parse_prices(file: &str) -> CommandResult<Vec<UserServicePrice>> {
    let usage_error = |error: &str| Failure::usage(format!("{file}: {error}."));
    let text = read_text("--file", file)?;
    let mut records = CsvRecords::new(&text);
    let column_names =
        records.next().transpose().map_err(|error| usage_error(&error))?.map(|header| header.cells);
    let column_names = column_names.unwrap_or_default();
    let column_index = |name: &str| column_names.iter().position(|column| column.trim() == name);
    let (Some(service_column), Some(price_column)) =
        (column_index("service_id"), column_index("default_price"))
    else {
        return Err(usage_error("the first line must name the columns service_id and default_price"));
    };
    let min_price_column = column_index("min_price");
    let mut prices = Vec::new();
    for record in records {
        let CsvRecord { line, cells } = record.map_err(|error| usage_error(&error))?;
        let cell = |index: usize| cells.get(index).map_or("", |cell| cell.trim());
        let invalid_value = |index: usize| {
            usage_error(&format!("line {line}: {} is not a valid value", quote_start(cell(index))))
        };
        prices.push(UserServicePrice {
            service_id: cell(service_column).parse().map_err(|_| invalid_value(service_column))?,
            default_price: cell(price_column).parse().map_err(|_| invalid_value(price_column))?,
            min_price: match min_price_column.filter(|index| !cell(*index).is_empty()) {
                Some(index) if cell(index) == "none" => Patch::Clear,
                Some(index) => Patch::Set(cell(index).parse().map_err(|_| invalid_value(index))?),
                None => Patch::Keep,
            },
        });
    }
    Ok(prices)
}
