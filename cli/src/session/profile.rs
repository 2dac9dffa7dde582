//! `profile`: the panels that are known here, and how careful one is with each.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::profiles::config::{self, Profile};
use panel_client::profiles::secret::TokenFile;
use serde_json::json;

use crate::command::call::arg;
use crate::command::{Cmd, Noun, Own, shell};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `profile`.
pub(crate) const NOUN: Noun = Noun {
    name: "profile",
    alias: None,
    about: "Profiles: the panels that panelctl knows, and which one it talks to",
    verbs: &[Cmd::Own(&LIST), Cmd::Own(&USE), Cmd::Own(&SET), Cmd::Own(&REMOVE)],
};

const COLUMNS: &[Column] = &[
    Column::new("name", Kind::Word),
    Column::new("server", Kind::Text),
    Column::new("user", Kind::Text),
    Column::new("current", Kind::Word),
    Column::new("protected", Kind::Word),
    Column::new("read_only", Kind::Word),
];

const LIST: Own = Own {
    name: "list",
    about: "Lists the profiles",
    examples: &[],
    reaches: &[],
    args: |command| command,
    run: |ctx, _| Box::pin(async move { list(ctx) }),
};

const USE: Own = Own {
    name: "use",
    about: "Makes a profile the default",
    examples: &[("profile use acme", "commands without --profile talk to it from now on")],
    reaches: &[],
    args: |command| command.arg(name_arg()),
    run: |ctx, matches| Box::pin(async move { use_it(ctx, matches) }),
};

const SET: Own = Own {
    name: "set",
    about: "Adds a profile, or changes its address and its protection",
    examples: &[
        ("profile set acme --server https://acme.example --protected on", "writes ask for its name"),
        ("profile set acme --read-only on", "writes are refused"),
    ],
    reaches: &[],
    args: |command| {
        command.arg(name_arg()).args([
            crate::command::call::on_off_arg("protected")
                .long("protected")
                .help("Writes ask for the profile's name; --yes and --confirm count only beside --profile"),
            crate::command::call::on_off_arg("read-only").long("read-only").help("Writes are refused"),
        ])
    },
    run: |ctx, matches| Box::pin(async move { set(ctx, matches) }),
};

const REMOVE: Own = Own {
    name: "remove",
    about: "Deletes a profile and its token",
    examples: &[],
    reaches: &[],
    args: |command| {
        let force = Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue);
        command.arg(name_arg()).arg(force.help("Removes it even while it is signed in"))
    },
    run: |ctx, matches| Box::pin(async move { remove(ctx, matches) }),
};

fn name_arg() -> Arg {
    Arg::new("name").value_name("NAME").required(true).help("The profile")
}

fn list(ctx: &Ctx) -> Done {
    let config = ctx.config()?;
    let current = ctx.profile_name(&config)?;
    let rows = config.profiles.iter().map(|(name, profile)| {
        json!({
            "name": name,
            "server": profile.server,
            "user": profile.user,
            "current": *name == current,
            "protected": profile.protected,
            "read_only": profile.read_only,
        })
    });
    ctx.out.records(rows.collect(), COLUMNS)?;
    if config.profiles.is_empty() {
        ctx.out.say("There are none; begin with: panelctl auth login --server https://panel.example");
    }
    Ok(Exit::Ok)
}

fn use_it(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let (mut config, name) = (ctx.config()?, arg::<String>(matches, "name")?);
    known(&config, &name)?;
    config.current = Some(name.clone());
    config::save(&config)?;
    ctx.out.say(&format!("{name} is used from now on."));
    Ok(Exit::Ok)
}

fn set(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let (mut config, name) = (ctx.config()?, arg::<String>(matches, "name")?);
    config::check_name(&name)?;
    let mut profile = match (config.profiles.get(&name), &ctx.globals.server) {
        (Some(profile), _) => profile.clone(),
        (None, Some(_)) => Profile::default(),
        (None, None) => return Err(Failure::usage("A new profile needs --server URL.")),
    };
    if let Some(server) = &ctx.globals.server {
        let base = ctx.client_without_token(server)?.base().as_str().trim_end_matches('/').to_owned();
        // A token belongs to its panel: it does not move along.
        if profile.server != base {
            TokenFile::of(&name)?.remove()?;
            profile.user = None;
        }
        profile.server = base;
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
    ctx.out.say(&format!("The profile {name} is saved."));
    Ok(Exit::Ok)
}

fn remove(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let (mut config, name) = (ctx.config()?, arg::<String>(matches, "name")?);
    known(&config, &name)?;
    let token = TokenFile::of(&name)?;
    if !matches.get_flag("yes") && token.read()?.is_some() {
        return Err(Failure::usage(format!("The profile {name} is signed in; nothing was removed.")).hint(
            format!(
                "panelctl auth logout --profile {}   (or --yes to forget the token only here)",
                shell::quoted(&name)
            ),
        ));
    }
    token.remove()?;
    config.profiles.remove(&name);
    config.current = config.current.filter(|current| *current != name);
    config::save(&config)?;
    ctx.out.say(&format!("The profile {name} is forgotten."));
    Ok(Exit::Ok)
}

fn known(config: &config::Config, name: &str) -> Done<()> {
    if config.profiles.contains_key(name) {
        return Ok(());
    }
    Err(Failure::usage(format!("There is no profile {name}.")).hint("panelctl profile list"))
}
