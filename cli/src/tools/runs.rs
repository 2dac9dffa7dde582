//! `runs`: bulk runs that were begun here, and going on with those that were cut.

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::bulk::journal::{self, Record};
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, About, CHUNK};
use panel_contract::ids::RecordId;
use serde_json::{Value, json};

use crate::command::call::arg;
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::{Words, check_columns, print, reasons, tell};
use crate::command::progress::Progress;
use crate::command::{Cmd, Noun, Own, shell, when};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::Format;
use crate::output::column::{Column, Kind};

/// `runs`.
pub(crate) const NOUN: Noun = Noun {
    name: "runs",
    alias: Some("run"),
    about: "Bulk runs that were begun here: what they came to, and going on with one",
    verbs: &[Cmd::Own(&LIST), Cmd::Own(&SHOW), Cmd::Own(&RESUME), Cmd::Own(&RETRY), Cmd::Own(&PRUNE)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("at", Kind::Time),
    Column::more("profile", Kind::Text),
    Column::new("action", Kind::Word),
    Column::new("total", Kind::Number),
    Column::new("processed", Kind::Number).titled("done"),
    Column::new("skipped", Kind::Number),
    Column::new("open", Kind::Number),
    Column::new("command", Kind::Text),
    Column::more("server", Kind::Text),
    Column::more("user", Kind::Text),
    Column::more("filter", Kind::Text),
];

const LIST: Own = Own {
    name: "list",
    about: "The runs, newest first",
    examples: &[],
    reaches: &[],
    args: |command| command,
    run: |ctx, _| Box::pin(async move { list(ctx) }),
};

const SHOW: Own = Own {
    name: "show",
    about: "What a run came to, id by id with -o csv or jsonl",
    examples: &[("runs show last", "the newest"), ("runs show 01KAF -o csv", "every id with its result")],
    reaches: &[],
    args: |command| command.arg(run_arg()),
    run: |ctx, matches| Box::pin(async move { show(ctx, matches) }),
};

const RESUME: Own = Own {
    name: "resume",
    about: "Goes on with a run that was cut; nothing is done twice",
    examples: &[("runs resume last", "the newest")],
    reaches: &[],
    args: |command| command.arg(run_arg()),
    run: |ctx, matches| Box::pin(resume(ctx, matches)),
};

const RETRY: Own = Own {
    name: "retry",
    about: "Begins a new run of the same action with the ids that a run skipped",
    examples: &[("runs retry last", "once the reason is gone")],
    reaches: &[],
    args: |command| confirm::args(command.arg(run_arg())).arg(confirm::count_arg()),
    run: |ctx, matches| Box::pin(retry(ctx, matches)),
};

const PRUNE: Own = Own {
    name: "prune",
    about: "Deletes the files of finished runs",
    examples: &[("runs prune --before 30d", "those older than a month")],
    reaches: &[],
    args: |command| {
        let before = Arg::new("before").long("before").value_name("WHEN").default_value("30d");
        let all = Arg::new("unfinished").long("unfinished").action(ArgAction::SetTrue);
        command
            .arg(before.help("Those begun before this moment"))
            .arg(all.help("Unfinished ones as well: they can then not be resumed"))
    },
    run: |ctx, matches| Box::pin(async move { prune(ctx, matches) }),
};

fn run_arg() -> Arg {
    Arg::new("run").value_name("RUN").required(true).help("Its id, the first letters of it, or last")
}

/// What a journal calls its records, and what becomes of them.
fn words(run: &Record) -> journal::Words {
    let neutral = Words { one: "record", many: "records", past: "processed" };
    run.head.words.clone().unwrap_or_else(|| neutral.owned())
}

fn row(run: &Record) -> Value {
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

fn list(ctx: &Ctx) -> Done {
    let runs = ctx.runs()?.list()?;
    ctx.out.records(runs.iter().map(row).collect(), COLUMNS)?;
    if runs.is_empty() {
        ctx.out.say("There are none.");
    }
    Ok(Exit::Ok)
}

fn show(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let run = ctx.runs()?.find(&arg::<String>(matches, "run")?)?;
    let report = run.report();
    if ctx.out.format != Format::Table || ctx.out.jq.is_some() {
        print(ctx, &run.head.action.endpoint, Some(&run.head.id), &report)?;
        return Ok(Exit::Ok);
    }
    ctx.out.record(&row(&run), &[])?;
    ctx.out.say(&reasons(&report));
    if !run.is_finished() {
        ctx.out.say(&format!("Go on with: panelctl runs resume {}", run.head.id));
    }
    Ok(Exit::Ok)
}

async fn resume(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let folder = ctx.runs()?;
    let run = folder.find(&arg::<String>(matches, "run")?)?;
    check_person(ctx, &run)?;
    check_columns(ctx)?;
    confirm::announce(ctx)?;
    ctx.interrupt.arm();
    let client = ctx.client()?;
    let mut progress = Progress::new(&ctx.out, run.report().total);
    let mut told = |report: &Report, total| progress.show(report, total);
    let ended = run::resume(&client, &folder, &run.head.id, &ctx.interrupt.stop, &mut told).await?;
    drop(progress);
    tell(ctx, &words(&run), &run.head.action.endpoint, &ended)
}

async fn retry(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let folder = ctx.runs()?;
    let run = folder.find(&arg::<String>(matches, "run")?)?;
    check_person(ctx, &run)?;
    let report = run.report();
    if !report.open.is_empty() {
        let resume = format!("panelctl runs resume {}", run.head.id);
        return Err(Failure::failed("That run is not finished; resume it first.").hint(resume));
    }
    let ids: Vec<RecordId> = report.skipped.iter().map(|skipped| skipped.id).collect();
    if ids.is_empty() {
        ctx.out.say("That run skipped nothing; nothing to do.");
        return Ok(Exit::Ok);
    }
    confirm::announce(ctx)?;
    let action = run.head.action.clone();
    let client = ctx.client()?;
    let mut silent = |_: &Report, _| ();
    if confirm::is_dry(matches) {
        let report = run::rehearse(&client, &action, &ids, &mut silent).await?;
        let ended = run::Ended { id: None, report, error: None };
        return tell(ctx, &words(&run), &action.endpoint, &ended);
    }
    let text = format!("Try {} again for {} {}?", action.endpoint, ids.len(), words(&run).many);
    confirm::ask(ctx, matches, &Question { text, count: ids.len(), danger: Danger::Final, unfiltered: None })
        .await?;
    let about = About {
        profile: run.head.profile.clone(),
        user: run.head.user.clone(),
        command: ctx.command.clone(),
        filter: Some(format!("skipped by run {}", run.head.id)),
        words: run.head.words.clone(),
    };
    ctx.interrupt.arm();
    let mut progress = Progress::new(&ctx.out, ids.len());
    let mut told = |report: &Report, total| progress.show(report, total);
    let endpoint = action.endpoint.clone();
    let ended =
        run::begin(&client, &folder, (action, about), (&ids, CHUNK), &ctx.interrupt.stop, &mut told).await?;
    drop(progress);
    tell(ctx, &words(&run), &endpoint, &ended)
}

/// A chunk's key is good only for the person who used it first.
fn check_person(ctx: &Ctx, run: &Record) -> Done<()> {
    let (name, profile) = ctx.profile()?;
    let user = profile.and_then(|profile| profile.user);
    match (&run.head.user, user) {
        (Some(then), Some(now)) if *then != now => {
            let other = run.head.profile.clone().unwrap_or_default();
            Err(Failure::usage(format!("{then} began this run; {name} is {now}.")).hint(format!(
                "the same command with --profile {}, or sign in as {then}",
                shell::quoted(&other)
            )))
        }
        _ => Ok(()),
    }
}

fn prune(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let text: String = arg(matches, "before")?;
    let before = when::moment(&text, ctx.now());
    let before = before.map_err(|error| Failure::usage(format!("--before: {error}.")))?;
    let gone = ctx.runs()?.prune(before, matches.get_flag("unfinished"))?;
    ctx.out.say(&format!("{} runs deleted.", gone.len()));
    Ok(Exit::Ok)
}
