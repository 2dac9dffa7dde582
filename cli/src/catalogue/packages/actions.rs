//! Commands that create, change and buy packages, preview the cost, and list possible contents.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::{Fraction, Money};
use panel_contract::common::DryRun;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::packages::{
    ArchivePackage, BulkUpdatePackages, BuyPackage, CreatePackage, PackageServiceTypes, PackageServices,
    PackageTotalCost, UnarchivePackage, UpdatePackage,
};
use panel_contract::ids::{PackageId, ServiceId};
use panel_contract::packages::{
    BulkPackage, BulkPackagesInput, BuyPackageInput, PackageContentInput, PackageInput, PackageServicesQuery,
    PackageType, TotalCostInput,
};

use crate::command::archive_command::archive_command;
use crate::command::confirm::{Reversibility, confirm_below_margin_arg, confirms_below_margin, is_dry_run};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, enum_value, id_arg, id_for_message, on_off_arg,
    optional_value, parse_value_or_none, required_id, required_value,
};
use crate::command::text::{parse_ids, read_text_or_none, read_translations, text_arg, translations_arg};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(super) const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a package",
    examples: &[
        (
            "packages create --name Starter --network-id 1 --content 17:1000 --content 23:500:2.5 --discount 0.125",
            "two services, one at a custom price, with a discount of 12.5%",
        ),
        (
            "packages create --panel-package-id 4 --sync on",
            "create from an imported package and keep it in sync with its external panel",
        ),
    ],
    op: CreatePackage::OP,
    args: package_args,
    request: |_, matches| build_request::<CreatePackage>((), &EmptyQuery {}, &read_input(matches)?),
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this package?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl packages archive"),
        success: |_| "Package created.".to_owned(),
        has_dry_run: false,
    }),
};

