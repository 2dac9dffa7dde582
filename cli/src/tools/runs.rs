//! `runs`: bulk runs that this machine started: list, show, resume, retry, prune.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::bulk::journal::{self, RunRecord};
use panel_client::bulk::report::RunReport;
use panel_client::bulk::run::{self, DEFAULT_CHUNK_SIZE, RunInfo};
use panel_contract::ids::RecordId;
use serde_json::{Value, json};

use crate::command::confirm::{self, Question, Reversibility};
use crate::command::outcome::{RecordNouns, check_columns, format_skip_reasons, print_report, report_run};
use crate::command::progress::Progress;
use crate::command::request_command::required_value;
use crate::command::{CommandGroup, CommandSpec, CustomCommand, shell, times};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::Format;
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "runs",
    alias: Some("run"),
    about: "Manage bulk runs started on this machine",
    commands: &[
        CommandSpec::Custom(&LIST),
        CommandSpec::Custom(&SHOW),
        CommandSpec::Custom(&RESUME),
        CommandSpec::Custom(&RETRY),
        CommandSpec::Custom(&PRUNE),
    ],
};

const COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("at", DisplayKind::Time),
    Column::hidden("profile", DisplayKind::Text),
    Column::new("action", DisplayKind::Enum),
    Column::new("total", DisplayKind::Number),
    Column::new("processed", DisplayKind::Number).with_title("processed"),
    Column::new("skipped", DisplayKind::Number),
    Column::new("open", DisplayKind::Number).with_title("not processed"),
    Column::new("command", DisplayKind::Text),
    Column::hidden("server", DisplayKind::Text),
    Column::hidden("user", DisplayKind::Text),
    Column::hidden("filter", DisplayKind::Text),
];

const LIST: CustomCommand = CustomCommand {
    name: "list",
    about: "List bulk runs, newest first",
    examples: &[],
    operations: &[],
    args: |command| command,
    run: |ctx, _| Box::pin(async move { print_runs(ctx) }),
};

const SHOW: CustomCommand = CustomCommand {
    name: "show",
    about: "Show the result of a run; -o csv and jsonl list every id",
    examples: &[
        ("runs show last", "show the newest run"),
        ("runs show 01KAF -o csv", "list every id with its result"),
    ],
    operations: &[],
    args: |command| command.arg(run_arg()),
    run: |ctx, matches| Box::pin(async move { print_run(ctx, matches) }),
};

const RESUME: CustomCommand = CustomCommand {
    name: "resume",
    about: "Resume an interrupted run; no record is processed twice",
    examples: &[("runs resume last", "resume the newest run")],
    operations: &[],
    args: |command| command.arg(run_arg()),
    run: |ctx, matches| Box::pin(resume_run(ctx, matches)),
};

const RETRY: CustomCommand = CustomCommand {
    name: "retry",
    about: "Start a new run of the same action for the ids that a run skipped",
    examples: &[("runs retry last", "retry after the cause is fixed")],
    operations: &[],
    args: |command| confirm::safety_args(command.arg(run_arg())).arg(confirm::confirm_count_arg()),
    run: |ctx, matches| Box::pin(retry_skipped(ctx, matches)),
};

const PRUNE: CustomCommand = CustomCommand {
    name: "prune",
    about: "Delete the files of finished runs",
    examples: &[("runs prune --before 30d", "delete runs older than a month")],
    operations: &[],
    args: |command| {
        let before_arg = Arg::new("before").long("before").value_name("WHEN").default_value("30d");
        let unfinished_arg = Arg::new("unfinished").long("unfinished").action(ArgAction::SetTrue);
        command
            .arg(before_arg.help("Delete runs started before this time"))
            .arg(unfinished_arg.help("Also delete unfinished runs, which can then no longer be resumed"))
    },
    run: |ctx, matches| Box::pin(async move { prune_runs(ctx, matches) }),
};

fn run_arg() -> Arg {
    Arg::new("run").value_name("RUN").required(true).help("Id of the run, the start of the id, or last")
}

/// The nouns and the participle of a run for messages; generic nouns if the journal has no nouns.
fn run_wording(run: &RunRecord) -> journal::RunWording {
    let generic_nouns = RecordNouns { singular: "record", plural: "records", past_participle: "processed" };
    run.header.wording.clone().unwrap_or_else(|| generic_nouns.into_wording())
}

fn run_row(run: &RunRecord) -> Value {
    let (header, report) = (&run.header, run.report());
    json!({
        "id": header.id,
        "at": header.started_at,
        "profile": header.profile,
        "server": header.server,
        "user": header.user,
        "action": header.action.endpoint,
        "total": report.total,
        "processed": report.processed.len(),
        "skipped": report.skipped.len(),
        "open": report.open_ids.len(),
        "command": header.command,
        "filter": header.filter,
    })
}

fn print_runs(ctx: &Ctx) -> CommandResult {
    let runs = ctx.run_folder()?.list()?;
    ctx.out.print_records(runs.iter().map(run_row).collect(), COLUMNS)?;
    if runs.is_empty() {
        ctx.out.print_message("No runs yet.");
    }
    Ok(Exit::Ok)
}

