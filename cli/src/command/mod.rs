//! The kinds of command there are. A resource declares its commands with these; none is written twice.

pub(crate) mod act;
pub(crate) mod archiving;
pub(crate) mod blank;
pub(crate) mod call;
pub(crate) mod confirm;
pub(crate) mod edit;
pub(crate) mod filter;
pub(crate) mod get;
pub(crate) mod ids;
pub(crate) mod list;
pub(crate) mod named;
pub(crate) mod outcome;
pub(crate) mod picture;
pub(crate) mod progress;
pub(crate) mod shell;
pub(crate) mod text;
pub(crate) mod when;

use std::future::Future;
use std::pin::Pin;

use clap::{ArgMatches, Command};
use panel_contract::endpoint::Op;

use crate::command::act::Verb;
use crate::command::call::Call;
use crate::command::edit::Edit;
use crate::command::get::Get;
use crate::command::list::List;
use crate::ctx::Ctx;
use crate::failure::Done;

/// A noun with its verbs, such as `orders`.
pub(crate) struct Noun {
    /// Plural, as in the API.
    pub(crate) name: &'static str,
    /// The singular works as well.
    pub(crate) alias: Option<&'static str>,
    /// One line.
    pub(crate) about: &'static str,
    /// Its verbs, the common ones first.
    pub(crate) verbs: &'static [Cmd],
}

/// A command.
pub(crate) enum Cmd {
    /// Rows of a list.
    List(&'static List),
    /// The panel's own CSV of a list.
    Export(&'static List),
    /// Records by id.
    Get(&'static Get),
    /// An action on many records.
    Act(&'static Verb),
    /// One request.
    Call(&'static Call),
    /// A part of a record that is written as a whole.
    Edit(&'static Edit),
    /// Anything else.
    Own(&'static Own),
    /// Verbs below a verb.
    Nested(&'static Noun),
}

/// What a command of its own kind does.
pub(crate) type Run = for<'c> fn(&'c Ctx, &'c ArgMatches) -> Pin<Box<dyn Future<Output = Done> + Send + 'c>>;

/// A command that is like no other.
pub(crate) struct Own {
    /// Its name.
    pub(crate) name: &'static str,
    /// One line.
    pub(crate) about: &'static str,
    /// Command lines, with what they do.
    pub(crate) examples: Examples,
    /// The endpoints that it calls.
    pub(crate) reaches: &'static [Op],
    /// Adds its arguments.
    pub(crate) args: fn(Command) -> Command,
    /// Does it.
    pub(crate) run: Run,
}

/// Command lines without the program's name, each with what it does.
pub(crate) type Examples = &'static [(&'static str, &'static str)];

impl Noun {
    /// For the command line.
    pub(crate) fn command(&self) -> Command {
        let command = Command::new(self.name)
            .about(self.about)
            .subcommand_required(true)
            .arg_required_else_help(true)
            .aliases(self.alias)
            .disable_help_subcommand(true);
        self.verbs.iter().fold(command, |command, verb| command.subcommand(verb.command()))
    }

    /// Runs one of its verbs.
    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> Done {
        let Some((name, matches)) = matches.subcommand() else {
            return Err(crate::failure::Failure::usage(format!("Say what to do with {}.", self.name)));
        };
        match self.verbs.iter().find(|verb| verb.name() == name) {
            Some(verb) => verb.run(ctx, matches).await,
            None => Err(crate::failure::Failure::usage(format!("{} cannot {name}.", self.name))),
        }
    }
}

impl Cmd {
    /// Its name on the command line.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "list",
            Self::Export(_) => "export",
            Self::Get(_) => "get",
            Self::Act(verb) => verb.name,
            Self::Call(call) => call.name,
            Self::Edit(edit) => edit.call.name,
            Self::Own(own) => own.name,
            Self::Nested(noun) => noun.name,
        }
    }

    /// The endpoints that it, or what is below it, calls.
    pub(crate) fn reaches(&self) -> Vec<Op> {
        match self {
            Self::List(list) | Self::Export(list) => vec![list.of.op],
            Self::Get(get) => vec![get.op],
            Self::Act(verb) => verb.reaches.to_vec(),
            Self::Call(call) => vec![call.op],
            Self::Edit(edit) => vec![edit.reads, edit.call.op],
            Self::Own(own) => own.reaches.to_vec(),
            Self::Nested(noun) => noun.verbs.iter().flat_map(Cmd::reaches).collect(),
        }
    }

    /// For the command line.
    pub(crate) fn command(&self) -> Command {
        match self {
            Self::List(list) => list.command(),
            Self::Export(list) => list.export_command(),
            Self::Get(get) => get.command(),
            Self::Act(verb) => verb.command(),
            Self::Call(call) => call.command(),
            Self::Edit(edit) => edit.command(),
            Self::Own(own) => own.command(),
            Self::Nested(noun) => noun.command(),
        }
    }

    /// Does it.
    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> Done {
        match self {
            Self::List(list) => list.run(ctx, matches).await,
            Self::Export(list) => list.export(ctx, matches).await,
            Self::Get(get) => get.run(ctx, matches).await,
            Self::Act(verb) => verb.run(ctx, matches).await,
            Self::Call(call) => call.run(ctx, matches).await,
            Self::Edit(edit) => edit.run(ctx, matches).await,
            Self::Own(own) => (own.run)(ctx, matches).await,
            Self::Nested(noun) => Box::pin(noun.run(ctx, matches)).await,
        }
    }
}

impl Own {
    /// For the command line.
    pub(crate) fn command(&self) -> Command {
        (self.args)(described(self.name, self.about, self.examples))
    }
}

/// A command with its examples, which every help shows before its options.
pub(crate) fn described(name: &'static str, about: &'static str, examples: Examples) -> Command {
    let lines =
        examples.iter().flat_map(|(line, words)| [format!("  # {words}"), format!("  panelctl {line}")]);
    let text = lines.collect::<Vec<_>>().join("\n");
    let command = Command::new(name).about(about);
    if text.is_empty() { command } else { command.before_help(format!("Examples:\n{text}")) }
}
