//! The command line: nouns and their verbs, flags that every command takes, and the way to the command meant.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches as _, ValueEnum as _};

use crate::api;
use crate::catalogue::{change_logs, labels, networks, packages, services, targets};
use crate::command::blank::{self, Refused};
use crate::command::{Cmd, Noun, Own};
use crate::configuration::{menu, notifications, pages, settings, site, translate, views, webhooks};
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
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

/// Nouns, the daily ones first.
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
pub(crate) const OWN: &[&Own] = &[
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
    /// The panel to talk to, by the name of its profile [env: PANELCTL_PROFILE]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Whether the command line itself names the profile. The environment of a script outlives what it was set for, so it
    /// is no consent to write to a protected one.
    #[arg(skip)]
    pub(crate) names_profile: bool,
    /// The panel to talk to, by its address [env: PANELCTL_SERVER]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// A file with a token, readable only by you [env: PANELCTL_TOKEN holds a token]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// How data is written [default: table]
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
    /// The columns to write, with commas, such as id,status,user.email
    #[arg(long, global = true, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) columns: Option<Vec<String>>,
    /// No titles above columns
    #[arg(long, global = true)]
    pub(crate) no_header: bool,
    /// A jq filter over what -o json would write
    #[arg(long, global = true, value_name = "FILTER")]
    pub(crate) jq: Option<String>,
    /// When to use colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Fail at once while the panel's database is away, instead of waiting for two minutes
    #[arg(long, global = true)]
    pub(crate) no_wait: bool,
    /// Tells of requests and resolved filters
    #[arg(long, short = 'v', global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// How every help is laid out: examples come before options.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";
const ABOUT: &str = "The panel from scripts and terminals";
const AFTER: &str =
    "Exit codes: 0 ok, 1 failed, 2 usage, 3 partial, 4 not signed in, 5 not allowed, 130 interrupted.
Topics: panelctl help exit-codes, formatting, filters, environment, bulk";

/// The whole command line.
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
                .help("Prints the version"),
        );
    // The doc comment of the flags would stand in place of the program's own words.
    let root = Globals::augment_args(root).about(ABOUT);
    let root = NOUNS.iter().fold(root, |root, noun| root.subcommand(noun.command()));
    let root = OWN.iter().fold(root, |root, own| root.subcommand(own.command()));
    dressed(root)
}

/// One layout for all: the short form of every help, which has everything in one line each.
fn dressed(command: Command) -> Command {
    let help = Arg::new("help").long("help").short('h').action(ArgAction::HelpShort).help("Prints this help");
    command.help_template(TEMPLATE).disable_help_flag(true).arg(help).mut_subcommands(dressed)
}

/// The command line, read and checked as a whole: no value in it is empty, and nothing was sent yet.
pub(crate) fn parsed(words: impl Iterator<Item = OsString>) -> Result<(ArgMatches, Globals), Refused> {
    let matches = blank::read(&mut command(), words);
    // Clap reads one of the variables itself and would name its option instead; help is for every environment.
    if !matches.as_ref().is_err_and(Refused::is_help) {
        blank::environment().map_err(Refused::Here)?;
    }
    let matches = matches?;
    globals(&matches).map(|globals| (matches, globals)).map_err(Refused::Here)
}

/// Runs the command meant.
pub(crate) async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(Failure::usage("Say what to do."));
    };
    if let Some(noun) = NOUNS.iter().find(|noun| noun.name == name) {
        return noun.run(ctx, matches).await;
    }
    match OWN.iter().find(|own| own.name == name) {
        Some(own) => Cmd::Own(own).run(ctx, matches).await,
        None => Err(Failure::usage(format!("There is no command {name}."))),
    }
}

/// The flags that every command line may carry. Flags of a subcommand reach up here.
fn globals(matches: &ArgMatches) -> Done<Globals> {
    // Not clap's own way: it would list what the environment says in the usage of every error.
    let said = |name: &str| std::env::var(name).ok();
    let mut globals = Globals::from_arg_matches(matches)?;
    globals.names_profile = globals.profile.is_some();
    globals.profile = globals.profile.or_else(|| said("PANELCTL_PROFILE"));
    globals.server = globals.server.or_else(|| said("PANELCTL_SERVER"));
    if let (None, Some(text)) = (globals.output, said("PANELCTL_OUTPUT")) {
        let format = Format::from_str(&text, true);
        globals.output =
            Some(format.map_err(|_| Failure::usage(format!("PANELCTL_OUTPUT: {text} is no format.")))?);
    }
    Ok(globals)
}

/// Whether a command line that cannot be parsed asks for JSON.
pub(crate) fn wants_json(words: impl Iterator<Item = String>) -> bool {
    let line = format!(" {} ", words.collect::<Vec<_>>().join(" "));
    let formats = ["json", "jsonl"];
    ["-o ", "-o", "-o=", "--output ", "--output="]
        .iter()
        .any(|flag| formats.iter().any(|format| line.contains(&format!(" {flag}{format} "))))
}

