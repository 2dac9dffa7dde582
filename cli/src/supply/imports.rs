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
    FetchAvailableServices, ImportProviders, ImportServices, ListPanelServices, PricePanelServices,
    RefreshAvailableServices, SyncPanel,
};
use panel_contract::external_services::{
    ImportProvidersInput, ImportServiceItem, ImportServicesInput, PanelServiceRejection, PriceServicesInput,
};
use panel_contract::ids::ImportableServiceId;
use panel_contract::table::TableQuery;

use crate::command::confirm::{self, Reversibility, is_dry_run};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    repeated_values, required_id,
};
use crate::command::{CommandGroup, CommandSpec, CustomCommand};
use crate::output::column::{Column, DisplayKind};
use file::FileImport as _;

/// The command group `import`, which is also a subcommand of `external-panels`.
pub(crate) const IMPORT: CommandGroup = CommandGroup {
    name: "import",
    alias: None,
    about: "Import services, packages or providers of an external panel",
    commands: &[
        CommandSpec::Custom(&IMPORT_SERVICES),
        CommandSpec::Custom(&export::EXPORT),
        CommandSpec::Custom(&packages::IMPORT_PACKAGES),
        CommandSpec::Request(&IMPORT_PROVIDERS),
        CommandSpec::Nested(&rule::RULE),
    ],
};

