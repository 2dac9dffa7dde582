//! Parses the parameters of a list query, such as `status=stopped&sort=-cost,id&page[size]=30`. This module does not check
//! whether the columns exist.

use crate::fields::FieldErrors;
use crate::table::MAX_LENGTH;

/// A sort key by the name of its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortKey {
    /// Name of the column, nested by dots, such as `user.name`.
    pub column: String,
    /// Whether the order is descending, as in `-cost`.
    pub descending: bool,
}

/// Mutually exclusive parameters: the simple one, and the name or prefix of the DataTables parameter with the same meaning.
const MUTUALLY_EXCLUSIVE: [(&str, &str); 4] =
    [("page[size]", "length"), ("page[number]", "start"), ("sort", "order["), ("search", "search[value]")];

/// Whether `key` can be the name of a filter: a column such as `user.name` or `createdAt`.
pub(super) fn is_filter_name(key: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    key.bytes().all(is_allowed) && key.starts_with(|first: char| first.is_ascii_lowercase())
}

/// Parses the value of `sort`: `-cost,id` sorts by cost in descending order, then by id.
pub(super) fn parse_sort_keys(value: &str) -> Vec<SortKey> {
    let parts = value.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| match part.strip_prefix('-') {
            Some(column) => SortKey { column: column.to_owned(), descending: true },
            None => SortKey { column: part.to_owned(), descending: false },
        })
        .collect()
}

/// Formats the value of `sort`, the inverse of [`parse_sort_keys`].
pub(super) fn format_sort_keys(keys: &[SortKey]) -> String {
    let sort_keys = keys.iter().map(|key| format!("{}{}", if key.descending { "-" } else { "" }, key.column));
    sort_keys.collect::<Vec<_>>().join(",")
}

/// Parses the value of `page[size]`. Adds an error and returns 1 for an invalid value.
pub(super) fn parse_page_size(key: &str, value: &str, errors: &mut FieldErrors) -> i64 {
    match value.parse::<i64>() {
        Ok(size) if (1..=MAX_LENGTH).contains(&size) => size,
        _ => {
            errors.add(key, format!("The {key} parameter must be an integer from 1 to {MAX_LENGTH}."));
            1
        }
    }
}

/// Parameters that a request may send only once, because two values would be ambiguous.
const SINGLE_PARAMETERS: [&str; 7] =
    ["sort", "search", "search[value]", "page[size]", "page[number]", "length", "start"];

/// Adds an error for each parameter that appears twice or in two spellings, because its value is ambiguous.
pub(super) fn reject_ambiguous_parameters(pairs: &[(String, String)], errors: &mut FieldErrors) {
    for key in SINGLE_PARAMETERS {
        if pairs.iter().filter(|(name, _)| name == key).count() > 1 {
            errors.add(key, format!("Send {key} once."));
        }
    }
    for (simple_name, datatables_name) in MUTUALLY_EXCLUSIVE {
        let is_datatables = |key: &str| {
            key == datatables_name || (datatables_name.ends_with('[') && key.starts_with(datatables_name))
        };
        let has_simple = pairs.iter().any(|(key, _)| key == simple_name);
        let datatables_pair = pairs.iter().find(|(key, _)| is_datatables(key));
        if let (true, Some((datatables_key, _))) = (has_simple, datatables_pair) {
            errors.add(simple_name, format!("Send {simple_name} or {datatables_key}, not both."));
        }
    }
}

/// Splits a key: `columns[0][data]` becomes `columns`, `0` and `data`.
pub(super) fn split_key(key: &str) -> Vec<&str> {
    match key.split_once('[') {
        None => vec![key],
        Some((name, rest)) => {
            std::iter::once(name).chain(rest.strip_suffix(']').unwrap_or(rest).split("][")).collect()
        }
    }
}

/// Parses an integer of at least `min`. Adds an error and returns 0 for any other value.
pub(super) fn parse_integer(key: &str, value: &str, min: i64, errors: &mut FieldErrors) -> i64 {
    match value.parse::<i64>() {
        Ok(number) if number >= min => number,
        _ => {
            errors.add(key, format!("The {key} parameter must be an integer of at least {min}."));
            0
        }
    }
}

/// Parses a flag: `true`, `1`, `false`, `0` or empty. Adds an error and returns false for any other value.
pub(super) fn parse_flag(key: &str, value: &str, errors: &mut FieldErrors) -> bool {
    if !matches!(value, "true" | "1" | "false" | "0" | "") {
        errors.add(key, format!("The {key} parameter must be true or false."));
    }
    matches!(value, "true" | "1")
}
