//! A list: its endpoint, columns and filters, and the default columns of screens and terminals.

use crate::endpoint::{Endpoint, Op};
use crate::lists::check;
use crate::lists::column::Column;
use crate::table::{DEFAULT_LENGTH, TableQuery};

/// Declaration of a list.
#[derive(Debug, Clone, Copy)]
pub struct List {
    /// Endpoint of the list.
    pub op: Op,
    /// Name in exports, the audit log and saved views, such as `orders`.
    pub name: &'static str,
    /// Name of the list whose labels it uses: its own name, or that of the list it repeats.
    pub labels: &'static str,
    /// Columns, in the order of exports and of the OpenAPI document.
    pub columns: &'static [Column],
    /// Additional filters, such as `subscription_id`. A filter with the name of a column replaces the column filter.
    pub filters: &'static [Column],
    /// Default order: column and whether descending. Empty for newest first.
    pub order: &'static [(&'static str, bool)],
    /// Default number of rows per page.
    pub length: i64,
    /// Default columns of screens.
    pub wide: &'static [&'static str],
    /// Default columns of terminals.
    pub narrow: &'static [&'static str],
}

impl List {
    /// The list of the endpoint `E`, newest first, without default columns.
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

    /// Sets additional filters.
    #[must_use]
    pub const fn filters(mut self, filters: &'static [Column]) -> Self {
        self.filters = filters;
        self
    }

    /// Sets the default order.
    #[must_use]
    pub const fn order(mut self, order: &'static [(&'static str, bool)]) -> Self {
        self.order = order;
        self
    }

    /// Sets the default number of rows per page.
    #[must_use]
    pub const fn page_length(mut self, length: i64) -> Self {
        self.length = length;
        self
    }

    /// Sets the default columns of screens, and of terminals unless [`List::narrow`] sets others.
    #[must_use]
    pub const fn wide(mut self, columns: &'static [&'static str]) -> Self {
        self.wide = columns;
        if self.narrow.is_empty() {
            self.narrow = columns;
        }
        self
    }

    /// Sets the default columns of terminals.
    #[must_use]
    pub const fn narrow(mut self, columns: &'static [&'static str]) -> Self {
        self.narrow = columns;
        self
    }

    /// The same list under the endpoint `E`, with the same labels.
    #[must_use]
    pub const fn answered_by<E: Endpoint<Query = TableQuery>>(mut self, name: &'static str) -> Self {
        self.op = E::OP;
        self.name = name;
        self
    }

    /// Completes a declaration; an inconsistent one does not compile.
    #[must_use]
    pub const fn checked(self) -> Self {
        check::list(&self);
        self
    }

    /// The column `name`, as declared or in camel case.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.is(name))
    }

    /// The additional filter `name`, as declared or in camel case.
    #[must_use]
    pub fn filter(&self, name: &str) -> Option<&'static Column> {
        self.filters.iter().find(|filter| filter.is(name))
    }

    /// The columns for terminals: those of `narrow` in its order, then all others, each with whether it is shown by default.
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
