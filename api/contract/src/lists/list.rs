//! A list: the endpoint that answers it, its columns and filters, and two arrangements of them.

use crate::endpoint::{Endpoint, Op};
use crate::lists::check;
use crate::lists::column::Column;
use crate::table::{DEFAULT_LENGTH, TableQuery};

/// A list of the panel as data.
#[derive(Debug, Clone, Copy)]
pub struct List {
    /// The endpoint that answers it.
    pub op: Op,
    /// Its name in files, the audit trail and saved views: `orders`.
    pub name: &'static str,
    /// The list whose labels it has: its own name, or that of the list it repeats.
    pub labels: &'static str,
    /// Its columns, in the order of files and of the OpenAPI document.
    pub columns: &'static [Column],
    /// Plain filters beside the columns: `subscription_id`. One that has the name of a column takes its place.
    pub filters: &'static [Column],
    /// Its own order: column and whether largest first. Empty: newest first.
    pub order: &'static [(&'static str, bool)],
    /// Rows of a page where the caller does not say how many.
    pub length: i64,
    /// The columns that a screen shows without being asked.
    pub wide: &'static [&'static str],
    /// The columns that a terminal shows without being asked.
    pub narrow: &'static [&'static str],
}

impl List {
    /// The list that `E` answers, newest first; screens and terminals show no column yet.
    #[must_use]
    pub const fn of<E: Endpoint<Query = TableQuery>>(name: &'static str, columns: &'static [Column]) -> Self {
        Self {
            op: E::OP,
            name,
            labels: name,
            columns,
            filters: &[],
            order: &[],
            length: DEFAULT_LENGTH,
            wide: &[],
            narrow: &[],
        }
    }

    /// Takes these plain filters beside its columns.
    #[must_use]
    pub const fn filters(mut self, filters: &'static [Column]) -> Self {
        self.filters = filters;
        self
    }

    /// Has an order of its own.
    #[must_use]
    pub const fn order(mut self, order: &'static [(&'static str, bool)]) -> Self {
        self.order = order;
        self
    }

    /// Answers `length` rows where the caller does not say how many.
    #[must_use]
    pub const fn page_length(mut self, length: i64) -> Self {
        self.length = length;
        self
    }

    /// Shows these columns on a screen, and in a terminal where [`List::narrow`] names no others.
    #[must_use]
    pub const fn wide(mut self, columns: &'static [&'static str]) -> Self {
        self.wide = columns;
        if self.narrow.is_empty() {
            self.narrow = columns;
        }
        self
    }

    /// Shows these columns in a terminal.
    #[must_use]
    pub const fn narrow(mut self, columns: &'static [&'static str]) -> Self {
        self.narrow = columns;
        self
    }

    /// The same list as `E` answers it; its labels stay.
    #[must_use]
    pub const fn answered_by<E: Endpoint<Query = TableQuery>>(mut self, name: &'static str) -> Self {
        self.op = E::OP;
        self.name = name;
        self
    }

    /// Ends a declaration: one that contradicts itself does not compile.
    #[must_use]
    pub const fn checked(self) -> Self {
        check::list(&self);
        self
    }

    /// The column that a caller means by `name`, as declared or in camel case.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.is(name))
    }

    /// The plain filter that a caller means by `name`.
    #[must_use]
    pub fn filter(&self, name: &str) -> Option<&'static Column> {
        self.filters.iter().find(|filter| filter.is(name))
    }

    /// The fields of a row as a terminal has them: those of `narrow` in its order, then all others; and whether each is shown
    /// without being asked.
    pub fn for_terminals(&self) -> impl Iterator<Item = (&'static Column, bool)> + use<> {
        let (all, narrow) = (self.columns, self.narrow);
        let shown = narrow.iter().filter_map(move |name| all.iter().find(|column| column.name == *name));
        let others = all
            .iter()
            .filter(|column| column.in_row && column.alias_of.is_none())
            .filter(move |column| !narrow.contains(&column.name));
        shown.map(|column| (column, true)).chain(others.map(|column| (column, false)))
    }
}
