//! Filters that name a record by a text, such as a service by its name. The text is replaced by the id of the only matching
//! record; if several match, the run is refused.

use futures_util::StreamExt as _;
use panel_contract::ids::RecordId;
use panel_contract::table::{Page, TableQuery};
use serde_json::Value;

use crate::{Client, Error};

/// Columns that name a record, the path of the list for the lookup, and the noun for such records.
const KINDS: &[(&str, &str, &str)] = &[
    ("service", "/api/v1/admin/services", "services"),
    ("services", "/api/v1/admin/services", "services"),
    ("subscription_services", "/api/v1/admin/services", "services"),
    ("user", "/api/v1/admin/users", "users"),
    ("provider", "/api/v1/admin/providers", "providers"),
    ("external_panel", "/api/v1/admin/external-panels", "external panels"),
];

/// Maximum number of records of a lookup that are compared with the text.
const MAX_COMPARED: i64 = 100;

/// Reason why a text does not identify a record.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// A lookup failed.
    #[error(transparent)]
    Call(#[from] Error),
    /// Several records match the text.
    #[error("{text}: several {noun} match")]
    Several {
        /// Index of the column in the query.
        at: usize,
        /// Name of the column, such as `service`.
        column: String,
        /// The text.
        text: String,
        /// Noun for the records, such as `services`.
        noun: &'static str,
        /// Ids of the matching records, and a label that distinguishes them.
        found: Vec<(RecordId, String)>,
    },
}

/// Replaces each text that names a record by the record's id. A text without a match stays, and selects nothing. Fails if
/// several records match or a lookup fails.
pub async fn resolve(client: &Client, mut query: TableQuery) -> Result<TableQuery, NameError> {
    for at in 0..query.columns.len() {
        let Some(column) = query.columns.get(at) else { continue };
        let Some((name, path, noun)) = KINDS.iter().find(|kind| kind.0 == column.data).copied() else {
            continue;
        };
        let text = column.search.trim().to_owned();
        if text.is_empty() || are_ids(&text) {
            continue;
        }
        let found = match look_up(client, path, &text).await? {
            NameMatch::One(id) => id,
            NameMatch::None => continue,
            NameMatch::Several(found) => {
                return Err(NameError::Several { at, column: name.to_owned(), text, noun, found });
            }
        };
        if let Some(column) = query.columns.get_mut(at) {
            column.search = found.to_string();
        }
    }
    Ok(query)
}

/// Whether a text is a list of ids, such as `7,9`, or a range of ids. Any other text is a name.
fn are_ids(text: &str) -> bool {
    let is_id = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (from.trim(), to.trim());
            (is_id(from) && (to.is_empty() || is_id(to))) || (from.is_empty() && is_id(to))
        }
        None => text.split(',').map(str::trim).all(is_id),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum NameMatch {
    None,
    One(RecordId),
    Several(Vec<(RecordId, String)>),
}

/// Looks `text` up in the list at `path`.
async fn look_up(client: &Client, path: &str, text: &str) -> Result<NameMatch, Error> {
    let query = TableQuery::new().search(text).page(0, MAX_COMPARED);
    let mut pages = std::pin::pin!(client.pages::<Value>(path, query));
    Ok(pages.next().await.transpose()?.map_or(NameMatch::None, |page| choose(&page, text)))
}

