//! `runs`: bulk runs that this machine started: list, show, resume, retry, prune.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::bulk::journal::{self, RunRecord};
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, CHUNK, RunInfo};
use panel_contract::ids::RecordId;
use serde_json::{Value, json};

use crate::command::call::arg;
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::{RecordNouns, check_columns, print, reasons, report_run};
use crate::command::progress::Progress;
use crate::command::{Cmd, Custom, Noun, shell, times};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::Format;
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "runs",
    alias: Some("run"),
    about: "Manage bulk runs started on this machine",
    verbs: &[
        Cmd::Custom(&LIST),
        Cmd::Custom(&SHOW),
        Cmd::Custom(&RESUME),
        Cmd::Custom(&RETRY),
        Cmd::Custom(&PRUNE),
    ],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("at", Kind::Time),
    Column::extra("profile", Kind::Text),
    Column::new("action", Kind::Word),
    Column::new("total", Kind::Number),
    Column::new("processed", Kind::Number).titled("processed"),
    Column::new("skipped", Kind::Number),
    Column::new("open", Kind::Number).titled("not processed"),
    Column::new("command", Kind::Text),
    Column::extra("server", Kind::Text),
    Column::extra("user", Kind::Text),
    Column::extra("filter", Kind::Text),
];

const LIST: Custom = Custom {
    name: "list",
    about: "List bulk runs, newest first",
    examples: &[],
    ops: &[],
    args: |command| command,
    run: |ctx, _| Box::pin(async move { list(ctx) }),
};

const SHOW: Custom = Custom {
    name: "show",
    about: "Show the result of a run; -o csv and jsonl list every id",
    examples: &[
        ("runs show last", "show the newest run"),
        ("runs show 01KAF -o csv", "list every id with its result"),
    ],
    ops: &[],
    args: |command| command.arg(run_arg()),
    run: |ctx, matches| Box::pin(async move { show(ctx, matches) }),
};

const RESUME: Custom = Custom {
    name: "resume",
    about: "Resume an interrupted run; no record is processed twice",
    examples: &[("runs resume last", "resume the newest run")],
    ops: &[],
    args: |command| command.arg(run_arg()),
    run: |ctx, matches| Box::pin(resume(ctx, matches)),
};

const RETRY: Custom = Custom {
    name: "retry",
    about: "Start a new run of the same action for the ids that a run skipped",
    examples: &[("runs retry last", "retry after the cause is fixed")],
    ops: &[],
    args: |command| confirm::args(command.arg(run_arg())).arg(confirm::count_arg()),
    run: |ctx, matches| Box::pin(retry(ctx, matches)),
};

const PRUNE: Custom = Custom {
    name: "prune",
    about: "Delete the files of finished runs",
    examples: &[("runs prune --before 30d", "delete runs older than a month")],
    ops: &[],
    args: |command| {
        let before = Arg::new("before").long("before").value_name("WHEN").default_value("30d");
        let all = Arg::new("unfinished").long("unfinished").action(ArgAction::SetTrue);
        command
            .arg(before.help("Delete runs started before this time"))
            .arg(all.help("Also delete unfinished runs, which can then no longer be resumed"))
    },
    run: |ctx, matches| Box::pin(async move { prune(ctx, matches) }),
};

fn run_arg() -> Arg {
    Arg::new("run").value_name("RUN").required(true).help("Id of the run, the start of the id, or last")
}

/// The nouns of a run's records; generic ones if the journal has none.
fn nouns(run: &RunRecord) -> journal::Words {
    let generic = RecordNouns { one: "record", many: "records", past: "processed" };
    run.head.words.clone().unwrap_or_else(|| generic.owned())
}

fn row(run: &RunRecord) -> Value {
    let (head, report) = (&run.head, run.report());
    json!({
        "id": head.id,
        "at": head.at,
        "profile": head.profile,
        "server": head.server,
        "user": head.user,
        "action": head.action.endpoint,
        "total": report.total,
        "processed": report.processed.len(),
        "skipped": report.skipped.len(),
        "open": report.open.len(),
        "command": head.command,
        "filter": head.filter,
    })
}

fn list(ctx: &Ctx) -> CmdResult {
    let runs = ctx.runs()?.list()?;
    ctx.out.records(runs.iter().map(row).collect(), COLUMNS)?;
    if runs.is_empty() {
        ctx.out.print_message("No runs yet.");
    }
    Ok(Exit::Ok)
}

