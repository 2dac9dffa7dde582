//! Checks that a table fits its list in the contract, its joins and its SQL. The checks run while the server is compiled; the message
//! names the column.

use panel_contract::lists::{Column, Kind, List, same};

use crate::table::column_sql::{ColumnSql, FlagSql};
use crate::table::row_source::{RowSource, SearchTarget};

/// Panics where the SQL and the list contradict each other.
pub(super) const fn table(source: &RowSource, list: &List, sql: &[ColumnSql]) {
    let mut index = 0;
    while index < sql.len() {
        let entry = &sql[index];
        // Each entry names one declared column or filter, once, and not by an alias.
        if !matches!(position(sql, entry.name), Some(first) if first == index) || !has_sql(list, entry.name) {
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

/// Panics where no column represents a target of the common search.
pub(super) const fn search_targets(list: &List, search_targets: &[SearchTarget]) {
    let mut index = 0;
    while index < search_targets.len() {
        if find(list.columns, search_targets[index].column).is_none() {
            panic!("{}", search_targets[index].column);
        }
        index += 1;
    }
}

const fn check_columns(columns: &[Column], sql: &[ColumnSql]) {
    let mut index = 0;
    while index < columns.len() {
        let column = &columns[index];
        if column.is_in_engine() && column.alias_of.is_none() {
            match position(sql, column.name) {
                Some(position) => check_column(column, &sql[position]),
                None => needs_no_sql(column),
            }
        }
        index += 1;
    }
}

/// Without SQL a column has the base's column of its name, which a nested name is not. A choice also needs its values, and the
/// contract does not declare the countries.
const fn needs_no_sql(column: &Column) {
    let is_plain = !has_dot(column.name) && !matches!(column.kind, Kind::Choice | Kind::Countries);
    if column.searchable && !is_plain {
        panic!("{}", column.name);
    }
}

const fn check_column(column: &Column, sql: &ColumnSql) {
    let has_expr = sql.expr.is_some() || !has_dot(column.name);
    let has_values = sql.values.is_some() == matches!(column.kind, Kind::Choice);
    let has_words = sql.words.is_some() == matches!(column.kind, Kind::Countries);
    let has_flag = matches!(sql.flag, FlagSql::Compared) || matches!(column.kind, Kind::Flag);
    if !(has_expr && has_values && has_words && has_flag) {
        panic!("{}", column.name);
    }
}

const fn has_sql(list: &List, name: &str) -> bool {
    if let Some(column) = find(list.columns, name) {
        return column.is_in_engine() && column.alias_of.is_none();
    }
    find(list.filters, name).is_some()
}

const fn is_joined(source: &RowSource, alias: &str) -> bool {
    if let Some(computed_columns) = source.computed_columns
        && same(computed_columns, alias)
    {
        return true;
    }
    let mut index = 0;
    while index < source.joins.len() {
        if same(source.joins[index].alias, alias) {
            return true;
        }
        index += 1;
    }
    false
}

const fn find<'c>(columns: &'c [Column], name: &str) -> Option<&'c Column> {
    let mut index = 0;
    while index < columns.len() {
        if same(columns[index].name, name) {
            return Some(&columns[index]);
        }
        index += 1;
    }
    None
}

/// The index of the first entry with that name.
const fn position(sql: &[ColumnSql], name: &str) -> Option<usize> {
    let mut index = 0;
    while index < sql.len() {
        if same(sql[index].name, name) {
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
