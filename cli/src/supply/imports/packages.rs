//! `import packages`: packages that a panel sells, by ids or by a file.

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_services::ImportPackages;
use panel_contract::external_services::{ImportPackageItem, ImportPackagesInput, ImportableService};
use panel_contract::ids::ImportableServiceId;
use panel_contract::packages::PackageType;
use serde_json::{Map, Value};

use super::file::{self, FileImport};
use super::lines::{Lines, field};
use super::{CHOSEN_SERVICES, chosen, counted, file_arg, network_arg, services_arg};
use crate::command::Own;
use crate::command::call::{Call, Write, given_id, id, id_arg, of, opt, word};
use crate::command::confirm::{self, Danger, is_dry};
use crate::command::outcome::Words;
use crate::failure::Done;
use crate::input::quoted;
use crate::sheet::Schema;
use crate::sheet::field::{Field, Kind};

/// The columns that an import reads; the others only tell what the line is.
const EDITED: &[Field] = &[
    field("name", Kind::Text),
    field("type", Kind::Text),
    field("fixed_cost", Kind::Money),
    field("discount_percent", Kind::Fraction),
    field("network_id", Kind::Whole),
    field("sync", Kind::Flag),
];

/// What helps to decide; an import passes over it.
const SHOWN: &[Field] = &[
    field("external_panel_service_id", Kind::Text),
    field("category", Kind::Text),
    field("external_panel_price", Kind::Text),
    field("provider_price", Kind::Text),
    field("lowest_price", Kind::Text),
];

/// A file of packages to import.
pub(super) static SCHEMA: Schema = Schema {
    one: "package",
    parts: &[SHOWN, EDITED],
    id_advice: "it holds the ids that external-panels services shows",
};

/// How a file of packages is read, checked and sent.
pub(super) struct Packages;

impl Lines for Packages {
    type Item = ImportPackageItem;

    fn item(id: ImportableServiceId) -> ImportPackageItem {
        ImportPackageItem::new(id)
    }

    const SCHEMA: &'static Schema = &SCHEMA;
    const SHOWN: &'static [Field] = SHOWN;
    const EMPTIED: &'static [&'static str] = &[];

    fn check(fields: &mut Map<String, Value>) -> Vec<(&'static str, String)> {
        let mut wrong = Vec::new();
        if fields.contains_key("fixed_cost") && fields.contains_key("discount_percent") {
            wrong.push(("discount_percent", "give a fixed cost or a discount, not both".to_owned()));
        }
        let kind = fields.get("type").and_then(Value::as_str);
        if let Some(kind) = kind.filter(|kind| kind.parse::<PackageType>().is_err()) {
            wrong.push(("type", format!("{} is neither auto nor manual", quoted(kind))));
            fields.remove("type");
        }
        wrong
    }
}

impl FileImport for Packages {
    type Endpoint = ImportPackages;

    const FIELD: &'static str = "packages";
    const WORDS: Words = Words { one: "package", many: "packages", past: "imported" };
    const DANGER: Danger = Danger::Final;

    fn shared(matches: &ArgMatches) -> Done<ImportPackagesInput> {
        Ok(ImportPackagesInput { external_panel_id: id(matches)?, packages: Vec::new() })
    }

    fn body(shared: &ImportPackagesInput, packages: Vec<ImportPackageItem>) -> ImportPackagesInput {
        ImportPackagesInput { packages, ..shared.clone() }
    }

    fn complete(item: &mut ImportPackageItem, matches: &ArgMatches) {
        item.kind = item.kind.or_else(|| word(matches, "type"));
        item.network_id = item.network_id.or_else(|| opt(matches, "network-id"));
    }

    fn named(item: &ImportPackageItem) -> (Option<&str>, Option<Money>) {
        (item.name.as_deref(), item.fixed_cost)
    }
}

/// A package as a line of an export: what would be imported of it, unedited.
pub(super) fn exported(service: &ImportableService) -> Map<String, Value> {
    let mut fields = match serde_json::to_value(service) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    // The panel's word for its type; the column says what happens when a package of ours is bought.
    fields.remove("type");
    fields
}

