//! The kinds of commands. A resource declares its commands with these types.

pub(crate) mod act;
pub(crate) mod archiving;
pub(crate) mod call;
pub(crate) mod confirm;
pub(crate) mod edit;
pub(crate) mod empty_values;
pub(crate) mod filter;
pub(crate) mod get;
pub(crate) mod ids;
pub(crate) mod list;
pub(crate) mod outcome;
pub(crate) mod picture;
pub(crate) mod progress;
pub(crate) mod resolve_names;
pub(crate) mod shell;
pub(crate) mod text;
pub(crate) mod times;

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
use crate::failure::CmdResult;

/// A noun with its verbs, such as `orders`.
pub(crate) struct Noun {
    /// Plural, as in the API.
    pub(crate) name: &'static str,
    /// The singular form.
    pub(crate) alias: Option<&'static str>,
    pub(crate) about: &'static str,
    /// The common ones first.
    pub(crate) verbs: &'static [Cmd],
}

pub(crate) enum Cmd {
    /// Prints the rows of a list.
    List(&'static List),
    /// Exports a list as the panel's CSV.
    Export(&'static List),
    /// Gets records by id.
    Get(&'static Get),
    /// A bulk action.
    Act(&'static Verb),
    /// A single request.
    Call(&'static Call),
    /// Reads a record, changes a part and writes it as a whole.
    Edit(&'static Edit),
    /// Everything else.
    Custom(&'static Custom),
    /// A group of commands below a command.
    Nested(&'static Noun),
}

/// The function of a [`Custom`] command.
pub(crate) type Run =
    for<'c> fn(&'c Ctx, &'c ArgMatches) -> Pin<Box<dyn Future<Output = CmdResult> + Send + 'c>>;

/// A command with its own implementation.
pub(crate) struct Custom {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) examples: Examples,
    /// The endpoints that it calls.
    pub(crate) ops: &'static [Op],
    pub(crate) args: fn(Command) -> Command,
    pub(crate) run: Run,
}

/// Command lines without the program's name, each with its explanation.
pub(crate) type Examples = &'static [(&'static str, &'static str)];

impl Noun {
    pub(crate) fn command(&self) -> Command {
        let command = Command::new(self.name)
            .about(self.about)
            .subcommand_required(true)
            .arg_required_else_help(true)
            .aliases(self.alias)
            .disable_help_subcommand(true);
        self.verbs.iter().fold(command, |command, verb| command.subcommand(verb.command()))
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        let Some((name, matches)) = matches.subcommand() else {
            return Err(crate::failure::Failure::usage(format!("Name a command for {}.", self.name)));
        };
        match self.verbs.iter().find(|verb| verb.name() == name) {
            Some(verb) => verb.run(ctx, matches).await,
            None => Err(crate::failure::Failure::usage(format!("Unknown command: {} {name}.", self.name))),
        }
    }
}

impl Cmd {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "list",
            Self::Export(_) => "export",
            Self::Get(_) => "get",
            Self::Act(verb) => verb.name,
            Self::Call(call) => call.name,
            Self::Edit(edit) => edit.call.name,
            Self::Custom(custom) => custom.name,
            Self::Nested(noun) => noun.name,
        }
    }

    /// The endpoints that the command or its subcommands call.
    pub(crate) fn ops(&self) -> Vec<Op> {
        match self {
            Self::List(list) | Self::Export(list) => vec![list.declaration.op],
            Self::Get(get) => vec![get.op],
            Self::Act(verb) => verb.ops.to_vec(),
            Self::Call(call) => vec![call.op],
            Self::Edit(edit) => vec![edit.read_op, edit.call.op],
            Self::Custom(custom) => custom.ops.to_vec(),
            Self::Nested(noun) => noun.verbs.iter().flat_map(Cmd::ops).collect(),
        }
    }

    pub(crate) fn command(&self) -> Command {
        match self {
            Self::List(list) => list.command(),
            Self::Export(list) => list.export_command(),
            Self::Get(get) => get.command(),
            Self::Act(verb) => verb.command(),
            Self::Call(call) => call.command(),
            Self::Edit(edit) => edit.command(),
            Self::Custom(custom) => custom.command(),
            Self::Nested(noun) => noun.command(),
        }
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        match self {
            Self::List(list) => list.run(ctx, matches).await,
            Self::Export(list) => list.export(ctx, matches).await,
            Self::Get(get) => get.run(ctx, matches).await,
            Self::Act(verb) => verb.run(ctx, matches).await,
            Self::Call(call) => call.run(ctx, matches).await,
            Self::Edit(edit) => edit.run(ctx, matches).await,
            Self::Custom(custom) => (custom.run)(ctx, matches).await,
            Self::Nested(noun) => Box::pin(noun.run(ctx, matches)).await,
        }
    }
}

impl Custom {
    pub(crate) fn command(&self) -> Command {
        (self.args)(described(self.name, self.about, self.examples))
    }
}

/// A command whose help shows the examples before the options.
pub(crate) fn described(name: &'static str, about: &'static str, examples: Examples) -> Command {
    let lines = examples
        .iter()
        .flat_map(|(line, explanation)| [format!("  # {explanation}"), format!("  panelctl {line}")]);
    let text = lines.collect::<Vec<_>>().join("\n");
    let command = Command::new(name).about(about);
    if text.is_empty() { command } else { command.before_help(format!("Examples:\n{text}")) }
}
