//! What staff do with packages: make, change, change many, put away, bring back, ask what one would cost.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::{Fraction, Money};
use panel_contract::common::DryRun;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::packages::{
    ArchivePackage, BulkUpdatePackages, BuyPackage, CreatePackage, PackageServiceTypes, PackageServices,
    PackageTotalCost, UnarchivePackage, UpdatePackage,
};
use panel_contract::ids::{PackageId, ServiceId};
use panel_contract::packages::{
    BulkPackage, BulkPackagesInput, BuyPackageInput, PackageContentInput, PackageInput, PackageServicesQuery,
    PackageType, TotalCostInput,
};

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, on_off_arg, opt, wish, word};
use crate::command::confirm::{Danger, below_margin_arg, confirms_below_margin, is_dry};
use crate::command::text::{ids_of, patch, text_arg, translations_arg, translations_of};
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `packages create`.
pub(super) const CREATE: Call = Call {
    name: "create",
    about: "Makes a package",
    examples: &[
        (
            "packages create --name Starter --network-id 1 --content 17:1000 --content 23:500:2.5 --discount 0.125",
            "two services, one at a price of its own, an eighth off",
        ),
        (
            "packages create --provider-package-id 4 --sync on",
            "of a package that was imported, following its panel",
        ),
    ],
    op: CreatePackage::OP,
    args: package_args,
    request: |_, matches| of::<CreatePackage>((), &NoQuery {}, &package(matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this package?".to_owned(),
        danger: Danger::Reversible("packages archive"),
        said: |_| "The package is made.".to_owned(),
        rehearses: false,
    }),
};

/// `packages update`.
pub(super) const UPDATE: Call = Call {
    name: "update",
    about: "Changes a package; only what is named, and 'none' clears",
    examples: &[("packages update 3 --fixed-cost 19.9 --discount 0", "a price for the whole")],
    op: UpdatePackage::OP,
    args: |command| package_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdatePackage>(id(matches)?, &NoQuery {}, &package(matches)?),
    write: Some(Write {
        question: |matches| format!("Change package {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Package {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

/// `packages bulk-update`.
pub(super) const BULK_UPDATE: Call = Call {
    name: "bulk-update",
    about: "Changes many packages at once, all of them or none",
    examples: &[("packages bulk-update 3,4,9 --discount 0.1 --dry-run", "what it would do")],
    op: BulkUpdatePackages::OP,
    args: |command| {
        let ids = Arg::new("packages").value_name("IDS").required(true).help("Their ids, with commas");
        deal_args(command.arg(ids))
    },
    request: bulk,
    at: "",
    write: Some(Write {
        question: |_| "Change these packages?".to_owned(),
        danger: Danger::Reversible("The same command with the old values"),
        said: |_| "The packages are changed.".to_owned(),
        rehearses: true,
    }),
    ..CREATE
};

/// `packages archive`.
pub(super) const ARCHIVE: Call = archiving!("archive", ArchivePackage, {
    about: "Takes a package off sale for good; what was bought goes on",
    example: ("packages archive 3", "one package"),
    question: "Archive package {}?",
    said: "Package {} is archived.",
});

/// `packages unarchive`.
pub(super) const UNARCHIVE: Call = archiving!("unarchive", UnarchivePackage, {
    about: "Brings an archived package back",
    example: ("packages unarchive 3", "one package"),
    question: "Bring package {} back?",
    said: "Package {} is back.",
});

/// `packages buy`.
pub(super) const BUY: Call = Call {
    name: "buy",
    about: "Buys a package for a customer and charges their main balance",
    examples: &[
        ("packages buy 3 --user-id 42 --url https://example.com/p/7", "for user 42"),
        ("packages buy 3 --user-id 42 --url https://example.com/p/7 --dry-run", "what it would cost"),
        (
            "packages buy 3 --user-id 42 --url https://example.com/p/7 --target 17:Comments=$'Nice\\nGreat'",
            "with what service 17 asks for",
        ),
    ],
    op: BuyPackage::OP,
    args: |command| {
        let user = Arg::new("user-id").long("user-id").value_name("ID");
        let user = user.value_parser(clap::value_parser!(i64).range(1..)).required(true);
        let url = Arg::new("url").long("url").value_name("URL").required(true).help("Where to deliver");
        let key = Arg::new("key").long("key").value_name("TEXT");
        let help = "The idempotency key: the same command with the same key buys once [default: a new one]";
        let target =
            Arg::new("target").long("target").value_name("SERVICE:NAME=VALUE").action(ArgAction::Append);
        let target =
            target.help("What a service of it asks for beside the address; may be given several times");
        command.args([id_arg(), user.help("The customer"), url, target, key.help(help)])
    },
    request: |_, matches| {
        let (user_id, url) = (arg(matches, "user-id")?, arg(matches, "url")?);
        let body = BuyPackageInput { user_id, url, targets: answers(matches)? };
        of::<BuyPackage>(id(matches)?, &DryRun { dry_run: is_dry(matches) }, &body)
    },
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Word),
        Column::new("package.name", Kind::Text).titled("package"),
        Column::new("orders_count", Kind::Number).titled("orders"),
        Column::new("cost", Kind::Number),
        Column::new("user.email", Kind::Text).titled("user"),
    ],
    write: Some(Write {
        question: |matches| {
            let user = opt::<i64>(matches, "user-id").unwrap_or_default();
            format!("Buy package {} for user {user} at their cost?", given_id(matches))
        },
        danger: Danger::Final,
        said: |matches| format!("Package {} is bought.", given_id(matches)),
        rehearses: true,
    }),
    ..CREATE
};

/// `packages total-cost`.
pub(super) const TOTAL_COST: Call = Call {
    name: "total-cost",
    about: "What a package would cost; nothing is written",
    examples: &[(
        "packages total-cost --content 17:1000 --content 23:500 --discount 0.125",
        "before it is made",
    )],
    op: PackageTotalCost::OP,
    args: |command| command.args([content_arg().required(true), fixed_arg("MONEY"), discount_arg()]),
    request: |_, matches| {
        let body = TotalCostInput {
            package_contents: contents(matches)?.unwrap_or_default(),
            fixed_cost: wish(matches, "fixed-cost")?.wish().flatten().copied(),
            discount_percent: opt::<Fraction>(matches, "discount-percent"),
        };
        of::<PackageTotalCost>((), &NoQuery {}, &body)
    },
    write: None,
    ..CREATE
};

/// `packages available`.
pub(super) const AVAILABLE: Call = Call {
    name: "available",
    about: "The first 50 services that a package can have, by name",
    examples: &[("packages available --search likes", "by part of a name")],
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
        let query =
            PackageServicesQuery { search: opt(matches, "search"), network_id: opt(matches, "network-id") };
        of::<PackageServices>((), &query, &NoBody {})
    },
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("default_price", Kind::Number).titled("price"),
        Column::new("pricing_per", Kind::Number).titled("per"),
        Column::new("min_quantity", Kind::Number).titled("min"),
        Column::new("max_quantity", Kind::Number).titled("max"),
        Column::new("quantity_step", Kind::Number).titled("step"),
    ],
    write: None,
    ..CREATE
};