pub(super) const IMPORT_PACKAGES: Own = Own {
    name: "packages",
    about: "Makes packages of a panel known, to make packages of: by ids, all of them or none, or by a file",
    examples: &[
        ("import packages 3 --service 50 --network 1 --yes", "service 50, which is of the type Package"),
        (
            "import packages 3 --file packages.xlsx --network 1 --dry-run",
            "each line as it says, in network 1 where it names none",
        ),
    ],
    reaches: &[ImportPackages::OP],
    args: |command| confirm::args(args(command)).arg(confirm::count_arg()),
    run: |ctx, matches| {
        Box::pin(async move {
            match matches.contains_id("file") {
                true => file::import::<Packages>(ctx, matches).await,
                false => CHOSEN_PACKAGES.run(ctx, matches).await,
            }
        })
    },
};

/// Packages that are named by their ids: one request.
const CHOSEN_PACKAGES: Call = Call {
    name: "packages",
    about: "Makes packages of a panel known; all of them or none",
    examples: &[],
    op: ImportPackages::OP,
    args,
    request: |_, matches| {
        let item = |id: ImportableServiceId| {
            let mut item = ImportPackageItem::new(id);
            Packages::complete(&mut item, matches);
            item
        };
        let packages = chosen(matches).into_iter().map(item).collect();
        let body = Packages::body(&Packages::shared(matches)?, packages);
        of::<ImportPackages>((), &DryRun { dry_run: is_dry(matches) }, &body)
    },
    write: Some(Write {
        question: |matches| {
            format!("Make {} of panel {} known?", counted(matches, "package"), given_id(matches))
        },
        danger: Danger::Final,
        said: |matches| format!("{} imported.", counted(matches, "package")),
        rehearses: true,
    }),
    ..CHOSEN_SERVICES
};

fn args(command: Command) -> Command {
    command.arg(id_arg().help("The panel")).args([
        services_arg().required(false).required_unless_present("file"),
        file_arg("Lines as import export --packages writes them: CSV, XLSX or JSON"),
        Arg::new("type")
            .long("type")
            .value_name("TYPE")
            .value_parser(clap::builder::PossibleValuesParser::new(PackageType::WORDS.texts))
            .help("What happens when one is bought [default: auto]"),
        network_arg("Their network"),
    ])
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::RecordId;
    use serde_json::json;

    use super::super::lines::judge;
    use super::*;
    use crate::sheet::line::{Cells, Column, Line};

    fn line(line: u64, id: i64, cells: &[(&'static str, &str)]) -> Line {
        let mut line = Line { line, id: Some(RecordId::new(id)), cells: Cells::default(), fault: None };
        for (name, cell) in cells {
            line.cells.push(Column::of(&SCHEMA, name).unwrap(), cell);
        }
        line
    }

    #[test]
    fn a_line_says_what_is_imported_and_each_fault_its_field() {
        let lines = [
            line(
                2,
                7,
                &[
                    ("name", "Begin"),
                    ("type", "manual"),
                    ("fixed_cost", "1 000.50"),
                    ("sync", "yes"),
                    ("category", "x"),
                ],
            ),
            line(3, 8, &[("name", ""), ("type", ""), ("discount_percent", "0.125"), ("network_id", "2")]),
            line(4, 9, &[("type", "both"), ("fixed_cost", "1"), ("discount_percent", "0.1")]),
        ];
        let judged = judge::<Packages>(&lines);
        let sent = |at: usize| json!(judged[at].item);
        assert_eq!(
            sent(0),
            json!({ "id": 7, "name": "Begin", "type": "manual", "fixed_cost": "1000.5", "sync": true })
        );
        assert_eq!(sent(1), json!({ "id": 8, "discount_percent": "0.125", "network_id": 2 }));
        let fields: Vec<&str> = judged[2].faults.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(fields, ["discount_percent", "type"]);
    }

    /// Every field of the contract has a column, so that a file can say all that the console can.
    #[test]
    fn every_field_has_a_column() {
        let all = json!({ "id": 1, "name": "a", "type": "auto", "network_id": 1, "fixed_cost": "1",
            "discount_percent": "0.1", "sync": true });
        let item: ImportPackageItem = serde_json::from_value(all.clone()).unwrap();
        assert_eq!(json!(item), all, "all fields are named here");
        for name in all.as_object().unwrap().keys().filter(|name| *name != "id") {
            assert!(SCHEMA.field(name).is_some(), "{name}");
        }
    }
}
