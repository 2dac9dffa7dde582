//! Commands that list the services of external panels, and import them as services, packages or providers.

mod export;
mod file;
mod lines;
mod packages;
mod rule;

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::common::DryRun;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::external_services::{
    AskAvailableServices, FetchAvailableServices, ImportProviders, ImportServices, ListPanelServices,
    PricePanelServices, SyncPanel,
};
use panel_contract::external_services::{
    ImportProvidersInput, ImportServiceItem, ImportServicesInput, PanelServiceRefusal, PriceServicesInput,
};
use panel_contract::ids::ImportableServiceId;
use panel_contract::table::TableQuery;

use crate::command::call::{
    Call, WriteSpec, id_arg, id_for_message, optional_value, repeated_values, request_for, required_id,
};
use crate::command::confirm::{self, Reversibility, is_dry_run};
use crate::command::{Cmd, CommandGroup, CustomCommand};
use crate::output::column::{Column, Kind};
use file::FileImport as _;

/// The noun `import`, which is also a subcommand of `external-panels`.
pub(crate) const IMPORT: CommandGroup = CommandGroup {
    name: "import",
    alias: None,
    about: "Import services, packages or providers of an external panel",
    commands: &[
        Cmd::Custom(&IMPORT_SERVICES),
        Cmd::Custom(&export::EXPORT),
        Cmd::Custom(&packages::IMPORT_PACKAGES),
        Cmd::Call(&IMPORT_PROVIDERS),
        Cmd::Nested(&rule::RULE),
    ],
};

pub(super) const SERVICES: Call = Call {
    name: "services",
    about: "List the services that a panel sold at the last sync, newest first",
    examples: &[
        ("external-panels services 3 --name likes", "services of panel 3 with likes in their name"),
        ("external-panels services 3 --new --refusal none -o ids", "print ids to import"),
        (
            "external-panels services 3 --refusal any -o json",
            "show the services that cannot be imported, with the reasons",
        ),
    ],
    op: ListPanelServices::OP,
    args: |command| {
        let row_count = clap::value_parser!(i64).range(1..=1000);
        command.arg(id_arg()).args([
            Arg::new("name").long("name").value_name("TEXT").help("Filter by part of the name"),
            Arg::new("category").long("category").value_name("TEXT").help("Filter by part of the category"),
            Arg::new("new")
                .long("new")
                .action(clap::ArgAction::SetTrue)
                .help("Only services that are not imported"),
            Arg::new("refusal").long("refusal").value_name("KIND").value_parser(refusal_kinds()).help(
                "Only services that cannot be imported for this reason; none for those that can be imported",
            ),
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("ROWS")
                .value_parser(row_count)
                .help("Maximum number of rows [default: 30]"),
        ])
    },
    request: |_, matches| {
        let mut query = TableQuery::default();
        for flag in ["name", "category"] {
            if let Some(text) = optional_value::<String>(matches, flag) {
                query = query.filter(flag, text);
            }
        }
        if matches.get_flag("new") {
            query = query.filter("is_imported", "0").filter("is_vanished", "0");
        }
        query = match optional_value::<String>(matches, "refusal").as_deref() {
            None => query,
            Some("none") => query.filter("is_refused", "0"),
            Some("any") => query.filter("is_refused", "1"),
            Some(kind) => query.filter("refusal_kind", kind),
        };
        query.length = optional_value(matches, "limit");
        request_for::<ListPanelServices>(required_id(matches)?, &query, &EmptyBody {})
    },
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("external_panel_service_id", Kind::Id).with_title("external id"),
        Column::new("name", Kind::Text),
        Column::new("type", Kind::Enum),
        Column::new("external_panel_price", Kind::Number).with_title("price"),
        Column::new("currency", Kind::Enum),
        Column::new("pricing_per", Kind::Number).with_title("per"),
        Column::new("provider.name", Kind::Text).with_title("provider"),
        Column::new("vanished_at", Kind::Time).with_title("removed"),
        Column::hidden("refusal", Kind::Text).with_title("refusal"),
        Column::hidden("category", Kind::Text),
        Column::hidden("min_quantity", Kind::Number),
        Column::hidden("max_quantity", Kind::Number),
        Column::hidden("refill", Kind::Enum),
        Column::hidden("cancel", Kind::Enum),
    ],
    write: None,
};