pub(super) const LIST_SERVICES: RequestCommand = RequestCommand {
    name: "services",
    about: "List the services that an external panel sold at the last sync, newest first",
    examples: &[
        ("external-panels services 3 --name likes", "services of external panel 3 with likes in their name"),
        ("external-panels services 3 --new --rejection none -o ids", "print ids to import"),
        (
            "external-panels services 3 --rejection any -o json",
            "show the services that cannot be imported, with the reasons",
        ),
    ],
    op: ListPanelServices::OP,
    args: |command| {
        let row_count_parser = clap::value_parser!(i64).range(1..=1000);
        command.arg(id_arg()).args([
            Arg::new("name").long("name").value_name("TEXT").help("Filter by part of the name"),
            Arg::new("category").long("category").value_name("TEXT").help("Filter by part of the category"),
            Arg::new("new")
                .long("new")
                .action(clap::ArgAction::SetTrue)
                .help("Only services that are not imported"),
            Arg::new("rejection").long("rejection").value_name("KIND").value_parser(build_rejection_kind_parser()).help(
                "Only services that cannot be imported for this reason: unknown_type, not_sold (this panel does not sell the type) or unknown_parameter; none for services that can be imported",
            ),
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("ROWS")
                .value_parser(row_count_parser)
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
        query = match optional_value::<String>(matches, "rejection").as_deref() {
            None => query,
            Some("none") => query.filter("is_rejected", "0"),
            Some("any") => query.filter("is_rejected", "1"),
            Some(kind) => query.filter("rejection_kind", kind),
        };
        query.length = optional_value(matches, "limit");
        build_request::<ListPanelServices>(required_id(matches)?, &query, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("external_panel_service_id", DisplayKind::Id).with_title("external id"),
        Column::new("name", DisplayKind::Text),
        Column::new("type", DisplayKind::Enum),
        Column::new("external_panel_price", DisplayKind::Number).with_title("price"),
        Column::new("currency", DisplayKind::Enum),
        Column::new("pricing_per", DisplayKind::Number).with_title("per"),
        Column::new("provider.name", DisplayKind::Text).with_title("provider"),
        Column::new("vanished_at", DisplayKind::Time).with_title("removed"),
        Column::hidden("rejection", DisplayKind::Text).with_title("rejection"),
        Column::hidden("category", DisplayKind::Text),
        Column::hidden("min_quantity", DisplayKind::Number),
        Column::hidden("max_quantity", DisplayKind::Number),
        Column::hidden("refill", DisplayKind::Enum),
        Column::hidden("cancel", DisplayKind::Enum),
    ],
    write: None,
};

const IMPORTED_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("external_panel_price", DisplayKind::Number).with_title("external price"),
    Column::new("provider_price", DisplayKind::Number).with_title("provider cost"),
    Column::new("price", DisplayKind::Number),
    Column::new("pricing_per", DisplayKind::Number).with_title("per"),
];

pub(super) const PREVIEW_PRICES: RequestCommand = RequestCommand {
    name: "prices",
    about: "Show the prices that services of an external panel would have after an import",
    examples: &[(
        "external-panels prices 3 --service 41,42 --margin 0.3",
        "show prices with a margin of 30%",
    )],
    op: PricePanelServices::OP,
    args: |command| command.arg(id_arg()).args([services_arg(), margin_arg()]),
    request: |_, matches| {
        let body = PriceServicesInput {
            ids: read_selected_ids(matches),
            margin_fraction: optional_value::<Fraction>(matches, "margin-fraction"),
            ..PriceServicesInput::default()
        };
        build_request::<PricePanelServices>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: IMPORTED_COLUMNS,
    ..BASE_COMMAND
};

pub(super) const LIST_AVAILABLE_SERVICES: RequestCommand = RequestCommand {
    name: "available-services",
    about: "Fetch the services that an external panel sells now, without storing them",
    examples: &[(
        "external-panels available-services 3",
        "show the services that external panel 3 sells now",
    )],
    op: RefreshAvailableServices::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<RefreshAvailableServices>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[
        Column::new("external_panel_service_id", DisplayKind::Id).with_title("external id"),
        Column::new("name", DisplayKind::Text),
        Column::new("type", DisplayKind::Enum),
        Column::new("external_panel_price", DisplayKind::Number).with_title("price"),
        Column::new("pricing_per", DisplayKind::Number).with_title("per"),
        Column::hidden("category", DisplayKind::Text),
        Column::hidden("min_quantity", DisplayKind::Number),
        Column::hidden("max_quantity", DisplayKind::Number),
    ],
    ..BASE_COMMAND
};

pub(super) const FETCH_SERVICES: RequestCommand = RequestCommand {
    name: "fetch",
    about: "Fetch the services that an external panel sells now and store them for imports",
    examples: &[("external-panels fetch 3", "fetch the services of external panel 3")],
    op: FetchAvailableServices::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<FetchAvailableServices>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Fetch the services of external panel {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again"),
        success: |matches| format!("Services of external panel {} fetched.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const IMPORT_SERVICES: CustomCommand = CustomCommand {
    name: "services",
    about: "Import services with their providers, by ids (all or none) or from a file",
    examples: &[
        (
            "import services 3 --service 41,42 --margin 0.3 --type 5 --dry-run",
            "show the prices of services 41 and 42 of external panel 3 in service type 5",
        ),
        ("import services 3 --service 41 --margin 0.3 --type 5 --yes", "import service 41"),
        (
            "import services 3 --file lines.xlsx --keep-categories --network 1 --dry-run",
            "preview a file; creates service types for the categories of the external panel",
        ),
    ],
    operations: &[ImportServices::OP],
    args: |command| confirm::safety_args(services_args(command)).arg(confirm::confirm_count_arg()),
    run: |ctx, matches| {
        Box::pin(async move {
            match matches.contains_id("file") {
                true => file::import_file::<lines::Services>(ctx, matches).await,
                false => IMPORT_SERVICES_BY_ID.run(ctx, matches).await,
            }
        })
    },
};

/// Imports services by their ids, in one request.
const IMPORT_SERVICES_BY_ID: RequestCommand = RequestCommand {
    name: "services",
    about: "Import services with their providers, all or none",
    examples: &[],
    op: ImportServices::OP,
    args: services_args,
    request: |_, matches| {
        let new_item = ImportServiceItem::new;
        let services = read_selected_ids(matches).into_iter().map(new_item).collect();
        let body = ImportServicesInput { services, ..lines::Services::read_body(matches)? };
        build_request::<ImportServices>((), &DryRun { dry_run: is_dry_run(matches) }, &body)
    },
    json_pointer: "/data/items",
    columns: IMPORTED_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| {
            format!(
                "Import {} of external panel {}?",
                format_count(matches, "service"),
                id_for_message(matches)
            )
        },
        reversibility: Reversibility::Reversible("panelctl services archive"),
        success: |matches| format!("{} imported.", format_count(matches, "service")),
        has_dry_run: true,
    }),
};

fn services_args(command: Command) -> Command {
    command.arg(id_arg().help("Id of the external panel")).args([
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
            .help("Create service types for the external panel's categories in the network"),
    ])
}

const IMPORT_PROVIDERS: RequestCommand = RequestCommand {
    name: "providers",
    about: "Import providers without services",
    examples: &[("import providers 3 --service 41,42 --yes", "add providers for existing services")],
    op: ImportProviders::OP,
    args: |command| command.arg(id_arg()).arg(services_arg()),
    request: |_, matches| {
        let body = ImportProvidersInput {
            external_panel_id: required_id(matches)?,
            importable_services_ids: read_selected_ids(matches),
        };
        build_request::<ImportProviders>((), &DryRun { dry_run: is_dry_run(matches) }, &body)
    },
    json_pointer: "/data/items",
    columns: IMPORTED_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| {
            format!(
                "Import {} of external panel {}?",
                format_count(matches, "provider"),
                id_for_message(matches)
            )
        },
        reversibility: Reversibility::Reversible("panelctl providers archive"),
        success: |matches| format!("{} imported.", format_count(matches, "provider")),
        has_dry_run: true,
    }),
};

pub(super) const START_SYNC: RequestCommand = RequestCommand {
    name: "sync",
    about: "Start a sync with an external panel's services now, in the background",
    examples: &[("external-panels sync 3", "see the result with external-panels runs list --panel 3")],
    op: SyncPanel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| build_request::<SyncPanel>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Sync external panel {} now?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| {
            format!(
                "Sync of external panel {} started. See the result with: panelctl external-panels runs list",
                id_for_message(matches)
            )
        },
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

fn build_rejection_kind_parser() -> clap::builder::PossibleValuesParser {
    let kinds = PanelServiceRejection::VALUES.texts.iter().copied();
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
        .help("Ids of services of the external panel (see external-panels services), separated by commas")
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
        .help("Margin on the external panel's prices, such as 0.3 for 30% [default: the margin set for the external panel]")
}

fn read_selected_ids(matches: &ArgMatches) -> Vec<ImportableServiceId> {
    repeated_values(matches, "services")
}

fn format_count(matches: &ArgMatches, noun: &str) -> String {
    match read_selected_ids(matches).len() {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}
