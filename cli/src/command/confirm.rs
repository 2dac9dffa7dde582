//! Before a write: say where it goes, and ask as the danger deserves. The default answer is no.

use std::io::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::common::DryRun;

use crate::command::shell;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::can_ask;

/// More records than this, and the count is typed instead of `y`.
const TYPED_ABOVE: usize = 100;

/// How bad a slip would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Danger {
    /// Another command takes it back: `panelctl orders activate`.
    Reversible(&'static str),
    /// Another command takes it back, but only until the panel goes on by itself, such as by sending the orders.
    ReversibleBriefly(&'static str),
    /// Nothing takes it back, or money moves.
    Final,
    /// The panel can undo so many records of those that would change, as trying it said; the others are final.
    Partly {
        /// How many can be restored.
        restored: i64,
        /// How many would change.
        of: i64,
    },
}

impl Danger {
    /// Whether the command tries the write first and has the count of many records typed.
    pub(crate) fn needs_care(self) -> bool {
        !matches!(self, Self::Reversible(_))
    }
}

/// What is asked.
pub(crate) struct Question {
    /// Such as `Cancel 412 orders?`.
    pub(crate) text: String,
    /// How many records.
    pub(crate) count: usize,
    /// How bad a slip would be.
    pub(crate) danger: Danger,
    /// What the records are called, such as `orders`, where no filter chose them: all that there are.
    pub(crate) unfiltered: Option<&'static str>,
}

/// The flags of every write.
pub(crate) fn args(command: Command) -> Command {
    let heading = "Safety";
    command.args([
        Arg::new("yes")
            .long("yes")
            .short('y')
            .action(ArgAction::SetTrue)
            .help_heading(heading)
            .help("Answers every question with yes"),
        Arg::new("dry-run")
            .long("dry-run")
            .action(ArgAction::SetTrue)
            .help_heading(heading)
            .help("Asks the panel what would happen; nothing is written"),
    ])
}

/// The flag of writes to many records.
pub(crate) fn count_arg() -> Arg {
    Arg::new("confirm")
        .long("confirm")
        .value_name("COUNT")
        .value_parser(clap::value_parser!(usize))
        .conflicts_with("yes")
        .help_heading("Safety")
        .help("Yes, if it is exactly so many records; else nothing is done")
}

/// The flag of writes that set a price or a cost.
pub(crate) fn below_margin_arg() -> Arg {
    Arg::new("confirm-below-margin")
        .long("confirm-below-margin")
        .action(ArgAction::SetTrue)
        .help("Sets a price below the least margin all the same, where min_margin_action is warn")
}

/// Whether `--confirm-below-margin` is set.
pub(crate) fn confirms_below_margin(matches: &ArgMatches) -> bool {
    matches.get_flag("confirm-below-margin")
}

/// Whether `--dry-run` is set.
pub(crate) fn is_dry(matches: &ArgMatches) -> bool {
    matches.get_flag("dry-run")
}

/// The query of an endpoint that can try, by `--dry-run`.
pub(crate) fn dry_run(matches: &ArgMatches) -> DryRun {
    DryRun { dry_run: is_dry(matches) }
}

/// Whether somebody will have to be asked.
pub(crate) fn will_ask(matches: &ArgMatches) -> bool {
    !matches.get_flag("yes") && counted(matches).is_none()
}

fn counted(matches: &ArgMatches) -> Option<usize> {
    matches.try_get_one::<usize>("confirm").ok().flatten().copied()
}

/// Says where a write goes: profile, address, person. Refuses where the profile forbids writes.
pub(crate) fn announce(ctx: &Ctx) -> Done<()> {
    let (name, profile) = ctx.profile()?;
    let client = ctx.client()?;
    if profile.as_ref().is_some_and(|profile| profile.read_only) {
        let failure = Failure::failed(format!("The profile {name} is read-only; nothing was sent."));
        return Err(Failure { exit: Exit::NotAllowed, ..failure }.hint("panelctl profile use OTHER"));
    }
    let given = ctx.given_token()?.is_some();
    let user = if given { None } else { profile.and_then(|profile| profile.user) };
    let user = user.unwrap_or_else(|| if given { "a given token" } else { "unknown" }.to_owned());
    ctx.out.say(&format!("{name} · {} · {user}", client.base().as_str().trim_end_matches('/')));
    Ok(())
}

/// Asks; an error when the answer is no, or where no person can be asked. One rule for `--yes`, `--confirm` and the
/// prompt: everything that there is is agreed to by its count alone, and a protected profile by its name as well.
pub(crate) async fn ask(ctx: &Ctx, matches: &ArgMatches, question: &Question) -> Done<()> {
    check_count(ctx, matches, question)?;
    let (name, profile) = ctx.profile()?;
    let protected = profile.is_some_and(|profile| profile.protected);
    let agreed = !will_ask(matches);
    let mut words = Vec::new();
    if protected && !(agreed && ctx.globals.names_profile) {
        words.push(name.clone());
    }
    let large = question.danger.needs_care() && question.count > TYPED_ABOVE && !protected;
    if !agreed && (large || question.unfiltered.is_some()) {
        words.push(question.count.to_string());
    }
    if agreed && words.is_empty() {
        return Ok(());
    }
    if !can_ask() {
        return Err(match agreed {
            true => {
                let flag = if matches.get_flag("yes") { "--yes" } else { "--confirm" };
                let name = shell::quoted(&name);
                Failure::usage(format!("The profile {name} is protected: {flag} needs --profile {name}."))
            }
            false => {
                let profile = shell::quoted(&name);
                let agree = if protected { format!("--yes --profile {profile}") } else { "--yes".to_owned() };
                Failure::usage(format!("{} There is no terminal to ask in; nothing was done.", question.text))
                    .hint(format!(
                        "the same command with {agree}, or with --dry-run to see what would happen"
                    ))
            }
        });
    }
    match question.danger {
        Danger::Reversible(how) | Danger::ReversibleBriefly(how) => {
            ctx.out.say(&format!("{how} takes it back."));
        }
        Danger::Final => ctx.out.say("This cannot be taken back."),
        Danger::Partly { restored, of } if restored >= of => ctx.out.say("panelctl undo takes it back."),
        Danger::Partly { restored, of } => {
            ctx.out.say(&format!(
                "panelctl undo takes {restored} of {of} back; the others cannot be taken back."
            ));
        }
    }
    if agrees(question, &words).await? { Ok(()) } else { Err(Failure::failed("Nothing was done.")) }
}

/// Refuses another count than that of `--confirm`, and everything that there is without one.
fn check_count(ctx: &Ctx, matches: &ArgMatches, question: &Question) -> Done<()> {
    let count = question.count;
    match (counted(matches), question.unfiltered) {
        (Some(said), _) if said != count => {
            Err(Failure::usage(format!("--confirm says {said}, and there are {count}; nothing was done.")))
        }
        (Some(_), _) | (None, None) => Ok(()),
        (None, Some(noun)) => {
            let everything = format!("There is no filter: all {count} {noun} are selected");
            if !matches.get_flag("yes") && can_ask() {
                ctx.out.say(&format!("{everything}."));
                return Ok(());
            }
            Err(Failure::usage(format!("{everything}; nothing was done."))
                .hint(format!("a filter, or --confirm {count} if all of them are meant")))
        }
    }
}

/// Asks for each of the words, or for a yes where none needs to be typed.
async fn agrees(question: &Question, words: &[String]) -> Done<bool> {
    for word in words {
        if prompt(&format!("{} Type {word} to go on: ", question.text)).await? != *word {
            return Ok(false);
        }
    }
    if !words.is_empty() {
        return Ok(true);
    }
    let answer = prompt(&format!("{} [y/N] ", question.text)).await?;
    Ok(matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Asks for one line.
pub(crate) async fn prompt(text: &str) -> Done<String> {
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
