//! What a declaration of a list must not contradict. All of it runs while the contract is compiled, and the message names the
//! column.

use crate::lists::column::{Column, Kind};
use crate::lists::list::List;

/// Most rows that a list may answer to a caller who names no number.
const MOST_ROWS: i64 = 1_000;

/// Panics where the list contradicts itself.
pub(super) const fn list(list: &List) {
    assert!(1 <= list.length && list.length <= MOST_ROWS, "a page has 1 to 1,000 rows");
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

/// Every name is unique, an alias has no label of its own, and what a column refers to is there.
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

/// A filter that takes the place of a column holds what the column holds.
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

/// An arrangement names columns once each, and none that is another name of a column.
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

/// Whether two texts are the same, for checks while a program is compiled, where `==` cannot be used.
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
