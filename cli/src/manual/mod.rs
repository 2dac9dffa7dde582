//! Help, topics, completion scripts, man pages and the version.

pub(crate) mod completion;
pub(crate) mod man;
mod topics;

use clap::{Arg, ArgMatches};

use crate::command::CustomCommand;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};

pub(crate) const HELP: CustomCommand = CustomCommand {
    name: "help",
    about: "Show help for a command or a topic: exit-codes, formatting, filters, environment, bulk",
    examples: &[("help orders cancel", "show help for a command"), ("help bulk", "show help for a topic")],
    operations: &[],
    args: |command| {
        command.arg(Arg::new("path").value_name("COMMAND|TOPIC").num_args(0..).help("Command or topic"))
    },
    run: |ctx, matches| Box::pin(async move { print_help(ctx, matches) }),
};

pub(crate) const VERSION: CustomCommand = CustomCommand {
    name: "version",
    about: "Print the version",
    examples: &[],
    operations: &[],
    args: |command| command,
    run: |ctx, _| {
        Box::pin(async move {
            ctx.out.print_line(concat!("panelctl ", env!("CARGO_PKG_VERSION")))?;
            Ok(Exit::Ok)
        })
    },
};

fn print_help(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let names: Vec<&String> = matches.get_many::<String>("path").into_iter().flatten().collect();
    if let [name] = names.as_slice()
        && let Some(text) = topics::find(name)
    {
        ctx.out.print_line(text.trim_end())?;
        return Ok(Exit::Ok);
    }
    let mut command = crate::root::command();
    command.build();
    for name in &names {
        command = command.find_subcommand(name.as_str()).cloned().ok_or_else(|| {
            let topics = topics::TOPIC_NAMES.join(", ");
            Failure::usage(format!("Unknown command or topic: {name}. The topics are: {topics}."))
                .hint("panelctl --help")
        })?;
    }
    ctx.out.print_line(command.render_help().to_string().trim_end())?;
    Ok(Exit::Ok)
}
