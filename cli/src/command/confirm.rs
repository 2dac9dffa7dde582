//! The confirmation of a write: shows the server that receives the write, and asks the user. The default answer is no.

use std::io::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::common::DryRun;

use crate::command::shell;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::can_prompt;

/// For more records than this the user must type the number of records instead of `y`.
const MAX_COUNT_CONFIRMED_BY_YES: usize = 100;

/// Whether the user can undo a write. It determines how panelctl asks for confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reversibility {
    /// Another command undoes the write; the text describes how, such as `panelctl orders activate`.
    Reversible(&'static str),
    /// Like `Reversible`, but only for a short time, for example until the server sends the orders to providers.
    ReversibleBriefly(&'static str),
    /// No command undoes the write, or the write moves money.
    Irreversible,
    /// A dry run showed that the server can undo the write for `undoable_count` of `total_count` records.
    PartlyReversible { undoable_count: i64, total_count: i64 },
}

impl Reversibility {
    /// Whether panelctl previews the write, and requires a typed count for many records.
    pub(crate) fn requires_preview(self) -> bool {
        !matches!(self, Self::Reversible(_))
    }
}

pub(crate) struct Question {
    /// Such as `Cancel 412 orders?`.
    pub(crate) text: String,
    pub(crate) count: usize,
    pub(crate) reversibility: Reversibility,
    /// The plural noun of the records, such as `orders`, if the write affects all records because no filter is set.
    pub(crate) unfiltered_noun: Option<&'static str>,
}

/// Adds the safety flags of every write.
pub(crate) fn safety_args(command: Command) -> Command {
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

/// The flag `--confirm` of writes to many records.
pub(crate) fn confirm_count_arg() -> Arg {
    Arg::new("confirm")
        .long("confirm")
        .value_name("COUNT")
        .value_parser(clap::value_parser!(usize))
        .conflicts_with("yes")
        .help_heading("Safety")
        .help("Confirm if exactly COUNT records are selected; otherwise do nothing")
}

/// The flag `--confirm-below-margin` of writes that set a price or a cost.
pub(crate) fn confirm_below_margin_arg() -> Arg {
    Arg::new("confirm-below-margin")
        .long("confirm-below-margin")
        .action(ArgAction::SetTrue)
        .help("Accept a price that leaves less than the minimum margin; works only if the setting min_margin_action is warn")
}

pub(crate) fn confirms_below_margin(matches: &ArgMatches) -> bool {
    matches.get_flag("confirm-below-margin")
}

pub(crate) fn is_dry_run(matches: &ArgMatches) -> bool {
    matches.get_flag("dry-run")
}

/// The query `dry_run` of an endpoint, from the flag `--dry-run`.
pub(crate) fn dry_run_query(matches: &ArgMatches) -> DryRun {
    DryRun { dry_run: is_dry_run(matches) }
}

/// Whether neither `--yes` nor `--confirm` is set. If so, panelctl asks in the terminal.
pub(crate) fn asks_for_confirmation(matches: &ArgMatches) -> bool {
    !matches.get_flag("yes") && confirmed_count(matches).is_none()
}

fn confirmed_count(matches: &ArgMatches) -> Option<usize> {
    matches.try_get_one::<usize>("confirm").ok().flatten().copied()
}

/// Prints the profile, the server's address and the account of a write. Rejects a read-only profile.
pub(crate) fn announce_target(ctx: &Ctx) -> CommandResult<()> {
    let (name, profile) = ctx.profile()?;
    let client = ctx.client()?;
    if profile.as_ref().is_some_and(|profile| profile.read_only) {
        let failure = Failure::failed(format!("Profile {name} is read-only; nothing was sent."));
        return Err(Failure { exit: Exit::NotAllowed, ..failure }.hint("panelctl profile use OTHER"));
    }
    let has_explicit_token = ctx.explicit_token()?.is_some();
    let user = if has_explicit_token { None } else { profile.and_then(|profile| profile.user) };
    let user = user.unwrap_or_else(|| if has_explicit_token { "token" } else { "unknown user" }.to_owned());
    ctx.out.print_message(&format!("{name} · {} · {user}", client.base_url().as_str().trim_end_matches('/')));
    Ok(())
}

/// Asks for confirmation. Returns an error if the answer is no, or if there is no terminal. Even with `--yes` or `--confirm`, a write
/// without filters requires the number of records, and a write with a protected profile requires the name of the profile.
pub(crate) async fn ask_confirmation(
    ctx: &Ctx,
    matches: &ArgMatches,
    question: &Question,
) -> CommandResult<()> {
    check_count(ctx, matches, question)?;
    let (name, profile) = ctx.profile()?;
    let is_protected = profile.is_some_and(|profile| profile.protected);
    let is_confirmed_by_flag = !asks_for_confirmation(matches);
    let mut texts_to_type = Vec::new();
    if is_protected && !(is_confirmed_by_flag && ctx.globals.profile_is_set_by_flag) {
        texts_to_type.push(name.clone());
    }
    let requires_count = question.reversibility.requires_preview()
        && question.count > MAX_COUNT_CONFIRMED_BY_YES
        && !is_protected;
    if !is_confirmed_by_flag && (requires_count || question.unfiltered_noun.is_some()) {
        texts_to_type.push(question.count.to_string());
    }
    if is_confirmed_by_flag && texts_to_type.is_empty() {
        return Ok(());
    }
    if !can_prompt() {
        return Err(match is_confirmed_by_flag {
            true => {
                let flag = if matches.get_flag("yes") { "--yes" } else { "--confirm" };
                let name = shell::quote(&name);
                Failure::usage(format!("Profile {name} is protected: {flag} also requires --profile {name}."))
            }
            false => {
                let profile = shell::quote(&name);
                let flags =
                    if is_protected { format!("--yes --profile {profile}") } else { "--yes".to_owned() };
                Failure::usage(format!(
                    "{} There is no terminal to ask for confirmation; nothing changed.",
                    question.text
                ))
                .hint(format!("run the command with {flags}, or with --dry-run to see what would happen"))
            }
        });
    }
    match question.reversibility {
        Reversibility::Reversible(undo_hint) | Reversibility::ReversibleBriefly(undo_hint) => {
            ctx.out.print_message(&format!("To undo this: {undo_hint}"));
        }
        Reversibility::Irreversible => ctx.out.print_message("This cannot be undone."),
        Reversibility::PartlyReversible { undoable_count, total_count } if undoable_count >= total_count => {
            ctx.out.print_message("To undo this, run: panelctl undo")
        }
        Reversibility::PartlyReversible { undoable_count, total_count } => {
            ctx.out.print_message(&format!(
                "panelctl undo can undo {undoable_count} of {total_count}; the others cannot be undone."
            ));
        }
    }
    if prompt_for_confirmation(question, &texts_to_type).await? {
        Ok(())
    } else {
        Err(Failure::failed("Nothing changed."))
    }
}

/// Rejects a count that differs from `--confirm`, and an unfiltered write without `--confirm`.
fn check_count(ctx: &Ctx, matches: &ArgMatches, question: &Question) -> CommandResult<()> {
    let count = question.count;
    match (confirmed_count(matches), question.unfiltered_noun) {
        (Some(expected), _) if expected != count => Err(Failure::usage(format!(
            "--confirm is {expected}, but {count} records are selected; nothing changed."
        ))),
        (Some(_), _) | (None, None) => Ok(()),
        (None, Some(noun)) => {
            let selection = format!("No filter is set: all {count} {noun} are selected");
            if !matches.get_flag("yes") && can_prompt() {
                ctx.out.print_message(&format!("{selection}."));
                return Ok(());
            }
            Err(Failure::usage(format!("{selection}; nothing changed."))
                .hint(format!("add a filter, or --confirm {count} to select all of them")))
        }
    }
}

/// Asks the user to type each of the texts, or to answer yes if there are no texts. Returns whether the user confirmed.
async fn prompt_for_confirmation(question: &Question, texts_to_type: &[String]) -> CommandResult<bool> {
    for text in texts_to_type {
        if prompt(&format!("{} Type {text} to continue: ", question.text)).await? != *text {
            return Ok(false);
        }
    }
    if !texts_to_type.is_empty() {
        return Ok(true);
    }
    let answer = prompt(&format!("{} [y/N] ", question.text)).await?;
    Ok(matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Prints the question and reads one line from the terminal.
pub(crate) async fn prompt(question: &str) -> CommandResult<String> {
    let mut stderr = std::io::stderr();
    let text = crate::output::unsafe_characters::replace_unsafe(question).into_owned();
    stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush())?;
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    let line = line.await.map_err(|error| Failure::failed(error.to_string()))??;
    Ok(line.trim().to_owned())
}
