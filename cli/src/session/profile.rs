//! `profile`: manages the profiles of this machine: the address of each server, the token, and the protection against writes.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::profiles::config::{self, Profile};
use panel_client::profiles::token_file::TokenFile;
use serde_json::json;

use crate::command::request_command::required_value;
use crate::command::{CommandGroup, CommandSpec, CustomCommand, shell};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "profile",
    alias: None,
    about: "Manage profiles: the servers that panelctl can connect to",
    commands: &[
        CommandSpec::Custom(&LIST),
        CommandSpec::Custom(&USE),
        CommandSpec::Custom(&SET),
        CommandSpec::Custom(&REMOVE),
    ],
};

const COLUMNS: &[Column] = &[
    Column::new("name", DisplayKind::Enum),
    Column::new("server", DisplayKind::Text),
    Column::new("user", DisplayKind::Text),
    Column::new("current", DisplayKind::Enum),
    Column::new("protected", DisplayKind::Enum),
    Column::new("read_only", DisplayKind::Enum),
];

const LIST: CustomCommand = CustomCommand {
    name: "list",
    about: "List the profiles",
    examples: &[],
    operations: &[],
    args: |command| command,
    run: |ctx, _| Box::pin(async move { list_profiles(ctx) }),
};

const USE: CustomCommand = CustomCommand {
    name: "use",
    about: "Make this the default profile",
    examples: &[("profile use acme", "commands without --profile use it")],
    operations: &[],
    args: |command| command.arg(name_arg()),
    run: |ctx, matches| Box::pin(async move { set_default(ctx, matches) }),
};

const SET: CustomCommand = CustomCommand {
    name: "set",
    about: "Add a profile, or change its address or protection",
    examples: &[
        (
            "profile set acme --server https://acme.example --protected on",
            "writes ask for the profile's name",
        ),
        ("profile set acme --read-only on", "reject all writes"),
    ],
    operations: &[],
    args: |command| {
        command.arg(name_arg()).args([
            crate::command::request_command::on_off_arg("protected").long("protected").help(
                "Ask for the profile's name before each write; --yes and --confirm also require --profile",
            ),
            crate::command::request_command::on_off_arg("read-only")
                .long("read-only")
                .help("Reject all writes"),
        ])
    },
    run: |ctx, matches| Box::pin(async move { set_profile(ctx, matches) }),
};

const REMOVE: CustomCommand = CustomCommand {
    name: "remove",
    about: "Delete a profile and its token",
    examples: &[],
    operations: &[],
    args: |command| {
        let yes_arg = Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue);
        command.arg(name_arg()).arg(yes_arg.help("Delete the profile even if it is signed in"))
    },
    run: |ctx, matches| Box::pin(async move { remove_profile(ctx, matches) }),
};

fn name_arg() -> Arg {
    Arg::new("name").value_name("NAME").required(true).help("Name of the profile")
}

fn list_profiles(ctx: &Ctx) -> CommandResult {
    let config = ctx.config()?;
    let current_profile_name = ctx.profile_name(&config)?;
    let rows = config.profiles.iter().map(|(name, profile)| {
        json!({
            "name": name,
            "server": profile.server,
            "user": profile.user,
            "current": *name == current_profile_name,
            "protected": profile.protected,
            "read_only": profile.read_only,
        })
    });
    ctx.out.print_records(rows.collect(), COLUMNS)?;
    if config.profiles.is_empty() {
        ctx.out.print_message(
            "No profiles yet. To add one, run: panelctl auth login --server https://panel.example",
        );
    }
    Ok(Exit::Ok)
}

fn set_default(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let (mut config, name) = (ctx.config()?, required_value::<String>(matches, "name")?);
    check_profile_exists(&config, &name)?;
    config.current = Some(name.clone());
    config::save(&config)?;
    ctx.out.print_message(&format!("Default profile is now {name}."));
    Ok(Exit::Ok)
}

fn set_profile(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let (mut config, name) = (ctx.config()?, required_value::<String>(matches, "name")?);
    config::check_name(&name)?;
    let mut profile = match (config.profiles.get(&name), &ctx.globals.server) {
        (Some(profile), _) => profile.clone(),
        (None, Some(_)) => Profile::default(),
        (None, None) => return Err(Failure::usage("A new profile requires --server URL.")),
    };
    if let Some(server) = &ctx.globals.server {
        let base_url = ctx.client_without_token(server)?.base_url().as_str().trim_end_matches('/').to_owned();
        // The token belongs to the old server and must not be sent to the new server.
        if profile.server != base_url {
            TokenFile::for_profile(&name)?.remove()?;
            profile.user = None;
        }
        profile.server = base_url;
    }
    if let Some(protected) = matches.get_one::<bool>("protected") {
        profile.protected = *protected;
    }
    if let Some(read_only) = matches.get_one::<bool>("read-only") {
        profile.read_only = *read_only;
    }
    config.profiles.insert(name.clone(), profile);
    config.current.get_or_insert(name.clone());
    config::save(&config)?;
    ctx.out.print_message(&format!("Profile {name} saved."));
    Ok(Exit::Ok)
}

fn remove_profile(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let (mut config, name) = (ctx.config()?, required_value::<String>(matches, "name")?);
    check_profile_exists(&config, &name)?;
    let token_file = TokenFile::for_profile(&name)?;
    if !matches.get_flag("yes") && token_file.read()?.is_some() {
        return Err(Failure::usage(format!("Profile {name} is signed in; nothing was deleted.")).hint(
            format!(
                "panelctl auth logout --profile {}   (or use --yes to delete only the token on this machine)",
                shell::quote(&name)
            ),
        ));
    }
    token_file.remove()?;
    config.profiles.remove(&name);
    config.current = config.current.filter(|current| *current != name);
    config::save(&config)?;
    ctx.out.print_message(&format!("Profile {name} deleted."));
    Ok(Exit::Ok)
}

fn check_profile_exists(config: &config::Config, name: &str) -> CommandResult<()> {
    if config.profiles.contains_key(name) {
        return Ok(());
    }
    Err(Failure::usage(format!("Profile {name} does not exist.")).hint("panelctl profile list"))
}
