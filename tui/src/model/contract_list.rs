//! A source that is a list of the contract: its columns and filter fields come from the declaration in `panel_contract::lists`.
//! This module defines how each kind of column is drawn. A source adds the default columns, their widths and the short
//! names for typing.

use std::sync::OnceLock;

use panel_contract::amount::Money;
use panel_contract::lists::{self, Kind, List};
use panel_contract::moment::Time;
use serde::Serialize;
use serde_json::Value;

use crate::model::columns::{Cell, Column};
use crate::model::filter::{self, FilterField};
use crate::text::{Align, sanitize};

/// The layout of a column, where it differs from the defaults of its kind.
#[derive(Debug)]
pub struct ColumnLayout<R: 'static> {
    column: &'static str,
    rank: u8,
    heading: Option<&'static str>,
    min_width: Option<u16>,
    grow: Option<u16>,
    shown: bool,
    cell: Option<fn(&R) -> Cell>,
}

impl<R: 'static> ColumnLayout<R> {
    /// The column with this name of the contract, visible by default. On a narrow screen the column with the highest
    /// rank is dropped first.
    #[must_use]
    pub const fn of(column: &'static str, rank: u8) -> Self {
        Self { column, rank, heading: None, min_width: None, grow: None, shown: true, cell: None }
    }

    /// Replaces the label of the list as the heading.
    #[must_use]
    pub const fn heading(mut self, heading: &'static str) -> Self {
        self.heading = Some(heading);
        self
    }

    /// The minimum width in columns.
    #[must_use]
    pub const fn min_width(mut self, min_width: u16) -> Self {
        self.min_width = Some(min_width);
        self
    }

    /// The share of the spare width.
    #[must_use]
    pub const fn grow(mut self, grow: u16) -> Self {
        self.grow = Some(grow);
        self
    }

    /// Hides the column by default.
    #[must_use]
    pub const fn hidden(mut self) -> Self {
        self.shown = false;
        self
    }

    /// Replaces the field of the row as the content of the cell.
    #[must_use]
    pub const fn cell(mut self, cell: fn(&R) -> Cell) -> Self {
        self.cell = Some(cell);
        self
    }
}

#[derive(Debug)]
pub struct ContractList<R: 'static> {
    list: &'static List,
    layouts: &'static [ColumnLayout<R>],
    /// Field names with their short names. An error for an unknown field lists them in this order.
    names: &'static [(&'static str, &'static [&'static str])],
    columns: OnceLock<Vec<Column>>,
    fields: OnceLock<Vec<FilterField>>,
}

impl<R: Serialize + 'static> ContractList<R> {
    /// Declares a list with its column layouts and short field names.
    #[must_use]
    pub const fn new(
        list: &'static List,
        layouts: &'static [ColumnLayout<R>],
        names: &'static [(&'static str, &'static [&'static str])],
    ) -> Self {
        Self { list, layouts, names, columns: OnceLock::new(), fields: OnceLock::new() }
    }

    /// The columns: those with a layout, then all other fields of a row, which are hidden by default.
    pub fn columns(&self) -> &[Column] {
        self.columns
            .get_or_init(|| self.drawn_columns().enumerate().map(|(at, drawn)| column(at, drawn)).collect())
    }

    /// The fields of the filter: first those with a short name, then all others that the list can be filtered by.
    pub fn fields(&self) -> &[FilterField] {
        self.fields.get_or_init(|| {
            let named =
                self.names.iter().filter_map(|(name, aliases)| field(self.list.column(name)?, aliases));
            let is_named = |name: &str| self.names.iter().any(|(named, _)| *named == name);
            let others = self.list.columns.iter().filter(|column| !is_named(column.name));
            named.chain(others.filter_map(|column| field(column, &[]))).collect()
        })
    }

    /// The cells of a row, one for each column.
    pub fn cells(&self, row: &R) -> Vec<Cell> {
        let value = serde_json::to_value(row).unwrap_or_default();
        let cell = |(declared, layout): DrawnColumn<R>| match layout.and_then(|layout| layout.cell) {
            Some(cell) => cell(row),
            None => cell_of(declared.kind, field_value(&value, declared.name)),
        };
        self.drawn_columns().map(cell).collect()
    }

    fn drawn_columns(&self) -> impl Iterator<Item = DrawnColumn<R>> {
        let with_layout = self
            .layouts
            .iter()
            .filter_map(move |layout| Some((self.list.column(layout.column)?, Some(layout))));
        let others = self
            .list
            .columns
            .iter()
            .filter(|column| column.in_row && column.alias_of.is_none() && column.kind != Kind::Json);
        let others =
            others.filter(move |column| self.layouts.iter().all(|layout| layout.column != column.name));
        with_layout.chain(others.map(|column| (column, None)))
    }
}

type DrawnColumn<R> = (&'static lists::Column, Option<&'static ColumnLayout<R>>);

fn column<R: 'static>(at: usize, (declared, layout): DrawnColumn<R>) -> Column {
    let (align, min_width, grow) = measure(declared.kind);
    let own = layout.map(|layout| (layout.heading, layout.min_width, layout.grow, layout.rank, layout.shown));
    let last = u8::try_from(at).unwrap_or(u8::MAX);
    let (heading, own_min_width, own_grow, rank, shown) = own.unwrap_or((None, None, None, last, false));
    let label = if declared.label.is_empty() { declared.name } else { declared.label };
    Column {
        title: heading.or(declared.short).unwrap_or(label).replace(['_', '.'], " ").to_uppercase(),
        min_width: own_min_width.unwrap_or(min_width),
        grow: own_grow.unwrap_or(grow),
        align,
        rank,
        shown_by_default: shown,
        sort: declared.searchable.then_some(declared.name),
    }
}

