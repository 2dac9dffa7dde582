//! `doctor`: from this machine's files to the panel's own invariants, one line for every check.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::Client;
use panel_client::profiles::config;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::session::GetProfile;
use panel_contract::endpoints::system::{Healthz, Readyz, RunDoctor};
use panel_contract::permission::Permission;
use serde_json::{Value, json};

use crate::command::Own;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `doctor`.
pub(crate) const DOCTOR: Own = Own {
    name: "doctor",
    about: "Looks whether everything is well: files here, the way to the panel, the panel's records",
    examples: &[
        ("doctor", "exit code 1 when something is not"),
        ("doctor --local", "without the panel's records"),
    ],
    reaches: &[Healthz::OP, Readyz::OP, GetProfile::OP, RunDoctor::OP],
    args: |command| {
        let local = Arg::new("local").long("local").action(ArgAction::SetTrue);
        command.arg(local.help("Does not examine the panel's records, which reads all of them"))
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("check", Kind::Word),
    Column::new("result", Kind::Word),
    Column::new("detail", Kind::Text),
    Column::more("examples", Kind::Text),
];

/// The checks so far.
#[derive(Default)]
struct Found {
    rows: Vec<Value>,
    broken: usize,
}

impl Found {
    fn add(&mut self, check: &str, result: Result<String, String>) -> bool {
        let is_well = result.is_ok();
        let word = if is_well { "ok" } else { "broken" };
        let detail = result.unwrap_or_else(|why| why);
        self.rows.push(json!({ "check": check, "result": word, "detail": detail, "examples": [] }));
        self.broken += usize::from(!is_well);
        is_well
    }

    fn left_out(&mut self, check: &str, why: &str) {
        self.rows.push(json!({ "check": check, "result": "skipped", "detail": why, "examples": [] }));
    }
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let mut found = Found::default();
    examine(ctx, matches.get_flag("local"), &mut found).await?;
    ctx.out.records(found.rows, COLUMNS)?;
    if found.broken == 0 {
        ctx.out.say("Everything is well.");
        return Ok(Exit::Ok);
    }
    let words =
        if found.broken == 1 { "1 check is".to_owned() } else { format!("{} checks are", found.broken) };
    ctx.out.say(&format!("{words} broken."));
    Ok(Exit::Failed)
}

async fn examine(ctx: &Ctx, local: bool, found: &mut Found) -> Done<()> {
    let path = config::path()?.display().to_string();
    if !found.add("configuration", config::load().map(|_| path).map_err(|trouble| trouble.to_string())) {
        return Ok(());
    }
    let client = match ctx.client() {
        Ok(client) => client,
        Err(failure) => {
            found.add("profile", Err(failure.what));
            return Ok(());
        }
    };
    found.add(
        "profile",
        Ok(format!("{} · {}", ctx.profile()?.0, client.base().as_str().trim_end_matches('/'))),
    );
    if !reach(&client, found).await {
        return Ok(());
    }
    match client.profile((), &NoQuery {}, &NoBody {}).await {
        Ok(user) => {
            found.add("signed_in", Ok(user.data.email.clone()));
            if local {
                return Ok(());
            }
            if user.data.may(Permission::ManagePanelSettings) {
                return records(&client, found).await;
            }
            found.left_out("records", "needs the permission \"manage panel settings\"");
        }
        Err(error) => {
            found.add("signed_in", Err(Failure::from(error).what));
        }
    }
    Ok(())
}

async fn reach(client: &Client, found: &mut Found) -> bool {
    let health = client.healthz((), &NoQuery {}, &NoBody {}).await;
    let health =
        health.map(|health| format!("version {}", health.version)).map_err(|error| error.to_string());
    if !found.add("reachable", health) {
        return false;
    }
    let ready = client.readyz((), &NoQuery {}, &NoBody {}).await;
    found.add("ready", ready.map(|health| health.status).map_err(|error| error.to_string()))
}

/// The panel's own doctor.
async fn records(client: &Client, found: &mut Found) -> Done<()> {
    let report = client.doctor((), &NoQuery {}, &NoBody {}).await?.data;
    for check in report.checks {
        let is_well = check.broken == 0;
        let detail = if is_well { check.rule } else { format!("{} break it: {}", check.broken, check.rule) };
        let result = if is_well { "ok" } else { "broken" };
        let row =
            json!({ "check": check.name, "result": result, "detail": detail, "examples": check.examples });
        found.rows.push(row);
        found.broken += usize::from(!is_well);
    }
    Ok(())
}
