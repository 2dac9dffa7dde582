//! What the program tells of itself: help, topics, completions, man pages, its version.

pub(crate) mod completion;
pub(crate) mod man;
mod topics;

use clap::{Arg, ArgMatches};

use crate::command::Own;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};

/// `help`.
pub(crate) const HELP: Own = Own {
    name: "help",
    about: "Help of a command, or on a topic: exit-codes, formatting, filters, environment, bulk",
    examples: &[("help orders cancel", "a command"), ("help bulk", "a topic")],
    reaches: &[],
    args: |command| {
        command.arg(Arg::new("words").value_name("COMMAND|TOPIC").num_args(0..).help("What about"))
    },
    run: |ctx, matches| Box::pin(async move { help(ctx, matches) }),
};

/// `version`.
pub(crate) const VERSION: Own = Own {
    name: "version",
    about: "Prints the version",
    examples: &[],
    reaches: &[],
    args: |command| command,
    run: |ctx, _| {
        Box::pin(async move {
            ctx.out.line(concat!("panelctl ", env!("CARGO_PKG_VERSION")))?;
            Ok(Exit::Ok)
        })
    },
};

fn help(ctx: &Ctx, matches: &ArgMatches) -> Done {
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
            Failure::usage(format!("There is no command or topic {word}. The topics are: {topics}."))
                .hint("panelctl --help")
        })?;
    }
    ctx.out.line(command.render_help().to_string().trim_end())?;
    Ok(Exit::Ok)
}
