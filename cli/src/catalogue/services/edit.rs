//! What staff do with services: make, change, copy, put away, bring back, switch many at once, look at prices.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::services::{
    ArchiveService, BulkUpdateServices, CopyService, CreateService, PreviewPrices, UnarchiveService,
    UpdateService,
};
use panel_contract::ids::{RecordId, ServiceId};
use panel_contract::services::{BulkServicesInput, PricePreviewInput, ServiceInput};
use serde_json::{Map, Value, json};

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, opt};
use crate::command::confirm::{self, Danger, dry_run};
use crate::command::text::{ids_of, text_arg, translations_arg};
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

macro_rules! names {
    ($($switch:ident $doc:literal;)+) => {
        /// Every switch of a service.
        const SWITCHES: &[&str] = &[$(stringify!($switch)),+];
    };
}
panel_contract::for_each_service_switch!(names);

/// `services create`.
pub(crate) const CREATE: Call = Call {
    name: "create",
    about: "Makes a service, placed last in its service type",
    examples: &[
        (
            "services create --name 'Likes' --service-type-id 4 --min-quantity 10 --max-quantity 5000 --default-price 2.5",
            "the least it needs",
        ),
        ("services create --file likes.json", "everything from a file"),
    ],
    op: CreateService::OP,
    args: service_args,
    request: |_, matches| of::<CreateService>((), &dry_run(matches), &service(matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this service?".to_owned(),
        danger: Danger::Reversible("services archive"),
        said: |_| "The service is made.".to_owned(),
        rehearses: true,
    }),
};

/// `services update`.
pub(crate) const UPDATE: Call = Call {
    name: "update",
    about: "Changes a service; only what is named, and 'none' clears",
    examples: &[
        ("services update 17 --default-price 3.1 --off can_speedup", "a price and a switch"),
        ("services update 17 --providers 4,9", "who delivers it, in this order"),
    ],
    op: UpdateService::OP,
    args: |command| service_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateService>(id(matches)?, &dry_run(matches), &service(matches)?),
    write: Some(Write {
        question: |matches| format!("Change service {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Service {} is changed.", given_id(matches)),
        rehearses: true,
    }),
    ..CREATE
};

/// `services archive`.
pub(crate) const ARCHIVE: Call = archiving!("archive", ArchiveService, {
    about: "Takes a service off sale for good; orders that were placed go on",
    example: ("services archive 17", "one service"),
    question: "Archive service {}?",
    said: "Service {} is archived.",
});

/// `services unarchive`.
pub(crate) const UNARCHIVE: Call = archiving!("unarchive", UnarchiveService, {
    about: "Brings an archived service back, placed last in its service type",
    example: ("services unarchive 17", "one service"),
    question: "Bring service {} back?",
    said: "Service {} is back.",
});

/// `services copy`.
pub(crate) const COPY: Call = Call {
    name: "copy",
    about: "Makes another service like one, not on sale yet",
    examples: &[("services copy 17 --jq .id", "its id")],
    op: CopyService::OP,
    request: |_, matches| of::<CopyService>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Copy service {}?", given_id(matches)),
        danger: Danger::Reversible("services archive"),
        said: |matches| format!("Service {} is copied.", given_id(matches)),
        rehearses: true,
    }),
    ..ARCHIVE
};

/// `services bulk-update`.
pub(crate) const BULK_UPDATE: Call = Call {
    name: "bulk-update",
    about: "Changes switches of many services at once, all of them or none",
    examples: &[(
        "services bulk-update 17,18,19 --on has_refill --off api_access --dry-run",
        "what it would do",
    )],
    op: BulkUpdateServices::OP,
    args: |command| {
        let ids = Arg::new("services").value_name("IDS").required(true).help("Their ids, with commas");
        switch_args(command.arg(ids))
    },
    request: bulk,
    at: "",
    write: Some(Write {
        question: |_| "Change these services?".to_owned(),
        danger: Danger::Reversible("The same command the other way round"),
        said: |_| "The services are changed.".to_owned(),
        rehearses: true,
    }),
    ..CREATE
};

/// `services prices`.
pub(crate) const PRICES: Call = Call {
    name: "prices",
    about: "What a quantity costs customers of each grade at given prices",
    examples: &[("services prices 2.5 --lowest 2 --quantity 5000", "before a price is changed")],
    op: PreviewPrices::OP,
    args: |command| {
        let money =
            |name: &'static str| Arg::new(name).value_name("AMOUNT").value_parser(clap::value_parser!(Money));
        let whole = |name: &'static str| {
            Arg::new(name)
                .long(name)
                .value_name("COUNT")
                .value_parser(clap::value_parser!(i64).range(1..))
                .default_value("1000")
        };
        command.args([
            money("default-price").required(true).help("The price"),
            money("min-price").long("lowest").default_value("0").help("The lowest price"),
            whole("pricing-per").help("Units that prices are for"),
            whole("quantity").help("How many are ordered"),
            Arg::new("service-id")
                .long("service")
                .value_name("ID")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("The service whose running discount is applied"),
        ])
    },
    request: |_, matches| {
        let body = PricePreviewInput {
            default_price: arg(matches, "default-price")?,
            min_price: arg(matches, "min-price")?,
            pricing_per: arg(matches, "pricing-per")?,
            quantity: arg(matches, "quantity")?,
            service_id: opt(matches, "service-id"),
        };
        of::<PreviewPrices>((), &NoQuery {}, &body)
    },
    columns: &[
        Column::new("grade.name", Kind::Text).titled("grade"),
        Column::new("discount_percent", Kind::Number).titled("grade's discount"),
        Column::new("discount.discount_percent", Kind::Number).titled("discount"),
        Column::new("price", Kind::Number),
        Column::new("cost", Kind::Number),
        Column::new("is_lowest", Kind::Word).titled("lowest"),
    ],
    write: None,
    ..CREATE
};

