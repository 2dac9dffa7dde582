//! Filters that name a record by a text, such as a service by its name. A run over many records takes the one record that the
//! text names; it never acts on the records of several that share the text.

use futures_util::StreamExt as _;
use panel_contract::ids::RecordId;
use panel_contract::table::{Page, TableQuery};
use serde_json::Value;

use crate::{Client, Error};

/// Columns that name a record, the list where it is looked up, and what such records are called.
const KINDS: &[(&str, &str, &str)] = &[
    ("service", "/api/v1/admin/services", "services"),
    ("services", "/api/v1/admin/services", "services"),
    ("subscription_services", "/api/v1/admin/services", "services"),
    ("user", "/api/v1/admin/users", "users"),
    ("provider", "/api/v1/admin/providers", "providers"),
    ("external_panel", "/api/v1/admin/external-panels", "external panels"),
];

/// Records of a lookup that are compared with the text.
const COMPARED: i64 = 100;

/// Why a query does not name its records.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// A lookup failed.
    #[error(transparent)]
    Call(#[from] Error),
    /// Several records have the text.
    #[error("{text}: several {noun} match")]
    Several {
        /// The column's index in the query.
        at: usize,
        /// The column, such as `service`.
        column: String,
        /// The text.
        text: String,
        /// What the records are called, such as `services`.
        noun: &'static str,
        /// Ids of the records, and what they are called with what tells them apart.
        found: Vec<(RecordId, String)>,
    },
}

/// Puts the id of the record in place of each text that names one. A text that no record has stays as it is: it selects
/// nothing.
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
        let found = match named(client, path, &text).await? {
            Named::One(id) => id,
            Named::None => continue,
            Named::Several(found) => {
                return Err(NameError::Several { at, column: name.to_owned(), text, noun, found });
            }
        };
        if let Some(column) = query.columns.get_mut(at) {
            column.search = found.to_string();
        }
    }
    Ok(query)
}

/// Whether a text is ids, such as `7,9`, or a range of ids; any other text is a name, also one of digits.
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
enum Named {
    None,
    One(RecordId),
    Several(Vec<(RecordId, String)>),
}

/// Looks `text` up in the list at `path`.
async fn named(client: &Client, path: &str, text: &str) -> Result<Named, Error> {
    let asked = TableQuery::new().search(text).page(0, COMPARED);
    let mut pages = std::pin::pin!(client.pages::<Value>(path, asked));
    Ok(pages.next().await.transpose()?.map_or(Named::None, |page| choose(&page, text)))
}

/// The record that `text` names: the only one that has it, or the only one that is called exactly so. A page that does not
/// hold all that match shows no single one, as a record that it leaves out may be called the same.
fn choose(page: &Page<Value>, text: &str) -> Named {
    let field = |row: &Value, field: &str| row.get(field).and_then(Value::as_str).map(str::to_owned);
    let candidate = |row: &Value| {
        // A price, a panel or an address tells records of one name apart.
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
    let is_whole = page.records_filtered <= COMPARED;
    match (all.as_slice(), exact.as_slice()) {
        ([], _) => Named::None,
        ([(id, _)], _) => Named::One(*id),
        (_, [(id, _)]) if is_whole => Named::One(*id),
        (_, []) => Named::Several(all),
        _ => Named::Several(exact),
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

    fn several(found: &[(i64, &str)]) -> Named {
        Named::Several(found.iter().map(|(id, text)| (RecordId::new(*id), (*text).to_owned())).collect())
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
        assert_eq!(choose(&page(1, std::slice::from_ref(&likes)), "fast"), Named::One(RecordId::new(7)));
        assert_eq!(choose(&page(0, &[]), "fast"), Named::None);
        assert_eq!(choose(&page(1, &[json!({ "name": "Likes fast" })]), "fast"), Named::None, "no id");
    }

    #[test]
    fn of_many_matches_the_exact_name_or_email_decides_in_any_case() {
        let rows = [
            json!({ "id": 1, "name": "Anna", "email": "anna@panel.test" }),
            json!({ "id": 2, "name": "Joanna", "email": "joanna@panel.test" }),
            json!({ "id": 3, "name": "Élan", "email": null }),
        ];
        for (text, id) in [("anna", 1), ("ANNA@PANEL.TEST", 1), ("joanna@panel.test", 2), ("éLAN", 3)] {
            assert_eq!(choose(&page(3, &rows), text), Named::One(RecordId::new(id)), "{text}");
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
        assert_eq!(choose(&page(COMPARED, &rows), "likes"), Named::One(RecordId::new(1)));
        assert_eq!(choose(&page(COMPARED + 1, &rows), "likes"), several(&[(1, "Likes")]));
    }
}
