//! `doctor`: checks this machine's files, the connection and the panel's data, and prints one line per check.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::Client;
use panel_client::profiles::config;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::GetProfile;
use panel_contract::endpoints::system::{Healthz, Readyz, RunDoctor};
use panel_contract::permission::Permission;
use serde_json::{Value, json};

use crate::command::Custom;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const DOCTOR: Custom = Custom {
    name: "doctor",
    about: "Check the local files, the connection to the panel and the panel's data",
    examples: &[
        ("doctor", "exits with code 1 if a check fails"),
        ("doctor --local", "check only the local files and the connection"),
    ],
    ops: &[Healthz::OP, Readyz::OP, GetProfile::OP, RunDoctor::OP],
    args: |command| {
        let local = Arg::new("local").long("local").action(ArgAction::SetTrue);
        command.arg(local.help("Skip the checks of the panel's data, which read all records"))
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("check", Kind::Word),
    Column::new("result", Kind::Word),
    Column::new("detail", Kind::Text),
    Column::extra("examples", Kind::Text),
];

/// The results so far.
#[derive(Default)]
struct Checks {
    rows: Vec<Value>,
    failed: usize,
}

impl Checks {
    fn add(&mut self, check: &str, result: Result<String, String>) -> bool {
        let is_ok = result.is_ok();
        let word = if is_ok { "ok" } else { "broken" };
        let detail = result.unwrap_or_else(|why| why);
        self.rows.push(json!({ "check": check, "result": word, "detail": detail, "examples": [] }));
        self.failed += usize::from(!is_ok);
        is_ok
    }

    fn skip(&mut self, check: &str, why: &str) {
        self.rows.push(json!({ "check": check, "result": "skipped", "detail": why, "examples": [] }));
    }
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let mut checks = Checks::default();
    run_checks(ctx, matches.get_flag("local"), &mut checks).await?;
    ctx.out.records(checks.rows, COLUMNS)?;
    if checks.failed == 0 {
        ctx.out.print_message("All checks passed.");
        return Ok(Exit::Ok);
    }
    let count = if checks.failed == 1 { "1 check".to_owned() } else { format!("{} checks", checks.failed) };
    ctx.out.print_message(&format!("{count} failed."));
    Ok(Exit::Failed)
}

async fn run_checks(ctx: &Ctx, local: bool, checks: &mut Checks) -> CmdResult<()> {
    let path = config::path()?.display().to_string();
    if !checks.add("configuration", config::load().map(|_| path).map_err(|trouble| trouble.to_string())) {
        return Ok(());
    }
    let client = match ctx.client() {
        Ok(client) => client,
        Err(failure) => {
            checks.add("profile", Err(failure.what));
            return Ok(());
        }
    };
    checks.add(
        "profile",
        Ok(format!("{} · {}", ctx.profile()?.0, client.base().as_str().trim_end_matches('/'))),
    );
    if !check_connection(&client, checks).await {
        return Ok(());
    }
    match client.profile((), &EmptyQuery {}, &EmptyBody {}).await {
        Ok(user) => {
            checks.add("signed_in", Ok(user.data.email.clone()));
            if local {
                return Ok(());
            }
            if user.data.may(Permission::ManagePanelSettings) {
                return check_panel_data(&client, checks).await;
            }
            checks.skip("records", "requires the permission \"manage panel settings\"");
        }
        Err(error) => {
            checks.add("signed_in", Err(Failure::from(error).what));
        }
    }
    Ok(())
}

async fn check_connection(client: &Client, checks: &mut Checks) -> bool {
    let health = client.healthz((), &EmptyQuery {}, &EmptyBody {}).await;
    let health =
        health.map(|health| format!("version {}", health.version)).map_err(|error| error.to_string());
    if !checks.add("reachable", health) {
        return false;
    }
    let ready = client.readyz((), &EmptyQuery {}, &EmptyBody {}).await;
    checks.add("ready", ready.map(|health| health.status).map_err(|error| error.to_string()))
}

/// Runs the doctor of the panel.
async fn check_panel_data(client: &Client, checks: &mut Checks) -> CmdResult<()> {
    let report = client.doctor((), &EmptyQuery {}, &EmptyBody {}).await?.data;
    for check in report.checks {
        let is_ok = check.broken == 0;
        let detail = if is_ok {
            check.rule
        } else {
            format!("{} records violate the rule: {}", check.broken, check.rule)
        };
        let result = if is_ok { "ok" } else { "broken" };
        let row =
            json!({ "check": check.name, "result": result, "detail": detail, "examples": check.examples });
        checks.rows.push(row);
        checks.failed += usize::from(!is_ok);
    }
    Ok(())
}
