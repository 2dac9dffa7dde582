//! How the server reads a list: one `static` [`Table`] per list of the contract, with the SQL that the contract must not know. All
//! texts are SQL of ours, none a caller's. `@now` in an expression or in what is selected is the moment of the request.

use std::sync::OnceLock;

use panel_contract::lists::List;

use crate::table::check;
use crate::table::column_sql::ColumnSql;
use crate::table::resolve::{Column, Resolved};

/// A list of the contract with its SQL.
#[derive(Debug)]
pub struct Table {
    /// What it lists: name, columns, order.
    pub list: &'static List,
    /// Where its rows come from.
    pub source: RowSource,
    /// Where the common search looks, beside the id.
    pub common: &'static [Arm],
    /// The materialized count of all its rows, as table and group of `row_counts`.
    pub row_counts: Option<(&'static str, &'static str)>,
    sql: &'static [ColumnSql],
    resolved: OnceLock<Resolved>,
}

/// Where the rows of a list come from.
#[derive(Debug, Clone, Copy)]
pub struct RowSource {
    /// The table it lists: `orders`.
    pub base: &'static str,
    /// Its alias: `o`.
    pub alias: &'static str,
    /// Its primary key: `o.id`. Every order ends with it.
    pub key: &'static str,
    /// The condition that holds for every row: `o.is_child_panel = TRUE`.
    pub scope: Option<&'static str>,
    /// Tables beside it; none may drop or double a row.
    pub joins: &'static [Join],
    /// Alias of values that the program works out beside the rows ([`super::WorkedOut`]); no join declares it.
    pub worked_out: Option<&'static str>,
    /// The columns of the record that is shown, over the base and all joins.
    pub select: &'static str,
}

impl RowSource {
    /// A source without joins, scope or worked out values, to be completed.
    pub const NONE: Self =
        Self { base: "", alias: "", key: "", scope: None, joins: &[], worked_out: None, select: "" };
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
    pub const fn common_search(mut self, arms: &'static [Arm]) -> Self {
        check::arms(self.list, arms);
        self.common = arms;
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

    /// The column that a client means.
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

/// A table beside the base.
#[derive(Debug, Clone, Copy)]
pub struct Join {
    /// Its alias.
    pub alias: &'static str,
    /// `JOIN users u ON u.id = o.user_id`.
    pub sql: &'static str,
}

/// Texts of a table that are searched by a part of them.
#[derive(Debug)]
pub struct Index {
    /// The table: `users`.
    pub table: &'static str,
    /// Columns that the common search looks at.
    pub columns: &'static [&'static str],
    /// Index that the search uses.
    pub find: Find,
    /// The column with the ids that it finds: `id`.
    pub key: &'static str,
    /// The rows of the table that it looks at; none for all.
    pub scope: Option<&'static str>,
}

/// How a part of a text is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Find {
    /// By trigrams: the FTS5 table `<table>_fts` on SQLite, an index over the same columns on PostgreSQL.
    Trigrams,
    /// By reading all rows, for tables that stay small because staff write each row.
    Rows,
    /// By the distinct values of the only column, which a query reads by jumping along an index that begins with
    /// it: for columns of large tables with few different values. It finds values, not ids.
    Values,
}

impl Index {
    /// Texts with a trigram index.
    #[must_use]
    pub const fn trigrams(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self { table, columns, find: Find::Trigrams, key: "id", scope: None }
    }

    /// Texts of a small table without an index.
    #[must_use]
    pub const fn rows(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self { table, columns, find: Find::Rows, key: "id", scope: None }
    }

    /// The names of records in every language: rows of `translations` for which `scope` holds, such as
    /// `owner_type = 'coupon' AND field = 'name'`, which its primary key finds.
    #[must_use]
    pub const fn translations(scope: &'static str) -> Self {
        Self {
            table: "translations",
            columns: &["value"],
            find: Find::Rows,
            key: "owner_id",
            scope: Some(scope),
        }
    }

    /// The distinct values of one column.
    #[must_use]
    pub const fn values(table: &'static str, column: &'static [&'static str; 1]) -> Self {
        Self { table, columns: column, find: Find::Values, key: "id", scope: None }
    }
}

/// One place where the common search looks: rows whose `key` is among what `index` finds.
#[derive(Debug, Clone, Copy)]
pub struct Arm {
    /// `o.user_id`, or the table's own key.
    pub key: &'static str,
    /// Where the text is.
    pub index: &'static Index,
    /// The indexed texts as expressions over the base, where the base itself has them.
    pub here: &'static [&'static str],
    /// The column that stands for it: a client that calls it not searchable leaves the arm out.
    pub column: &'static str,
    /// For a record that a table between leads to.
    pub through: Option<Through>,
    /// Rows for which it does not hold are not looked at: `c.type = 'service'`.
    pub only: Option<&'static str>,
}

/// How a row belongs to the record whose texts are searched.
#[derive(Debug, Clone, Copy)]
pub struct Through {
    /// Start of a SELECT of the arm's keys: `SELECT id FROM orders WHERE `.
    pub select: &'static str,
    /// Its column that the found ids stand in: `service_id`.
    pub column: &'static str,
    /// The same id as an expression over one row of the base; empty where a row has many of such records.
    pub here: &'static str,
}

impl Arm {
    /// Rows whose `key` is among what `index` finds.
    #[must_use]
    pub const fn new(key: &'static str, index: &'static Index, column: &'static str) -> Self {
        Self { key, index, here: &[], column, through: None, only: None }
    }

    /// The base has the texts itself.
    #[must_use]
    pub const fn here(mut self, here: &'static [&'static str]) -> Self {
        self.here = here;
        self
    }

    /// The texts belong to a record that a table between leads to.
    #[must_use]
    pub const fn through(mut self, through: Through) -> Self {
        self.through = Some(through);
        self
    }

    /// Only rows for which `condition` holds.
    #[must_use]
    pub const fn only(mut self, condition: &'static str) -> Self {
        self.only = Some(condition);
        self
    }
}