/// `packages types`.
pub(super) const TYPES: Call = Call {
    name: "types",
    about: "Service types that a package can have",
    examples: &[],
    op: PackageServiceTypes::OP,
    args: |command| command,
    request: |_, _| of::<PackageServiceTypes>((), &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("network.id", Kind::Id).titled("network id"),
        Column::new("network.name", Kind::Text).titled("network"),
    ],
    write: None,
    ..CREATE
};

fn content_arg() -> Arg {
    Arg::new("package-contents")
        .long("content")
        .value_name("ID:QUANTITY[:PRICE]")
        .action(ArgAction::Append)
        .help("A service in it, perhaps at a price of its own; once for each, in their order")
}

fn fixed_arg(value: &'static str) -> Arg {
    text_arg("fixed-cost", "What it costs, whatever is in it").value_name(value)
}

fn discount_arg() -> Arg {
    Arg::new("discount-percent")
        .long("discount")
        .value_name("FRACTION")
        .value_parser(clap::value_parser!(Fraction))
        .help("Off the sum of its contents, such as 0.125")
}

/// What a bulk change has too.
fn deal_args(command: Command) -> Command {
    command.args([
        on_off_arg("is-enabled").long("enabled").help("Whether it is on sale"),
        on_off_arg("restricted-access")
            .long("restricted")
            .help("Whether it is sold only to chosen customers"),
        on_off_arg("sync").long("sync").help("Whether it follows the panel that it came from"),
        fixed_arg("MONEY|none"),
        discount_arg(),
        below_margin_arg(),
    ])
}

fn package_args(command: Command) -> Command {
    deal_args(command).args([
        text_arg("name", "English name"),
        Arg::new("type")
            .long("type")
            .value_name("auto|manual")
            .value_parser(clap::builder::PossibleValuesParser::new(PackageType::WORDS.texts))
            .hide_possible_values(true)
            .help("Whether its orders start by themselves, or staff look at them first"),
        Arg::new("network-id")
            .long("network-id")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("Its network"),
        Arg::new("provider-package-id")
            .long("provider-package-id")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("The package of an external panel that a new one is made of"),
        text_arg("service-type-id", "A service type of the network, or none").value_name("ID|none"),
        text_arg("slug", "Part of its address, or none"),
        text_arg("buy-page-url", "Its own page, or none"),
        content_arg(),
        translations_arg(),
    ])
}

