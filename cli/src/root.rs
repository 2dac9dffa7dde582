//! The command line: nouns and their verbs, flags that every command takes, and the way to the command meant.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches as _, ValueEnum as _};

use crate::api;
use crate::catalogue::{change_logs, labels, networks, packages, services, targets};
use crate::command::{Cmd, Noun, Own, blank};
use crate::configuration::{menu, notifications, pages, settings, translate, views, webhooks};
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::manual;
use crate::marketing::{auto_promotions, banners, coupons, discounts, order_widgets, special_offers};
use crate::operations::{
    audit, combo_orders, drip_feeds, free_trials, grades, invoices, orders, payment_methods, payments,
    quests, referrals, staff, subscriptions, users, withdrawals,
};
use crate::output::paint::{ColorChoice, Paint};
use crate::output::{Format, Out, terminal_width};
use crate::session::{auth, counters, dictionaries, doctor, open, profile};
use crate::supply::{external_orders, external_panels, providers};
use crate::tools::{jobs, runs};

/// Nouns, the daily ones first.
pub(crate) const NOUNS: &[&Noun] = &[
    &orders::NOUN,
    &orders::CHILD_PANEL_NOUN,
    &subscriptions::NOUN,
    &drip_feeds::NOUN,
    &combo_orders::NOUN,
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
    &staff::ROLES_NOUN,
    &staff::PERMISSIONS_NOUN,
    &audit::NOUN,
    &change_logs::NOUN,
    &providers::NOUN,
    &external_panels::NOUN,
    &external_orders::NOUN,
    &settings::NOUN,
    &menu::NOUN,
    &pages::NOUN,
    &notifications::NOUN,
    &views::NOUN,
    &webhooks::NOUN,
    &jobs::NOUN,
    &dictionaries::NOUN,
    &runs::NOUN,
    &auth::NOUN,
    &profile::NOUN,
];

/// Commands without a noun.
pub(crate) const OWN: &[&Own] = &[
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
    /// The panel to talk to, by its address [env: PANELCTL_SERVER]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// A file with a token, readable only by you [env: PANELCTL_TOKEN holds a token]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// How data is written [default: table] [env: PANELCTL_OUTPUT]
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

/// Why a command line is refused before anything is done.
pub(crate) enum Refused {
    /// Help, versions, and what clap prints best.
    ByClap(clap::Error),
    /// In this program's own words, and as an object where JSON is asked for.
    Here(Failure),
}

/// The command line, read and checked as a whole: no value in it is empty, and nothing was sent yet.
pub(crate) fn parsed() -> Result<(ArgMatches, Globals), Refused> {
    let mut command = command();
    let matches = match command.try_get_matches_from_mut(std::env::args_os()) {
        Err(help) if !help.use_stderr() => return Err(Refused::ByClap(help)),
        matches => matches,
    };
    blank::environment().map_err(Refused::Here)?;
    let matches = matches.map_err(|error| match blank::of_clap(&error) {
        Some(failure) => Refused::Here(failure),
        None if wants_json(std::env::args()) => Refused::Here(error.into()),
        None => Refused::ByClap(error),
    })?;
    let globals = blank::check(&command, &matches).and_then(|()| globals(&matches));
    globals.map(|globals| (matches, globals)).map_err(Refused::Here)
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
    use super::*;

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
            assert!(parsed.is_ok(), "{line}\n{}", parsed.unwrap_err());
        }
        lines.len() + command.get_subcommands().map(check).sum::<usize>()
    }

    #[test]
    fn every_example_is_a_command_line() {
        command().debug_assert();
        assert!(check(&command()) > 50);
    }
}
