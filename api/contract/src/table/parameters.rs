//! Plain parameters of a list: `status=stopped&sort=-cost,id&page[size]=30`. The server resolves the columns.

use crate::fields::FieldErrors;
use crate::table::MAX_LENGTH;

/// A sort key by the name of its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortKey {
    /// Name of the column, nested by dots, such as `user.name`.
    pub column: String,
    /// Whether the order is descending: `-cost`.
    pub descending: bool,
}

/// Mutually exclusive spellings: the plain parameter, and the prefix of the DataTables parameter with the same meaning.
const EITHER: [(&str, &str); 4] =
    [("page[size]", "length"), ("page[number]", "start"), ("sort", "order["), ("search", "search[value]")];

/// Whether `key` can be the name of a filter: a column such as `user.name` or `createdAt`.
pub(super) fn is_name(key: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    key.bytes().all(is_part) && key.starts_with(|first: char| first.is_ascii_lowercase())
}

/// `-cost,id`: the column with the largest first, then another one.
pub(super) fn sort_keys(value: &str) -> Vec<SortKey> {
    let parts = value.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| match part.strip_prefix('-') {
            Some(column) => SortKey { column: column.to_owned(), descending: true },
            None => SortKey { column: part.to_owned(), descending: false },
        })
        .collect()
}

/// The inverse of [`sort_keys`].
pub(super) fn sort_text(keys: &[SortKey]) -> String {
    let texts = keys.iter().map(|key| format!("{}{}", if key.descending { "-" } else { "" }, key.column));
    texts.collect::<Vec<_>>().join(",")
}

/// Rows of a page.
pub(super) fn size(key: &str, value: &str, errors: &mut FieldErrors) -> i64 {
    match value.parse::<i64>() {
        Ok(size) if (1..=MAX_LENGTH).contains(&size) => size,
        _ => {
            errors.add(key, format!("The {key} parameter must be an integer from 1 to {MAX_LENGTH}."));
            1
        }
    }
}

/// Parameters that a request may send only once, because two values would be ambiguous.
const ONCE: [&str; 7] = ["sort", "search", "search[value]", "page[size]", "page[number]", "length", "start"];

/// Refuses parameters that appear twice or in two spellings, because they are ambiguous.
pub(super) fn refuse_mixed(pairs: &[(String, String)], errors: &mut FieldErrors) {
    for key in ONCE {
        if pairs.iter().filter(|(given, _)| given == key).count() > 1 {
            errors.add(key, format!("Send {key} once."));
        }
    }
    for (plain, other) in EITHER {
        let is_other = |key: &str| key == other || (other.ends_with('[') && key.starts_with(other));
        let clash = pairs.iter().find(|(key, _)| is_other(key));
        if let (true, Some((clash, _))) = (pairs.iter().any(|(key, _)| key == plain), clash) {
            errors.add(plain, format!("Send {plain} or {clash}, not both."));
        }
    }
}

/// `columns[0][data]` → `columns`, `0`, `data`.
pub(super) fn split_key(key: &str) -> Vec<&str> {
    match key.split_once('[') {
        None => vec![key],
        Some((head, rest)) => {
            std::iter::once(head).chain(rest.strip_suffix(']').unwrap_or(rest).split("][")).collect()
        }
    }
}

/// A number of at least `least`.
pub(super) fn whole(key: &str, value: &str, least: i64, errors: &mut FieldErrors) -> i64 {
    match value.parse::<i64>() {
        Ok(number) if number >= least => number,
        _ => {
            errors.add(key, format!("The {key} parameter must be an integer of at least {least}."));
            0
        }
    }
}

/// `true` or `1`, `false` or `0`.
pub(super) fn truth(key: &str, value: &str, errors: &mut FieldErrors) -> bool {
    if !matches!(value, "true" | "1" | "false" | "0" | "") {
        errors.add(key, format!("The {key} parameter must be true or false."));
    }
    matches!(value, "true" | "1")
}
