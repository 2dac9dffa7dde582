//! `doctor`: checks this machine's files, the connection and the panel's data, and prints one line per check.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::Client;
use panel_client::profiles::config;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::GetProfile;
use panel_contract::endpoints::system::{Healthz, Readyz, RunDoctor};
use panel_contract::permission::Permission;
use serde_json::{Value, json};

use crate::command::CustomCommand;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const DOCTOR: CustomCommand = CustomCommand {
    name: "doctor",
    about: "Check the local files, the connection to the panel and the panel's data",
    examples: &[
        ("doctor", "exits with code 1 if a check fails"),
        ("doctor --local", "check only the local files and the connection"),
    ],
    operations: &[Healthz::OP, Readyz::OP, GetProfile::OP, RunDoctor::OP],
    args: |command| {
        let skips_panel_data = Arg::new("local").long("local").action(ArgAction::SetTrue);
        command.arg(skips_panel_data.help("Skip the checks of the panel's data, which read all records"))
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("check", Kind::Enum),
    Column::new("result", Kind::Enum),
    Column::new("detail", Kind::Text),
    Column::hidden("examples", Kind::Text),
];

/// The rows of the checks that ran, and the number of failed checks.
#[derive(Default)]
struct CheckResults {
    rows: Vec<Value>,
    failed_count: usize,
}

impl CheckResults {
    fn add(&mut self, check: &str, result: Result<String, String>) -> bool {
        let is_ok = result.is_ok();
        let result_text = if is_ok { "ok" } else { "broken" };
        let detail = result.unwrap_or_else(|error| error);
        self.rows.push(json!({ "check": check, "result": result_text, "detail": detail, "examples": [] }));
        self.failed_count += usize::from(!is_ok);
        is_ok
    }

    fn skip(&mut self, check: &str, reason: &str) {
        self.rows.push(json!({ "check": check, "result": "skipped", "detail": reason, "examples": [] }));
    }
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let mut checks = CheckResults::default();
    run_checks(ctx, matches.get_flag("local"), &mut checks).await?;
    ctx.out.print_records(checks.rows, COLUMNS)?;
    if checks.failed_count == 0 {
        ctx.out.print_message("All checks passed.");
        return Ok(Exit::Ok);
    }
    let count = if checks.failed_count == 1 {
        "1 check".to_owned()
    } else {
        format!("{} checks", checks.failed_count)
    };
    ctx.out.print_message(&format!("{count} failed."));
    Ok(Exit::Failed)
}

async fn run_checks(ctx: &Ctx, skips_panel_data: bool, checks: &mut CheckResults) -> CmdResult<()> {
    let path = config::path()?.display().to_string();
    if !checks.add("configuration", config::load().map(|_| path).map_err(|error| error.to_string())) {
        return Ok(());
    }
    let client = match ctx.client() {
        Ok(client) => client,
        Err(failure) => {
            checks.add("profile", Err(failure.message));
            return Ok(());
        }
    };
    checks.add(
        "profile",
        Ok(format!("{} · {}", ctx.profile()?.0, client.base_url().as_str().trim_end_matches('/'))),
    );
    if !check_connection(&client, checks).await {
        return Ok(());
    }
    match client.profile((), &EmptyQuery {}, &EmptyBody {}).await {
        Ok(user) => {
            checks.add("signed_in", Ok(user.data.email.clone()));
            if skips_panel_data {
                return Ok(());
            }
            if user.data.has_permission(Permission::ManagePanelSettings) {
                return check_panel_data(&client, checks).await;
            }
            checks.skip("records", "requires the permission \"manage panel settings\"");
        }
        Err(error) => {
            checks.add("signed_in", Err(Failure::from(error).message));
        }
    }
    Ok(())
}

async fn check_connection(client: &Client, checks: &mut CheckResults) -> bool {
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
async fn check_panel_data(client: &Client, checks: &mut CheckResults) -> CmdResult<()> {
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
        checks.failed_count += usize::from(!is_ok);
    }
    Ok(())
}
