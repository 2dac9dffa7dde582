//! `api`: any request to the panel, with the session, retries and formats of every other command; and the table of
//! endpoints with the commands that reach them.

use clap::{Arg, ArgAction, ArgMatches, Command};
use futures_util::StreamExt as _;
use panel_client::request::Request;
use panel_contract::endpoints;
use serde_json::{Map, Value, json};

use crate::command::call::opt;
use crate::command::confirm::{self, Danger, Question};
use crate::command::{Cmd, Own};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::Format;
use crate::output::column::{Column, Kind};
use crate::root::{NOUNS, OWN};

/// `api`.
pub(crate) const API: Own = Own {
    name: "api",
    about: "Any request to the panel, as it is",
    examples: &[
        ("api orders/981204 --jq .data.status", "GET below /api/v1/admin"),
        ("api POST orders/981204/update-comment -f comment=Checked", "a JSON body of texts"),
        ("api POST orders/approve -F 'order_ids=[981204]' --dry-run", "shows what would be sent"),
        ("api users --paginate -o csv --columns id,email", "a whole list"),
        ("api --list refill", "endpoints, with the commands that call them"),
    ],
    reaches: &[],
    args,
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

/// Paths without a leading slash are below this.
const BELOW: &str = "/api/v1/admin/";

const COLUMNS: &[Column] = &[
    Column::new("method", Kind::Word),
    Column::new("path", Kind::Word),
    Column::new("command", Kind::Word),
    Column::new("who", Kind::Text),
    Column::new("summary", Kind::Text),
    Column::more("id", Kind::Word),
    Column::more("area", Kind::Word),
];

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
        many("field", 'f', "NAME=TEXT", "A text of the body, or of a GET's query"),
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
            .default_missing_value("")
            .exclusive(false)
            .help("Lists the endpoints, or those with a word in them"),
    ]);
    confirm::args(command)
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    if let Some(word) = matches.get_one::<String>("list") {
        return list(ctx, word);
    }
    let (request, writes) = request(matches)?;
    if writes {
        confirm::announce(ctx)?;
        if confirm::is_dry(matches) {
            ctx.out.say(&format!("Would send {request}; nothing was sent."));
            return Ok(Exit::Ok);
        }
        // Whoever writes a raw request has said what they want; a protected profile asks all the same.
        if ctx.profile()?.1.is_some_and(|profile| profile.protected) {
            let question = Question { text: format!("Send {request}?"), count: 1, danger: Danger::Final };
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
        Err(_) if ctx.out.to_terminal => {
            String::from_utf8_lossy(&answer.body).lines().try_for_each(|line| ctx.out.text(line))?
        }
        Err(_) => ctx.out.bytes(&answer.body)?,
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

/// The request meant, and whether it writes.
fn request(matches: &ArgMatches) -> Done<(Request, bool)> {
    let (texts, jsons) = (pairs(matches, "field", '=')?, pairs(matches, "json-field", '=')?);
    let input = opt::<String>(matches, "input");
    let has_body = input.is_some() || !texts.is_empty() || !jsons.is_empty();
    let (method, path) = target(matches, if has_body { "POST" } else { "GET" })?;
    let writes = !matches!(method.as_str(), "GET" | "HEAD");
    let mut request = Request::new(&method, path)?;
    for (name, value) in pairs(matches, "header", ':')? {
        request = request.header(&name, value.trim())?;
    }
    if !writes {
        if input.is_some() || !jsons.is_empty() {
            return Err(Failure::usage(format!("A {method} has no body; use -f for its query.")));
        }
        return Ok((request.query(texts), false));
    }
    if let Some(body) = body(input, texts, jsons)? {
        request = request.body("application/json", body);
    }
    let key = opt::<String>(matches, "key").unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    Ok((request.idempotency_key(key), true))
}

fn target(matches: &ArgMatches, method: &str) -> Done<(String, String)> {
    let words: Vec<&String> = matches.get_many::<String>("words").into_iter().flatten().collect();
    let (method, path) = match words.as_slice() {
        [path] => (method.to_owned(), path.as_str()),
        [method, path] => (method.to_ascii_uppercase(), path.as_str()),
        _ => return Err(Failure::usage("Say which path, such as orders/981204.").hint("panelctl api --list")),
    };
    let path = if path.starts_with('/') { path.to_owned() } else { format!("{BELOW}{path}") };
    Ok((method, path))
}

fn pairs(matches: &ArgMatches, name: &str, between: char) -> Done<Vec<(String, String)>> {
    let split = |text: &String| match text.split_once(between) {
        Some((field, value)) => Ok((field.to_owned(), value.to_owned())),
        None => Err(Failure::usage(format!("--{name} {text}: there is no {between:?} in it."))),
    };
    matches.get_many::<String>(name).into_iter().flatten().map(split).collect()
}

fn body(
    input: Option<String>,
    texts: Vec<(String, String)>,
    jsons: Vec<(String, String)>,
) -> Done<Option<Vec<u8>>> {
    if let Some(file) = input {
        if !texts.is_empty() || !jsons.is_empty() {
            return Err(Failure::usage("The body is either --input or fields."));
        }
        return read(&file).map(Some);
    }
    if texts.is_empty() && jsons.is_empty() {
        return Ok(None);
    }
    let mut fields: Map<String, Value> = texts.into_iter().map(|(name, text)| (name, text.into())).collect();
    for (name, text) in jsons {
        let bytes = text.strip_prefix('@').map_or_else(|| Ok(text.clone().into_bytes()), read)?;
        let value = serde_json::from_slice(&bytes);
        let value = value.map_err(|error| Failure::usage(format!("-F {name}: {error}; -f takes texts.")))?;
        fields.insert(name, value);
    }
    Ok(Some(Value::Object(fields).to_string().into_bytes()))
}

fn read(file: &str) -> Done<Vec<u8>> {
    let mut bytes = Vec::new();
    let result = match file {
        "-" => std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes).map(|_| bytes),
        file => std::fs::read(file),
    };
    result.map_err(|error| Failure::usage(format!("{file}: {error}.")))
}

async fn paginate(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let (method, path) = target(matches, "GET")?;
    let (path, query) = path.split_once('?').unwrap_or((&path, ""));
    if method != "GET" || !query.is_empty() {
        return Err(Failure::usage("--paginate reads a list by GET, with its query given by -f."));
    }
    let pairs = pairs(matches, "field", '=')?;
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

/// Every endpoint with the commands that call it.
fn list(ctx: &Ctx, word: &str) -> Done {
    let commands = commands();
    let word = word.to_lowercase();
    let mut rows = Vec::new();
    for op in endpoints::all() {
        let by: Vec<_> =
            commands.iter().filter(|(id, _)| *id == op.id).map(|(_, name)| name.as_str()).collect();
        let text = format!("{} {} {} {}", op.method, op.path, op.id, op.summary).to_lowercase();
        if text.contains(&word) {
            rows.push(json!({
                "method": op.method, "path": op.path, "id": op.id, "area": op.area, "who": op.who.to_string(),
                "command": by.join(", "), "summary": op.summary.trim(),
            }));
        }
    }
    ctx.out.records(rows, COLUMNS)?;
    Ok(Exit::Ok)
}

/// Ids of endpoints, each with a command that calls it.
fn commands() -> Vec<(&'static str, String)> {
    fn walk(path: &str, cmd: &Cmd, into: &mut Vec<(&'static str, String)>) {
        let path = format!("{path} {}", cmd.name());
        match cmd {
            Cmd::Nested(noun) => noun.verbs.iter().for_each(|verb| walk(&path, verb, into)),
            cmd => into.extend(cmd.reaches().iter().map(|op| (op.id, path.clone()))),
        }
    }
    let mut found = Vec::new();
    for noun in NOUNS {
        noun.verbs.iter().for_each(|verb| walk(noun.name, verb, &mut found));
    }
    found.extend(OWN.iter().flat_map(|own| own.reaches.iter().map(|op| (op.id, own.name.to_owned()))));
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Endpoints that no command calls, and why.
    const WITHOUT: &[(&str, &str)] = &[
        ("handoff", "the console signs in with it"),
        ("setup", "done once in the browser, or by panel-server admin create"),
        ("metrics", "read by Prometheus"),
        ("openapi", "a document for generators; panelctl api /openapi.json"),
        ("update_saved_view", "the console edits views; here they are deleted and made anew"),
    ];

    #[test]
    fn every_endpoint_has_a_command() {
        let reached: BTreeSet<_> = commands().into_iter().map(|(id, _)| id).collect();
        let without: BTreeSet<_> = WITHOUT.iter().map(|(id, _)| *id).collect();
        let all: BTreeSet<_> = endpoints::all().map(|op| op.id).collect();
        let missing: Vec<_> = all.difference(&reached).filter(|id| !without.contains(*id)).collect();
        assert!(missing.is_empty(), "no command calls {missing:?}");
        let needless: Vec<_> =
            without.iter().filter(|id| reached.contains(*id) || !all.contains(*id)).collect();
        assert!(needless.is_empty(), "{needless:?} need no exception");
    }
}