/// Where to tell of wishes that cannot be understood.
pub(crate) fn plain() -> Out {
    Out {
        format: Format::Table,
        drawn: false,
        columns: None,
        header: true,
        jq: None,
        paint: Paint::for_stream(ColorChoice::Never, &std::io::stdout()),
        paint_words: Paint::for_stream(ColorChoice::Auto, &std::io::stderr()),
        to_terminal: false,
        words_to_terminal: false,
        width: terminal_width(),
    }
}

/// Where and how to write, by wishes and terminals.
pub(crate) fn out(globals: &Globals) -> Out {
    use std::io::IsTerminal as _;
    let (data, words) = (std::io::stdout(), std::io::stderr());
    Out {
        format: globals.output.unwrap_or(Format::Table),
        // Asked for, a table is a table; else a pipe gets tabs.
        drawn: data.is_terminal() || globals.output == Some(Format::Table),
        columns: globals.columns.clone(),
        header: !globals.no_header,
        jq: globals.jq.clone(),
        paint: Paint::for_stream(globals.color, &data),
        paint_words: Paint::for_stream(globals.color, &words),
        to_terminal: data.is_terminal(),
        words_to_terminal: words.is_terminal(),
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
    use crate::output::listed;

    /// The words of an example, as a shell would split them; what comes after a pipe or redirection is not ours.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
        for letter in line.chars() {
            match letter {
                '\'' => {
                    quoted = !quoted;
                    word.get_or_insert_default();
                }
                ' ' if !quoted => words.extend(word.take()),
                letter => word.get_or_insert_default().push(letter),
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
            // An argument of a command that is called like one of all commands ends the program here.
            globals(&parsed.unwrap_or_else(|error| panic!("{line}\n{error}"))).unwrap();
        }
        lines.len() + command.get_subcommands().map(check).sum::<usize>()
    }

    fn assert_no_clash(command: &Command, common: &[(String, Option<String>)]) {
        let of = |arg: &Arg| (arg.get_id().to_string(), arg.get_long().map(str::to_owned));
        for arg in command.get_arguments().filter(|arg| !arg.is_global_set()) {
            let (id, long) = of(arg);
            let clash = common.iter().any(|(one, other)| *one == id || (long.is_some() && *other == long));
            assert!(!clash, "{}: --{id} is an argument of all commands", command.get_name());
        }
        for subcommand in command.get_subcommands() {
            assert_no_clash(subcommand, common);
        }
    }

    #[test]
    fn no_command_has_an_argument_of_all_commands() {
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

    /// What an argument that is not looked at may hold, so that the command line is whole but for the empty value.
    const FILLERS: [&str; 9] =
        ["1", "a=1", "on", "2026-11-20", "x@panel.example", "3=1.25:500", "1:5", "none", "https://a.example"];

    /// A value-taking argument by its words on the command line, with the value behind or after it.
    fn given(arg: &Arg, value: &str) -> String {
        match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}={value}"),
            (None, Some(short)) => format!("-{short}={value}"),
            (None, None) => value.to_owned(),
        }
    }

    /// Why `words` are refused, after everything else that clap asks for was added.
    fn refusal(leaf: &mut Command, words: &[String]) -> Option<Refused> {
        let mut before = Vec::<(String, usize)>::new();
        for _ in 0..60 {
            // Positional arguments that clap still asks for stand behind those that are given.
            let mut line = vec!["leaf".to_owned()];
            let mut behind = Vec::new();
            for (id, filler) in &before {
                let arg = leaf.get_arguments().find(|arg| arg.get_id().as_str() == id).unwrap();
                let own = arg.get_possible_values().get(*filler).map(|value| value.get_name().to_owned());
                let filled = given(arg, &own.unwrap_or_else(|| FILLERS[*filler % FILLERS.len()].to_owned()));
                if arg.is_positional() { behind.push(filled) } else { line.push(filled) }
            }
            line.extend(words.iter().cloned().chain(behind));
            let error = match blank::read(leaf, line.iter().map(OsString::from)) {
                Err(Refused::ByClap(error)) => error,
                other => return other.err(),
            };
            let named = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(one)) => vec![one.clone()],
                Some(ContextValue::Strings(many)) => many.clone(),
                _ => panic!("{line:?}: {error}"),
            };
            for name in named {
                let known = leaf.get_arguments().find(|arg| arg.to_string() == name);
                let id = known.unwrap_or_else(|| panic!("{name}: {error}")).get_id().as_str();
                match before.iter_mut().find(|(known, _)| known == id) {
                    Some((_, filler)) => *filler += 1,
                    None => before.push((id.to_owned(), 0)),
                }
            }
        }
        panic!("{words:?} needs more than the fillers");
    }

    /// Checks that every value-taking argument of `leaf` is refused when it is empty; how many there are.
    fn refuses(path: &str, leaf: &Command) -> usize {
        let (mut reading, mut count) = (leaf.clone(), 0);
        for arg in leaf.get_arguments().filter(|arg| arg.get_action().takes_values()) {
            let name = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
            let called = arg.get_long().map_or(name.to_owned(), |long| format!("--{long}"));
            let pair = name.contains('=').then_some("name=");
            // Positional arguments stand behind those of a lower index.
            let earlier = leaf.get_positionals().filter(|one| one.get_index() < arg.get_index());
            let earlier: Vec<String> = earlier.map(|_| "1".to_owned()).collect();
            for value in ["", " ", "\t"].into_iter().chain(pair) {
                let words = [earlier.clone(), vec![given(arg, value)]].concat();
                let refused = refusal(&mut reading, &words);
                let Some(Refused::Here(failure)) = refused else {
                    panic!("{path} {called} {value:?}: {refused:?}");
                };
                assert_eq!(failure.exit.code(), 2, "{path} {called}");
                assert!(failure.what.starts_with(&called), "{path} {called}: {}", failure.what);
            }
            count += 1;
        }
        count
    }

    fn refuses_below(path: &str, command: &Command) -> usize {
        let own = if command.has_subcommands() { 0 } else { refuses(path, command) };
        let below = command.get_subcommands();
        own + below.map(|one| refuses_below(&format!("{path} {}", one.get_name()), one)).sum::<usize>()
    }

    /// A variable that a script forgot to set must not widen what any command does; a new command is covered by
    /// standing in the tree.
    #[test]
    fn an_empty_value_of_any_argument_is_refused_before_anything_is_sent() {
        let mut root = command();
        root.build();
        let count = refuses_below("panelctl", &root);
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

    /// Lists within a record, whose commands show them in another way.
    const WITHOUT_LIST: [&str; 3] =
        ["list_external_panel_payments", "list_panel_services", "list_webhook_deliveries"];

    #[test]
    fn every_list_has_a_command() {
        let mut all = Vec::new();
        NOUNS.iter().for_each(|noun| lists(noun.name, noun.verbs, &mut all));
        let shown: Vec<_> = all.iter().map(|(_, list)| list.of.op.id).collect();
        let declared = panel_contract::lists::ALL.iter().map(|list| list.op.id);
        let missing: Vec<_> = declared.filter(|op| !shown.contains(op)).collect();
        assert_eq!(missing, WITHOUT_LIST);
    }

    /// A flag searches what its list declares; `--since` looks at a moment of it.
    #[test]
    fn the_filters_of_a_list_are_declared() {
        let mut all = Vec::new();
        NOUNS.iter().for_each(|noun| lists(noun.name, noun.verbs, &mut all));
        for (path, list) in &all {
            for filter in list.filters {
                let column = list.of.filter(filter.column).or_else(|| list.of.column(filter.column));
                assert!(column.is_some_and(|column| column.searchable), "{path} --{}", filter.flag);
            }
            let since = list.of.column(list.since).map(|column| column.kind);
            assert_eq!(since, Some(panel_contract::lists::Kind::Time), "{path} --since");
        }
    }

    fn takes(takes: filter::Takes) -> String {
        use filter::Takes;
        match takes {
            Takes::Any(value) => value.to_owned(),
            Takes::Ids => "ids".to_owned(),
            Takes::Numbers => "numbers".to_owned(),
            Takes::Flag => "flag".to_owned(),
            Takes::PartOf(value, words) => format!("{value}: part of {}", words().join("|")),
            Takes::Words(words) => words.join("|"),
            Takes::Time => "time".to_owned(),
        }
    }

    /// The columns of every list with their heads, and what each filter takes.
    #[test]
    fn columns() {
        let mut all = Vec::new();
        NOUNS.iter().for_each(|noun| lists(noun.name, noun.verbs, &mut all));
        let mut text = String::new();
        for (path, list) in &all {
            let _ = writeln!(text, "{path}");
            for column in listed::columns(list.of) {
                let place = if column.shown { "table" } else { "csv" };
                let _ = writeln!(text, "  {place} {} {:?} {}", column.name, column.kind, column.title());
            }
            for filter in list.filters {
                let plain = if list.of.filter(filter.column).is_some() { "plain " } else { "" };
                let _ = writeln!(
                    text,
                    "  --{} {} {plain}{}",
                    filter.flag,
                    filter.column,
                    takes(filter.takes(list))
                );
            }
            let _ = writeln!(text, "  --filter {}", filter::columns(list).join(" "));
        }
        insta::with_settings!({ snapshot_path => "../../snapshots/cli", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("columns", text);
        });
    }
}
