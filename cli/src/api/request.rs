//! Builds a request from the arguments.

use clap::ArgMatches;
use panel_client::request::Request;
use serde_json::{Map, Value};

use crate::command::request_command::optional_value;
use crate::failure::{CommandResult, Failure};

/// This prefix is added to a path without a leading slash.
const ADMIN_API_PREFIX: &str = "/api/v1/admin/";

/// Builds the request. The boolean is whether the request is a write.
pub(super) fn parse_request(matches: &ArgMatches) -> CommandResult<(Request, bool)> {
    let (text_fields, json_fields) =
        (read_pairs(matches, "field", '=')?, read_pairs(matches, "json-field", '=')?);
    let body_file = optional_value::<String>(matches, "input");
    let has_body = body_file.is_some() || !text_fields.is_empty() || !json_fields.is_empty();
    let (method, path) = read_target(matches, if has_body { "POST" } else { "GET" })?;
    let is_write = !matches!(method.as_str(), "GET" | "HEAD");
    let mut request = Request::new(&method, path)?;
    for (name, value) in read_pairs(matches, "header", ':')? {
        request = request.header(&name, value.trim())?;
    }
    if !is_write {
        if body_file.is_some() || !json_fields.is_empty() {
            return Err(Failure::usage(format!("A {method} request has no body. Use -f for its query.")));
        }
        return Ok((request.query(text_fields), false));
    }
    if let Some(body) = build_body(body_file, text_fields, json_fields)? {
        request = request.body("application/json", body);
    }
    let key = optional_value::<String>(matches, "key").unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    Ok((request.idempotency_key(key), true))
}

pub(super) fn read_target(matches: &ArgMatches, default_method: &str) -> CommandResult<(String, String)> {
    let positionals: Vec<&String> = matches.get_many::<String>("target").into_iter().flatten().collect();
    let (method, path) = match positionals.as_slice() {
        [path] => (default_method.to_owned(), path.as_str()),
        [method, path] => (method.to_ascii_uppercase(), path.as_str()),
        _ => return Err(Failure::usage("Specify a path, such as orders/981204.").hint("panelctl api --list")),
    };
    let path = if path.starts_with('/') { path.to_owned() } else { format!("{ADMIN_API_PREFIX}{path}") };
    Ok((method, path))
}

pub(super) fn read_pairs(
    matches: &ArgMatches,
    name: &str,
    separator: char,
) -> CommandResult<Vec<(String, String)>> {
    let split_pair = |text: &String| match text.split_once(separator) {
        Some((field, value)) => Ok((field.to_owned(), value.to_owned())),
        None => Err(Failure::usage(format!("--{name} {text}: expected {separator:?}."))),
    };
    matches.get_many::<String>(name).into_iter().flatten().map(split_pair).collect()
}

fn build_body(
    body_file: Option<String>,
    text_fields: Vec<(String, String)>,
    json_fields: Vec<(String, String)>,
) -> CommandResult<Option<Vec<u8>>> {
    if let Some(file) = body_file {
        if !text_fields.is_empty() || !json_fields.is_empty() {
            return Err(Failure::usage("Specify the body with --input or with fields, not both."));
        }
        return read_bytes(&file).map(Some);
    }
    if text_fields.is_empty() && json_fields.is_empty() {
        return Ok(None);
    }
    let mut fields: Map<String, Value> =
        text_fields.into_iter().map(|(name, text)| (name, text.into())).collect();
    for (name, text) in json_fields {
        let bytes = text.strip_prefix('@').map_or_else(|| Ok(text.clone().into_bytes()), read_bytes)?;
        let value = serde_json::from_slice(&bytes);
        let value =
            value.map_err(|error| Failure::usage(format!("-F {name}: {error}. Use -f for strings.")))?;
        fields.insert(name, value);
    }
    Ok(Some(Value::Object(fields).to_string().into_bytes()))
}

fn read_bytes(file: &str) -> CommandResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let result = match file {
        "-" => std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes).map(|_| bytes),
        file => std::fs::read(file),
    };
    result.map_err(|error| Failure::usage(format!("{file}: {error}.")))
}
