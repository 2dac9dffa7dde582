//! `api`: sends any request to the panel, with the session, retries and output formats of every command.

mod request;
mod table;

use clap::{Arg, ArgAction, ArgMatches, Command};
use futures_util::StreamExt as _;
use serde_json::Value;

use crate::command::Custom;
use crate::command::confirm::{self, Danger, Question};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::Format;
use crate::output::lines::Lines;

pub(crate) const API: Custom = Custom {
    name: "api",
    about: "Send any request to the panel's API",
    examples: &[
        ("api orders/981204 --jq .data.status", "GET a path below /api/v1/admin"),
        ("api POST orders/981204/update-comment -f comment=Checked", "send a JSON body with a text field"),
        ("api POST orders/approve -F 'order_ids=[981204]' --dry-run", "show the request without sending it"),
        ("api GET orders -f status=in_moderation -f cost=5..50 -f sort=-cost,id", "filter and sort a list"),
        ("api users --paginate -o csv --columns id,email", "export a whole list"),
        ("api --list refill", "list endpoints with the commands that call them"),
    ],
    ops: &[],
    args,
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

fn args(command: Command) -> Command {
    let repeated = |name: &'static str, short, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).short(short).value_name(value).action(ArgAction::Append).help(help)
    };
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let command = command.args([
        Arg::new("words")
            .value_name("[METHOD] PATH")
            .num_args(0..=2)
            .help("Path, which may include a query; the default method is POST with a body, otherwise GET"),
        repeated(
            "field",
            'f',
            "NAME=TEXT",
            "Text field of the body, or of a GET's query; use -F 'NAME=\"\"' for an empty text",
        ),
        repeated(
            "json-field",
            'F',
            "NAME=JSON",
            "JSON field of the body: a number, list, true, null or @FILE",
        ),
        Arg::new("input")
            .long("input")
            .value_name("FILE")
            .help("Read the body from a file, or - for standard input"),
        repeated("header", 'H', "NAME:VALUE", "Additional header"),
        Arg::new("key")
            .long("key")
            .value_name("TEXT")
            .help("Idempotency key of a write [default: a new key]"),
        switch("include", "Print status and headers to standard error").short('i'),
        switch("paginate", "Fetch all pages of a list"),
        Arg::new("list")
            .long("list")
            .value_name("WORD")
            .num_args(0..=1)
            .help("List the endpoints, optionally only those that contain a word"),
    ]);
    confirm::args(command)
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    if matches.contains_id("list") {
        return table::list(ctx, matches.get_one::<String>("list").map_or("", String::as_str));
    }
    let (request, writes) = request::parse(matches)?;
    if writes {
        confirm::announce(ctx)?;
        if confirm::is_dry(matches) {
            ctx.out.print_message(&format!("Would send {request}; nothing was sent."));
            return Ok(Exit::Ok);
        }
        // A raw request is explicit enough without confirmation, except for a protected profile.
        if ctx.profile()?.1.is_some_and(|profile| profile.protected) {
            let question = Question {
                text: format!("Send {request}?"),
                count: 1,
                danger: Danger::Final,
                unfiltered: None,
            };
            confirm::ask(ctx, matches, &question).await?;
        }
    }
    if matches.get_flag("paginate") {
        return paginate(ctx, matches).await;
    }
    let answer = ctx.client()?.request(&request).await?;
    if matches.get_flag("include") {
        ctx.out.print_message(&format!("HTTP {}", answer.status));
        for (name, value) in &answer.headers {
            // A refreshed token is a secret, and only for the client library.
            let value =
                if name == "authorization" { "(hidden)" } else { value.to_str().unwrap_or("(bytes)") };
            ctx.out.print_message(&format!("{name}: {value}"));
        }
    }
    match serde_json::from_slice::<Value>(&answer.body) {
        Ok(value) => show(ctx, &value)?,
        Err(_) => {
            let mut lines = Lines::new(&ctx.out);
            lines.push(&answer.body)?;
            lines.finish()?;
        }
    }
    Ok(Exit::Ok)
}

/// Prints JSON, or the rows of a list if another format is selected.
fn show(ctx: &Ctx, value: &Value) -> CmdResult<()> {
    let rows = value.get("data").unwrap_or(value).as_array();
    match (ctx.out.format, rows) {
        _ if ctx.out.jq.is_some() => ctx.out.record(value, &[]),
        (Format::Table | Format::Json, _) => {
            ctx.out.json(&serde_json::to_string_pretty(value).unwrap_or_default())
        }
        (Format::Yaml, _) | (_, None) => ctx.out.record(value, &[]),
        (_, Some(rows)) => ctx.out.records(rows.clone(), &[]),
    }
}

async fn paginate(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let (method, path) = request::target(matches, "GET")?;
    let (path, query) = path.split_once('?').unwrap_or((&path, ""));
    if method != "GET" || !query.is_empty() {
        return Err(Failure::usage("--paginate requires GET, with the query in -f options."));
    }
    let pairs = request::pairs(matches, "field", '=')?;
    let query = panel_contract::endpoint::Query::read(&pairs);
    let query: panel_contract::table::TableQuery =
        query.map_err(|errors| Failure::usage(format!("-f: {}", errors.summary())))?;
    let client = ctx.client()?;
    let mut pages = std::pin::pin!(client.pages::<Value>(path, query));
    let mut rows = ctx.out.rows(&[])?;
    while let Some(page) = pages.next().await {
        page?.data.into_iter().try_for_each(|row| rows.push(row))?;
    }
    rows.finish()?;
    Ok(Exit::Ok)
}
