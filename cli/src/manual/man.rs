//! `man`: generates man pages from the clap commands.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};

use crate::command::CustomCommand;
use crate::command::request_command::optional_value;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::CommandResult;

pub(crate) const MAN: CustomCommand = CustomCommand {
    name: "man",
    about: "Print the main man page, or write all man pages to a folder",
    examples: &[
        ("man | man -l -", "read the main page"),
        ("man --to ~/.local/share/man/man1", "write a page for every command"),
    ],
    operations: &[],
    args: |command| {
        let parser = clap::value_parser!(PathBuf);
        command.arg(
            Arg::new("to")
                .long("to")
                .value_name("FOLDER")
                .value_parser(parser)
                .help("Write all pages to this folder"),
        )
    },
    run: |ctx, matches| Box::pin(async move { write_man_pages(ctx, matches) }),
};

/// Moves the examples of each command from `before_help`, which man pages omit, to `after_help`.
fn move_examples_to_end(command: Command) -> Command {
    let examples = command.get_before_help().cloned();
    let command = match examples {
        Some(examples) => command.after_help(examples),
        None => command,
    };
    command.mut_subcommands(move_examples_to_end)
}

fn write_man_pages(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let Some(folder) = optional_value::<PathBuf>(matches, "to") else {
        let mut page = Vec::new();
        clap_mangen::Man::new(move_examples_to_end(crate::root::command())).render(&mut page)?;
        ctx.out.write_bytes(&page)?;
        return Ok(Exit::Ok);
    };
    std::fs::create_dir_all(&folder)?;
    clap_mangen::generate_to(move_examples_to_end(crate::root::command()), &folder)?;
    ctx.out.print_message(&format!("Man pages written to {}.", folder.display()));
    Ok(Exit::Ok)
}
