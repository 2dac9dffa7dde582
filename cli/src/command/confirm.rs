//! The confirmation of a write: shows the target panel, and asks as the danger requires. The default answer is no.

use std::io::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::common::DryRun;

use crate::command::shell;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::can_ask;

/// Above this number of records the user types the count instead of `y`.
const TYPED_ABOVE: usize = 100;

/// How harmful a mistaken write would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Danger {
    /// Another command undoes it, such as `panelctl orders activate`.
    Reversible(&'static str),
    /// Another command undoes it, but only until the panel continues by itself, for example by sending the orders.
    ReversibleBriefly(&'static str),
    /// Nothing undoes it, or money moves.
    Final,
    /// The panel can undo some of the records, as a dry run showed; the others are final.
    Partly { restored: i64, of: i64 },
}

impl Danger {
    /// Whether to preview the write, and to require a typed count for many records.
    pub(crate) fn needs_care(self) -> bool {
        !matches!(self, Self::Reversible(_))
    }
}

pub(crate) struct Question {
    /// Such as `Cancel 412 orders?`.
    pub(crate) text: String,
    pub(crate) count: usize,
    pub(crate) danger: Danger,
    /// The noun of the records, such as `orders`, if no filter selected them and the write affects all of them.
    pub(crate) unfiltered: Option<&'static str>,
}

/// The safety flags of every write.
pub(crate) fn args(command: Command) -> Command {
    let heading = "Safety";
    command.args([
        Arg::new("yes")
            .long("yes")
            .short('y')
            .action(ArgAction::SetTrue)
            .help_heading(heading)
            .help("Confirm every question without asking"),
        Arg::new("dry-run")
            .long("dry-run")
            .action(ArgAction::SetTrue)
            .help_heading(heading)
            .help("Show what would happen, without changing anything"),
    ])
}

/// The safety flag of writes to many records.
pub(crate) fn count_arg() -> Arg {
    Arg::new("confirm")
        .long("confirm")
        .value_name("COUNT")
        .value_parser(clap::value_parser!(usize))
        .conflicts_with("yes")
        .help_heading("Safety")
        .help("Confirm if exactly COUNT records are selected; otherwise do nothing")
}

/// The flag of writes that set a price or a cost.
pub(crate) fn below_margin_arg() -> Arg {
    Arg::new("confirm-below-margin")
        .long("confirm-below-margin")
        .action(ArgAction::SetTrue)
        .help("Set a price below the minimum margin if min_margin_action is warn")
}

pub(crate) fn confirms_below_margin(matches: &ArgMatches) -> bool {
    matches.get_flag("confirm-below-margin")
}

pub(crate) fn is_dry(matches: &ArgMatches) -> bool {
    matches.get_flag("dry-run")
}

/// The query of an endpoint that supports a dry run.
pub(crate) fn dry_run(matches: &ArgMatches) -> DryRun {
    DryRun { dry_run: is_dry(matches) }
}

/// Whether the user will be asked.
pub(crate) fn will_ask(matches: &ArgMatches) -> bool {
    !matches.get_flag("yes") && confirmed_count(matches).is_none()
}

fn confirmed_count(matches: &ArgMatches) -> Option<usize> {
    matches.try_get_one::<usize>("confirm").ok().flatten().copied()
}

/// Prints where a write goes: profile, address, account. Refuses a read-only profile.
pub(crate) fn announce(ctx: &Ctx) -> CmdResult<()> {
    let (name, profile) = ctx.profile()?;
    let client = ctx.client()?;
    if profile.as_ref().is_some_and(|profile| profile.read_only) {
        let failure = Failure::failed(format!("Profile {name} is read-only; nothing was sent."));
        return Err(Failure { exit: Exit::NotAllowed, ..failure }.hint("panelctl profile use OTHER"));
    }
    let has_explicit_token = ctx.explicit_token()?.is_some();
    let user = if has_explicit_token { None } else { profile.and_then(|profile| profile.user) };
    let user = user.unwrap_or_else(|| if has_explicit_token { "token" } else { "unknown user" }.to_owned());
    ctx.out.print_message(&format!("{name} · {} · {user}", client.base().as_str().trim_end_matches('/')));
    Ok(())
}

/// Asks for confirmation; an error if the answer is no or there is no terminal. One rule holds for `--yes`, `--confirm` and
/// the prompt: an unfiltered write is confirmed only by its count, and a protected profile also by its name.
pub(crate) async fn ask(ctx: &Ctx, matches: &ArgMatches, question: &Question) -> CmdResult<()> {
    check_count(ctx, matches, question)?;
    let (name, profile) = ctx.profile()?;
    let protected = profile.is_some_and(|profile| profile.protected);
    let confirmed = !will_ask(matches);
    let mut words = Vec::new();
    if protected && !(confirmed && ctx.globals.names_profile) {
        words.push(name.clone());
    }
    let large = question.danger.needs_care() && question.count > TYPED_ABOVE && !protected;
    if !confirmed && (large || question.unfiltered.is_some()) {
        words.push(question.count.to_string());
    }
    if confirmed && words.is_empty() {
        return Ok(());
    }
    if !can_ask() {
        return Err(match confirmed {
            true => {
                let flag = if matches.get_flag("yes") { "--yes" } else { "--confirm" };
                let name = shell::quoted(&name);
                Failure::usage(format!("Profile {name} is protected: {flag} also requires --profile {name}."))
            }
            false => {
                let profile = shell::quoted(&name);
                let flags = if protected { format!("--yes --profile {profile}") } else { "--yes".to_owned() };
                Failure::usage(format!("{} No terminal to confirm in; nothing changed.", question.text))
                    .hint(format!("run the command with {flags}, or with --dry-run to see what would happen"))
            }
        });
    }
    match question.danger {
        Danger::Reversible(how) | Danger::ReversibleBriefly(how) => {
            ctx.out.print_message(&format!("To undo this: {how}"));
        }
        Danger::Final => ctx.out.print_message("This cannot be undone."),
        Danger::Partly { restored, of } if restored >= of => {
            ctx.out.print_message("To undo this, run: panelctl undo")
        }
        Danger::Partly { restored, of } => {
            ctx.out.print_message(&format!(
                "panelctl undo can undo {restored} of {of}; the others cannot be undone."
            ));
        }
    }
    if is_confirmed(question, &words).await? { Ok(()) } else { Err(Failure::failed("Nothing changed.")) }
}

/// Refuses a count that differs from `--confirm`, and an unfiltered write without `--confirm`.
fn check_count(ctx: &Ctx, matches: &ArgMatches, question: &Question) -> CmdResult<()> {
    let count = question.count;
    match (confirmed_count(matches), question.unfiltered) {
        (Some(expected), _) if expected != count => Err(Failure::usage(format!(
            "--confirm is {expected}, but {count} records are selected; nothing changed."
        ))),
        (Some(_), _) | (None, None) => Ok(()),
        (None, Some(noun)) => {
            let everything = format!("No filter is set: all {count} {noun} are selected");
            if !matches.get_flag("yes") && can_ask() {
                ctx.out.print_message(&format!("{everything}."));
                return Ok(());
            }
            Err(Failure::usage(format!("{everything}; nothing changed."))
                .hint(format!("add a filter, or --confirm {count} to select all of them")))
        }
    }
}

/// Asks the user to type each of the words, or to answer yes if there are none.
async fn is_confirmed(question: &Question, words: &[String]) -> CmdResult<bool> {
    for word in words {
        if prompt(&format!("{} Type {word} to continue: ", question.text)).await? != *word {
            return Ok(false);
        }
    }
    if !words.is_empty() {
        return Ok(true);
    }
    let answer = prompt(&format!("{} [y/N] ", question.text)).await?;
    Ok(matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Reads one line from the terminal.
pub(crate) async fn prompt(text: &str) -> CmdResult<String> {
    let mut words = std::io::stderr();
    let text = crate::output::clean::clean(text).into_owned();
    words.write_all(text.as_bytes()).and_then(|()| words.flush())?;
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    let line = line.await.map_err(|error| Failure::failed(error.to_string()))??;
    Ok(line.trim().to_owned())
}
