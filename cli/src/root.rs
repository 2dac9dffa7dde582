//! The command line: nouns and their verbs, global flags, and the dispatch to the selected command.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches as _, ValueEnum as _};

use crate::api;
use crate::catalogue::{change_logs, labels, networks, packages, services, targets};
use crate::command::empty_values::{self, ParseError};
use crate::command::{Cmd, Custom, Noun};
use crate::configuration::{menu, notifications, pages, settings, site, translate, views, webhooks};
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};
use crate::manual;
use crate::marketing::{auto_promotions, banners, coupons, discounts, order_widgets, special_offers};
use crate::operations::{
    audit, cancel_requests, combo_orders, drip_feeds, free_trials, grades, invoices, orders, payment_methods,
    payments, quests, referrals, roles, staff, subscriptions, undo, users, withdrawals,
};
use crate::output::paint::{ColorChoice, Paint};
use crate::output::{Format, Out, terminal_width};
use crate::session::{
    auth, counters, dictionaries, doctor, open, passkeys, profile, second_factor, sessions,
};
use crate::supply::{external_orders, external_panels, imports, providers};
use crate::tools::{jobs, quarantine, runs};

/// Nouns with their verbs, the most used first.
pub(crate) const NOUNS: &[&Noun] = &[
    &orders::NOUN,
    &orders::CHILD_PANEL_NOUN,
    &subscriptions::NOUN,
    &drip_feeds::NOUN,
    &combo_orders::NOUN,
    &cancel_requests::NOUN,
    &free_trials::NOUN,
    &quests::NOUN,
    &users::NOUN,
    &payments::NOUN,
    &payments::TRANSACTIONS_NOUN,
    &invoices::NOUN,
    &withdrawals::NOUN,
    &payment_methods::NOUN,
    &referrals::NOUN,
    &grades::NOUN,
    &services::NOUN,
    &labels::NOUN,
    &targets::NOUN,
    &packages::NOUN,
    &banners::NOUN,
    &networks::NOUN,
    &networks::TYPES_NOUN,
    &discounts::NOUN,
    &coupons::NOUN,
    &order_widgets::NOUN,
    &special_offers::NOUN,
    &auto_promotions::NOUN,
    &staff::NOUN,
    &roles::NOUN,
    &roles::PERMISSIONS_NOUN,
    &audit::NOUN,
    &change_logs::NOUN,
    &providers::NOUN,
    &external_panels::NOUN,
    &imports::IMPORT,
    &external_orders::NOUN,
    &settings::NOUN,
    &site::NOUN,
    &menu::NOUN,
    &pages::NOUN,
    &notifications::NOUN,
    &views::NOUN,
    &webhooks::NOUN,
    &jobs::NOUN,
    &quarantine::NOUN,
    &dictionaries::NOUN,
    &runs::NOUN,
    &auth::NOUN,
    &sessions::NOUN,
    &second_factor::NOUN,
    &passkeys::NOUN,
    &profile::NOUN,
];

/// Commands without a noun.
pub(crate) const TOP_LEVEL: &[&Custom] = &[
    &undo::UNDO,
    &counters::COUNTERS,
    &translate::TRANSLATE,
    &api::API,
    &doctor::DOCTOR,
    &open::OPEN,
    &manual::completion::COMPLETION,
    &manual::man::MAN,
    &manual::HELP,
    &manual::VERSION,
];

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// Use the panel of this profile [env: PANELCTL_PROFILE]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Whether the command line itself names the profile. A variable can outlive the script that set it, so it does not
    /// count as consent to write to a protected profile.
    #[arg(skip)]
    pub(crate) names_profile: bool,
    /// Use the panel at this address [env: PANELCTL_SERVER]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Read the token from this file, which only you may be able to read [env: PANELCTL_TOKEN holds a token]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Output format [default: table]
    #[arg(
        long,
        short = 'o',
        global = true,
        value_enum,
        value_name = "FORMAT",
        env = "PANELCTL_OUTPUT",
        hide_env_values = true
    )]
    pub(crate) output: Option<Format>,
    /// Columns to print, separated by commas, such as id,status,user.email
    #[arg(long, global = true, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) columns: Option<Vec<String>>,
    /// Print no column headers
    #[arg(long, global = true)]
    pub(crate) no_header: bool,
    /// Apply a jq filter to the JSON output
    #[arg(long, global = true, value_name = "FILTER")]
    pub(crate) jq: Option<String>,
    /// When to use colors
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Fail at once if the panel's database is unreachable, instead of waiting up to two minutes
    #[arg(long, global = true)]
    pub(crate) no_wait: bool,
    /// Print requests, waits and resolved filters to standard error
    #[arg(long, short = 'v', global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The layout of every help text: examples come before options.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";
