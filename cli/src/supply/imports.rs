//! What external panels sell, and imports of it.

mod export;
mod file;
mod lines;
mod packages;
mod rule;

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::common::DryRun;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::external_services::{
    AskAvailableServices, FetchAvailableServices, ImportProviders, ImportServices, ListPanelServices,
    PricePanelServices, SyncPanel,
};
use panel_contract::external_services::{
    ImportProvidersInput, ImportServiceItem, ImportServicesInput, PanelServiceRefusal, PriceServicesInput,
};
use panel_contract::ids::ImportableServiceId;
use panel_contract::table::TableQuery;

use crate::command::call::{Call, Write, every, given_id, id, id_arg, of, opt};
use crate::command::confirm::{self, Danger, is_dry};
use crate::command::{Cmd, Noun, Own};
use crate::output::column::{Column, Kind};
use file::FileImport as _;

/// `import`, as a noun of its own and as `external-panels import`.
pub(crate) const IMPORT: Noun = Noun {
    name: "import",
    alias: None,
    about: "Makes services, packages or providers of what a panel sells",
    verbs: &[
        Cmd::Own(&IMPORT_SERVICES),
        Cmd::Own(&export::EXPORT),
        Cmd::Own(&packages::IMPORT_PACKAGES),
        Cmd::Call(&IMPORT_PROVIDERS),
        Cmd::Nested(&rule::RULE),
    ],
};

pub(super) const SERVICES: Call = Call {
    name: "services",
    about: "What a panel sells, as it last said, newest first",
    examples: &[
        ("external-panels services 3 --name likes", "services of panel 3 with likes in their name"),
        ("external-panels services 3 --new --refusal none -o ids", "ids to import"),
        ("external-panels services 3 --refusal any -o json", "what cannot be imported, and why"),
    ],
    op: ListPanelServices::OP,
    args: |command| {
        let number = clap::value_parser!(i64).range(1..=1000);
        command.arg(id_arg()).args([
            Arg::new("name").long("name").value_name("TEXT").help("Part of their name"),
            Arg::new("category").long("category").value_name("TEXT").help("Part of their category"),
            Arg::new("new")
                .long("new")
                .action(clap::ArgAction::SetTrue)
                .help("Only those that are not imported"),
            Arg::new("refusal")
                .long("refusal")
                .value_name("KIND")
                .value_parser(refusal_kinds())
                .help("Only those that cannot be imported for this reason; none for those that can"),
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("ROWS")
                .value_parser(number)
                .help("At most so many [default: 30]"),
        ])
    },
    request: |_, matches| {
        let mut query = TableQuery::default();
        for flag in ["name", "category"] {
            if let Some(text) = opt::<String>(matches, flag) {
                query = query.filter(flag, text);
            }
        }
        if matches.get_flag("new") {
            query = query.filter("is_imported", "0").filter("is_gone", "0");
        }
        query = match opt::<String>(matches, "refusal").as_deref() {
            None => query,
            Some("none") => query.filter("is_refused", "0"),
            Some("any") => query.filter("is_refused", "1"),
            Some(kind) => query.filter("refusal_kind", kind),
        };
        query.length = opt(matches, "limit");
        of::<ListPanelServices>(id(matches)?, &query, &NoBody {})
    },
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("external_panel_service_id", Kind::Id).titled("there"),
        Column::new("name", Kind::Text),
        Column::new("type", Kind::Word),
        Column::new("external_panel_price", Kind::Number).titled("price"),
        Column::new("currency", Kind::Word),
        Column::new("pricing_per", Kind::Number).titled("per"),
        Column::new("provider.name", Kind::Text).titled("provider"),
        Column::new("gone_at", Kind::Time).titled("gone"),
        Column::more("refusal", Kind::Text).titled("why not"),
        Column::more("category", Kind::Text),
        Column::more("min_quantity", Kind::Number),
        Column::more("max_quantity", Kind::Number),
        Column::more("refill", Kind::Word),
        Column::more("cancel", Kind::Word),
    ],
    write: None,
};

const MADE: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("external_panel_price", Kind::Number).titled("their price"),
    Column::new("provider_price", Kind::Number).titled("cost"),
    Column::new("price", Kind::Number),
    Column::new("pricing_per", Kind::Number).titled("per"),
];

pub(super) const PRICES: Call = Call {
    name: "prices",
    about: "What services of a panel would cost here",
    examples: &[("external-panels prices 3 --service 41,42 --margin 0.3", "with 30% on top")],
    op: PricePanelServices::OP,
    args: |command| command.arg(id_arg()).args([services_arg(), margin_arg()]),
    request: |_, matches| {
        let body = PriceServicesInput {
            ids: chosen(matches),
            margin_percent: opt::<Fraction>(matches, "margin-percent"),
            ..PriceServicesInput::default()
        };
        of::<PricePanelServices>(id(matches)?, &NoQuery {}, &body)
    },
    columns: MADE,
    ..SERVICES
};

pub(super) const AVAILABLE: Call = Call {
    name: "available-services",
    about: "Asks a panel what it sells now; nothing is kept",
    examples: &[("external-panels available-services 3", "what panel 3 says at this moment")],
    op: AskAvailableServices::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<AskAvailableServices>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("external_panel_service_id", Kind::Id).titled("there"),
        Column::new("name", Kind::Text),
        Column::new("type", Kind::Word),
        Column::new("external_panel_price", Kind::Number).titled("price"),
        Column::new("pricing_per", Kind::Number).titled("per"),
        Column::more("category", Kind::Text),
        Column::more("min_quantity", Kind::Number),
        Column::more("max_quantity", Kind::Number),
    ],
    ..SERVICES
};

