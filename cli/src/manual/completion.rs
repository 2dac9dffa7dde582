//! `completion`: scripts that let a shell complete commands, flags and their words.

use clap::{Arg, ArgMatches};
use clap_complete::Shell;

use crate::command::Own;
use crate::command::call::arg;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::Done;

/// `completion`.
pub(crate) const COMPLETION: Own = Own {
    name: "completion",
    about: "Prints a completion script for a shell",
    examples: &[
        ("completion bash > ~/.local/share/bash-completion/completions/panelctl", "bash"),
        ("completion zsh > ~/.zfunc/_panelctl", "zsh, with ~/.zfunc in fpath"),
        ("completion fish > ~/.config/fish/completions/panelctl.fish", "fish"),
    ],
    reaches: &[],
    args: |command| {
        let parser = clap::value_parser!(Shell);
        command.arg(
            Arg::new("shell").value_name("SHELL").value_parser(parser).required(true).help("Which shell"),
        )
    },
    run: |ctx, matches| Box::pin(async move { print(ctx, matches) }),
};

fn print(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(
        arg::<Shell>(matches, "shell")?,
        &mut crate::root::command(),
        "panelctl",
        &mut script,
    );
    ctx.out.bytes(&script)?;
    Ok(Exit::Ok)
}
