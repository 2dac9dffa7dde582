//! `import rule`: how new services of a panel are imported by themselves.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::common::{DryRun, Patch};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::external_services::{GetImportRule, UpdateImportRule};
use panel_contract::import_rules::{ImportRule, ImportRuleInput};
use serde_json::Value;

use crate::command::call::{Call, Write, given_id, id, id_arg, of, on_off_arg, opt, wish};
use crate::command::confirm::{Danger, is_dry};
use crate::command::edit::Edit;
use crate::command::{Cmd, Noun};
use crate::failure::{Done, Failure};

/// `import rule`.
pub(super) const RULE: Noun = Noun {
    name: "rule",
    alias: None,
    about: "How new services of a panel are imported by themselves",
    verbs: &[Cmd::Call(&GET), Cmd::Edit(&SET)],
};

const GET: Call = Call {
    name: "get",
    about: "The rule of a panel; a panel without one has a rule that is off",
    examples: &[("import rule get 3", "panel 3")],
    op: GetImportRule::OP,
    args: |command| command.arg(id_arg().help("The panel")),
    request: |_, matches| of::<GetImportRule>(id(matches)?, &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};

const SET: Edit = Edit {
    call: Call {
        name: "set",
        about: "Changes the rule of a panel; only what is named, and 'none' clears",
        examples: &[
            (
                "import rule set 3 --network 1 --keep-categories on --margin 0.3 --enabled on",
                "new services go into service types of network 1 that keep their categories",
            ),
            ("import rule set 3 --enabled off", "the rule stays as it is, for later"),
        ],
        op: UpdateImportRule::OP,
        args,
        write: Some(Write {
            question: |matches| format!("Change the import rule of panel {}?", given_id(matches)),
            danger: Danger::Reversible("The same command with the old values"),
            said: |matches| format!("The import rule of panel {} is changed.", given_id(matches)),
            rehearses: true,
        }),
        ..GET
    },
    reads: GetImportRule::OP,
    change,
};

/// The switches of what follows the panel: each with its option and what it is about.
const FLAGS: [(&str, &str); 9] = [
    ("sync-params", "Whether the smallest and largest order follow; none for the panel's own switch"),
    ("sync-prices", "Whether the prices follow"),
    ("sync-labels", "Whether the labels follow"),
    ("sync-name", "Whether the name follows"),
    ("sync-meta", "Whether the texts for search engines follow"),
    ("sync-service-details", "Whether refill and drip-feed follow"),
    ("sync-description-field", "Whether the description follows"),
    ("sync-short-description", "Whether the short description follows"),
    ("sync-reviews", "Whether the reviews follow"),
];

fn args(command: Command) -> Command {
    let text = |name: &'static str, flag: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(flag).value_name(value).help(help)
    };
    let many = |arg: Arg| arg.action(ArgAction::Append);
    let flags = FLAGS.map(|(flag, help)| {
        let words = clap::builder::PossibleValuesParser::new(["on", "off", "none"]);
        text(flag, flag, "on|off|none", help).value_parser(words).hide_possible_values(true)
    });
    command
        .arg(id_arg().help("The panel"))
        .args([
            on_off_arg("is-enabled").long("enabled").help("Whether the rule is on"),
            text(
                "margin-percent",
                "margin",
                "FRACTION|none",
                "On top of what the panel asks, such as 0.3 for 30%",
            ),
            text("network-id", "network", "ID|none", "Their network"),
            text(
                "service-type-id",
                "type",
                "ID|none",
                "Their service type; with --keep-categories on of those without a category",
            ),
            on_off_arg("keep-categories")
                .long("keep-categories")
                .help("Whether service types are made of the panel's categories"),
            text("promotable-checker-group-id", "checker-group", "ID|none", "Their promotable checker group"),
            many(text(
                "categories",
                "category",
                "TEXT|none",
                "Only this category of the panel; once for each",
            )),
            many(text("types", "only-type", "TYPE|none", "Only this type, such as Default; once for each")),
            text("name-contains", "name-contains", "TEXT|none", "Only with this text in their name"),
            text("name-excludes", "name-excludes", "TEXT|none", "None with this text in their name"),
            text(
                "price-from",
                "price-from",
                "MONEY|none",
                "Only from this price on, in the panel's currency",
            ),
            text("price-to", "price-to", "MONEY|none", "Only up to this price, in the panel's currency"),
        ])
        .args(flags)
}