fn print_run(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let run = ctx.run_folder()?.find(&required_value::<String>(matches, "run")?)?;
    let report = run.report();
    if ctx.out.format != Format::Table || ctx.out.jq.is_some() {
        print_report(ctx, &run.header.action.endpoint, Some(&run.header.id), &report)?;
        return Ok(Exit::Ok);
    }
    ctx.out.print_record(&run_row(&run), &[])?;
    ctx.out.print_message(&format_skip_reasons(&report));
    if !run.is_finished() {
        ctx.out.print_message(&format!("To continue, run: panelctl runs resume {}", run.header.id));
    }
    Ok(Exit::Ok)
}

async fn resume_run(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let folder = ctx.run_folder()?;
    let run = folder.find(&required_value::<String>(matches, "run")?)?;
    check_user(ctx, &run)?;
    check_columns(ctx)?;
    confirm::announce_target(ctx)?;
    ctx.interrupt.set_run_active();
    let client = ctx.client()?;
    let mut progress = Progress::new(&ctx.out, run.report().total);
    let mut show_progress = |report: &RunReport, total| progress.show(report, total);
    let outcome =
        run::resume_run(&client, &folder, &run.header.id, &ctx.interrupt.stop, &mut show_progress).await?;
    drop(progress);
    report_run(ctx, &run_wording(&run), &run.header.action.endpoint, &outcome)
}

async fn retry_skipped(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let folder = ctx.run_folder()?;
    let run = folder.find(&required_value::<String>(matches, "run")?)?;
    check_user(ctx, &run)?;
    let report = run.report();
    if !report.open_ids.is_empty() {
        let resume_command = format!("panelctl runs resume {}", run.header.id);
        return Err(Failure::failed("This run is not finished. Resume it first.").hint(resume_command));
    }
    let ids: Vec<RecordId> = report.skipped.iter().map(|skipped| skipped.id).collect();
    if ids.is_empty() {
        ctx.out.print_message("This run skipped no records; nothing to retry.");
        return Ok(Exit::Ok);
    }
    confirm::announce_target(ctx)?;
    let action = run.header.action.clone();
    let client = ctx.client()?;
    let mut ignore_progress = |_: &RunReport, _| ();
    if confirm::is_dry_run(matches) {
        let report = run::preview_run(&client, &action, &ids, &mut ignore_progress).await?;
        let outcome = run::RunOutcome { id: None, report, error: None };
        return report_run(ctx, &run_wording(&run), &action.endpoint, &outcome);
    }
    let text = format!("Retry {} for {} {}?", action.endpoint, ids.len(), run_wording(&run).plural);
    confirm::ask_confirmation(
        ctx,
        matches,
        &Question {
            text,
            count: ids.len(),
            reversibility: Reversibility::Irreversible,
            unfiltered_noun: None,
        },
    )
    .await?;
    let info = RunInfo {
        profile: run.header.profile.clone(),
        user: run.header.user.clone(),
        command: ctx.command.clone(),
        filter: Some(format!("skipped by run {}", run.header.id)),
        wording: run.header.wording.clone(),
    };
    ctx.interrupt.set_run_active();
    let mut progress = Progress::new(&ctx.out, ids.len());
    let mut show_progress = |report: &RunReport, total| progress.show(report, total);
    let endpoint = action.endpoint.clone();
    let outcome = run::start_run(
        &client,
        &folder,
        (action, info),
        (&ids, DEFAULT_CHUNK_SIZE),
        &ctx.interrupt.stop,
        &mut show_progress,
    )
    .await?;
    drop(progress);
    report_run(ctx, &run_wording(&run), &endpoint, &outcome)
}

/// Rejects a run of another user, because the idempotency keys of its chunks are valid only for the user who started the run.
fn check_user(ctx: &Ctx, run: &RunRecord) -> CommandResult<()> {
    let (profile_name, profile) = ctx.profile()?;
    let user = profile.and_then(|profile| profile.user);
    match (&run.header.user, user) {
        (Some(starting_user), Some(current_user)) if *starting_user != current_user => {
            let starting_profile = run.header.profile.clone().unwrap_or_default();
            Err(Failure::usage(format!(
                "{starting_user} started this run, but profile {profile_name} is signed in as {current_user}."
            ))
            .hint(format!(
                "run the command with --profile {}, or sign in as {starting_user}",
                shell::quote(&starting_profile)
            )))
        }
        _ => Ok(()),
    }
}

fn prune_runs(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let before_text: String = required_value(matches, "before")?;
    let cutoff = times::parse_time(&before_text, ctx.now());
    let cutoff = cutoff.map_err(|error| Failure::usage(format!("--before: {error}.")))?;
    let deleted_runs = ctx.run_folder()?.prune(cutoff, matches.get_flag("unfinished"))?;
    ctx.out.print_message(&format!("Deleted {} runs.", deleted_runs.len()));
    Ok(Exit::Ok)
}
