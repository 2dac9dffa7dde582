//! Checks that the SQL of a table fits its list in the contract and its joins. The checks run while the server is compiled; the
//! message names the column.

use panel_contract::lists::{Column, ColumnKind, List, const_str_eq};

use crate::table::column_sql::{ColumnSql, FlagSql};
use crate::table::row_source::{RowSource, SearchTarget};

/// Panics if the SQL and the list contradict each other.
pub(super) const fn check_table(source: &RowSource, list: &List, sql: &[ColumnSql]) {
    let mut index = 0;
    while index < sql.len() {
        let entry = &sql[index];
        // Each entry names a different declared column or filter, and not by an alias.
        if !matches!(first_index(sql, entry.name), Some(first) if first == index)
            || !accepts_sql(list, entry.name)
        {
            panic!("{}", entry.name);
        }
        if let Some(alias) = entry.join
            && !is_joined(source, alias)
        {
            panic!("{}", entry.name);
        }
        index += 1;
    }
    check_columns(list.columns, sql);
    check_columns(list.filters, sql);
}

/// Panics if the list has no column for a target of the global search.
pub(super) const fn check_search_targets(list: &List, search_targets: &[SearchTarget]) {
    let mut index = 0;
    while index < search_targets.len() {
        if find_column(list.columns, search_targets[index].column).is_none() {
            panic!("{}", search_targets[index].column);
        }
        index += 1;
    }
}

const fn check_columns(columns: &[Column], sql: &[ColumnSql]) {
    let mut index = 0;
    while index < columns.len() {
        let column = &columns[index];
        if column.needs_sql() && column.alias_of.is_none() {
            match first_index(sql, column.name) {
                Some(index) => check_column(column, &sql[index]),
                None => check_column_without_sql(column),
            }
        }
        index += 1;
    }
}

/// A column without SQL reads the base's column of the same name, so a nested name needs SQL. A choice also needs its values, and
/// the contract does not declare the countries.
const fn check_column_without_sql(column: &Column) {
    let is_base_column =
        !has_dot(column.name) && !matches!(column.kind, ColumnKind::OpenEnum | ColumnKind::Countries);
    if column.searchable && !is_base_column {
        panic!("{}", column.name);
    }
}

const fn check_column(column: &Column, sql: &ColumnSql) {
    let has_expr = sql.expr.is_some() || !has_dot(column.name);
    let fits_values = sql.values.is_some() == matches!(column.kind, ColumnKind::OpenEnum);
    let fits_allowed_values = sql.allowed_values.is_some() == matches!(column.kind, ColumnKind::Countries);
    let fits_flag = matches!(sql.flag, FlagSql::Compared) || matches!(column.kind, ColumnKind::Flag);
    if !(has_expr && fits_values && fits_allowed_values && fits_flag) {
        panic!("{}", column.name);
    }
}

const fn accepts_sql(list: &List, name: &str) -> bool {
    if let Some(column) = find_column(list.columns, name) {
        return column.needs_sql() && column.alias_of.is_none();
    }
    find_column(list.filters, name).is_some()
}

const fn is_joined(source: &RowSource, alias: &str) -> bool {
    if let Some(computed_columns) = source.computed_columns
        && const_str_eq(computed_columns, alias)
    {
        return true;
    }
    let mut index = 0;
    while index < source.joins.len() {
        if const_str_eq(source.joins[index].alias, alias) {
            return true;
        }
        index += 1;
    }
    false
}

const fn find_column<'c>(columns: &'c [Column], name: &str) -> Option<&'c Column> {
    let mut index = 0;
    while index < columns.len() {
        if const_str_eq(columns[index].name, name) {
            return Some(&columns[index]);
        }
        index += 1;
    }
    None
}

/// Returns the index of the first entry with that name.
const fn first_index(sql: &[ColumnSql], name: &str) -> Option<usize> {
    let mut index = 0;
    while index < sql.len() {
        if const_str_eq(sql[index].name, name) {
            return Some(index);
        }
        index += 1;
    }
    None
}

const fn has_dot(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        if bytes[index] == b'.' {
            return true;
        }
        index += 1;
    }
    false
}
