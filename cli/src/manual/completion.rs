//! `completion`: prints scripts for shell completion.

use clap::{Arg, ArgMatches};
use clap_complete::Shell;

use crate::command::CustomCommand;
use crate::command::request_command::required_value;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::CommandResult;

pub(crate) const COMPLETION: CustomCommand = CustomCommand {
    name: "completion",
    about: "Print a completion script for a shell",
    examples: &[
        ("completion bash > ~/.local/share/bash-completion/completions/panelctl", "install for bash"),
        ("completion zsh > ~/.zfunc/_panelctl", "install for zsh, with ~/.zfunc in fpath"),
        ("completion fish > ~/.config/fish/completions/panelctl.fish", "install for fish"),
    ],
    operations: &[],
    args: |command| {
        let parser = clap::value_parser!(Shell);
        command.arg(
            Arg::new("shell")
                .value_name("SHELL")
                .value_parser(parser)
                .required(true)
                .help("Name of the shell"),
        )
    },
    run: |ctx, matches| Box::pin(async move { print_script(ctx, matches) }),
};

fn print_script(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(
        required_value::<Shell>(matches, "shell")?,
        &mut crate::root::command(),
        "panelctl",
        &mut script,
    );
    ctx.out.write_bytes(&script)?;
    Ok(Exit::Ok)
}
