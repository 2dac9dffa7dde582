//! Commands that create, change, copy and archive services, and preview prices.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::services::{
    ArchiveService, BulkUpdateServices, CopyService, CreateService, PreviewPrices, UnarchiveService,
    UpdateService,
};
use panel_contract::ids::{RecordId, ServiceId};
use panel_contract::services::{BulkServicesInput, PricePreviewInput, ServiceInput};
use serde_json::{Map, Value, json};

use crate::command::archive_command::archive_command;
use crate::command::confirm::{self, Reversibility, dry_run_query};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    required_id, required_value,
};
use crate::command::text::{parse_ids, text_arg, translations_arg};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

macro_rules! define_switches {
    ($($switch:ident $doc:literal;)+) => {
        /// The name of every switch of a service.
        const SWITCHES: &[&str] = &[$(stringify!($switch)),+];
    };
}
panel_contract::for_each_service_switch!(define_switches);

pub(crate) const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a service at the last position of its service type",
    examples: &[
        (
            "services create --name 'Likes' --service-type-id 4 --min-quantity 10 --max-quantity 5000 --default-price 2.5",
            "create with the required fields only",
        ),
        ("services create --file likes.json", "read all fields from a file"),
    ],
    op: CreateService::OP,
    args: service_args,
    request: |_, matches| build_request::<CreateService>((), &dry_run_query(matches), &read_input(matches)?),
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this service?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl services archive"),
        success: |_| "Service created.".to_owned(),
        has_dry_run: true,
    }),
};

