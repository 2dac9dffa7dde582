//! `api`: any request to the panel, with the session, retries and formats of every other command.

mod request;
mod table;

use clap::{Arg, ArgAction, ArgMatches, Command};
use futures_util::StreamExt as _;
use serde_json::Value;

use crate::command::Own;
use crate::command::confirm::{self, Danger, Question};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::Format;
use crate::output::lines::Lines;

/// `api`.
pub(crate) const API: Own = Own {
    name: "api",
    about: "Any request to the panel, as it is",
    examples: &[
        ("api orders/981204 --jq .data.status", "GET below /api/v1/admin"),
        ("api POST orders/981204/update-comment -f comment=Checked", "a JSON body of texts"),
        ("api POST orders/approve -F 'order_ids=[981204]' --dry-run", "shows what would be sent"),
        (
            "api GET orders -f status=in_moderation -f cost=5..50 -f sort=-cost,id",
            "filters and order of a list",
        ),
        ("api users --paginate -o csv --columns id,email", "a whole list"),
        ("api --list refill", "endpoints, with the commands that call them"),
    ],
    reaches: &[],
    args,
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

fn args(command: Command) -> Command {
    let many = |name: &'static str, short, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).short(short).value_name(value).action(ArgAction::Append).help(help)
    };
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let command = command.args([
        Arg::new("words")
            .value_name("[METHOD] PATH")
            .num_args(0..=2)
            .help("GET without a body and POST with one, unless said; the query may stand in the path"),
        many(
            "field",
            'f',
            "NAME=TEXT",
            "A text of the body, or of a GET's query; an empty one is -F 'NAME=\"\"'",
        ),
        many("json-field", 'F', "NAME=JSON", "A number, list, true, null or @FILE of the body"),
        Arg::new("input")
            .long("input")
            .value_name("FILE")
            .help("The whole body from a file, or - for standard input"),
        many("header", 'H', "NAME:VALUE", "Another header"),
        Arg::new("key")
            .long("key")
            .value_name("TEXT")
            .help("The idempotency key of a write [default: a new one]"),
        switch("include", "Shows status and headers, on standard error").short('i'),
        switch("paginate", "Every page of a list, as one"),
        Arg::new("list")
            .long("list")
            .value_name("WORD")
            .num_args(0..=1)
            .help("Lists the endpoints, or those with a word in them"),
    ]);
    confirm::args(command)
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    if matches.contains_id("list") {
        return table::list(ctx, matches.get_one::<String>("list").map_or("", String::as_str));
    }
    let (request, writes) = request::read(matches)?;
    if writes {
        confirm::announce(ctx)?;
        if confirm::is_dry(matches) {
            ctx.out.say(&format!("Would send {request}; nothing was sent."));
            return Ok(Exit::Ok);
        }
        // Whoever writes a raw request has said what they want; a protected profile asks all the same.
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
        ctx.out.say(&format!("HTTP {}", answer.status));
        for (name, value) in &answer.headers {
            // A new token is a secret, and for the client library only.
            let value =
                if name == "authorization" { "(hidden)" } else { value.to_str().unwrap_or("(bytes)") };
            ctx.out.say(&format!("{name}: {value}"));
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

/// JSON unless another format is asked for; rows of a list then.
fn show(ctx: &Ctx, value: &Value) -> Done<()> {
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

async fn paginate(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let (method, path) = request::target(matches, "GET")?;
    let (path, query) = path.split_once('?').unwrap_or((&path, ""));
    if method != "GET" || !query.is_empty() {
        return Err(Failure::usage("--paginate reads a list by GET, with its query given by -f."));
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
