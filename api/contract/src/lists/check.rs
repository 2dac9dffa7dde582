//! Compile-time checks of list declarations. A failed check is a compile error with the name of the column.

use crate::lists::column::{Column, ColumnKind};
use crate::lists::list::List;

/// Maximum default number of rows per page.
const MAX_DEFAULT_ROWS: i64 = 1_000;

/// Panics at compile time if the declaration is inconsistent.
pub(super) const fn check_list(list: &List) {
    assert!(
        1 <= list.length && list.length <= MAX_DEFAULT_ROWS,
        "the default page length must be from 1 to 1,000 rows"
    );
    check_columns(list);
    check_filters(list);
    check_default_columns(list, list.console_columns);
    check_default_columns(list, list.terminal_columns);
    let mut index = 0;
    while index < list.console_columns.len() {
        if find_column(list, list.console_columns[index]).label.is_empty() {
            panic!("{}", list.console_columns[index]);
        }
        index += 1;
    }
    let mut index = 0;
    while index < list.terminal_columns.len() {
        if !find_column(list, list.terminal_columns[index]).in_row {
            panic!("{}", list.terminal_columns[index]);
        }
        index += 1;
    }
    let mut index = 0;
    while index < list.order.len() {
        find_column(list, list.order[index].0);
        index += 1;
    }
}

/// Checks that names are unique, that aliases have no label, and that referenced columns exist.
const fn check_columns(list: &List) {
    let mut index = 0;
    while index < list.columns.len() {
        let column = &list.columns[index];
        if count_with_name(list.columns, column.name) != 1 {
            panic!("{}", column.name);
        }
        if let Some(other) = column.filtered_by {
            find_column(list, other);
        }
        if let Some(other) = column.alias_of
            && (find_column(list, other).alias_of.is_some() || !column.label.is_empty())
        {
            panic!("{}", column.name);
        }
        index += 1;
    }
}

/// Checks that names are unique, and that a filter has the type of the column that it replaces.
const fn check_filters(list: &List) {
    let mut index = 0;
    while index < list.filters.len() {
        let filter = &list.filters[index];
        if count_with_name(list.filters, filter.name) != 1 {
            panic!("{}", filter.name);
        }
        if count_with_name(list.columns, filter.name) == 1
            && !is_same_kind(find_column(list, filter.name).kind, filter.kind)
        {
            panic!("{}", filter.name);
        }
        index += 1;
    }
}

/// Checks that default columns exist, are unique and are not aliases.
const fn check_default_columns(list: &List, names: &'static [&'static str]) {
    let mut index = 0;
    while index < names.len() {
        let mut previous_index = 0;
        while previous_index < index {
            if const_str_eq(names[previous_index], names[index]) {
                panic!("{}", names[index]);
            }
            previous_index += 1;
        }
        if find_column(list, names[index]).alias_of.is_some() {
            panic!("{}", names[index]);
        }
        index += 1;
    }
}

const fn find_column(list: &List, name: &'static str) -> &'static Column {
    let mut index = 0;
    while index < list.columns.len() {
        if const_str_eq(list.columns[index].name, name) {
            return &list.columns[index];
        }
        index += 1;
    }
    panic!("{}", name)
}

const fn count_with_name(columns: &[Column], name: &str) -> usize {
    let (mut index, mut count) = (0, 0);
    while index < columns.len() {
        if const_str_eq(columns[index].name, name) {
            count += 1;
        }
        index += 1;
    }
    count
}

const fn is_same_kind(first: ColumnKind, second: ColumnKind) -> bool {
    const_str_eq(first.as_str(), second.as_str())
}

/// Whether two strings are equal, for compile-time checks, in which `==` is not available.
#[must_use]
pub const fn const_str_eq(first: &str, second: &str) -> bool {
    let (first, second) = (first.as_bytes(), second.as_bytes());
    if first.len() != second.len() {
        return false;
    }
    let mut index = 0;
    while index < first.len() {
        if first[index] != second[index] {
            return false;
        }
        index += 1;
    }
    true
}