/// Fields that are texts or numbers, as the API calls them.
const FIELDS: &[(&str, &str)] = &[
    ("name", "English name"),
    ("service_type_id", "Its service type"),
    ("min_quantity", "Smallest order"),
    ("max_quantity", "Largest order"),
    ("quantity_step", "Steps between"),
    ("default_price", "Price"),
    ("min_price", "Lowest price"),
    ("pricing_per", "Units that prices are for"),
    ("panel_service_type", "What the reseller API sells it as, such as 'Custom Comments'"),
    ("admin_note", "A word among staff, or none"),
    ("slug", "Part of its address, or none"),
    ("buy_page_url", "Its own page, or none"),
    ("resale_margin_percent", "Margin on imports, such as 0.2, or none"),
];

fn switch_args(command: Command) -> Command {
    let switches = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("SWITCHES")
            .value_delimiter(',')
            .hide_possible_values(true)
            .value_parser(clap::builder::PossibleValuesParser::new(SWITCHES))
            .help(help)
    };
    command.args([
        switches("on", "Switches to turn on, such as is_enabled,has_refill"),
        switches("off", "Switches to turn off"),
    ])
}

fn service_args(command: Command) -> Command {
    let fields = FIELDS.iter().map(|(name, help)| text_arg(flag(name), help));
    switch_args(command.args(fields)).args([
        text_arg("labels", "All label ids with commas, or none"),
        text_arg("providers", "All provider ids in the order they are tried, or none"),
        text_arg("countries", "All countries such as US,DE, or none for everywhere"),
        translations_arg(),
        confirm::below_margin_arg(),
        Arg::new("file")
            .long("file")
            .value_name("FILE")
            .help("JSON with any field of the API; flags come on top"),
    ])
}

/// `min_quantity` as a flag.
fn flag(name: &str) -> &'static str {
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
        "resale_margin_percent" => "resale-margin-percent",
        "slug" => "slug",
        _ => "name",
    }
}

fn switches(matches: &ArgMatches, body: &mut Map<String, Value>) {
    for (name, on) in [("on", true), ("off", false)] {
        for switch in matches.get_many::<String>(name).into_iter().flatten() {
            body.insert(switch.clone(), on.into());
        }
    }
}

fn service(matches: &ArgMatches) -> Done<ServiceInput> {
    let mut body: Map<String, Value> = match matches.get_one::<String>("file") {
        Some(file) => read(file)?,
        None => Map::new(),
    };
    for (name, _) in FIELDS {
        let Some(text) = opt::<String>(matches, flag(name)) else { continue };
        let whole = ["service_type_id", "pricing_per"].contains(name) || name.contains("quantity");
        let value = match text.parse::<i64>() {
            _ if text == "none" => Value::Null,
            Ok(number) if whole => number.into(),
            _ => text.into(),
        };
        body.insert((*name).to_owned(), value);
    }
    switches(matches, &mut body);
    for name in ["labels", "providers"] {
        if let Some(ids) = ids_of::<RecordId>(matches, name)? {
            body.insert(name.to_owned(), json!(ids));
        }
    }
    if let Some(text) = opt::<String>(matches, "countries") {
        let codes: Vec<&str> =
            if text == "none" { Vec::new() } else { text.split(',').map(str::trim).collect() };
        body.insert("countries".to_owned(), json!(codes));
    }
    if let Some(file) = matches.get_one::<String>("translations") {
        body.insert("translations".to_owned(), read(file)?.into());
    }
    if body.is_empty() {
        return Err(Failure::usage("Say what to write; --help lists it.".to_owned()));
    }
    if confirm::confirms_below_margin(matches) {
        body.insert("confirm_below_margin".to_owned(), true.into());
    }
    serde_json::from_value(body.into()).map_err(|error| Failure::usage(format!("{error}.")))
}

fn read(file: &str) -> Done<Map<String, Value>> {
    let told = |why: String| Failure::usage(format!("{file}: {why}."));
    let text = std::fs::read_to_string(file).map_err(|error| told(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| told(error.to_string()))
}

fn bulk(_: &Ctx, matches: &ArgMatches) -> Done<Request> {
    let mut one = Map::new();
    switches(matches, &mut one);
    if one.is_empty() {
        return Err(Failure::usage("Say what to change: --on or --off.".to_owned()));
    }
    let ids = ids_of::<ServiceId>(matches, "services")?.unwrap_or_default();
    let services = ids.into_iter().map(|id| {
        let mut service = one.clone();
        service.insert("id".to_owned(), json!(id));
        serde_json::from_value(service.into())
    });
    let services = services.collect::<Result<_, _>>().map_err(|error| Failure::usage(format!("{error}.")))?;
    of::<BulkUpdateServices>((), &dry_run(matches), &BulkServicesInput { services })
}
