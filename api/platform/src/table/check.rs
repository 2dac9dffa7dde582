//! What a table must not contradict: its list in the contract, its joins, its own SQL. All of it runs while the server is compiled,
//! and the message names the column.

use panel_contract::lists::{Column, Kind, List, same};

use crate::table::column_sql::{ColumnSql, FlagSql};
use crate::table::row_source::{Arm, RowSource};

/// Panics where the SQL and the list do not fit each other.
pub(super) const fn table(source: &RowSource, list: &List, sql: &[ColumnSql]) {
    let mut at = 0;
    while at < sql.len() {
        let own = &sql[at];
        // Each names one column or filter that the engine knows under its own name.
        if !matches!(place(sql, own.name), Some(first) if first == at) || !has_sql(list, own.name) {
            panic!("{}", own.name);
        }
        if let Some(alias) = own.join
            && !is_joined(source, alias)
        {
            panic!("{}", own.name);
        }
        at += 1;
    }
    columns(list.columns, sql);
    columns(list.filters, sql);
}

/// Panics where an arm of the common search is not represented by a column.
pub(super) const fn arms(list: &List, arms: &[Arm]) {
    let mut at = 0;
    while at < arms.len() {
        if find(list.columns, arms[at].column).is_none() {
            panic!("{}", arms[at].column);
        }
        at += 1;
    }
}

const fn columns(columns: &[Column], sql: &[ColumnSql]) {
    let mut at = 0;
    while at < columns.len() {
        let column = &columns[at];
        if column.is_in_engine() && column.alias_of.is_none() {
            match place(sql, column.name) {
                Some(place) => fits(column, &sql[place]),
                None => needs_no_sql(column),
            }
        }
        at += 1;
    }
}

/// A nested name is no column of the base, a choice needs its values, and the contract does not know countries.
const fn needs_no_sql(column: &Column) {
    let is_plain = !has_dot(column.name) && !matches!(column.kind, Kind::Choice | Kind::Countries);
    if column.searchable && !is_plain {
        panic!("{}", column.name);
    }
}

const fn fits(column: &Column, sql: &ColumnSql) {
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
    if let Some(worked_out) = source.worked_out
        && same(worked_out, alias)
    {
        return true;
    }
    let mut at = 0;
    while at < source.joins.len() {
        if same(source.joins[at].alias, alias) {
            return true;
        }
        at += 1;
    }
    false
}

const fn find<'c>(columns: &'c [Column], name: &str) -> Option<&'c Column> {
    let mut at = 0;
    while at < columns.len() {
        if same(columns[at].name, name) {
            return Some(&columns[at]);
        }
        at += 1;
    }
    None
}

/// The place of the first SQL of that name.
const fn place(sql: &[ColumnSql], name: &str) -> Option<usize> {
    let mut at = 0;
    while at < sql.len() {
        if same(sql[at].name, name) {
            return Some(at);
        }
        at += 1;
    }
    None
}

const fn has_dot(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'.' {
            return true;
        }
        at += 1;
    }
    false
}
