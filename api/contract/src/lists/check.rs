//! Compile-time checks of list declarations. The error message names the column.

use crate::lists::column::{Column, Kind};
use crate::lists::list::List;

/// Maximum default number of rows per page.
const MAX_DEFAULT_ROWS: i64 = 1_000;

/// Panics if the declaration is inconsistent.
pub(super) const fn list(list: &List) {
    assert!(1 <= list.length && list.length <= MAX_DEFAULT_ROWS, "a page has 1 to 1,000 rows");
    columns(list);
    filters(list);
    arrangement(list, list.wide);
    arrangement(list, list.narrow);
    let mut at = 0;
    while at < list.wide.len() {
        if column(list, list.wide[at]).label.is_empty() {
            panic!("{}", list.wide[at]);
        }
        at += 1;
    }
    let mut at = 0;
    while at < list.narrow.len() {
        if !column(list, list.narrow[at]).in_row {
            panic!("{}", list.narrow[at]);
        }
        at += 1;
    }
    let mut at = 0;
    while at < list.order.len() {
        column(list, list.order[at].0);
        at += 1;
    }
}

/// Checks that names are unique, aliases have no label, and referenced columns exist.
const fn columns(list: &List) {
    let mut at = 0;
    while at < list.columns.len() {
        let own = &list.columns[at];
        if count(list.columns, own.name) != 1 {
            panic!("{}", own.name);
        }
        if let Some(other) = own.filtered_by {
            column(list, other);
        }
        if let Some(other) = own.alias_of
            && (column(list, other).alias_of.is_some() || !own.label.is_empty())
        {
            panic!("{}", own.name);
        }
        at += 1;
    }
}

/// Checks that a filter has the type of the column that it replaces.
const fn filters(list: &List) {
    let mut at = 0;
    while at < list.filters.len() {
        let own = &list.filters[at];
        if count(list.filters, own.name) != 1 {
            panic!("{}", own.name);
        }
        if count(list.columns, own.name) == 1 && !is_same_kind(column(list, own.name).kind, own.kind) {
            panic!("{}", own.name);
        }
        at += 1;
    }
}

/// Checks that default columns are unique and no aliases.
const fn arrangement(list: &List, names: &'static [&'static str]) {
    let mut at = 0;
    while at < names.len() {
        let mut before = 0;
        while before < at {
            if same(names[before], names[at]) {
                panic!("{}", names[at]);
            }
            before += 1;
        }
        if column(list, names[at]).alias_of.is_some() {
            panic!("{}", names[at]);
        }
        at += 1;
    }
}

const fn column(list: &List, name: &'static str) -> &'static Column {
    let mut at = 0;
    while at < list.columns.len() {
        if same(list.columns[at].name, name) {
            return &list.columns[at];
        }
        at += 1;
    }
    panic!("{}", name)
}

const fn count(columns: &[Column], name: &str) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < columns.len() {
        if same(columns[at].name, name) {
            count += 1;
        }
        at += 1;
    }
    count
}

const fn is_same_kind(one: Kind, other: Kind) -> bool {
    same(one.as_str(), other.as_str())
}

/// Whether two texts are equal, for compile-time checks, where `==` cannot be used.
#[must_use]
pub const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}