const IMPORTED_COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("external_panel_price", Kind::Number).with_title("panel price"),
    Column::new("provider_price", Kind::Number).with_title("cost"),
    Column::new("price", Kind::Number),
    Column::new("pricing_per", Kind::Number).with_title("per"),
];

pub(super) const PRICES: Call = Call {
    name: "prices",
    about: "Show the prices that services of a panel would have after an import",
    examples: &[(
        "external-panels prices 3 --service 41,42 --margin 0.3",
        "show prices with a margin of 30%",
    )],
    op: PricePanelServices::OP,
    args: |command| command.arg(id_arg()).args([services_arg(), margin_arg()]),
    request: |_, matches| {
        let body = PriceServicesInput {
            ids: selected_ids(matches),
            margin_fraction: optional_value::<Fraction>(matches, "margin-fraction"),
            ..PriceServicesInput::default()
        };
        request_for::<PricePanelServices>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: IMPORTED_COLUMNS,
    ..SERVICES
};

pub(super) const AVAILABLE: Call = Call {
    name: "available-services",
    about: "Fetch the services that a panel sells now, without storing them",
    examples: &[("external-panels available-services 3", "show the services that panel 3 sells now")],
    op: AskAvailableServices::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<AskAvailableServices>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[
        Column::new("external_panel_service_id", Kind::Id).with_title("external id"),
        Column::new("name", Kind::Text),
        Column::new("type", Kind::Enum),
        Column::new("external_panel_price", Kind::Number).with_title("price"),
        Column::new("pricing_per", Kind::Number).with_title("per"),
        Column::hidden("category", Kind::Text),
        Column::hidden("min_quantity", Kind::Number),
        Column::hidden("max_quantity", Kind::Number),
    ],
    ..SERVICES
};

pub(super) const FETCH: Call = Call {
    name: "fetch",
    about: "Fetch the services that a panel sells now and store them for imports",
    examples: &[("external-panels fetch 3", "fetch the services of panel 3")],
    op: FetchAvailableServices::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<FetchAvailableServices>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Fetch the services of panel {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again"),
        success: |matches| format!("Services of panel {} fetched.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..SERVICES
};

const IMPORT_SERVICES: CustomCommand = CustomCommand {
    name: "services",
    about: "Import services with their providers, by ids (all or none) or from a file",
    examples: &[
        (
            "import services 3 --service 41,42 --margin 0.3 --type 5 --dry-run",
            "show the prices of services 41 and 42 of panel 3 in service type 5",
        ),
        ("import services 3 --service 41 --margin 0.3 --type 5 --yes", "import service 41"),
        (
            "import services 3 --file lines.xlsx --keep-categories --network 1 --dry-run",
            "preview a file; creates service types for the panel's categories",
        ),
    ],
    operations: &[ImportServices::OP],
    args: |command| confirm::safety_args(services_args(command)).arg(confirm::count_arg()),
    run: |ctx, matches| {
        Box::pin(async move {
            match matches.contains_id("file") {
                true => file::import::<lines::Services>(ctx, matches).await,
                false => IMPORT_SERVICES_BY_ID.run(ctx, matches).await,
            }
        })
    },
};

/// Imports services by their ids, in one request.
const IMPORT_SERVICES_BY_ID: Call = Call {
    name: "services",
    about: "Import services with their providers, all or none",
    examples: &[],
    op: ImportServices::OP,
    args: services_args,
    request: |_, matches| {
        let new_item = ImportServiceItem::new;
        let services = selected_ids(matches).into_iter().map(new_item).collect();
        let body = ImportServicesInput { services, ..lines::Services::read_body(matches)? };
        request_for::<ImportServices>((), &DryRun { dry_run: is_dry_run(matches) }, &body)
    },
    pointer: "/data/items",
    columns: IMPORTED_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| {
            format!("Import {} of panel {}?", count_text(matches, "service"), id_for_message(matches))
        },
        reversibility: Reversibility::Reversible("panelctl services archive"),
        success: |matches| format!("{} imported.", count_text(matches, "service")),
        has_dry_run: true,
    }),
};

fn services_args(command: Command) -> Command {
    command.arg(id_arg().help("Id of the panel")).args([
        services_arg().required(false).required_unless_present("file"),
        file_arg("CSV, XLSX or JSON file in the format of import export"),
        margin_arg(),
        Arg::new("service-type-id")
            .long("type")
            .value_name("ID")
            .required_unless_present_any(["file", "keep-categories"])
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("Id of the service type to import into"),
        network_arg("Id of the network that the service type must belong to"),
        Arg::new("keep-categories")
            .long("keep-categories")
            .action(clap::ArgAction::SetTrue)
            .help("Create service types for the panel's categories in the network"),
    ])
}

const IMPORT_PROVIDERS: Call = Call {
    name: "providers",
    about: "Import providers without services",
    examples: &[("import providers 3 --service 41,42 --yes", "add providers for existing services")],
    op: ImportProviders::OP,
    args: |command| command.arg(id_arg()).arg(services_arg()),
    request: |_, matches| {
        let body = ImportProvidersInput {
            external_panel_id: required_id(matches)?,
            importable_services_ids: selected_ids(matches),
        };
        request_for::<ImportProviders>((), &DryRun { dry_run: is_dry_run(matches) }, &body)
    },
    write: Some(WriteSpec {
        question: |matches| {
            format!("Import {} of panel {}?", count_text(matches, "provider"), id_for_message(matches))
        },
        reversibility: Reversibility::Reversible("panelctl providers archive"),
        success: |matches| format!("{} imported.", count_text(matches, "provider")),
        has_dry_run: true,
    }),
    ..IMPORT_SERVICES_BY_ID
};

pub(super) const SYNC: Call = Call {
    name: "sync",
    about: "Start a sync with a panel's services now, in the background",
    examples: &[("external-panels sync 3", "see the result with external-panels runs list --panel 3")],
    op: SyncPanel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| request_for::<SyncPanel>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Sync panel {} now?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| {
            format!(
                "Sync of panel {} started. See the result with: panelctl external-panels runs list",
                id_for_message(matches)
            )
        },
        has_dry_run: false,
    }),
    ..SERVICES
};

