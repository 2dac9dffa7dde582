//! `import packages`: imports packages of an external panel, by ids or from a file.

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
use super::lines::{LineFormat, import_field};
use super::{IMPORTED_COLUMNS, file_arg, format_count, network_arg, read_selected_ids, services_arg};
use crate::command::CustomCommand;
use crate::command::confirm::{self, Reversibility, is_dry_run};
use crate::command::outcome::RecordNouns;
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, enum_value, id_arg, id_for_message, optional_value, required_id,
};
use crate::failure::CommandResult;
use crate::input::quote_start;
use crate::sheet::Schema;
use crate::sheet::field::{Field, FieldKind};

/// The columns that an import reads.
const IMPORTED_FIELDS: &[Field] = &[
    import_field("name", FieldKind::Text),
    import_field("type", FieldKind::Text),
    import_field("fixed_cost", FieldKind::Money),
    import_field("discount_fraction", FieldKind::Fraction),
    import_field("network_id", FieldKind::WholeNumber),
    import_field("sync", FieldKind::Flag),
];

/// Informational columns, which an import ignores.
const INFO_FIELDS: &[Field] = &[
    import_field("external_panel_service_id", FieldKind::Text),
    import_field("category", FieldKind::Text),
    import_field("external_panel_price", FieldKind::Text),
    import_field("provider_price", FieldKind::Text),
    import_field("lowest_price", FieldKind::Text),
];

pub(super) static SCHEMA: Schema = Schema {
    singular: "package",
    field_groups: &[INFO_FIELDS, IMPORTED_FIELDS],
    id_advice: "add it with the ids from external-panels services",
};

/// The format of a file of packages.
pub(super) struct Packages;

impl LineFormat for Packages {
    type Item = ImportPackageItem;

    fn new_item(id: ImportableServiceId) -> ImportPackageItem {
        ImportPackageItem::new(id)
    }

    const SCHEMA: &'static Schema = &SCHEMA;
    const INFO_FIELDS: &'static [Field] = INFO_FIELDS;
    const CLEARABLE_FIELDS: &'static [&'static str] = &[];

    fn check_dependent_fields(fields: &mut Map<String, Value>) -> Vec<(&'static str, String)> {
        let mut errors = Vec::new();
        if fields.contains_key("fixed_cost") && fields.contains_key("discount_fraction") {
            errors.push(("discount_fraction", "specify a fixed cost or a discount, not both".to_owned()));
        }
        let kind = fields.get("type").and_then(Value::as_str);
        if let Some(kind) = kind.filter(|kind| kind.parse::<PackageType>().is_err()) {
            errors.push(("type", format!("{} is neither auto nor manual", quote_start(kind))));
            fields.remove("type");
        }
        errors
    }
}

impl FileImport for Packages {
    type Endpoint = ImportPackages;

    const ITEMS_FIELD: &'static str = "packages";
    const NOUNS: RecordNouns =
        RecordNouns { singular: "package", plural: "packages", past_participle: "imported" };
    const REVERSIBILITY: Reversibility = Reversibility::Irreversible;

    fn read_body(matches: &ArgMatches) -> CommandResult<ImportPackagesInput> {
        Ok(ImportPackagesInput { external_panel_id: required_id(matches)?, packages: Vec::new() })
    }

    fn body_with_items(body: &ImportPackagesInput, packages: Vec<ImportPackageItem>) -> ImportPackagesInput {
        ImportPackagesInput { packages, ..body.clone() }
    }

    fn apply_options(item: &mut ImportPackageItem, matches: &ArgMatches) {
        item.kind = item.kind.or_else(|| enum_value(matches, "type"));
        item.network_id = item.network_id.or_else(|| optional_value(matches, "network-id"));
    }

    fn name_and_price(item: &ImportPackageItem) -> (Option<&str>, Option<Money>) {
        (item.name.as_deref(), item.fixed_cost)
    }
}

/// Converts a package to a line of an export.
pub(super) fn to_export_line(service: &ImportableService) -> Map<String, Value> {
    let mut fields = match serde_json::to_value(service) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    // `type` is the external panel's type of the service, but the column `type` is the type of the imported package.
    fields.remove("type");
    fields
}

