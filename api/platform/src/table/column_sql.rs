//! The SQL of a column of the contract, where the column of the base that has its name does not say it all.

use crate::table::row_source::Index;

/// Which materialized count knows how many rows a filter on the column leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The word itself is the group.
    Word,
    /// The flag set is this group.
    Set(&'static str),
    /// The user's orders.
    User,
    /// Orders of whole days, alone or with their status.
    Day,
}

/// How a flag is read by its expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagSql {
    /// The expression is compared with TRUE and FALSE.
    Compared,
    /// The expression is the condition itself, because only so an index serves it.
    Bare,
    /// The expression is a condition for 0, and 1 leaves nothing out.
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

    /// An index finds its text: rows whose `key` is among the ids that it finds in `column`, or in any of its columns where `column`
    /// is empty.
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

    /// What the index finds belongs to the row by a table between: `SELECT order_id FROM order_labels WHERE `, `label_id`.
    #[must_use]
    pub const fn through(mut self, select: &'static str, column: &'static str) -> Self {
        self.through = Some((select, column));
        self
    }

    /// How many rows a filter on it leaves is known without counting.
    #[must_use]
    pub const fn count_group(mut self, group: Group) -> Self {
        self.group = Some(group);
        self
    }

    /// The values that a choice has.
    #[must_use]
    pub const fn values(mut self, index: &'static Index) -> Self {
        self.values = Some(index);
        self
    }

    /// The words of a set that the program, not the contract, knows.
    #[must_use]
    pub const fn words(mut self, words: fn() -> Vec<&'static str>) -> Self {
        self.words = Some(words);
        self
    }

    /// Its expression is the condition itself, so that an index can serve it.
    #[must_use]
    pub const fn bare(mut self) -> Self {
        self.flag = FlagSql::Bare;
        self
    }

    /// 0 for rows of which its expression is true, 1 for all rows.
    #[must_use]
    pub const fn unless(mut self) -> Self {
        self.flag = FlagSql::Unless;
        self
    }
}