const ABOUT: &str = "Manage Panel from the command line";
const AFTER: &str =
    "Exit codes: 0 success, 1 failure, 2 usage error, 3 partial success, 4 not signed in, 5 not permitted, 130 interrupted.
Help topics: panelctl help exit-codes, formatting, filters, environment, bulk";

pub(crate) fn command() -> Command {
    let root = Command::new("panelctl")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(AFTER)
        .arg(
            Arg::new("version")
                .long("version")
                .short('V')
                .action(ArgAction::Version)
                .help("Print the version"),
        );
    // Otherwise clap would use the doc comment of `Globals` as the program's description.
    let root = Globals::augment_args(root).about(ABOUT);
    let root = NOUNS.iter().fold(root, |root, noun| root.subcommand(noun.command()));
    let root = TOP_LEVEL.iter().fold(root, |root, custom| root.subcommand(custom.command()));
    dressed(root)
}

/// Applies one layout to every command, with `--help` as the short help, which has one line for each item.
fn dressed(command: Command) -> Command {
    let help = Arg::new("help").long("help").short('h').action(ArgAction::HelpShort).help("Print this help");
    command.help_template(TEMPLATE).disable_help_flag(true).arg(help).mut_subcommands(dressed)
}

/// Parses the command line and refuses empty values, before anything is sent.
pub(crate) fn parsed(words: impl Iterator<Item = OsString>) -> Result<(ArgMatches, Globals), ParseError> {
    let matches = empty_values::parse(&mut command(), words);
    // clap reads PANELCTL_OUTPUT itself, and its error would name `--output`. Help works with any environment.
    if !matches.as_ref().is_err_and(ParseError::is_help) {
        empty_values::environment().map_err(ParseError::Panelctl)?;
    }
    let matches = matches?;
    globals(&matches).map(|globals| (matches, globals)).map_err(ParseError::Panelctl)
}

/// Runs the selected command.
pub(crate) async fn run(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(Failure::usage("Name a command."));
    };
    if let Some(noun) = NOUNS.iter().find(|noun| noun.name == name) {
        return noun.run(ctx, matches).await;
    }
    match TOP_LEVEL.iter().find(|custom| custom.name == name) {
        Some(custom) => Cmd::Custom(custom).run(ctx, matches).await,
        None => Err(Failure::usage(format!("Unknown command: {name}."))),
    }
}

/// The global flags, which clap also accepts after a subcommand, with their environment variables.
fn globals(matches: &ArgMatches) -> CmdResult<Globals> {
    // clap's own `env` would list the variables in the usage line of every error.
    let env = |name: &str| std::env::var(name).ok();
    let mut globals = Globals::from_arg_matches(matches)?;
    globals.names_profile = globals.profile.is_some();
    globals.profile = globals.profile.or_else(|| env("PANELCTL_PROFILE"));
    globals.server = globals.server.or_else(|| env("PANELCTL_SERVER"));
    if let (None, Some(text)) = (globals.output, env("PANELCTL_OUTPUT")) {
        let format = Format::from_str(&text, true);
        globals.output = Some(
            format
                .map_err(|_| Failure::usage(format!("PANELCTL_OUTPUT: {text} is not an output format.")))?,
        );
    }
    Ok(globals)
}