pub(super) const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a package; fields without an option keep their values, 'none' clears a field",
    examples: &[("packages update 3 --fixed-cost 19.9 --discount 0", "set a fixed price")],
    op: UpdatePackage::OP,
    args: |command| package_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdatePackage>(required_id(matches)?, &EmptyQuery {}, &read_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update package {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Package {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

pub(super) const BULK_UPDATE: RequestCommand = RequestCommand {
    name: "bulk-update",
    about: "Update many packages at once, all or none",
    examples: &[(
        "packages bulk-update 3,4,9 --discount 0.1 --dry-run",
        "show the changes without applying them",
    )],
    op: BulkUpdatePackages::OP,
    args: |command| {
        let ids = Arg::new("packages").value_name("IDS").required(true).help("Ids, separated by commas");
        bulk_args(command.arg(ids))
    },
    request: build_bulk_request,
    json_pointer: "",
    write: Some(WriteSpec {
        question: |_| "Update these packages?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |_| "Packages updated.".to_owned(),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

pub(super) const ARCHIVE: RequestCommand = archive_command!("archive", ArchivePackage, {
    about: "Archive a package; it is no longer sold, existing orders continue",
    example: ("packages archive 3", "archive one package"),
    question: "Archive package {}?",
    success: "Package {} archived.",
});

pub(super) const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchivePackage, {
    about: "Restore an archived package",
    example: ("packages unarchive 3", "restore one package"),
    question: "Restore package {}?",
    success: "Package {} restored.",
});

pub(super) const BUY: RequestCommand = RequestCommand {
    name: "buy",
    about: "Buy a package for a customer and charge their main balance",
    examples: &[
        ("packages buy 3 --user-id 42 --url https://example.com/p/7", "buy for customer 42"),
        (
            "packages buy 3 --user-id 42 --url https://example.com/p/7 --dry-run",
            "show the cost without buying",
        ),
        (
            "packages buy 3 --user-id 42 --url https://example.com/p/7 --target 17:Comments=$'Nice\\nGreat'",
            "pass the comments that service 17 requires",
        ),
    ],
    op: BuyPackage::OP,
    args: |command| {
        let user = Arg::new("user-id").long("user-id").value_name("ID");
        let user = user.value_parser(clap::value_parser!(i64).range(1..)).required(true);
        let url = Arg::new("url").long("url").value_name("URL").required(true).help("Link to deliver to");
        let key = Arg::new("key").long("key").value_name("TEXT");
        let key_help = "Idempotency key: repeating the command with the same key does not buy again [default: a new key]";
        let target =
            Arg::new("target").long("target").value_name("SERVICE:NAME=VALUE").action(ArgAction::Append);
        let target =
            target.help("Target: an extra field that a service requires besides the link; may be repeated");
        command.args([id_arg(), user.help("Id of the customer"), url, target, key.help(key_help)])
    },
    request: |_, matches| {
        let (user_id, url) = (required_value(matches, "user-id")?, required_value(matches, "url")?);
        let body = BuyPackageInput { user_id, url, targets: read_targets(matches)? };
        build_request::<BuyPackage>(required_id(matches)?, &DryRun { dry_run: is_dry_run(matches) }, &body)
    },
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("status", DisplayKind::Enum),
        Column::new("package.name", DisplayKind::Text).with_title("package"),
        Column::new("orders_count", DisplayKind::Number).with_title("orders"),
        Column::new("cost", DisplayKind::Number),
        Column::new("user.email", DisplayKind::Text).with_title("user"),
    ],
    write: Some(WriteSpec {
        question: |matches| {
            let user = optional_value::<i64>(matches, "user-id").unwrap_or_default();
            format!("Buy package {} for customer {user} and charge their balance?", id_for_message(matches))
        },
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Package {} bought.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

pub(super) const SHOW_TOTAL_COST: RequestCommand = RequestCommand {
    name: "total-cost",
    about: "Show the cost of a package",
    examples: &[(
        "packages total-cost --content 17:1000 --content 23:500 --discount 0.125",
        "show the cost before creating the package",
    )],
    op: PackageTotalCost::OP,
    args: |command| command.args([content_arg().required(true), fixed_cost_arg("MONEY"), discount_arg()]),
    request: |_, matches| {
        let body = TotalCostInput {
            package_contents: read_contents(matches)?.unwrap_or_default(),
            fixed_cost: parse_value_or_none(matches, "fixed-cost")?.as_update().flatten().copied(),
            discount_fraction: optional_value::<Fraction>(matches, "discount-fraction"),
        };
        build_request::<PackageTotalCost>((), &EmptyQuery {}, &body)
    },
    write: None,
    ..BASE_COMMAND
};

pub(super) const LIST_AVAILABLE_SERVICES: RequestCommand = RequestCommand {
    name: "available",
    about: "List the first 50 services that a package can contain, by name",
    examples: &[("packages available --search likes", "search by part of the name")],
    op: PackageServices::OP,
    args: |command| {
        command.args([
            text_arg("search", "Part of a name, or an id"),
            Arg::new("network-id")
                .long("network-id")
                .value_name("ID")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("Only services of this network"),
        ])
    },
    request: |_, matches| {
        let query = PackageServicesQuery {
            search: optional_value(matches, "search"),
            network_id: optional_value(matches, "network-id"),
        };
        build_request::<PackageServices>((), &query, &EmptyBody {})
    },
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("default_price", DisplayKind::Number).with_title("price"),
        Column::new("pricing_per", DisplayKind::Number).with_title("per"),
        Column::new("min_quantity", DisplayKind::Number).with_title("min"),
        Column::new("max_quantity", DisplayKind::Number).with_title("max"),
        Column::new("quantity_step", DisplayKind::Number).with_title("step"),
    ],
    write: None,
    ..BASE_COMMAND
};

pub(super) const LIST_SERVICE_TYPES: RequestCommand = RequestCommand {
    name: "types",
    about: "List the types of the services that a package can contain",
    examples: &[],
    op: PackageServiceTypes::OP,
    args: |command| command,
    request: |_, _| build_request::<PackageServiceTypes>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("network.id", DisplayKind::Id).with_title("network id"),
        Column::new("network.name", DisplayKind::Text).with_title("network"),
    ],
    write: None,
    ..BASE_COMMAND
};

fn content_arg() -> Arg {
    Arg::new("package-contents")
        .long("content")
        .value_name("ID:QUANTITY[:PRICE]")
        .action(ArgAction::Append)
        .help("Service of the package, with an optional custom price; repeat for each service, in order")
}

fn fixed_cost_arg(value_name: &'static str) -> Arg {
    text_arg("fixed-cost", "Fixed price, regardless of the contents").value_name(value_name)
}

fn discount_arg() -> Arg {
    Arg::new("discount-fraction")
        .long("discount")
        .value_name("FRACTION")
        .value_parser(clap::value_parser!(Fraction))
        .help("Discount on the sum of the package's contents, as a fraction, such as 0.125")
}

/// The options that `update` and `bulk-update` share.
fn bulk_args(command: Command) -> Command {
    command.args([
        on_off_arg("is-enabled").long("enabled").help("Enable or disable the sale of the package"),
        on_off_arg("restricted-access")
            .long("restricted")
            .help("Sell the package only to customers who have a custom price for each of its services"),
        on_off_arg("sync").long("sync").help("Keep the package in sync with its external panel"),
        fixed_cost_arg("MONEY|none"),
        discount_arg(),
        confirm_below_margin_arg(),
    ])
}

fn package_args(command: Command) -> Command {
    bulk_args(command).args([
        text_arg("name", "English name"),
        Arg::new("type")
            .long("type")
            .value_name("auto|manual")
            .value_parser(clap::builder::PossibleValuesParser::new(PackageType::VALUES.texts))
            .hide_possible_values(true)
            .help("Start orders of the package automatically, or after moderation by staff"),
        Arg::new("network-id")
            .long("network-id")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("Id of the network"),
        Arg::new("panel-package-id")
            .long("panel-package-id")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("Id of the external panel's package to create the package from"),
        text_arg("service-type-id", "Id of a service type of the network, or none").value_name("ID|none"),
        text_arg("slug", "Last part of its URL, or none"),
        text_arg("buy-page-url", "URL of its buy page, or none"),
        content_arg(),
        translations_arg(),
    ])
}

fn read_input(matches: &ArgMatches) -> CommandResult<PackageInput> {
    let input = PackageInput {
        name: optional_value(matches, "name"),
        kind: enum_value(matches, "type"),
        network_id: optional_value(matches, "network-id"),
        service_type_id: parse_value_or_none(matches, "service-type-id")?,
        is_enabled: optional_value(matches, "is-enabled"),
        restricted_access: optional_value(matches, "restricted-access"),
        sync: optional_value(matches, "sync"),
        provider_package_id: optional_value(matches, "panel-package-id"),
        fixed_cost: parse_value_or_none(matches, "fixed-cost")?,
        discount_fraction: optional_value(matches, "discount-fraction"),
        slug: read_text_or_none(matches, "slug"),
        buy_page_url: read_text_or_none(matches, "buy-page-url"),
        package_contents: read_contents(matches)?,
        translations: read_translations(matches)?,
        confirm_below_margin: false,
        updated_at: None,
    };
    match input == PackageInput::default() {
        true => Err(Failure::usage("Nothing to change: set an option (see --help).")),
        false => Ok(PackageInput { confirm_below_margin: confirms_below_margin(matches), ..input }),
    }
}

/// Parses the values of `--content`, such as `17:1000` or `17:1000:2.5`.
fn read_contents(matches: &ArgMatches) -> CommandResult<Option<Vec<PackageContentInput>>> {
    let Some(values) = matches.get_many::<String>("package-contents") else { return Ok(None) };
    let parse = |text: &String| {
        let usage_error = || {
            Failure::usage(format!(
                "--content {text}: expected ID:QUANTITY or ID:QUANTITY:PRICE, such as 17:1000."
            ))
        };
        let mut parts = text.split(':');
        let mut next_integer =
            || parts.next().and_then(|part| part.parse::<i64>().ok()).ok_or_else(usage_error);
        let (id, quantity) = (next_integer()?, next_integer()?);
        let price = parts.next().map(|part| part.parse::<Money>().map_err(|_| usage_error())).transpose()?;
        match parts.next() {
            Some(_) => Err(usage_error()),
            None => Ok(PackageContentInput { id: ServiceId::new(id), quantity, price, is_displayable: None }),
        }
    };
    values.map(parse).collect::<CommandResult<_>>().map(Some)
}

/// Parses the values of `--target`, such as `17:Comments=Nice`, and groups them by service.
fn read_targets(matches: &ArgMatches) -> CommandResult<BTreeMap<String, BTreeMap<String, String>>> {
    let mut targets_by_service: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for target in matches.get_many::<String>("target").into_iter().flatten() {
        let parts = target.split_once(':').and_then(|(service, pair)| Some((service, pair.split_once('=')?)));
        let (service, (name, value)) = parts.ok_or_else(|| {
            Failure::usage("--target: expected SERVICE:NAME=VALUE, such as 17:Comments=Nice.")
        })?;
        targets_by_service.entry(service.to_owned()).or_default().insert(name.to_owned(), value.to_owned());
    }
    Ok(targets_by_service)
}

fn build_bulk_request(_: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
    let fixed_cost = parse_value_or_none::<Money>(matches, "fixed-cost")?;
    let package_change = |id: PackageId| BulkPackage {
        id,
        is_enabled: optional_value(matches, "is-enabled"),
        restricted_access: optional_value(matches, "restricted-access"),
        sync: optional_value(matches, "sync"),
        fixed_cost: fixed_cost.clone(),
        discount_fraction: optional_value(matches, "discount-fraction"),
    };
    let flags = ["is-enabled", "restricted-access", "sync", "fixed-cost", "discount-fraction"];
    if !flags.into_iter().any(|flag| matches.contains_id(flag)) {
        return Err(Failure::usage("Nothing to change: set an option, such as --discount 0.1."));
    }
    let ids = parse_ids(matches, "packages")?.unwrap_or_default();
    let packages = ids.into_iter().map(package_change).collect();
    let dry_run = DryRun { dry_run: is_dry_run(matches) };
    build_request::<BulkUpdatePackages>(
        (),
        &dry_run,
        &BulkPackagesInput { packages, confirm_below_margin: confirms_below_margin(matches) },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_targets(targets: &[&str]) -> CommandResult<BTreeMap<String, BTreeMap<String, String>>> {
        let mut args = vec!["buy", "3", "--user-id", "42", "--url", "https://example.com/p/7"];
        args.extend(targets.iter().flat_map(|target| ["--target", *target]));
        let command = (BUY.args)(Command::new("buy"));
        read_targets(&command.try_get_matches_from(args).unwrap())
    }

    #[test]
    fn groups_targets_by_service() {
        let targets =
            parse_targets(&["17:Comments=Nice: yes\nGreat=1", "17:Country=DE", "23:Username=@a"]).unwrap();
        assert_eq!(targets["17"]["Comments"], "Nice: yes\nGreat=1");
        assert_eq!((targets["17"].len(), targets["23"]["Username"].as_str()), (2, "@a"));
        assert!(parse_targets(&[]).unwrap().is_empty());
        assert!(parse_targets(&["Comments=Nice"]).is_err() && parse_targets(&["17:Comments"]).is_err());
    }
}
