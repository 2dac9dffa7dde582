//! How the server reads a list: one `static` [`Table`] per list of the contract, with the SQL that the contract must not know. All
//! texts are SQL of ours, none a caller's. `@now` in an expression or in what is selected is the moment of the request.

use std::sync::OnceLock;

use panel_contract::lists::List;

use crate::table::check;
use crate::table::column_sql::ColumnSql;
use crate::table::resolve::{Column, Resolved};
use crate::table::row_source::{RowSource, SearchTarget};

/// A list of the contract with its SQL.
#[derive(Debug)]
pub struct Table {
    /// The declaration: name, columns, default order.
    pub list: &'static List,
    /// Where its rows come from.
    pub source: RowSource,
    /// Where the common search looks, beside the id.
    pub common: &'static [SearchTarget],
    /// The materialized count of all its rows, as table and group of `row_counts`.
    pub row_counts: Option<(&'static str, &'static str)>,
    sql: &'static [ColumnSql],
    resolved: OnceLock<Resolved>,
}

impl Table {
    /// The list with its SQL: of each column that is not `alias.name`. It does not compile where a column has no SQL, or SQL has no
    /// column.
    #[must_use]
    pub const fn new(list: &'static List, source: RowSource, sql: &'static [ColumnSql]) -> Self {
        check::table(&source, list, sql);
        Self { list, source, common: &[], row_counts: None, sql, resolved: OnceLock::new() }
    }

    /// Where the common search looks, beside the id.
    #[must_use]
    pub const fn common_search(mut self, targets: &'static [SearchTarget]) -> Self {
        check::search_targets(self.list, targets);
        self.common = targets;
        self
    }

    /// Its rows are counted in `row_counts` under this table and group.
    #[must_use]
    pub const fn row_counts(mut self, table: &'static str, group: &'static str) -> Self {
        self.row_counts = Some((table, group));
        self
    }

    /// Its name in file names and the audit trail: `orders`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.list.name
    }

    /// What can be filtered, sorted or exported.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.resolved().columns
    }

    /// Filters beside the columns, as plain parameters: `subscription_id`. They make a list of its own.
    #[must_use]
    pub fn plain(&self) -> &[Column] {
        &self.resolved().plain
    }

    /// The column that a client's name refers to.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns().iter().find(|column| column.is(name))
    }

    /// A join by its alias.
    #[must_use]
    pub fn join(&self, alias: &str) -> &'static str {
        self.source.joins.iter().find(|join| join.alias == alias).map_or("", |join| join.sql)
    }

    fn resolved(&self) -> &Resolved {
        self.resolved.get_or_init(|| Resolved::of(self.list, &self.source, self.sql))
    }
}