pub(crate) const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a service; fields without an option keep their values, 'none' clears a field",
    examples: &[
        (
            "services update 17 --default-price 3.1 --off can_speedup",
            "change the price and turn a switch off",
        ),
        ("services update 17 --providers 4,9", "set its providers, in the order they are tried"),
    ],
    op: UpdateService::OP,
    args: |command| service_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateService>(required_id(matches)?, &dry_run_query(matches), &read_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update service {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Service {} updated.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

pub(crate) const ARCHIVE: RequestCommand = archive_command!("archive", ArchiveService, {
    about: "Archive a service; it is no longer sold, existing orders continue",
    example: ("services archive 17", "archive one service"),
    question: "Archive service {}?",
    success: "Service {} archived.",
});

pub(crate) const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchiveService, {
    about: "Restore an archived service at the last position of its service type",
    example: ("services unarchive 17", "restore one service"),
    question: "Restore service {}?",
    success: "Service {} restored.",
});

pub(crate) const COPY: RequestCommand = RequestCommand {
    name: "copy",
    about: "Copy a service; the copy is disabled",
    examples: &[("services copy 17 --jq .id", "print the id of the copy")],
    op: CopyService::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<CopyService>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Copy service {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl services archive"),
        success: |matches| format!("Service {} copied.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

pub(crate) const BULK_UPDATE: RequestCommand = RequestCommand {
    name: "bulk-update",
    about: "Turn switches of many services on or off at once, all or none",
    examples: &[(
        "services bulk-update 17,18,19 --on has_refill --off api_access --dry-run",
        "show the changes without applying them",
    )],
    op: BulkUpdateServices::OP,
    args: |command| {
        let ids = Arg::new("services").value_name("IDS").required(true).help("Ids, separated by commas");
        switch_args(command.arg(ids))
    },
    request: build_bulk_request,
    json_pointer: "",
    write: Some(WriteSpec {
        question: |_| "Update these services?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the other value"),
        success: |_| "Services updated.".to_owned(),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

pub(crate) const PREVIEW_PRICES: RequestCommand = RequestCommand {
    name: "prices",
    about: "Preview the price of a quantity for customers of each grade",
    examples: &[("services prices 2.5 --min-price 2 --quantity 5000", "check prices before changing them")],
    op: PreviewPrices::OP,
    args: |command| {
        let money_arg =
            |name: &'static str| Arg::new(name).value_name("AMOUNT").value_parser(clap::value_parser!(Money));
        let units_arg = |name: &'static str| {
            Arg::new(name)
                .long(name)
                .value_name("COUNT")
                .value_parser(clap::value_parser!(i64).range(1..))
                .default_value("1000")
        };
        command.args([
            money_arg("default-price").required(true).help("Price"),
            money_arg("min-price").long("min-price").default_value("0").help("Minimum price"),
            units_arg("pricing-per").help("Number of units that the price is for"),
            units_arg("quantity").help("Ordered quantity"),
            Arg::new("service-id")
                .long("service")
                .value_name("ID")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("Id of a service whose active discount applies"),
        ])
    },
    request: |_, matches| {
        let body = PricePreviewInput {
            default_price: required_value(matches, "default-price")?,
            min_price: required_value(matches, "min-price")?,
            pricing_per: required_value(matches, "pricing-per")?,
            quantity: required_value(matches, "quantity")?,
            service_id: optional_value(matches, "service-id"),
        };
        build_request::<PreviewPrices>((), &EmptyQuery {}, &body)
    },
    columns: &[
        Column::new("grade.name", DisplayKind::Text).with_title("grade"),
        Column::new("discount_fraction", DisplayKind::Number).with_title("grade's discount"),
        Column::new("discount.discount_fraction", DisplayKind::Number).with_title("discount"),
        Column::new("price", DisplayKind::Number),
        Column::new("cost", DisplayKind::Number),
        Column::new("is_lowest", DisplayKind::Enum).with_title("lowest"),
    ],
    write: None,
    ..BASE_COMMAND
};

/// API names of the text and number fields, with their help.
const TEXT_AND_NUMBER_FIELDS: &[(&str, &str)] = &[
    ("name", "English name"),
    ("service_type_id", "Id of the service type"),
    ("min_quantity", "Minimum quantity"),
    ("max_quantity", "Largest quantity"),
    ("quantity_step", "Step between quantities"),
    ("default_price", "Price"),
    ("min_price", "Minimum price"),
    ("pricing_per", "Number of units that the price is for"),
    ("panel_service_type", "Type in the reseller API, such as 'Custom Comments'"),
    ("admin_note", "Internal note, or none"),
    ("slug", "Last part of its URL, or none"),
    ("buy_page_url", "URL of its buy page, or none"),
    ("resale_margin_fraction", "Resale margin of imports, such as 0.2, or none"),
];

fn switch_args(command: Command) -> Command {
    let switches_arg = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("SWITCHES")
            .value_delimiter(',')
            .hide_possible_values(name != "on")
            .value_parser(clap::builder::PossibleValuesParser::new(SWITCHES))
            .help(help)
    };
    command.args([
        switches_arg("on", "Switches to turn on, separated by commas, such as is_enabled,has_refill"),
        switches_arg("off", "Switches to turn off, separated by commas; the names are listed at --on"),
    ])
}

fn service_args(command: Command) -> Command {
    let fields = TEXT_AND_NUMBER_FIELDS.iter().map(|(name, help)| text_arg(flag_name(name), help));
    switch_args(command.args(fields)).args([
        text_arg("labels", "All label ids, separated by commas, or none"),
        text_arg("providers", "All provider ids in the order they are tried, separated by commas, or none"),
        text_arg("countries", "All countries, such as US,DE, or none for all countries"),
        translations_arg(),
        confirm::confirm_below_margin_arg(),
        Arg::new("file")
            .long("file")
            .value_name("FILE")
            .help("JSON file with any field of the API; flags override it"),
    ])
}

/// Returns the flag of an API field, such as `min-quantity` for `min_quantity`.
fn flag_name(name: &str) -> &'static str {
    match name {
        "service_type_id" => "service-type-id",
        "min_quantity" => "min-quantity",
        "max_quantity" => "max-quantity",
        "quantity_step" => "quantity-step",
        "default_price" => "default-price",
        "min_price" => "min-price",
        "pricing_per" => "pricing-per",
        "panel_service_type" => "panel-service-type",
        "admin_note" => "admin-note",
        "buy_page_url" => "buy-page-url",
        "resale_margin_fraction" => "resale-margin-fraction",
        "slug" => "slug",
        _ => "name",
    }
}

fn insert_switches(matches: &ArgMatches, body: &mut Map<String, Value>) {
    for (name, is_on) in [("on", true), ("off", false)] {
        for switch in matches.get_many::<String>(name).into_iter().flatten() {
            body.insert(switch.clone(), is_on.into());
        }
    }
}

fn read_input(matches: &ArgMatches) -> CommandResult<ServiceInput> {
    let mut body: Map<String, Value> = match matches.get_one::<String>("file") {
        Some(file) => read_json_object(file)?,
        None => Map::new(),
    };
    for (name, _) in TEXT_AND_NUMBER_FIELDS {
        let Some(text) = optional_value::<String>(matches, flag_name(name)) else { continue };
        let is_integer = ["service_type_id", "pricing_per"].contains(name) || name.contains("quantity");
        let value = match text.parse::<i64>() {
            _ if text == "none" => Value::Null,
            Ok(number) if is_integer => number.into(),
            _ => text.into(),
        };
        body.insert((*name).to_owned(), value);
    }
    insert_switches(matches, &mut body);
    for name in ["labels", "providers"] {
        if let Some(ids) = parse_ids::<RecordId>(matches, name)? {
            body.insert(name.to_owned(), json!(ids));
        }
    }
    if let Some(text) = optional_value::<String>(matches, "countries") {
        let codes: Vec<&str> =
            if text == "none" { Vec::new() } else { text.split(',').map(str::trim).collect() };
        body.insert("countries".to_owned(), json!(codes));
    }
    if let Some(file) = matches.get_one::<String>("translations") {
        body.insert("translations".to_owned(), read_json_object(file)?.into());
    }
    if body.is_empty() {
        return Err(Failure::usage("Nothing to change: set an option (see --help).".to_owned()));
    }
    if confirm::confirms_below_margin(matches) {
        body.insert("confirm_below_margin".to_owned(), true.into());
    }
    serde_json::from_value(body.into()).map_err(|error| Failure::usage(format!("{error}.")))
}

fn read_json_object(file: &str) -> CommandResult<Map<String, Value>> {
    let usage_error = |error: String| Failure::usage(format!("{file}: {error}."));
    let text = std::fs::read_to_string(file).map_err(|error| usage_error(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| usage_error(error.to_string()))
}

fn build_bulk_request(_: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
    let mut switch_values = Map::new();
    insert_switches(matches, &mut switch_values);
    if switch_values.is_empty() {
        return Err(Failure::usage("Nothing to change: set --on or --off.".to_owned()));
    }
    let ids = parse_ids::<ServiceId>(matches, "services")?.unwrap_or_default();
    let services = ids.into_iter().map(|id| {
        let mut service = switch_values.clone();
        service.insert("id".to_owned(), json!(id));
        serde_json::from_value(service.into())
    });
    let services = services.collect::<Result<_, _>>().map_err(|error| Failure::usage(format!("{error}.")))?;
    build_request::<BulkUpdateServices>((), &dry_run_query(matches), &BulkServicesInput { services })
}
