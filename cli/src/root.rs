//! The command line: nouns and their verbs, flags that every command takes, and the way to the command meant.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches as _};

use crate::api;
use crate::catalogue::services;
use crate::command::{Cmd, Noun, Own};
use crate::configuration::views;
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::manual;
use crate::operations::{orders, payments, users};
use crate::output::paint::{ColorChoice, Paint};
use crate::output::{Format, Out, terminal_width};
use crate::session::{auth, counters, dictionaries, doctor, open, profile};
use crate::supply::providers;
use crate::tools::runs;

/// Nouns, the daily ones first.
pub(crate) const NOUNS: &[&Noun] = &[
    &orders::NOUN,
    &orders::CHILD_PANEL_NOUN,
    &users::NOUN,
    &payments::NOUN,
    &payments::TRANSACTIONS_NOUN,
    &services::NOUN,
    &providers::NOUN,
    &views::NOUN,
    &dictionaries::NOUN,
    &runs::NOUN,
    &auth::NOUN,
    &profile::NOUN,
];

/// Commands without a noun.
pub(crate) const OWN: &[&Own] = &[
    &counters::COUNTERS,
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
    /// The panel to talk to, by the name of its profile
    #[arg(long, global = true, value_name = "NAME", env = "PANELCTL_PROFILE", hide_env_values = true)]
    pub(crate) profile: Option<String>,
    /// The panel to talk to, by its address
    #[arg(long, global = true, value_name = "URL", env = "PANELCTL_SERVER", hide_env_values = true)]
    pub(crate) server: Option<String>,
    /// A file with a token, readable only by you; also PANELCTL_TOKEN
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
    /// Tells of requests and resolved filters
    #[arg(long, short = 'v', global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// How every help is laid out: examples come before options.
const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";
const AFTER: &str =
    "Exit codes: 0 ok, 1 failed, 2 usage, 3 partial, 4 not signed in, 5 not allowed, 130 interrupted.
Topics: panelctl help exit-codes, formatting, filters, environment, bulk";

/// The whole command line.
pub(crate) fn command() -> Command {
    let root = Command::new("panelctl")
        .about("The panel from scripts and terminals")
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
    let root = Globals::augment_args(root);
    let root = NOUNS.iter().fold(root, |root, noun| root.subcommand(noun.command()));
    let root = OWN.iter().fold(root, |root, own| root.subcommand(own.command()));
    dressed(root)
}

fn dressed(command: Command) -> Command {
    command.help_template(TEMPLATE).mut_subcommands(dressed)
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

/// The wishes that every command line may carry. Flags of a subcommand reach up here.
pub(crate) fn globals(matches: &ArgMatches) -> Done<Globals> {
    Ok(Globals::from_arg_matches(matches)?)
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
