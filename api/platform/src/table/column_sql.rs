//! The SQL of a column of the contract, if it is more than the base table's column of the same name.

use crate::table::row_source::TextIndex;

/// Which materialized count holds the number of rows that match a filter on the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountGroup {
    /// The group in `row_counts` whose name is the value of the filter, such as a status.
    FilterValue,
    /// The group in `row_counts` of the rows whose flag is true.
    FlagSet(&'static str),
    /// The count of the orders of one user.
    User,
    /// The counts of the orders of whole days, of one status or of all.
    Day,
}

/// How a filter on a flag uses the column's expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagSql {
    /// The query compares the expression with TRUE or FALSE.
    Compared,
    /// The expression is the condition itself, because only then can the database use an index.
    Condition,
    /// For 0 the expression is the condition; 1 selects all rows.
    Include,
}

/// The SQL of a column, or of one of the list's own filters.
#[derive(Debug, Clone, Copy)]
pub struct ColumnSql {
    pub(super) name: &'static str,
    /// `None` for the column of the base with the same name.
    pub(super) expr: Option<&'static str>,
    pub(super) join: Option<&'static str>,
    pub(super) text_index: Option<(&'static str, &'static TextIndex, &'static str)>,
    pub(super) join_table: Option<(&'static str, &'static str)>,
    pub(super) group: Option<CountGroup>,
    pub(super) values: Option<&'static TextIndex>,
    pub(super) allowed_values: Option<fn() -> Vec<&'static str>>,
    pub(super) flag: FlagSql,
}

/// Declares a column that reads the base's column of the same name: `o.url`.
#[must_use]
pub const fn base_column(name: &'static str) -> ColumnSql {
    ColumnSql {
        name,
        expr: None,
        join: None,
        text_index: None,
        join_table: None,
        group: None,
        values: None,
        allowed_values: None,
        flag: FlagSql::Compared,
    }
}

/// Declares a column whose value is the SQL expression `sql`.
#[must_use]
pub const fn expr(name: &'static str, sql: &'static str) -> ColumnSql {
    let mut column = base_column(name);
    column.expr = Some(sql);
    column
}

impl ColumnSql {
    /// The expression needs the join `alias`.
    #[must_use]
    pub const fn join(mut self, alias: &'static str) -> Self {
        self.join = Some(alias);
        self
    }

    /// Filters search the text by `index`: they select the rows whose `key` is one of the ids with a match in `column` of the
    /// index. An empty `column` searches all columns of the index.
    #[must_use]
    pub const fn text_index(
        mut self,
        key: &'static str,
        index: &'static TextIndex,
        column: &'static str,
    ) -> Self {
        self.text_index = Some((key, index, column));
        self
    }

    /// A join table connects the row with the records that the index finds: `SELECT order_id FROM order_labels WHERE `, `label_id`.
    #[must_use]
    pub const fn through_join_table(mut self, select: &'static str, column: &'static str) -> Self {
        self.join_table = Some((select, column));
        self
    }

    /// A materialized count holds the number of rows that match a filter on the column.
    #[must_use]
    pub const fn count_group(mut self, group: CountGroup) -> Self {
        self.group = Some(group);
        self
    }

    /// Sets the index that reads the distinct values of a [`super::FilterKind::Choice`].
    #[must_use]
    pub const fn values(mut self, index: &'static TextIndex) -> Self {
        self.values = Some(index);
        self
    }

    /// Sets the allowed values, if the server declares them and not the contract.
    #[must_use]
    pub const fn allowed_values(mut self, list_values: fn() -> Vec<&'static str>) -> Self {
        self.allowed_values = Some(list_values);
        self
    }

    /// Filters use the expression as the condition itself, so that the database can use an index.
    #[must_use]
    pub const fn condition_flag(mut self) -> Self {
        self.flag = FlagSql::Condition;
        self
    }

    /// 0 selects the rows for which the expression is true, 1 includes the other rows.
    #[must_use]
    pub const fn include_flag(mut self) -> Self {
        self.flag = FlagSql::Include;
        self
    }
}
