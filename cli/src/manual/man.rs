//! `man`: man pages, made from the same declarations as the help.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};

use crate::command::Own;
use crate::command::call::opt;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::Done;

/// `man`.
pub(crate) const MAN: Own = Own {
    name: "man",
    about: "Writes the man pages: the first to standard output, all of them to a folder",
    examples: &[
        ("man | man -l -", "reads it at once"),
        ("man --to ~/.local/share/man/man1", "a page for every command"),
    ],
    reaches: &[],
    args: |command| {
        let parser = clap::value_parser!(PathBuf);
        command.arg(
            Arg::new("to").long("to").value_name("FOLDER").value_parser(parser).help("All pages, as files"),
        )
    },
    run: |ctx, matches| Box::pin(async move { write(ctx, matches) }),
};

/// Man pages show what comes after a help, and leave out what comes before.
fn with_examples(command: Command) -> Command {
    let examples = command.get_before_help().cloned();
    let command = match examples {
        Some(examples) => command.after_help(examples),
        None => command,
    };
    command.mut_subcommands(with_examples)
}

fn write(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let Some(folder) = opt::<PathBuf>(matches, "to") else {
        let mut page = Vec::new();
        clap_mangen::Man::new(with_examples(crate::root::command())).render(&mut page)?;
        ctx.out.bytes(&page)?;
        return Ok(Exit::Ok);
    };
    std::fs::create_dir_all(&folder)?;
    clap_mangen::generate_to(with_examples(crate::root::command()), &folder)?;
    ctx.out.say(&format!("The pages are in {}.", folder.display()));
    Ok(Exit::Ok)
}
