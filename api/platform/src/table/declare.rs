//! Declares how the server reads a list: one `static` [`Table`] for each list of the contract, with the SQL that the contract must
//! not know. All texts are fixed SQL, never input of a caller. `@now` in an expression or a selected column is the time of the
//! request.

use std::sync::OnceLock;

use panel_contract::lists::List;

use crate::table::check;
use crate::table::column_sql::ColumnSql;
use crate::table::resolve::{Column, ResolvedColumns};
use crate::table::row_source::{RowSource, SearchTarget};

/// A list of the contract with its SQL.
#[derive(Debug)]
pub struct Table {
    pub list: &'static List,
    pub source: RowSource,
    /// The texts that the global search reads; it also compares the id.
    pub global_search: &'static [SearchTarget],
    /// The materialized count of all rows of the list, as table and group of `row_counts`.
    pub row_counts: Option<(&'static str, &'static str)>,
    sql: &'static [ColumnSql],
    resolved: OnceLock<ResolvedColumns>,
}

impl Table {
    /// Combines a list with the SQL of its columns. A column whose SQL is `alias.name` needs no entry. The build fails if a column
    /// lacks SQL that it needs, or if an entry of `sql` has no column.
    #[must_use]
    pub const fn new(list: &'static List, source: RowSource, sql: &'static [ColumnSql]) -> Self {
        check::check_table(&source, list, sql);
        Self { list, source, global_search: &[], row_counts: None, sql, resolved: OnceLock::new() }
    }

    /// Sets the texts that the global search reads; it also compares the id.
    #[must_use]
    pub const fn global_search(mut self, targets: &'static [SearchTarget]) -> Self {
        check::check_search_targets(self.list, targets);
        self.global_search = targets;
        self
    }

    /// Reads the total from `row_counts`, under this table and group; the group `""` counts all rows of the table.
    #[must_use]
    pub const fn count_from(mut self, table: &'static str, group: &'static str) -> Self {
        self.row_counts = Some((table, group));
        self
    }

    /// The name of the list in file names and the audit trail: `orders`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.list.name
    }

    /// The columns that callers can filter, sort or export.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.resolved().columns
    }

    /// The filters that are not columns, as query parameters: `subscription_id`. Unlike the filters of columns they also bound the
    /// total: the list of a subscription's orders counts only these orders.
    #[must_use]
    pub fn own_filters(&self) -> &[Column] {
        &self.resolved().own_filters
    }

    /// Finds the column with this name, as declared or in camel case.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns().iter().find(|column| column.has_name(name))
    }

    /// The SQL of the join with this alias; empty if there is none.
    #[must_use]
    pub fn join(&self, alias: &str) -> &'static str {
        self.source.joins.iter().find(|join| join.alias == alias).map_or("", |join| join.sql)
    }

    fn resolved(&self) -> &ResolvedColumns {
        self.resolved.get_or_init(|| ResolvedColumns::resolve(self.list, &self.source, self.sql))
    }
}