/// Whether a command line asks for JSON, even if it cannot be parsed.
pub(crate) fn wants_json(words: impl Iterator<Item = String>) -> bool {
    let line = format!(" {} ", words.collect::<Vec<_>>().join(" "));
    let formats = ["json", "jsonl"];
    ["-o ", "-o", "-o=", "--output ", "--output="]
        .iter()
        .any(|flag| formats.iter().any(|format| line.contains(&format!(" {flag}{format} "))))
}

/// Output for errors of a command line that could not be parsed.
pub(crate) fn plain() -> Out {
    Out {
        format: Format::Table,
        draws_tables: false,
        columns: None,
        header: true,
        jq: None,
        paint: Paint::for_stream(ColorChoice::Never, &std::io::stdout()),
        stderr_paint: Paint::for_stream(ColorChoice::Auto, &std::io::stderr()),
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        width: terminal_width(),
    }
}

/// Where and how to write, from the global flags and the kind of the output streams.
pub(crate) fn out(globals: &Globals) -> Out {
    use std::io::IsTerminal as _;
    let (data, words) = (std::io::stdout(), std::io::stderr());
    Out {
        format: globals.output.unwrap_or(Format::Table),
        // `-o table` draws a table even into a pipe; without it a pipe gets tab-separated lines.
        draws_tables: data.is_terminal() || globals.output == Some(Format::Table),
        columns: globals.columns.clone(),
        header: !globals.no_header,
        jq: globals.jq.clone(),
        paint: Paint::for_stream(globals.color, &data),
        stderr_paint: Paint::for_stream(globals.color, &words),
        stdout_is_terminal: data.is_terminal(),
        stderr_is_terminal: words.is_terminal(),
        width: terminal_width(),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use clap::error::{ContextKind, ContextValue};

    use super::*;
    use crate::command::filter;
    use crate::command::list::List;
    use crate::output::list_columns;

    /// Splits an example as a shell would; a pipe or redirection ends it.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
        for character in line.chars() {
            match character {
                '\'' => {
                    quoted = !quoted;
                    word.get_or_insert_default();
                }
                ' ' if !quoted => words.extend(word.take()),
                character => word.get_or_insert_default().push(character),
            }
        }
        words.extend(word);
        let end =
            words.iter().position(|word| matches!(word.as_str(), "|" | ">" | "<")).unwrap_or(words.len());
        words.truncate(end);
        words
    }

    fn check(command: &Command) -> usize {
        let help = command.get_before_help().map(ToString::to_string).unwrap_or_default();
        let lines: Vec<_> = help.lines().filter_map(|line| line.strip_prefix("  panelctl ")).collect();
        for line in &lines {
            let all = std::iter::once("panelctl".to_owned()).chain(words(line));
            let parsed = super::command().try_get_matches_from(all);
            // Getting a global flag panics here if a command defines an argument of the same id.
            globals(&parsed.unwrap_or_else(|error| panic!("{line}\n{error}"))).unwrap();
        }
        lines.len() + command.get_subcommands().map(check).sum::<usize>()
    }

    fn assert_no_clash(command: &Command, common: &[(String, Option<String>)]) {
        let of = |arg: &Arg| (arg.get_id().to_string(), arg.get_long().map(str::to_owned));
        for arg in command.get_arguments().filter(|arg| !arg.is_global_set()) {
            let (id, long) = of(arg);
            let clash = common.iter().any(|(one, other)| *one == id || (long.is_some() && *other == long));
            assert!(!clash, "{}: --{id} is a global flag", command.get_name());
        }
        for subcommand in command.get_subcommands() {
            assert_no_clash(subcommand, common);
        }
    }

    #[test]
    fn no_command_redefines_a_global_flag() {
        let root = command();
        let common = root.get_arguments().filter(|arg| arg.is_global_set());
        let common: Vec<_> =
            common.map(|arg| (arg.get_id().to_string(), arg.get_long().map(str::to_owned))).collect();
        assert!(common.len() > 7);
        assert_no_clash(&root, &common);
    }

    #[test]
    fn every_example_is_a_command_line() {
        command().debug_assert();
        assert!(check(&command()) > 50);
    }

    /// Values for the other required arguments, so that the only fault of the command line is the empty value.
    const FILLERS: [&str; 9] =
        ["1", "a=1", "on", "2026-11-20", "x@panel.example", "3=1.25:500", "1:5", "none", "https://a.example"];

    /// One value-taking argument as it is written on the command line.
    fn written(arg: &Arg, value: &str) -> String {
        match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}={value}"),
            (None, Some(short)) => format!("-{short}={value}"),
            (None, None) => value.to_owned(),
        }
    }

    /// Why `words` are refused after every other argument that clap requires was added.
    fn refusal(leaf: &mut Command, words: &[String]) -> Option<ParseError> {
        let mut before = Vec::<(String, usize)>::new();
        for _ in 0..60 {
            // Positional arguments that clap requires come after those in `words`.
            let mut line = vec!["leaf".to_owned()];
            let mut behind = Vec::new();
            for (id, filler) in &before {
                let arg = leaf.get_arguments().find(|arg| arg.get_id().as_str() == id).unwrap();
                let own = arg.get_possible_values().get(*filler).map(|value| value.get_name().to_owned());
                let filled =
                    written(arg, &own.unwrap_or_else(|| FILLERS[*filler % FILLERS.len()].to_owned()));
                if arg.is_positional() { behind.push(filled) } else { line.push(filled) }
            }
            line.extend(words.iter().cloned().chain(behind));
            let error = match empty_values::parse(leaf, line.iter().map(OsString::from)) {
                Err(ParseError::Clap(error)) => error,
                other => return other.err(),
            };
            let named = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(one)) => vec![one.clone()],
                Some(ContextValue::Strings(many)) => many.clone(),
                _ => panic!("{line:?}: {error}"),
            };
            for name in named {
                let required = leaf.get_arguments().find(|arg| arg.to_string() == name);
                let id = required.unwrap_or_else(|| panic!("{name}: {error}")).get_id().as_str();
                match before.iter_mut().find(|(added, _)| added == id) {
                    Some((_, filler)) => *filler += 1,
                    None => before.push((id.to_owned(), 0)),
                }
            }
        }
        panic!("{words:?} needs more than the fillers");
    }

    /// Checks that every value-taking argument of `leaf` refuses an empty value; returns the number of these arguments.
    fn assert_refuses_empty_values(path: &str, leaf: &Command) -> usize {
        let (mut reading, mut count) = (leaf.clone(), 0);
        for arg in leaf.get_arguments().filter(|arg| arg.get_action().takes_values()) {
            let name = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
            let label = arg.get_long().map_or(name.to_owned(), |long| format!("--{long}"));
            let pair = name.contains('=').then_some("name=");
            // Positional arguments need the positional arguments of a lower index before them.
            let earlier = leaf.get_positionals().filter(|one| one.get_index() < arg.get_index());
            let earlier: Vec<String> = earlier.map(|_| "1".to_owned()).collect();
            for value in ["", " ", "\t"].into_iter().chain(pair) {
                let words = [earlier.clone(), vec![written(arg, value)]].concat();
                let refused = refusal(&mut reading, &words);
                let Some(ParseError::Panelctl(failure)) = refused else {
                    panic!("{path} {label} {value:?}: {refused:?}");
                };
                assert_eq!(failure.exit.code(), 2, "{path} {label}");
                assert!(failure.what.starts_with(&label), "{path} {label}: {}", failure.what);
            }
            count += 1;
        }
        count
    }

    fn assert_subcommands_refuse_empty_values(path: &str, command: &Command) -> usize {
        let own = if command.has_subcommands() { 0 } else { assert_refuses_empty_values(path, command) };
        let below = command.get_subcommands();
        own + below
            .map(|one| assert_subcommands_refuse_empty_values(&format!("{path} {}", one.get_name()), one))
            .sum::<usize>()
    }

    /// An unset variable in a script must not widen the effect of any command. The test covers every command in the tree.
    #[test]
    fn an_empty_value_of_any_argument_is_refused_before_anything_is_sent() {
        let mut root = command();
        root.build();
        let count = assert_subcommands_refuse_empty_values("panelctl", &root);
        assert!(count > 2_000, "{count}");
    }

    fn lists(path: &str, verbs: &'static [Cmd], into: &mut Vec<(String, &'static List)>) {
        for verb in verbs {
            let path = format!("{path} {}", verb.name());
            match verb {
                Cmd::List(list) => into.push((path, list)),
                Cmd::Nested(noun) => lists(&path, noun.verbs, into),
                _ => {}
            }
        }
    }

    /// Lists that belong to one record; other commands show them.
    const WITHOUT_LIST: [&str; 3] =
        ["list_external_panel_payments", "list_panel_services", "list_webhook_deliveries"];

    #[test]
    fn every_list_has_a_command() {
        let mut all = Vec::new();
        NOUNS.iter().for_each(|noun| lists(noun.name, noun.verbs, &mut all));
        let shown: Vec<_> = all.iter().map(|(_, list)| list.declaration.op.id).collect();
        let declared = panel_contract::lists::ALL.iter().map(|list| list.op.id);
        let missing: Vec<_> = declared.filter(|op| !shown.contains(op)).collect();
        assert_eq!(missing, WITHOUT_LIST);
    }

    /// A filter flag names a column that its list declares as searchable, and `--since` a column of kind `Time`.
    #[test]
    fn every_filter_names_a_searchable_column() {
        let mut all = Vec::new();
        NOUNS.iter().for_each(|noun| lists(noun.name, noun.verbs, &mut all));
        for (path, list) in &all {
            for filter in list.filters {
                let column =
                    list.declaration.filter(filter.column).or_else(|| list.declaration.column(filter.column));
                assert!(column.is_some_and(|column| column.searchable), "{path} --{}", filter.flag);
            }
            let since = list.declaration.column(list.since).map(|column| column.kind);
            assert_eq!(since, Some(panel_contract::lists::Kind::Time), "{path} --since");
        }
    }

    fn value_kind(value_kind: filter::FilterValue) -> String {
        use filter::FilterValue;
        match value_kind {
            FilterValue::Any(value) => value.to_owned(),
            FilterValue::Ids => "ids".to_owned(),
            FilterValue::Numbers => "numbers".to_owned(),
            FilterValue::Flag => "flag".to_owned(),
            FilterValue::PartOf(value, words) => format!("{value}: part of {}", words().join("|")),
            FilterValue::Words(words) => words.join("|"),
            FilterValue::Time => "time".to_owned(),
        }
    }

    /// Pins the columns of every list with their headers, and the values of each filter.
    #[test]
    fn columns_and_filters_match_the_snapshot() {
        let mut all = Vec::new();
        NOUNS.iter().for_each(|noun| lists(noun.name, noun.verbs, &mut all));
        let mut text = String::new();
        for (path, list) in &all {
            let _ = writeln!(text, "{path}");
            for column in list_columns::columns(list.declaration) {
                let place = if column.in_table { "table" } else { "csv" };
                let _ = writeln!(text, "  {place} {} {:?} {}", column.name, column.kind, column.title());
            }
            for filter in list.filters {
                let plain = if list.declaration.filter(filter.column).is_some() { "plain " } else { "" };
                let _ = writeln!(
                    text,
                    "  --{} {} {plain}{}",
                    filter.flag,
                    filter.column,
                    value_kind(filter.value_kind(list))
                );
            }
            let _ = writeln!(text, "  --filter {}", filter::columns(list).join(" "));
        }
        insta::with_settings!({ snapshot_path => "../../snapshots/cli", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("columns", text);
        });
    }
}
