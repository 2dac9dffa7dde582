//! Filters that name a record by a text, such as a service by its name. [`resolve_record_names`] replaces the text by the id of the
//! only matching record, and fails if several records match.

use futures_util::StreamExt as _;
use panel_contract::ids::RecordId;
use panel_contract::table::{Page, TableQuery};
use serde_json::Value;

use crate::{Client, Error};

/// A column whose filter may name a record.
#[derive(Clone, Copy)]
struct RecordColumn {
    name: &'static str,
    /// Path of the list in which the record is looked up.
    list_path: &'static str,
    /// Plural noun for error messages.
    noun: &'static str,
}

const fn record_column(name: &'static str, list_path: &'static str, noun: &'static str) -> RecordColumn {
    RecordColumn { name, list_path, noun }
}

const RECORD_COLUMNS: &[RecordColumn] = &[
    record_column("service", "/api/v1/admin/services", "services"),
    record_column("services", "/api/v1/admin/services", "services"),
    record_column("subscription_services", "/api/v1/admin/services", "services"),
    record_column("user", "/api/v1/admin/users", "users"),
    record_column("provider", "/api/v1/admin/providers", "providers"),
    record_column("external_panel", "/api/v1/admin/external-panels", "external panels"),
];

/// Maximum number of records that a lookup compares with the text.
const MAX_COMPARED_RECORDS: i64 = 100;

/// Why a text does not identify one record.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// The request that searches for the text failed.
    #[error(transparent)]
    RequestFailed(#[from] Error),
    /// Several records match the text.
    #[error("{text}: several {noun} match")]
    Ambiguous {
        /// Index of the column in the query.
        index: usize,
        /// Name of the column, such as `service`.
        column: String,
        /// Text that the user entered.
        text: String,
        /// Plural noun for the records, such as `services`.
        noun: &'static str,
        /// Id and label of each matching record. The labels have price, panel or email, so that the user can distinguish records
        /// with the same name.
        matches: Vec<(RecordId, String)>,
    },
}

/// Replaces each text in `query` that names a record by the id of the record. A text without a match stays, and then selects no
/// rows. Fails if several records match or a lookup fails.
pub async fn resolve_record_names(client: &Client, mut query: TableQuery) -> Result<TableQuery, NameError> {
    for index in 0..query.columns.len() {
        let Some(column) = query.columns.get(index) else { continue };
        let is_same_column = |record_column: &&RecordColumn| record_column.name == column.data;
        let Some(RecordColumn { name, list_path, noun }) =
            RECORD_COLUMNS.iter().find(is_same_column).copied()
        else {
            continue;
        };
        let text = column.search.trim().to_owned();
        if text.is_empty() || is_id_list(&text) {
            continue;
        }
        let id = match find_record(client, list_path, &text).await? {
            NameMatch::One(id) => id,
            NameMatch::None => continue,
            NameMatch::Ambiguous(matches) => {
                return Err(NameError::Ambiguous { index, column: name.to_owned(), text, noun, matches });
            }
        };
        if let Some(column) = query.columns.get_mut(index) {
            column.search = id.to_string();
        }
    }
    Ok(query)
}

/// Whether a text is a list of ids, such as `7,9`, or a range of ids, such as `5..50`. Any other text is a name.
fn is_id_list(text: &str) -> bool {
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
    Ambiguous(Vec<(RecordId, String)>),
}

/// Searches the list at `path` for `text`.
async fn find_record(client: &Client, path: &str, text: &str) -> Result<NameMatch, Error> {
    let query = TableQuery::new().search(text).page(0, MAX_COMPARED_RECORDS);
    let mut pages = std::pin::pin!(client.stream_pages::<Value>(path, query));
    Ok(pages.next().await.transpose()?.map_or(NameMatch::None, |page| select_match(&page, text)))
}

