//! The declaration of a list.

use crate::endpoint::{Endpoint, Op};
use crate::lists::check;
use crate::lists::column::Column;
use crate::table::{DEFAULT_LENGTH, TableQuery};

/// Direction in [`List::order`]: smallest value first.
pub const ASCENDING: bool = false;
/// Direction in [`List::order`]: largest value first.
pub const DESCENDING: bool = true;

/// The declaration of a list: its endpoint, columns, filters and defaults.
#[derive(Debug, Clone, Copy)]
pub struct List {
    /// Endpoint that returns the pages of the list.
    pub op: Op,
    /// Name in exports, the audit log and saved views, such as `orders`.
    pub name: &'static str,
    /// Name of the list whose translated column labels apply. For a copy by [`List::served_by`] the name of the original list,
    /// otherwise [`List::name`].
    pub labels: &'static str,
    /// Columns, in the order of exports and of the OpenAPI document.
    pub columns: &'static [Column],
    /// Additional filters, such as `subscription_id`. A filter with the name of a column replaces the column filter.
    pub filters: &'static [Column],
    /// Default order: pairs of a column and [`ASCENDING`] or [`DESCENDING`]. Empty for descending ids.
    pub order: &'static [(&'static str, bool)],
    /// Default number of rows per page.
    pub length: i64,
    /// Names of the default columns of the console, which has a wide screen.
    pub console_columns: &'static [&'static str],
    /// Names of the default columns of panelctl and panel-tui, which have narrow screens.
    pub terminal_columns: &'static [&'static str],
}

impl List {
    /// Starts the declaration of the list of endpoint `E`, newest first, without default columns.
    #[must_use]
    pub const fn for_endpoint<E: Endpoint<Query = TableQuery>>(
        name: &'static str,
        columns: &'static [Column],
    ) -> Self {
        Self {
            op: E::OP,
            name,
            labels: name,
            columns,
            filters: &[],
            order: &[],
            length: DEFAULT_LENGTH,
            console_columns: &[],
            terminal_columns: &[],
        }
    }

    /// Sets the additional filters.
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

    /// Sets the default columns of the console, and those of terminals unless [`List::terminal_columns`] sets others.
    #[must_use]
    pub const fn console_columns(mut self, columns: &'static [&'static str]) -> Self {
        self.console_columns = columns;
        if self.terminal_columns.is_empty() {
            self.terminal_columns = columns;
        }
        self
    }

    /// Sets the default columns of terminals.
    #[must_use]
    pub const fn terminal_columns(mut self, columns: &'static [&'static str]) -> Self {
        self.terminal_columns = columns;
        self
    }

    /// A copy of the list with another name, which endpoint `E` returns. Columns and labels stay the same.
    #[must_use]
    pub const fn served_by<E: Endpoint<Query = TableQuery>>(mut self, name: &'static str) -> Self {
        self.op = E::OP;
        self.name = name;
        self
    }

    /// Completes a declaration. An inconsistent declaration does not compile.
    #[must_use]
    pub const fn validate(self) -> Self {
        check::check_list(&self);
        self
    }

    /// The column `name`, as declared or in camel case.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.has_name(name))
    }

    /// The additional filter `name`, as declared or in camel case.
    #[must_use]
    pub fn filter(&self, name: &str) -> Option<&'static Column> {
        self.filters.iter().find(|filter| filter.has_name(name))
    }

    /// The columns for terminals, each with whether it is displayed by default: first `terminal_columns`, then all other columns
    /// that are in the row.
    pub fn all_terminal_columns(&self) -> impl Iterator<Item = (&'static Column, bool)> + use<> {
        let (columns, default_names) = (self.columns, self.terminal_columns);
        let defaults =
            default_names.iter().filter_map(move |name| columns.iter().find(|column| column.name == *name));
        let others = columns
            .iter()
            .filter(|column| column.in_row && column.alias_of.is_none())
            .filter(move |column| !default_names.contains(&column.name));
        defaults.map(|column| (column, true)).chain(others.map(|column| (column, false)))
    }
}