fn refusal_kinds() -> clap::builder::PossibleValuesParser {
    let kinds = PanelServiceRefusal::VALUES.texts.iter().copied();
    clap::builder::PossibleValuesParser::new(["none", "any"].into_iter().chain(kinds))
}

fn services_arg() -> Arg {
    Arg::new("services")
        .long("service")
        .value_name("IDS")
        .required(true)
        .action(clap::ArgAction::Append)
        .value_delimiter(',')
        .value_parser(clap::value_parser!(i64).range(1..))
        .help("Ids of services of the panel (see external-panels services), separated by commas")
}

fn file_arg(help: &'static str) -> Arg {
    Arg::new("file").long("file").value_name("FILE").conflicts_with("services").help(help)
}

fn network_arg(help: &'static str) -> Arg {
    Arg::new("network-id")
        .long("network")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .help(help)
}

/// Returns the option that sets a field in the body of an import.
fn flag_of_field(field: &str) -> String {
    match field {
        "external_panel_id" => "ID".to_owned(),
        "margin_fraction" => "--margin".to_owned(),
        "network_id" => "--network".to_owned(),
        "service_type_id" => "--type".to_owned(),
        "services" | "packages" => "--file".to_owned(),
        other => other.to_owned(),
    }
}

fn margin_arg() -> Arg {
    Arg::new("margin-fraction")
        .long("margin")
        .value_name("FRACTION")
        .value_parser(clap::value_parser!(Fraction))
        .help("Margin on the panel's prices, such as 0.3 for 30% [default: the panel's margin]")
}

fn selected_ids(matches: &ArgMatches) -> Vec<ImportableServiceId> {
    repeated_values(matches, "services")
}

fn count_text(matches: &ArgMatches, noun: &str) -> String {
    match selected_ids(matches).len() {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}
