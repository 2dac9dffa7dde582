//! The types with which a resource, such as orders, declares its commands.

pub(crate) mod archive_command;
pub(crate) mod bulk;
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
pub(crate) mod request_command;
pub(crate) mod resolve_names;
pub(crate) mod shell;
pub(crate) mod text;
pub(crate) mod times;

use std::future::Future;
use std::pin::Pin;

use clap::{ArgMatches, Command};
use panel_contract::endpoint::Op;

use crate::command::bulk::BulkCommand;
use crate::command::edit::EditCommand;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::RequestCommand;
use crate::ctx::Ctx;
use crate::failure::CommandResult;

/// A group of commands, such as `orders`.
pub(crate) struct CommandGroup {
    /// The name on the command line: the plural of the API, such as `orders`.
    pub(crate) name: &'static str,
    pub(crate) alias: Option<&'static str>,
    pub(crate) about: &'static str,
    /// The commands, the most used first.
    pub(crate) commands: &'static [CommandSpec],
}

/// The declaration of one command.
pub(crate) enum CommandSpec {
    /// Prints the rows of a list.
    List(&'static ListCommand),
    /// Exports a list as the server's CSV.
    Export(&'static ListCommand),
    /// Prints records by id.
    Get(&'static GetCommand),
    /// Changes one record or many.
    Bulk(&'static BulkCommand),
    /// Sends one request.
    Request(&'static RequestCommand),
    /// Reads a record, changes some fields, and writes the whole record.
    Edit(&'static EditCommand),
    Custom(&'static CustomCommand),
    /// A subcommand with its own commands, such as `users documents`.
    Nested(&'static CommandGroup),
}

/// The function that runs a [`CustomCommand`].
pub(crate) type RunFunction =
    for<'c> fn(&'c Ctx, &'c ArgMatches) -> Pin<Box<dyn Future<Output = CommandResult> + Send + 'c>>;

/// A command with its own implementation.
pub(crate) struct CustomCommand {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) examples: Examples,
    /// The endpoints that the command calls.
    pub(crate) operations: &'static [Op],
    pub(crate) args: fn(Command) -> Command,
    pub(crate) run: RunFunction,
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

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
        let Some((name, matches)) = matches.subcommand() else {
            return Err(crate::failure::Failure::usage(format!("Specify a command of {}.", self.name)));
        };
        match self.commands.iter().find(|subcommand| subcommand.name() == name) {
            Some(subcommand) => subcommand.run(ctx, matches).await,
            None => Err(crate::failure::Failure::usage(format!("Unknown command: {} {name}.", self.name))),
        }
    }
}

impl CommandSpec {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "list",
            Self::Export(_) => "export",
            Self::Get(_) => "get",
            Self::Bulk(bulk) => bulk.name,
            Self::Request(request) => request.name,
            Self::Edit(edit) => edit.request_command.name,
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
            Self::Request(request) => vec![request.op],
            Self::Edit(edit) => vec![edit.read_op, edit.request_command.op],
            Self::Custom(custom) => custom.operations.to_vec(),
            Self::Nested(group) => group.commands.iter().flat_map(CommandSpec::operations).collect(),
        }
    }

    pub(crate) fn command(&self) -> Command {
        match self {
            Self::List(list) => list.command(),
            Self::Export(list) => list.export_command(),
            Self::Get(get) => get.command(),
            Self::Bulk(bulk) => bulk.command(),
            Self::Request(request) => request.command(),
            Self::Edit(edit) => edit.command(),
            Self::Custom(custom) => custom.command(),
            Self::Nested(group) => group.command(),
        }
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
        match self {
            Self::List(list) => list.run(ctx, matches).await,
            Self::Export(list) => list.export(ctx, matches).await,
            Self::Get(get) => get.run(ctx, matches).await,
            Self::Bulk(bulk) => bulk.run(ctx, matches).await,
            Self::Request(request) => request.run(ctx, matches).await,
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
    let example_lines = examples
        .iter()
        .flat_map(|(line, explanation)| [format!("  # {explanation}"), format!("  panelctl {line}")]);
    let examples_text = example_lines.collect::<Vec<_>>().join("\n");
    let command = Command::new(name).about(about);
    if examples_text.is_empty() {
        command
    } else {
        command.before_help(format!("Examples:\n{examples_text}"))
    }
}
