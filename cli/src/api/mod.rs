//! `api`: sends any request to the server, with the session, retries and output formats of every command.

mod endpoint_list;
mod request;

use clap::{Arg, ArgAction, ArgMatches, Command};
use futures_util::StreamExt as _;
use serde_json::Value;

use crate::command::CustomCommand;
use crate::command::confirm::{self, Question, Reversibility};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::Format;
use crate::output::lines::LineWriter;

pub(crate) const API: CustomCommand = CustomCommand {
    name: "api",
    about: "Send any request to the server's API",
    examples: &[
        ("api orders/981204 --jq .data.status", "GET a path below /api/v1/admin"),
        ("api POST orders/981204/update-comment -f comment=Checked", "send a JSON body with a text field"),
        ("api POST orders/approve -F 'order_ids=[981204]' --dry-run", "show the request without sending it"),
        ("api GET orders -f status=in_moderation -f cost=5..50 -f sort=-cost,id", "filter and sort a list"),
        ("api users --paginate -o csv --columns id,email", "export a whole list"),
        ("api --list refill", "list endpoints with the commands that call them"),
    ],
    operations: &[],
    args,
    run: |ctx, matches| Box::pin(send_request(ctx, matches)),
};

fn args(command: Command) -> Command {
    let repeated_option = |name: &'static str, short, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).short(short).value_name(value).action(ArgAction::Append).help(help)
    };
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let command = command.args([
        Arg::new("target")
            .value_name("[METHOD] PATH")
            .num_args(0..=2)
            .help("Path, which may include a query; the default method is POST with a body, otherwise GET"),
        repeated_option(
            "field",
            'f',
            "NAME=TEXT",
            "Text field of the body, or query parameter of a GET; use -F 'NAME=\"\"' for an empty string",
        ),
        repeated_option(
            "json-field",
            'F',
            "NAME=JSON",
            "JSON field of the body: a number, list, true, null or @FILE",
        ),
        Arg::new("input")
            .long("input")
            .value_name("FILE")
            .help("Read the body from a file, or - for standard input"),
        repeated_option("header", 'H', "NAME:VALUE", "Additional header"),
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
            .help("List the endpoints, optionally only those that contain a text"),
    ]);
    confirm::safety_args(command)
}

async fn send_request(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    if matches.contains_id("list") {
        return endpoint_list::print_endpoints(
            ctx,
            matches.get_one::<String>("list").map_or("", String::as_str),
        );
    }
    let (request, is_write) = request::parse_request(matches)?;
    if is_write {
        confirm::announce_target(ctx)?;
        if confirm::is_dry_run(matches) {
            ctx.out.print_message(&format!("Would send {request}; nothing was sent."));
            return Ok(Exit::Ok);
        }
        // Only a protected profile asks for confirmation, because the user wrote the request explicitly.
        if ctx.profile()?.1.is_some_and(|profile| profile.protected) {
            let question = Question {
                text: format!("Send {request}?"),
                count: 1,
                reversibility: Reversibility::Irreversible,
                unfiltered_noun: None,
            };
            confirm::ask_confirmation(ctx, matches, &question).await?;
        }
    }
    if matches.get_flag("paginate") {
        return print_all_pages(ctx, matches).await;
    }
    let response = ctx.client()?.request(&request).await?;
    if matches.get_flag("include") {
        ctx.out.print_message(&format!("HTTP {}", response.status));
        for (name, value) in &response.headers {
            // A refreshed token is a secret, and only for the client library.
            let value =
                if name == "authorization" { "(hidden)" } else { value.to_str().unwrap_or("(bytes)") };
            ctx.out.print_message(&format!("{name}: {value}"));
        }
    }
    match serde_json::from_slice::<Value>(&response.body) {
        Ok(value) => print_value(ctx, &value)?,
        Err(_) => {
            let mut lines = LineWriter::new(&ctx.out);
            lines.push(&response.body)?;
            lines.finish()?;
        }
    }
    Ok(Exit::Ok)
}

/// Prints JSON, or the rows of a list if another format is selected.
fn print_value(ctx: &Ctx, value: &Value) -> CommandResult<()> {
    let rows = value.get("data").unwrap_or(value).as_array();
    match (ctx.out.format, rows) {
        _ if ctx.out.jq.is_some() => ctx.out.print_record(value, &[]),
        (Format::Table | Format::Json, _) => {
            ctx.out.print_json(&serde_json::to_string_pretty(value).unwrap_or_default())
        }
        (Format::Yaml, _) | (_, None) => ctx.out.print_record(value, &[]),
        (_, Some(rows)) => ctx.out.print_records(rows.clone(), &[]),
    }
}

async fn print_all_pages(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let (method, path) = request::read_target(matches, "GET")?;
    let (path, query) = path.split_once('?').unwrap_or((&path, ""));
    if method != "GET" || !query.is_empty() {
        return Err(Failure::usage("--paginate requires GET, with the query in -f options."));
    }
    let fields = request::read_pairs(matches, "field", '=')?;
    let query = panel_contract::endpoint::Query::parse(&fields);
    let query: panel_contract::table::TableQuery =
        query.map_err(|errors| Failure::usage(format!("-f: {}", errors.summary())))?;
    let client = ctx.client()?;
    let mut pages = std::pin::pin!(client.stream_pages::<Value>(path, query));
    let mut row_writer = ctx.out.row_writer(&[])?;
    while let Some(page) = pages.next().await {
        page?.data.into_iter().try_for_each(|row| row_writer.push(row))?;
    }
    row_writer.finish()?;
    Ok(Exit::Ok)
}
