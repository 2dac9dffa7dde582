//! Help, topics, completion scripts, man pages and the version.

pub(crate) mod completion;
pub(crate) mod man;
mod topics;

use clap::{Arg, ArgMatches};

use crate::command::Custom;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};

pub(crate) const HELP: Custom = Custom {
    name: "help",
    about: "Show help for a command or a topic: exit-codes, formatting, filters, environment, bulk",
    examples: &[("help orders cancel", "show help for a command"), ("help bulk", "show help for a topic")],
    ops: &[],
    args: |command| {
        command.arg(Arg::new("words").value_name("COMMAND|TOPIC").num_args(0..).help("Command or topic"))
    },
    run: |ctx, matches| Box::pin(async move { help(ctx, matches) }),
};

pub(crate) const VERSION: Custom = Custom {
    name: "version",
    about: "Print the version",
    examples: &[],
    ops: &[],
    args: |command| command,
    run: |ctx, _| {
        Box::pin(async move {
            ctx.out.line(concat!("panelctl ", env!("CARGO_PKG_VERSION")))?;
            Ok(Exit::Ok)
        })
    },
};

fn help(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let words: Vec<&String> = matches.get_many::<String>("words").into_iter().flatten().collect();
    if let [word] = words.as_slice()
        && let Some(text) = topics::find(word)
    {
        ctx.out.line(text.trim_end())?;
        return Ok(Exit::Ok);
    }
    let mut command = crate::root::command();
    command.build();
    for word in &words {
        command = command.find_subcommand(word.as_str()).cloned().ok_or_else(|| {
            let topics = topics::NAMES.join(", ");
            Failure::usage(format!("Unknown command or topic: {word}. The topics are: {topics}."))
                .hint("panelctl --help")
        })?;
    }
    ctx.out.line(command.render_help().to_string().trim_end())?;
    Ok(Exit::Ok)
}
