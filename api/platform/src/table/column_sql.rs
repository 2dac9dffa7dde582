//! The SQL of a column of the contract, where it is more than the base table's column of the same name.

use crate::table::row_source::Index;

/// The materialized count of the rows that a filter on the column leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The group is the value that the filter names.
    Word,
    /// The group of the rows with the flag set.
    Set(&'static str),
    /// The orders of one user.
    User,
    /// The orders of whole days, alone or by status.
    Day,
}

/// How a filter on a flag uses the column's expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagSql {
    /// The expression is compared with TRUE and FALSE.
    Compared,
    /// The expression is the condition itself, because only then the database can use an index.
    Bare,
    /// For 0 the expression is the condition; 1 selects all rows.
    Unless,
}

/// The SQL of one column or plain filter, by its name.
#[derive(Debug, Clone, Copy)]
pub struct ColumnSql {
    pub(super) name: &'static str,
    /// None: the column of the base with the same name.
    pub(super) expr: Option<&'static str>,
    pub(super) join: Option<&'static str>,
    pub(super) find: Option<(&'static str, &'static Index, &'static str)>,
    pub(super) through: Option<(&'static str, &'static str)>,
    pub(super) group: Option<Group>,
    pub(super) values: Option<&'static Index>,
    pub(super) words: Option<fn() -> Vec<&'static str>>,
    pub(super) flag: FlagSql,
}

/// The column of the base with the same name: `o.url`.
#[must_use]
pub const fn base(name: &'static str) -> ColumnSql {
    ColumnSql {
        name,
        expr: None,
        join: None,
        find: None,
        through: None,
        group: None,
        values: None,
        words: None,
        flag: FlagSql::Compared,
    }
}

/// A column whose value is `sql`.
#[must_use]
pub const fn expr(name: &'static str, sql: &'static str) -> ColumnSql {
    let mut column = base(name);
    column.expr = Some(sql);
    column
}

impl ColumnSql {
    /// Its value needs the join `alias`.
    #[must_use]
    pub const fn join(mut self, alias: &'static str) -> Self {
        self.join = Some(alias);
        self
    }

    /// An index searches its text: it finds the rows whose `key` is one of the ids with a match in `column`, or in any column of the
    /// index where `column` is empty.
    #[must_use]
    pub const fn text_index(
        mut self,
        key: &'static str,
        index: &'static Index,
        column: &'static str,
    ) -> Self {
        self.find = Some((key, index, column));
        self
    }

    /// A join table connects the row with the records that the index finds: `SELECT order_id FROM order_labels WHERE `, `label_id`.
    #[must_use]
    pub const fn through(mut self, select: &'static str, column: &'static str) -> Self {
        self.through = Some((select, column));
        self
    }

    /// A materialized count has the number of rows that a filter on it leaves.
    #[must_use]
    pub const fn count_group(mut self, group: Group) -> Self {
        self.group = Some(group);
        self
    }

    /// The index of a choice's distinct values.
    #[must_use]
    pub const fn values(mut self, index: &'static Index) -> Self {
        self.values = Some(index);
        self
    }

    /// The allowed values of a set that the server declares, not the contract.
    #[must_use]
    pub const fn words(mut self, words: fn() -> Vec<&'static str>) -> Self {
        self.words = Some(words);
        self
    }

    /// Its expression is the condition itself, so that the database can use an index.
    #[must_use]
    pub const fn bare(mut self) -> Self {
        self.flag = FlagSql::Bare;
        self
    }

    /// 0 selects the rows for which its expression is true, 1 selects all rows.
    #[must_use]
    pub const fn unless(mut self) -> Self {
        self.flag = FlagSql::Unless;
        self
    }
}