fn change(matches: &ArgMatches, read: Value) -> Done<Request> {
    let rule: ImportRule =
        serde_json::from_value(read).map_err(|error| Failure::failed(error.to_string()))?;
    let before = input(rule);
    let mut body = before.clone();
    if let Some(on) = opt(matches, "is-enabled") {
        body.is_enabled = on;
    }
    if let Some(on) = opt(matches, "keep-categories") {
        body.keep_categories = on;
    }
    put(&mut body.margin_percent, wish(matches, "margin-percent")?);
    put(&mut body.network_id, wish(matches, "network-id")?);
    put(&mut body.service_type_id, wish(matches, "service-type-id")?);
    put(&mut body.promotable_checker_group_id, wish(matches, "promotable-checker-group-id")?);
    put(&mut body.name_contains, wish(matches, "name-contains")?);
    put(&mut body.name_excludes, wish(matches, "name-excludes")?);
    put(&mut body.price_from, wish(matches, "price-from")?);
    put(&mut body.price_to, wish(matches, "price-to")?);
    if let Some(categories) = all_of(matches, "categories") {
        body.categories = categories;
    }
    if let Some(types) = all_of(matches, "types") {
        let wrong = |word: &str| Failure::usage(format!("--only-type {word}: there is no such type."));
        let types = types.iter().map(|word| word.parse().map_err(|_| wrong(word)));
        body.types = types.collect::<Done<_>>()?;
    }
    let [params, prices, labels, name, meta, details, description, short, reviews] =
        FLAGS.map(|(flag, _)| matches.get_one::<String>(flag).map(String::as_str));
    let flags = [
        (&mut body.sync_params, params),
        (&mut body.sync_prices, prices),
        (&mut body.sync_labels, labels),
        (&mut body.sync_name, name),
        (&mut body.sync_meta, meta),
        (&mut body.sync_service_details, details),
        (&mut body.sync_description_field, description),
        (&mut body.sync_short_description, short),
        (&mut body.sync_reviews, reviews),
    ];
    for (flag, word) in flags {
        match word {
            None => {}
            Some("none") => *flag = None,
            Some(word) => *flag = Some(word == "on"),
        }
    }
    if body == before {
        return Err(Failure::usage("Say what to change; panelctl import rule set --help lists it."));
    }
    of::<UpdateImportRule>(id(matches)?, &DryRun { dry_run: is_dry(matches) }, &body)
}

fn put<T>(field: &mut Option<T>, wish: Patch<T>) {
    match wish {
        Patch::Keep => {}
        Patch::Clear => *field = None,
        Patch::Set(value) => *field = Some(value),
    }
}

/// What an option was given, once for each; none when it was not, and nothing for the word `none`.
fn all_of(matches: &ArgMatches, name: &str) -> Option<Vec<String>> {
    let given: Vec<String> = matches.get_many::<String>(name)?.cloned().collect();
    Some(if given == ["none"] { Vec::new() } else { given })
}

/// The rule as it is sent back.
fn input(rule: ImportRule) -> ImportRuleInput {
    ImportRuleInput {
        is_enabled: rule.is_enabled,
        margin_percent: rule.margin_percent,
        network_id: rule.network_id,
        service_type_id: rule.service_type_id,
        keep_categories: rule.keep_categories,
        promotable_checker_group_id: rule.promotable_checker_group_id,
        sync_params: rule.sync_params,
        sync_prices: rule.sync_prices,
        sync_labels: rule.sync_labels,
        sync_name: rule.sync_name,
        sync_meta: rule.sync_meta,
        sync_service_details: rule.sync_service_details,
        sync_description_field: rule.sync_description_field,
        sync_short_description: rule.sync_short_description,
        sync_reviews: rule.sync_reviews,
        categories: rule.categories,
        types: rule.types,
        name_contains: rule.name_contains,
        name_excludes: rule.name_excludes,
        price_from: rule.price_from,
        price_to: rule.price_to,
        updated_at: rule.updated_at,
    }
}
