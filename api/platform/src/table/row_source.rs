//! Types that declare, as fixed SQL texts, from which tables a list reads its rows and in which texts it searches. No I/O.

/// The tables from which a list reads its rows.
#[derive(Debug, Clone, Copy)]
pub struct RowSource {
    /// The table whose records the list shows: `orders`.
    pub base: &'static str,
    /// The alias of the base: `o`.
    pub alias: &'static str,
    /// The primary key of the base: `o.id`. It is the last sort key of every order.
    pub key: &'static str,
    /// A condition that limits the list to a part of the base: `o.is_child_panel = TRUE`.
    pub scope: Option<&'static str>,
    /// Joined tables; no join may drop or duplicate a row.
    pub joins: &'static [Join],
    /// The alias of [`super::ComputedColumns`], which is not among `joins`.
    pub computed_columns: Option<&'static str>,
    /// The selected columns of a row, over the base and all joins.
    pub select: &'static str,
}

impl RowSource {
    /// The defaults of the optional fields, for `..RowSource::NONE`.
    pub const NONE: Self =
        Self { base: "", alias: "", key: "", scope: None, joins: &[], computed_columns: None, select: "" };
}

#[derive(Debug, Clone, Copy)]
pub struct Join {
    pub alias: &'static str,
    /// The whole clause: `JOIN users u ON u.id = o.user_id`.
    pub sql: &'static str,
}

/// The texts of a table in which lists search, and how the database finds them.
#[derive(Debug)]
pub struct TextIndex {
    pub table: &'static str,
    /// The columns that hold the texts.
    pub columns: &'static [&'static str],
    pub kind: IndexKind,
    /// The column that holds the ids of the found records: `id`.
    pub key: &'static str,
    /// A condition on the rows of the table; `None` to search in all rows.
    pub scope: Option<&'static str>,
}

/// How the database finds a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    /// By trigrams: the FTS5 table `<table>_fts` on SQLite, an index over the same columns on PostgreSQL.
    Trigrams,
    /// By reading all rows, for tables that stay small because staff enter each row.
    Rows,
    /// By the distinct values of the only column, for columns of large tables with few different values. A query reads the values
    /// by jumping along a database index that begins with the column. It finds values, not ids.
    Values,
}

impl TextIndex {
    #[must_use]
    pub const fn trigrams(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self { table, columns, kind: IndexKind::Trigrams, key: "id", scope: None }
    }

    #[must_use]
    pub const fn rows(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self { table, columns, kind: IndexKind::Rows, key: "id", scope: None }
    }

    /// Searches the names of records in every language. `scope` selects rows of `translations` by its primary key, such as
    /// `owner_type = 'coupon' AND field = 'name'`.
    #[must_use]
    pub const fn translations(scope: &'static str) -> Self {
        Self {
            table: "translations",
            columns: &["value"],
            kind: IndexKind::Rows,
            key: "owner_id",
            scope: Some(scope),
        }
    }

    #[must_use]
    pub const fn values(table: &'static str, column: &'static [&'static str; 1]) -> Self {
        Self { table, columns: column, kind: IndexKind::Values, key: "id", scope: None }
    }
}

/// Texts that the global search of a list reads: a row matches if its `key` is among the ids that `index` finds.
#[derive(Debug, Clone, Copy)]
pub struct SearchTarget {
    /// The key of the record that has the texts: `o.user_id`, or the key of the base.
    pub key: &'static str,
    pub index: &'static TextIndex,
    /// The indexed texts as expressions over the base; empty if another table has them.
    pub own_columns: &'static [&'static str],
    /// The column of the list that shows the text. The permission of this column applies to the search, and a client that marks
    /// the column as not searchable excludes the texts.
    pub column: &'static str,
    /// For records that a join table connects with the row.
    pub join_table: Option<JoinTable>,
    /// The search reads only rows for which this condition is true: `c.type = 'service'`.
    pub condition: Option<&'static str>,
}

/// How a join table connects a row with the records whose texts the search reads.
#[derive(Debug, Clone, Copy)]
pub struct JoinTable {
    /// Start of a SELECT of the target's keys: `SELECT id FROM orders WHERE `.
    pub select: &'static str,
    /// The column of the join table that holds the ids of the records: `service_id`.
    pub column: &'static str,
    /// The id of the record as an expression over one row of the base; empty if a row has several such records.
    pub row_key: &'static str,
}

impl SearchTarget {
    #[must_use]
    pub const fn new(key: &'static str, index: &'static TextIndex, column: &'static str) -> Self {
        Self { key, index, own_columns: &[], column, join_table: None, condition: None }
    }

    /// Sets the expressions by which the base itself has the texts.
    #[must_use]
    pub const fn own_columns(mut self, columns: &'static [&'static str]) -> Self {
        self.own_columns = columns;
        self
    }

    /// The texts belong to records that a join table connects with the row.
    #[must_use]
    pub const fn through_join_table(mut self, join_table: JoinTable) -> Self {
        self.join_table = Some(join_table);
        self
    }

    /// Searches only the rows for which `condition` is true.
    #[must_use]
    pub const fn only_where(mut self, condition: &'static str) -> Self {
        self.condition = Some(condition);
        self
    }
}
