//! Declares where the rows of a list come from and where their texts are searched, as fixed SQL texts. No I/O.

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
    /// Joined tables; no join may drop or duplicate a row.
    pub joins: &'static [Join],
    /// Alias of the values that the program computes ([`super::ComputedColumns`]); no join declares it.
    pub computed_columns: Option<&'static str>,
    /// The columns of the record that is shown, over the base and all joins.
    pub select: &'static str,
}

impl RowSource {
    /// A source without joins, scope or computed values, to be completed.
    pub const NONE: Self =
        Self { base: "", alias: "", key: "", scope: None, joins: &[], computed_columns: None, select: "" };
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

/// One target of the common search: rows whose `key` is among the ids that `index` finds.
#[derive(Debug, Clone, Copy)]
pub struct SearchTarget {
    /// `o.user_id`, or the table's own key.
    pub key: &'static str,
    /// Where the text is.
    pub index: &'static Index,
    /// The indexed texts as expressions over the base, where the base itself has them.
    pub here: &'static [&'static str],
    /// The column that represents it: a client that marks this column as not searchable excludes the target.
    pub column: &'static str,
    /// For a record that is referenced through a join table.
    pub through: Option<JoinTable>,
    /// Only rows with this condition are searched: `c.type = 'service'`.
    pub only: Option<&'static str>,
}

/// How a row belongs to the record whose texts are searched.
#[derive(Debug, Clone, Copy)]
pub struct JoinTable {
    /// Start of a SELECT of the target's keys: `SELECT id FROM orders WHERE `.
    pub select: &'static str,
    /// Its column that the found ids stand in: `service_id`.
    pub column: &'static str,
    /// The same id as an expression over one row of the base; empty where a row has many of such records.
    pub here: &'static str,
}

impl SearchTarget {
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
    pub const fn through(mut self, through: JoinTable) -> Self {
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