pub(super) const IMPORT_PACKAGES: CustomCommand = CustomCommand {
    name: "packages",
    about: "Import packages of an external panel, by ids (all or none) or from a file, so that you can create packages from them",
    examples: &[
        ("import packages 3 --service 50 --network 1 --yes", "import service 50, which has the type Package"),
        (
            "import packages 3 --file packages.xlsx --network 1 --dry-run",
            "preview a file; lines without a network get network 1",
        ),
    ],
    operations: &[ImportPackages::OP],
    args: |command| confirm::safety_args(packages_args(command)).arg(confirm::confirm_count_arg()),
    run: |ctx, matches| {
        Box::pin(async move {
            match matches.contains_id("file") {
                true => file::import_file::<Packages>(ctx, matches).await,
                false => IMPORT_PACKAGES_BY_ID.run(ctx, matches).await,
            }
        })
    },
};

/// Imports packages by their ids, in one request.
const IMPORT_PACKAGES_BY_ID: RequestCommand = RequestCommand {
    name: "packages",
    about: "Import packages of an external panel, all or none",
    examples: &[],
    op: ImportPackages::OP,
    args: packages_args,
    request: |_, matches| {
        let new_item = |id: ImportableServiceId| {
            let mut item = ImportPackageItem::new(id);
            Packages::apply_options(&mut item, matches);
            item
        };
        let packages = read_selected_ids(matches).into_iter().map(new_item).collect();
        let body = Packages::body_with_items(&Packages::read_body(matches)?, packages);
        build_request::<ImportPackages>((), &DryRun { dry_run: is_dry_run(matches) }, &body)
    },
    json_pointer: "/data/items",
    columns: IMPORTED_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| {
            format!(
                "Import {} of external panel {}?",
                format_count(matches, "package"),
                id_for_message(matches)
            )
        },
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("{} imported.", format_count(matches, "package")),
        has_dry_run: true,
    }),
};

fn packages_args(command: Command) -> Command {
    command.arg(id_arg().help("Id of the external panel")).args([
        services_arg().required(false).required_unless_present("file"),
        file_arg("CSV, XLSX or JSON file in the format of import export --packages"),
        Arg::new("type")
            .long("type")
            .value_name("TYPE")
            .value_parser(clap::builder::PossibleValuesParser::new(PackageType::VALUES.texts))
            .help("Whether orders of the packages start automatically (auto) or after moderation (manual) [default: auto]"),
        network_arg("Id of the network"),
    ])
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::RecordId;
    use serde_json::json;

    use super::super::lines::parse_lines;
    use super::*;
    use crate::sheet::line::{Cells, Line, SheetColumn};

    fn build_line(line_number: u64, id: i64, cells: &[(&'static str, &str)]) -> Line {
        let mut line =
            Line { line_number, id: Some(RecordId::new(id)), cells: Cells::default(), error: None };
        for (name, cell) in cells {
            line.cells.push(SheetColumn::from_name(&SCHEMA, name).unwrap(), cell);
        }
        line
    }

    #[test]
    fn parses_valid_lines_and_each_error_names_its_field() {
        let lines = [
            build_line(
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
            build_line(
                3,
                8,
                &[("name", ""), ("type", ""), ("discount_fraction", "0.125"), ("network_id", "2")],
            ),
            build_line(4, 9, &[("type", "both"), ("fixed_cost", "1"), ("discount_fraction", "0.1")]),
        ];
        let parsed_lines = parse_lines::<Packages>(&lines);
        let item_json = |index: usize| json!(parsed_lines[index].item);
        assert_eq!(
            item_json(0),
            json!({ "id": 7, "name": "Begin", "type": "manual", "fixed_cost": "1000.5", "sync": true })
        );
        assert_eq!(item_json(1), json!({ "id": 8, "discount_fraction": "0.125", "network_id": 2 }));
        let error_fields: Vec<&str> =
            parsed_lines[2].errors.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(error_fields, ["discount_fraction", "type"]);
    }

    /// Every field of the contract has a column, so that a file can set everything that the console can.
    #[test]
    fn every_field_has_a_column() {
        let all_fields = json!({ "id": 1, "name": "a", "type": "auto", "network_id": 1, "fixed_cost": "1",
            "discount_fraction": "0.1", "sync": true });
        let item: ImportPackageItem = serde_json::from_value(all_fields.clone()).unwrap();
        assert_eq!(json!(item), all_fields, "the test must list all fields");
        for name in all_fields.as_object().unwrap().keys().filter(|name| *name != "id") {
            assert!(SCHEMA.find_field(name).is_some(), "{name}");
        }
    }
}