fn show(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let run = ctx.runs()?.find(&arg::<String>(matches, "run")?)?;
    let report = run.report();
    if ctx.out.format != Format::Table || ctx.out.jq.is_some() {
        print(ctx, &run.head.action.endpoint, Some(&run.head.id), &report)?;
        return Ok(Exit::Ok);
    }
    ctx.out.record(&row(&run), &[])?;
    ctx.out.print_message(&reasons(&report));
    if !run.is_finished() {
        ctx.out.print_message(&format!("To continue, run: panelctl runs resume {}", run.head.id));
    }
    Ok(Exit::Ok)
}

async fn resume(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let folder = ctx.runs()?;
    let run = folder.find(&arg::<String>(matches, "run")?)?;
    check_user(ctx, &run)?;
    check_columns(ctx)?;
    confirm::announce(ctx)?;
    ctx.interrupt.arm();
    let client = ctx.client()?;
    let mut progress = Progress::new(&ctx.out, run.report().total);
    let mut show = |report: &Report, total| progress.show(report, total);
    let ended = run::resume(&client, &folder, &run.head.id, &ctx.interrupt.stop, &mut show).await?;
    drop(progress);
    report_run(ctx, &nouns(&run), &run.head.action.endpoint, &ended)
}

async fn retry(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let folder = ctx.runs()?;
    let run = folder.find(&arg::<String>(matches, "run")?)?;
    check_user(ctx, &run)?;
    let report = run.report();
    if !report.open.is_empty() {
        let resume = format!("panelctl runs resume {}", run.head.id);
        return Err(Failure::failed("This run is not finished. Resume it first.").hint(resume));
    }
    let ids: Vec<RecordId> = report.skipped.iter().map(|skipped| skipped.id).collect();
    if ids.is_empty() {
        ctx.out.print_message("This run skipped no records; nothing to retry.");
        return Ok(Exit::Ok);
    }
    confirm::announce(ctx)?;
    let action = run.head.action.clone();
    let client = ctx.client()?;
    let mut silent = |_: &Report, _| ();
    if confirm::is_dry(matches) {
        let report = run::preview_run(&client, &action, &ids, &mut silent).await?;
        let ended = run::RunOutcome { id: None, report, error: None };
        return report_run(ctx, &nouns(&run), &action.endpoint, &ended);
    }
    let text = format!("Retry {} for {} {}?", action.endpoint, ids.len(), nouns(&run).many);
    confirm::ask(ctx, matches, &Question { text, count: ids.len(), danger: Danger::Final, unfiltered: None })
        .await?;
    let about = RunInfo {
        profile: run.head.profile.clone(),
        user: run.head.user.clone(),
        command: ctx.command.clone(),
        filter: Some(format!("skipped by run {}", run.head.id)),
        words: run.head.words.clone(),
    };
    ctx.interrupt.arm();
    let mut progress = Progress::new(&ctx.out, ids.len());
    let mut show = |report: &Report, total| progress.show(report, total);
    let endpoint = action.endpoint.clone();
    let ended =
        run::begin(&client, &folder, (action, about), (&ids, CHUNK), &ctx.interrupt.stop, &mut show).await?;
    drop(progress);
    report_run(ctx, &nouns(&run), &endpoint, &ended)
}

/// The idempotency keys of a run's chunks are valid only for the user who started it.
fn check_user(ctx: &Ctx, run: &RunRecord) -> CmdResult<()> {
    let (name, profile) = ctx.profile()?;
    let user = profile.and_then(|profile| profile.user);
    match (&run.head.user, user) {
        (Some(starter), Some(current)) if *starter != current => {
            let other = run.head.profile.clone().unwrap_or_default();
            Err(Failure::usage(format!(
                "{starter} started this run, but profile {name} is signed in as {current}."
            ))
            .hint(format!(
                "run the command with --profile {}, or sign in as {starter}",
                shell::quoted(&other)
            )))
        }
        _ => Ok(()),
    }
}

fn prune(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let text: String = arg(matches, "before")?;
    let before = times::moment(&text, ctx.now());
    let before = before.map_err(|error| Failure::usage(format!("--before: {error}.")))?;
    let deleted = ctx.runs()?.prune(before, matches.get_flag("unfinished"))?;
    ctx.out.print_message(&format!("Deleted {} runs.", deleted.len()));
    Ok(Exit::Ok)
}