/// Selects the record that `text` names: the only match, or the only exact match. If the page does not have all matches, an exact
/// match is ambiguous.
fn select_match(page: &Page<Value>, text: &str) -> NameMatch {
    let text_field = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    let id_and_label = |row: &Value| {
        // Price, panel or email distinguish records with the same name.
        let panel = row.get("external_panel").and_then(|panel| text_field(panel, "name"));
        let parts = ["name", "email", "default_price", "external_panels"].map(|name| text_field(row, name));
        let label = parts.into_iter().flatten().chain(panel).collect::<Vec<_>>().join(" · ");
        Some((row.get("id").and_then(Value::as_i64).map(RecordId::new)?, label))
    };
    let is_exact = |row: &&Value| {
        ["name", "email"].iter().any(|name| {
            text_field(row, name).is_some_and(|value| value.to_lowercase() == text.to_lowercase())
        })
    };
    let exact_matches: Vec<_> = page.data.iter().filter(is_exact).filter_map(id_and_label).collect();
    let all_matches: Vec<_> = page.data.iter().filter_map(id_and_label).collect();
    let page_has_all_matches = page.records_filtered <= MAX_COMPARED_RECORDS;
    match (all_matches.as_slice(), exact_matches.as_slice()) {
        ([], _) => NameMatch::None,
        ([(id, _)], _) => NameMatch::One(*id),
        (_, [(id, _)]) if page_has_all_matches => NameMatch::One(*id),
        (_, []) => NameMatch::Ambiguous(all_matches),
        _ => NameMatch::Ambiguous(exact_matches),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A page with `rows` out of `matching` records.
    fn page(matching: i64, rows: &[Value]) -> Page<Value> {
        Page {
            draw: 0,
            records_total: matching,
            records_filtered: matching,
            records_filtered_is_at_least: false,
            data: rows.to_vec(),
        }
    }

    fn ambiguous_matches(matches: &[(i64, &str)]) -> NameMatch {
        NameMatch::Ambiguous(
            matches.iter().map(|(id, text)| (RecordId::new(*id), (*text).to_owned())).collect(),
        )
    }

    #[test]
    fn ids_and_ranges_are_no_names() {
        for ids in ["7", "7,9", "7, 9", "5..50", "5..", "..50", "5 .. 9"] {
            assert!(is_id_list(ids), "{ids}");
        }
        for name in ["100 500", "1.5", "..", ".", "7,", "100.000", "5..x", "2..3..4", "1 000,5", "7,5..9"] {
            assert!(!is_id_list(name), "{name}");
        }
    }

    #[test]
    fn a_part_of_a_name_identifies_the_only_match() {
        let likes = json!({ "id": 7, "name": "Likes fast" });
        assert_eq!(
            select_match(&page(1, std::slice::from_ref(&likes)), "fast"),
            NameMatch::One(RecordId::new(7))
        );
        assert_eq!(select_match(&page(0, &[]), "fast"), NameMatch::None);
        assert_eq!(
            select_match(&page(1, &[json!({ "name": "Likes fast" })]), "fast"),
            NameMatch::None,
            "no id"
        );
    }

    #[test]
    fn an_exact_name_or_email_in_any_case_identifies_one_of_several_matches() {
        let rows = [
            json!({ "id": 1, "name": "Anna", "email": "anna@panel.test" }),
            json!({ "id": 2, "name": "Joanna", "email": "joanna@panel.test" }),
            json!({ "id": 3, "name": "Élan", "email": null }),
        ];
        for (text, id) in [("anna", 1), ("ANNA@PANEL.TEST", 1), ("joanna@panel.test", 2), ("éLAN", 3)] {
            assert_eq!(select_match(&page(3, &rows), text), NameMatch::One(RecordId::new(id)), "{text}");
        }
        let expected = ambiguous_matches(&[
            (1, "Anna · anna@panel.test"),
            (2, "Joanna · joanna@panel.test"),
            (3, "Élan"),
        ]);
        for text in ["ann", "anna ", "panel.test", "elan"] {
            assert_eq!(select_match(&page(3, &rows), text), expected, "{text}");
        }
    }

    #[test]
    fn records_with_the_same_name_are_ambiguous() {
        let rows = [
            json!({ "id": 1, "name": "Likes", "default_price": "1.00", "external_panels": "A, B" }),
            json!({ "id": 2, "name": "likes", "external_panel": { "id": 9, "name": "C" } }),
            json!({ "id": 3, "name": "Likes fast", "default_price": "3.00" }),
        ];
        let expected = ambiguous_matches(&[(1, "Likes · 1.00 · A, B"), (2, "likes · C")]);
        assert_eq!(select_match(&page(3, &rows), "Likes"), expected);
    }

    #[test]
    fn an_exact_name_is_ambiguous_if_the_page_has_not_all_matches() {
        let rows = [json!({ "id": 1, "name": "Likes" }), json!({ "id": 2, "name": "Likes fast" })];
        assert_eq!(
            select_match(&page(MAX_COMPARED_RECORDS, &rows), "likes"),
            NameMatch::One(RecordId::new(1))
        );
        assert_eq!(
            select_match(&page(MAX_COMPARED_RECORDS + 1, &rows), "likes"),
            ambiguous_matches(&[(1, "Likes")])
        );
    }
}