fn package(matches: &ArgMatches) -> Done<PackageInput> {
    let input = PackageInput {
        name: opt(matches, "name"),
        kind: word(matches, "type"),
        network_id: opt(matches, "network-id"),
        service_type_id: wish(matches, "service-type-id")?,
        is_enabled: opt(matches, "is-enabled"),
        restricted_access: opt(matches, "restricted-access"),
        sync: opt(matches, "sync"),
        provider_package_id: opt(matches, "provider-package-id"),
        fixed_cost: wish(matches, "fixed-cost")?,
        discount_percent: opt(matches, "discount-percent"),
        slug: patch(matches, "slug"),
        buy_page_url: patch(matches, "buy-page-url"),
        package_contents: contents(matches)?,
        translations: translations_of(matches)?,
        confirm_below_margin: false,
        updated_at: None,
    };
    match input == PackageInput::default() {
        true => Err(Failure::usage("Say what to write; --help lists it.")),
        false => Ok(PackageInput { confirm_below_margin: confirms_below_margin(matches), ..input }),
    }
}

/// `17:1000` or `17:1000:2.5`, once for each.
fn contents(matches: &ArgMatches) -> Done<Option<Vec<PackageContentInput>>> {
    let Some(given) = matches.get_many::<String>("package-contents") else { return Ok(None) };
    let read = |text: &String| {
        let wrong = || {
            Failure::usage(format!(
                "--content {text}: say ID:QUANTITY or ID:QUANTITY:PRICE, such as 17:1000."
            ))
        };
        let mut parts = text.split(':');
        let mut whole = || parts.next().and_then(|part| part.parse::<i64>().ok()).ok_or_else(wrong);
        let (id, quantity) = (whole()?, whole()?);
        let price = parts.next().map(|part| part.parse::<Money>().map_err(|_| wrong())).transpose()?;
        match parts.next() {
            Some(_) => Err(wrong()),
            None => Ok(PackageContentInput { id: ServiceId::new(id), quantity, price, is_displayable: None }),
        }
    };
    given.map(read).collect::<Done<_>>().map(Some)
}

/// `17:Comments=Nice`, once for each answer.
fn answers(matches: &ArgMatches) -> Done<BTreeMap<String, BTreeMap<String, String>>> {
    let mut all: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for given in matches.get_many::<String>("target").into_iter().flatten() {
        let parts = given.split_once(':').and_then(|(service, rest)| Some((service, rest.split_once('=')?)));
        let (service, (name, value)) = parts.ok_or_else(|| {
            Failure::usage("Give --target as SERVICE:NAME=VALUE, such as 17:Comments=Nice.")
        })?;
        all.entry(service.to_owned()).or_default().insert(name.to_owned(), value.to_owned());
    }
    Ok(all)
}

fn bulk(_: &Ctx, matches: &ArgMatches) -> Done<Request> {
    let fixed_cost = wish::<Money>(matches, "fixed-cost")?;
    let changed = |id: PackageId| BulkPackage {
        id,
        is_enabled: opt(matches, "is-enabled"),
        restricted_access: opt(matches, "restricted-access"),
        sync: opt(matches, "sync"),
        fixed_cost: fixed_cost.clone(),
        discount_percent: opt(matches, "discount-percent"),
    };
    let flags = ["is-enabled", "restricted-access", "sync", "fixed-cost", "discount-percent"];
    if !flags.into_iter().any(|flag| matches.contains_id(flag)) {
        return Err(Failure::usage("Say what to change, such as --discount 0.1."));
    }
    let ids = ids_of(matches, "packages")?.unwrap_or_default();
    let packages = ids.into_iter().map(changed).collect();
    let dry = DryRun { dry_run: is_dry(matches) };
    of::<BulkUpdatePackages>(
        (),
        &dry,
        &BulkPackagesInput { packages, confirm_below_margin: confirms_below_margin(matches) },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(targets: &[&str]) -> Done<BTreeMap<String, BTreeMap<String, String>>> {
        let mut line = vec!["buy", "3", "--user-id", "42", "--url", "https://example.com/p/7"];
        line.extend(targets.iter().flat_map(|target| ["--target", *target]));
        let command = (BUY.args)(Command::new("buy"));
        answers(&command.try_get_matches_from(line).unwrap())
    }

    #[test]
    fn answers_are_read_by_service() {
        let read = given(&["17:Comments=Nice: yes\nGreat=1", "17:Country=DE", "23:Username=@a"]).unwrap();
        assert_eq!(read["17"]["Comments"], "Nice: yes\nGreat=1");
        assert_eq!((read["17"].len(), read["23"]["Username"].as_str()), (2, "@a"));
        assert!(given(&[]).unwrap().is_empty());
        assert!(given(&["Comments=Nice"]).is_err() && given(&["17:Comments"]).is_err());
    }
}