/// The alignment, the minimum width and the grow factor of a kind.
const fn measure(kind: Kind) -> (Align, u16, u16) {
    match kind {
        Kind::Id => (Align::Right, 8, 0),
        Kind::Number => (Align::Right, 9, 0),
        Kind::Money => (Align::Right, 10, 0),
        Kind::Percent | Kind::Fraction => (Align::Right, 7, 0),
        Kind::Time => (Align::Right, 4, 0),
        Kind::Flag => (Align::Left, 5, 0),
        Kind::Word(_) | Kind::Exact | Kind::Choice => (Align::Left, 12, 0),
        Kind::Text | Kind::Record(_) | Kind::Words(_) | Kind::Countries | Kind::Json => (Align::Left, 14, 2),
    }
}

fn field(declared: &'static lists::Column, aliases: &'static [&'static str]) -> Option<FilterField> {
    let kind = match declared.kind {
        Kind::Id | Kind::Number => filter::FieldKind::Number,
        Kind::Money | Kind::Fraction => filter::FieldKind::Money,
        Kind::Percent => filter::FieldKind::Percent,
        Kind::Time => filter::FieldKind::Time,
        Kind::Flag => filter::FieldKind::Flag,
        Kind::Word(words) | Kind::Words(words) => filter::FieldKind::Word(words.texts),
        Kind::Text | Kind::Record(_) | Kind::Countries | Kind::Exact | Kind::Choice => {
            filter::FieldKind::Text
        }
        Kind::Json => return None,
    };
    let is_offered = declared.searchable && declared.alias_of.is_none();
    is_offered.then_some(FilterField { name: declared.name, aliases, kind })
}

/// Formats a field as a cell; empty where the field is missing.
fn cell_of(kind: Kind, value: &Value) -> Cell {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        _ => return Cell::Text(String::new()),
    };
    let typed = match kind {
        Kind::Number => value.as_i64().map(Cell::Number),
        Kind::Money => text.parse::<Money>().ok().map(Cell::Money),
        Kind::Time => text.parse::<Time>().ok().map(Cell::Age),
        Kind::Percent => Some(Cell::Text(format!("{text} %"))),
        Kind::Word(_) | Kind::Exact | Kind::Choice => Some(Cell::Text(sanitize(&text.replace('_', " ")))),
        _ => None,
    };
    typed.unwrap_or_else(|| Cell::Text(sanitize(&text)))
}

fn field_value<'v>(row: &'v Value, name: &str) -> &'v Value {
    name.split('.').try_fold(row, |value, part| value.get(part)).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{combo_orders, free_trials, orders, withdrawals};

    fn check<R: Serialize + 'static>(listed: &ContractList<R>) {
        let name = listed.list.name;
        for layout in listed.layouts {
            let column = listed.list.column(layout.column);
            assert!(column.is_some_and(|column| column.in_row), "{name}: {}", layout.column);
        }
        for (named, _) in listed.names {
            assert!(listed.fields().iter().any(|field| field.name == *named), "{name}: {named}");
        }
        let mut called: Vec<&str> = listed
            .fields()
            .iter()
            .flat_map(|field| field.aliases.iter().copied().chain([field.name]))
            .collect();
        let count = called.len();
        called.sort_unstable();
        called.dedup();
        assert_eq!(called.len(), count, "{name}: a name means two fields");
    }

    #[test]
    fn layouts_and_names_are_columns_of_the_list() {
        check(&orders::ORDERS);
        check(&combo_orders::COMBO_ORDERS);
        check(&free_trials::FREE_TRIALS);
        check(&withdrawals::WITHDRAWALS);
    }

    #[test]
    fn every_field_of_a_row_can_be_shown() {
        let columns = orders::ORDERS.columns();
        assert_eq!(columns.len(), 32);
        assert!(columns.iter().all(|column| !column.title.is_empty()));
        let refunded = columns.iter().find(|column| column.sort == Some("refunded")).unwrap();
        assert_eq!((refunded.title.as_str(), refunded.shown_by_default), ("REFUNDED", false));
        let refunded = combo_orders::COMBO_ORDERS.columns().iter().find(|column| column.title == "REFUNDED");
        assert_eq!(refunded.unwrap().sort, None, "the panel cannot sort by it");
    }

    #[test]
    fn cells_are_formatted_by_kind() {
        let text = |kind, value: Value| cell_of(kind, &value);
        assert_eq!(text(Kind::Percent, "12.50".into()), Cell::Text("12.50 %".into()));
        assert_eq!(text(Kind::Money, "1.5".into()), Cell::Money(Money(1_500_000)));
        assert_eq!(text(Kind::Flag, true.into()), Cell::Text("yes".into()));
        assert_eq!(text(Kind::Text, "a\u{1b}[2Jb".into()), Cell::Text("a[2Jb".into()));
        assert_eq!(text(Kind::Number, Value::Null), Cell::Text(String::new()));
    }
}
