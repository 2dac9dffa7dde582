//! `doctor`: checks this machine's files, the connection and the server's data, and prints one line per check.

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
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const DOCTOR: CustomCommand = CustomCommand {
    name: "doctor",
    about: "Check the local files, the connection to the server and the server's data",
    examples: &[
        ("doctor", "exits with code 1 if a check fails"),
        ("doctor --local", "check only the local files and the connection"),
    ],
    operations: &[Healthz::OP, Readyz::OP, GetProfile::OP, RunDoctor::OP],
    args: |command| {
        let local_arg = Arg::new("local").long("local").action(ArgAction::SetTrue);
        command.arg(local_arg.help("Skip the data checks; they read every record and can be slow"))
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("check", DisplayKind::Enum),
    Column::new("result", DisplayKind::Enum),
    Column::new("detail", DisplayKind::Text),
    Column::hidden("examples", DisplayKind::Text),
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
        let result_text = if is_ok { "ok" } else { "failed" };
        let detail = result.unwrap_or_else(|error| error);
        self.rows.push(json!({ "check": check, "result": result_text, "detail": detail, "examples": [] }));
        self.failed_count += usize::from(!is_ok);
        is_ok
    }

    fn skip(&mut self, check: &str, reason: &str) {
        self.rows.push(json!({ "check": check, "result": "skipped", "detail": reason, "examples": [] }));
    }
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let mut checks = CheckResults::default();
    run_checks(ctx, matches.get_flag("local"), &mut checks).await?;
    ctx.out.print_records(checks.rows, COLUMNS)?;
    if checks.failed_count == 0 {
        ctx.out.print_message("All checks passed.");
        return Ok(Exit::Ok);
    }
    let count_text = if checks.failed_count == 1 {
        "1 check".to_owned()
    } else {
        format!("{} checks", checks.failed_count)
    };
    ctx.out.print_message(&format!("{count_text} failed."));
    Ok(Exit::Failed)
}

async fn run_checks(ctx: &Ctx, skips_data_checks: bool, checks: &mut CheckResults) -> CommandResult<()> {
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
            if skips_data_checks {
                return Ok(());
            }
            if user.data.has_permission(Permission::ManagePanelSettings) {
                return check_server_data(&client, checks).await;
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
    let health_result = client.healthz((), &EmptyQuery {}, &EmptyBody {}).await;
    let version_text =
        health_result.map(|health| format!("version {}", health.version)).map_err(|error| error.to_string());
    if !checks.add("reachable", version_text) {
        return false;
    }
    let readiness = client.readyz((), &EmptyQuery {}, &EmptyBody {}).await;
    checks.add("ready", readiness.map(|readiness| readiness.status).map_err(|error| error.to_string()))
}

/// Asks the server to check its data, and adds one row per check.
async fn check_server_data(client: &Client, checks: &mut CheckResults) -> CommandResult<()> {
    let report = client.doctor((), &EmptyQuery {}, &EmptyBody {}).await?.data;
    for check in report.checks {
        let is_ok = check.violation_count == 0;
        let detail = if is_ok {
            check.rule
        } else {
            format!("{} records violate the rule: {}", check.violation_count, check.rule)
        };
        let result = if is_ok { "ok" } else { "failed" };
        let row =
            json!({ "check": check.name, "result": result, "detail": detail, "examples": check.examples });
        checks.rows.push(row);
        checks.failed_count += usize::from(!is_ok);
    }
    Ok(())
}