/// The record that `text` names: the only match, or the only exact match. If the page does not have all matches, an exact match
/// is not certain to be the only one.
fn choose(page: &Page<Value>, text: &str) -> NameMatch {
    let field = |row: &Value, field: &str| row.get(field).and_then(Value::as_str).map(str::to_owned);
    let candidate = |row: &Value| {
        // A price, a panel or an email distinguishes records with the same name.
        let panel = row.get("external_panel").and_then(|panel| field(panel, "name"));
        let parts = ["name", "email", "default_price", "external_panels"].map(|name| field(row, name));
        let text = parts.into_iter().flatten().chain(panel).collect::<Vec<_>>().join(" · ");
        Some((row.get("id").and_then(Value::as_i64).map(RecordId::new)?, text))
    };
    let is_exact = |row: &&Value| {
        ["name", "email"]
            .iter()
            .any(|name| field(row, name).is_some_and(|has| has.to_lowercase() == text.to_lowercase()))
    };
    let exact: Vec<_> = page.data.iter().filter(is_exact).filter_map(candidate).collect();
    let all: Vec<_> = page.data.iter().filter_map(candidate).collect();
    let is_whole = page.records_filtered <= MAX_COMPARED;
    match (all.as_slice(), exact.as_slice()) {
        ([], _) => NameMatch::None,
        ([(id, _)], _) => NameMatch::One(*id),
        (_, [(id, _)]) if is_whole => NameMatch::One(*id),
        (_, []) => NameMatch::Several(all),
        _ => NameMatch::Several(exact),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A page with `rows`, of `filtered` records that match.
    fn page(filtered: i64, rows: &[Value]) -> Page<Value> {
        Page {
            draw: 0,
            records_total: filtered,
            records_filtered: filtered,
            records_filtered_is_at_least: false,
            data: rows.to_vec(),
        }
    }

    fn several(found: &[(i64, &str)]) -> NameMatch {
        NameMatch::Several(found.iter().map(|(id, text)| (RecordId::new(*id), (*text).to_owned())).collect())
    }

    #[test]
    fn ids_and_ranges_are_no_names() {
        for ids in ["7", "7,9", "7, 9", "5..50", "5..", "..50", "5 .. 9"] {
            assert!(are_ids(ids), "{ids}");
        }
        for name in ["100 500", "1.5", "..", ".", "7,", "100.000", "5..x", "2..3..4", "1 000,5", "7,5..9"] {
            assert!(!are_ids(name), "{name}");
        }
    }

    #[test]
    fn the_only_match_is_named_even_by_a_part_of_its_name() {
        let likes = json!({ "id": 7, "name": "Likes fast" });
        assert_eq!(choose(&page(1, std::slice::from_ref(&likes)), "fast"), NameMatch::One(RecordId::new(7)));
        assert_eq!(choose(&page(0, &[]), "fast"), NameMatch::None);
        assert_eq!(choose(&page(1, &[json!({ "name": "Likes fast" })]), "fast"), NameMatch::None, "no id");
    }

    #[test]
    fn of_many_matches_the_exact_name_or_email_decides_in_any_case() {
        let rows = [
            json!({ "id": 1, "name": "Anna", "email": "anna@panel.test" }),
            json!({ "id": 2, "name": "Joanna", "email": "joanna@panel.test" }),
            json!({ "id": 3, "name": "Élan", "email": null }),
        ];
        for (text, id) in [("anna", 1), ("ANNA@PANEL.TEST", 1), ("joanna@panel.test", 2), ("éLAN", 3)] {
            assert_eq!(choose(&page(3, &rows), text), NameMatch::One(RecordId::new(id)), "{text}");
        }
        let all = several(&[(1, "Anna · anna@panel.test"), (2, "Joanna · joanna@panel.test"), (3, "Élan")]);
        for text in ["ann", "anna ", "panel.test", "elan"] {
            assert_eq!(choose(&page(3, &rows), text), all, "{text}");
        }
    }

    #[test]
    fn of_records_with_one_name_none_is_chosen() {
        let rows = [
            json!({ "id": 1, "name": "Likes", "default_price": "1.00", "external_panels": "A, B" }),
            json!({ "id": 2, "name": "likes", "external_panel": { "id": 9, "name": "C" } }),
            json!({ "id": 3, "name": "Likes fast", "default_price": "3.00" }),
        ];
        let both = several(&[(1, "Likes · 1.00 · A, B"), (2, "likes · C")]);
        assert_eq!(choose(&page(3, &rows), "Likes"), both);
    }

    #[test]
    fn an_exact_name_decides_only_among_all_matches() {
        let rows = [json!({ "id": 1, "name": "Likes" }), json!({ "id": 2, "name": "Likes fast" })];
        assert_eq!(choose(&page(MAX_COMPARED, &rows), "likes"), NameMatch::One(RecordId::new(1)));
        assert_eq!(choose(&page(MAX_COMPARED + 1, &rows), "likes"), several(&[(1, "Likes")]));
    }
}
