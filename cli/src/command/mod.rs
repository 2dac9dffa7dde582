//! The types with which a resource, such as orders, declares its commands.

pub(crate) mod archive_command;
pub(crate) mod bulk;
pub(crate) mod call;
pub(crate) mod confirm;
pub(crate) mod edit;
pub(crate) mod empty_values;
pub(crate) mod filter;
pub(crate) mod get;
pub(crate) mod ids;
pub(crate) mod image_args;
pub(crate) mod list;
pub(crate) mod outcome;
pub(crate) mod progress;
pub(crate) mod resolve_names;
pub(crate) mod shell;
pub(crate) mod text;
pub(crate) mod times;

use std::future::Future;
use std::pin::Pin;

use clap::{ArgMatches, Command};
use panel_contract::endpoint::Op;

use crate::command::bulk::BulkCommand;
use crate::command::call::Call;
use crate::command::edit::Edit;
use crate::command::get::Get;
use crate::command::list::List;
use crate::ctx::Ctx;
use crate::failure::CmdResult;

/// A group of commands, such as `orders`.
pub(crate) struct CommandGroup {
    /// The name on the command line: the plural of the API, such as `orders`.
    pub(crate) name: &'static str,
    pub(crate) alias: Option<&'static str>,
    pub(crate) about: &'static str,
    /// The commands, the most used first.
    pub(crate) commands: &'static [Cmd],
}

pub(crate) enum Cmd {
    /// Prints the rows of a list.
    List(&'static List),
    /// Exports a list as the panel's CSV.
    Export(&'static List),
    /// Prints records by id.
    Get(&'static Get),
    /// Changes one record or many.
    Bulk(&'static BulkCommand),
    /// Sends one request.
    Call(&'static Call),
    /// Reads a record, changes some fields, and writes the whole record.
    Edit(&'static Edit),
    Custom(&'static CustomCommand),
    /// A subcommand with its own commands, such as `users documents`.
    Nested(&'static CommandGroup),
}

/// The function of a [`CustomCommand`] command.
pub(crate) type Run =
    for<'c> fn(&'c Ctx, &'c ArgMatches) -> Pin<Box<dyn Future<Output = CmdResult> + Send + 'c>>;

/// A command with its own implementation.
pub(crate) struct CustomCommand {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) examples: Examples,
    /// The endpoints that it calls.
    pub(crate) operations: &'static [Op],
    pub(crate) args: fn(Command) -> Command,
    pub(crate) run: Run,
}

/// Command lines without the program's name, each with its explanation.
pub(crate) type Examples = &'static [(&'static str, &'static str)];

impl CommandGroup {
    pub(crate) fn command(&self) -> Command {
        let command = Command::new(self.name)
            .about(self.about)
            .subcommand_required(true)
            .arg_required_else_help(true)
            .aliases(self.alias)
            .disable_help_subcommand(true);
        self.commands.iter().fold(command, |command, subcommand| command.subcommand(subcommand.command()))
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        let Some((name, matches)) = matches.subcommand() else {
            return Err(crate::failure::Failure::usage(format!("Specify a command of {}.", self.name)));
        };
        match self.commands.iter().find(|subcommand| subcommand.name() == name) {
            Some(subcommand) => subcommand.run(ctx, matches).await,
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
            Self::Bulk(bulk) => bulk.name,
            Self::Call(call) => call.name,
            Self::Edit(edit) => edit.call.name,
            Self::Custom(custom) => custom.name,
            Self::Nested(group) => group.name,
        }
    }

    /// The endpoints that the command or its subcommands call.
    pub(crate) fn operations(&self) -> Vec<Op> {
        match self {
            Self::List(list) | Self::Export(list) => vec![list.declaration.op],
            Self::Get(get) => vec![get.op],
            Self::Bulk(bulk) => bulk.operations.to_vec(),
            Self::Call(call) => vec![call.op],
            Self::Edit(edit) => vec![edit.read_op, edit.call.op],
            Self::Custom(custom) => custom.operations.to_vec(),
            Self::Nested(group) => group.commands.iter().flat_map(Cmd::operations).collect(),
        }
    }

    pub(crate) fn command(&self) -> Command {
        match self {
            Self::List(list) => list.command(),
            Self::Export(list) => list.export_command(),
            Self::Get(get) => get.command(),
            Self::Bulk(bulk) => bulk.command(),
            Self::Call(call) => call.command(),
            Self::Edit(edit) => edit.command(),
            Self::Custom(custom) => custom.command(),
            Self::Nested(group) => group.command(),
        }
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        match self {
            Self::List(list) => list.run(ctx, matches).await,
            Self::Export(list) => list.export(ctx, matches).await,
            Self::Get(get) => get.run(ctx, matches).await,
            Self::Bulk(bulk) => bulk.run(ctx, matches).await,
            Self::Call(call) => call.run(ctx, matches).await,
            Self::Edit(edit) => edit.run(ctx, matches).await,
            Self::Custom(custom) => (custom.run)(ctx, matches).await,
            Self::Nested(group) => Box::pin(group.run(ctx, matches)).await,
        }
    }
}

impl CustomCommand {
    pub(crate) fn command(&self) -> Command {
        (self.args)(command_with_examples(self.name, self.about, self.examples))
    }
}

/// Creates a command whose help shows the examples before the options.
pub(crate) fn command_with_examples(name: &'static str, about: &'static str, examples: Examples) -> Command {
    let lines = examples
        .iter()
        .flat_map(|(line, explanation)| [format!("  # {explanation}"), format!("  panelctl {line}")]);
    let text = lines.collect::<Vec<_>>().join("\n");
    let command = Command::new(name).about(about);
    if text.is_empty() { command } else { command.before_help(format!("Examples:\n{text}")) }
}