pub(super) const FETCH: Call = Call {
    name: "fetch",
    about: "Asks a panel what it sells now and keeps it, to import from",
    examples: &[("external-panels fetch 3", "the services of panel 3")],
    op: FetchAvailableServices::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<FetchAvailableServices>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Ask panel {} what it sells?", given_id(matches)),
        danger: Danger::Reversible("The same command keeps the newer list"),
        said: |matches| format!("The services of panel {} are kept.", given_id(matches)),
        rehearses: false,
    }),
    ..SERVICES
};

const IMPORT_SERVICES: Own = Own {
    name: "services",
    about: "Makes services, each with its provider: of some ids, all of them or none, or by a file",
    examples: &[
        (
            "import services 3 --service 41,42 --margin 0.3 --type 5 --dry-run",
            "what services 41 and 42 of panel 3 would cost in service type 5",
        ),
        ("import services 3 --service 41 --margin 0.3 --type 5 --yes", "makes it"),
        (
            "import services 3 --file lines.xlsx --keep-categories --network 1 --dry-run",
            "each line as it says, in service types that keep the panel's categories",
        ),
    ],
    reaches: &[ImportServices::OP],
    args: |command| confirm::args(services_args(command)).arg(confirm::count_arg()),
    run: |ctx, matches| {
        Box::pin(async move {
            match matches.contains_id("file") {
                true => file::import::<lines::Services>(ctx, matches).await,
                false => CHOSEN_SERVICES.run(ctx, matches).await,
            }
        })
    },
};

/// Services that are named by their ids: one request.
const CHOSEN_SERVICES: Call = Call {
    name: "services",
    about: "Makes services, each with its provider; all of them or none",
    examples: &[],
    op: ImportServices::OP,
    args: services_args,
    request: |_, matches| {
        let item = ImportServiceItem::new;
        let services = chosen(matches).into_iter().map(item).collect();
        let body = ImportServicesInput { services, ..lines::Services::shared(matches)? };
        of::<ImportServices>((), &DryRun { dry_run: is_dry(matches) }, &body)
    },
    at: "/data/items",
    columns: MADE,
    write: Some(Write {
        question: |matches| format!("Make {} of panel {}?", counted(matches, "service"), given_id(matches)),
        danger: Danger::Reversible("panelctl services archive"),
        said: |matches| format!("{} imported.", counted(matches, "service")),
        rehearses: true,
    }),
};

fn services_args(command: Command) -> Command {
    command.arg(id_arg().help("The panel")).args([
        services_arg().required(false).required_unless_present("file"),
        file_arg("Lines as import export writes them: CSV, XLSX or JSON"),
        margin_arg(),
        Arg::new("service-type-id")
            .long("type")
            .value_name("ID")
            .required_unless_present_any(["file", "keep-categories"])
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("The service type that they belong to"),
        network_arg("The network that the service type must be of"),
        Arg::new("keep-categories")
            .long("keep-categories")
            .action(clap::ArgAction::SetTrue)
            .help("Makes service types of the panel's categories, in the network"),
    ])
}

const IMPORT_PROVIDERS: Call = Call {
    name: "providers",
    about: "Makes providers without services",
    examples: &[("import providers 3 --service 41,42 --yes", "for services of ours that are there already")],
    op: ImportProviders::OP,
    args: |command| command.arg(id_arg()).arg(services_arg()),
    request: |_, matches| {
        let body = ImportProvidersInput {
            external_panel_id: id(matches)?,
            importable_services_ids: chosen(matches),
        };
        of::<ImportProviders>((), &DryRun { dry_run: is_dry(matches) }, &body)
    },
    write: Some(Write {
        question: |matches| format!("Make {} of panel {}?", counted(matches, "provider"), given_id(matches)),
        danger: Danger::Reversible("panelctl providers archive"),
        said: |matches| format!("{} imported.", counted(matches, "provider")),
        rehearses: true,
    }),
    ..CHOSEN_SERVICES
};

pub(super) const SYNC: Call = Call {
    name: "sync",
    about: "Asks a panel at once what it sells, and follows it, in the background",
    examples: &[("external-panels sync 3", "then external-panels runs list --panel 3")],
    op: SyncPanel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<SyncPanel>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Follow panel {} now?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Panel {} is asked now; see external-panels runs list.", given_id(matches)),
        rehearses: false,
    }),
    ..SERVICES
};

fn refusal_kinds() -> clap::builder::PossibleValuesParser {
    let kinds = PanelServiceRefusal::WORDS.texts.iter().copied();
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
        .help("Services of the panel by the ids that external-panels services shows, with commas")
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

/// A field of an import's body as the option that says it.
fn name_flag(field: &str) -> String {
    match field {
        "external_panel_id" => "ID".to_owned(),
        "margin_percent" => "--margin".to_owned(),
        "network_id" => "--network".to_owned(),
        "service_type_id" => "--type".to_owned(),
        "services" | "packages" => "--file".to_owned(),
        other => other.to_owned(),
    }
}

fn margin_arg() -> Arg {
    Arg::new("margin-percent")
        .long("margin")
        .value_name("FRACTION")
        .value_parser(clap::value_parser!(Fraction))
        .help("On top of what the panel asks, such as 0.3 for 30% [default: the panel's own]")
}

fn chosen(matches: &ArgMatches) -> Vec<ImportableServiceId> {
    every(matches, "services")
}

fn counted(matches: &ArgMatches, what: &str) -> String {
    match chosen(matches).len() {
        1 => format!("1 {what}"),
        many => format!("{many} {what}s"),
    }
}
