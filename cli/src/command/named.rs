//! Filters that name a record by a text, such as `--service`. A bulk run takes the one record that the text names; it never
//! acts on the records of several that share the text.

use futures_util::StreamExt as _;
use panel_client::Client;
use panel_contract::table::TableQuery;
use serde_json::Value;

use crate::command::filter;
use crate::command::list::List;
use crate::failure::{Done, Failure};

/// Columns that name a record, the list where it is looked up, and what such records are called.
const KINDS: &[(&str, &str, &str)] = &[
    ("service", "/api/v1/admin/services", "services"),
    ("subscription_services", "/api/v1/admin/services", "services"),
    ("user", "/api/v1/admin/users", "users"),
    ("provider", "/api/v1/admin/providers", "providers"),
    ("external_panel", "/api/v1/admin/external-panels", "external panels"),
];

/// Most candidates that a refusal lists.
const MOST: usize = 10;

/// Puts the id of the record in place of each text that names one; refuses a text that several records have.
pub(crate) async fn resolve(client: &Client, list: &List, mut query: TableQuery) -> Done<TableQuery> {
    for at in 0..query.columns.len() {
        let Some(column) = query.columns.get(at) else { continue };
        let Some(kind) = KINDS.iter().find(|kind| kind.0 == column.data) else { continue };
        let text = column.search.trim().to_owned();
        if text.is_empty() || are_ids(&text) {
            continue;
        }
        let flag = filter::name_field(list, &query, &format!("columns.{at}"));
        let found = one(client, &flag, &text, *kind).await?;
        if let (Some(id), Some(column)) = (found, query.columns.get_mut(at)) {
            column.search = id.to_string();
        }
    }
    Ok(query)
}

/// Whether a text is ids and ranges of ids, such as `7,9` or `5..50`; any other text is a name, also one of digits.
fn are_ids(text: &str) -> bool {
    let is_id = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split(',').map(str::trim).all(|part| match part.split_once("..") {
        Some((from, to)) => (is_id(from) && (to.is_empty() || is_id(to))) || (from.is_empty() && is_id(to)),
        None => is_id(part),
    })
}

/// The record that `text` names: the only one that has it, or the only one that is called exactly so.
async fn one(client: &Client, flag: &str, text: &str, kind: (&str, &str, &str)) -> Done<Option<i64>> {
    let asked = TableQuery::new().search(text).page(0, 100);
    let mut pages = std::pin::pin!(client.pages::<Value>(kind.1, asked));
    let Some(page) = pages.next().await.transpose()? else { return Ok(None) };
    let id = |row: &Value| row.get("id").and_then(Value::as_i64);
    let is_exact = |row: &&Value| {
        ["name", "email"].iter().any(|field| {
            row.get(*field).and_then(Value::as_str).is_some_and(|has| has.eq_ignore_ascii_case(text))
        })
    };
    if let [row] = page.data.as_slice() {
        return Ok(id(row));
    }
    let exact: Vec<&Value> = page.data.iter().filter(is_exact).collect();
    if let ([row], false) = (exact.as_slice(), page.records_filtered > 100) {
        return Ok(id(row));
    }
    if page.data.is_empty() {
        return Ok(None);
    }
    let shown = if exact.is_empty() { page.data.iter().collect() } else { exact };
    let name = |row: &Value| row.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let lines = shown.iter().take(MOST);
    let lines: Vec<String> =
        lines.map(|row| format!("  {} {}", id(row).unwrap_or_default(), name(row))).collect();
    Err(Failure::usage(format!("{flag} {text}: several {} match.\n{}", kind.2, lines.join("\n"))).hint(
        format!(
            "name one by its id, such as {flag} {}",
            shown.first().and_then(|row| id(row)).unwrap_or_default()
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_ranges_are_no_names() {
        for ids in ["7", "7,9", "7, 9", "5..50", "5..", "..50", "7,5..9"] {
            assert!(are_ids(ids), "{ids}");
        }
        for name in ["100 500", "1.5", "..", ".", "7,", "100.000", "5..x", "2..3..4", "1 000,5"] {
            assert!(!are_ids(name), "{name}");
        }
    }
}
