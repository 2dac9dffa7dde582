//! A source that is a list of the contract. Its columns and filter fields come from the declaration in `panel_contract::lists`.
//! This module defines how to draw each kind of column. A source adds the default columns, their widths, and the short
//! field names for the filter prompt.

use std::sync::OnceLock;

use panel_contract::amount::Money;
use panel_contract::lists::{self, ColumnKind, List};
use panel_contract::moment::Time;
use serde::Serialize;
use serde_json::Value;

use crate::model::columns::{Cell, Column};
use crate::model::filter::{self, FilterField};
use crate::text::{Align, sanitize};

/// The layout of a column. `None` means the default of its kind.
#[derive(Debug)]
pub struct ColumnLayout<R: 'static> {
    column: &'static str,
    rank: u8,
    heading: Option<&'static str>,
    min_width: Option<u16>,
    grow: Option<u16>,
    is_visible: bool,
    build_cell: Option<fn(&R) -> Cell>,
}

impl<R: 'static> ColumnLayout<R> {
    /// Creates a layout for the contract column with this name, visible by default. On a narrow screen, the list drops the
    /// column with the highest rank first.
    #[must_use]
    pub const fn new(column: &'static str, rank: u8) -> Self {
        Self { column, rank, heading: None, min_width: None, grow: None, is_visible: true, build_cell: None }
    }

    /// Sets a heading instead of the label from the contract.
    #[must_use]
    pub const fn heading(mut self, heading: &'static str) -> Self {
        self.heading = Some(heading);
        self
    }

    /// Sets the minimum width in screen columns.
    #[must_use]
    pub const fn min_width(mut self, min_width: u16) -> Self {
        self.min_width = Some(min_width);
        self
    }

    /// Sets the share of the spare width that the column receives.
    #[must_use]
    pub const fn grow(mut self, grow: u16) -> Self {
        self.grow = Some(grow);
        self
    }

    /// Hides the column by default.
    #[must_use]
    pub const fn hidden(mut self) -> Self {
        self.is_visible = false;
        self
    }

    /// Sets a function for the content of the cell instead of the field of the row.
    #[must_use]
    pub const fn build_cell(mut self, build_cell: fn(&R) -> Cell) -> Self {
        self.build_cell = Some(build_cell);
        self
    }
}

#[derive(Debug)]
pub struct ContractList<R: 'static> {
    list: &'static List,
    layouts: &'static [ColumnLayout<R>],
    /// Field names with their aliases. An error for an unknown field lists them in this order.
    field_names: &'static [(&'static str, &'static [&'static str])],
    columns: OnceLock<Vec<Column>>,
    fields: OnceLock<Vec<FilterField>>,
}

impl<R: Serialize + 'static> ContractList<R> {
    /// Declares a list with its column layouts and field aliases.
    #[must_use]
    pub const fn new(
        list: &'static List,
        layouts: &'static [ColumnLayout<R>],
        field_names: &'static [(&'static str, &'static [&'static str])],
    ) -> Self {
        Self { list, layouts, field_names, columns: OnceLock::new(), fields: OnceLock::new() }
    }

    /// The columns: first the columns with a layout, then all other fields of a row, which are hidden by default.
    pub fn columns(&self) -> &[Column] {
        self.columns.get_or_init(|| {
            self.shown_columns().enumerate().map(|(index, shown)| to_column(index, shown)).collect()
        })
    }

    /// The fields of the filter: first the fields with an alias, then all others that can filter the list.
    pub fn fields(&self) -> &[FilterField] {
        self.fields.get_or_init(|| {
            let named_fields = self
                .field_names
                .iter()
                .filter_map(|(name, aliases)| to_filter_field(self.list.column(name)?, aliases));
            let is_named = |name: &str| self.field_names.iter().any(|(field_name, _)| *field_name == name);
            let other_columns = self.list.columns.iter().filter(|column| !is_named(column.name));
            named_fields.chain(other_columns.filter_map(|column| to_filter_field(column, &[]))).collect()
        })
    }

    /// The cells of a row, one for each column.
    pub fn cells(&self, row: &R) -> Vec<Cell> {
        let value = serde_json::to_value(row).unwrap_or_default();
        let to_row_cell =
            |(declared, layout): ShownColumn<R>| match layout.and_then(|layout| layout.build_cell) {
                Some(build_cell) => build_cell(row),
                None => to_cell(declared.kind, field_value(&value, declared.name)),
            };
        self.shown_columns().map(to_row_cell).collect()
    }

    fn shown_columns(&self) -> impl Iterator<Item = ShownColumn<R>> {
        let with_layout = self
            .layouts
            .iter()
            .filter_map(move |layout| Some((self.list.column(layout.column)?, Some(layout))));
        let others =
            self.list.columns.iter().filter(|column| {
                column.in_row && column.alias_of.is_none() && column.kind != ColumnKind::Json
            });
        let others =
            others.filter(move |column| self.layouts.iter().all(|layout| layout.column != column.name));
        with_layout.chain(others.map(|column| (column, None)))
    }
}

type ShownColumn<R> = (&'static lists::Column, Option<&'static ColumnLayout<R>>);

fn to_column<R: 'static>(index: usize, (declared, layout): ShownColumn<R>) -> Column {
    let (align, default_min_width, default_grow) = default_layout(declared.kind);
    let last_rank = u8::try_from(index).unwrap_or(u8::MAX);
    let label = if declared.label.is_empty() { declared.name } else { declared.label };
    let heading = layout.and_then(|layout| layout.heading);
    Column {
        title: heading.or(declared.short_label).unwrap_or(label).replace(['_', '.'], " ").to_uppercase(),
        min_width: layout.and_then(|layout| layout.min_width).unwrap_or(default_min_width),
        grow: layout.and_then(|layout| layout.grow).unwrap_or(default_grow),
        align,
        rank: layout.map_or(last_rank, |layout| layout.rank),
        is_visible_by_default: layout.is_some_and(|layout| layout.is_visible),
        sort_key: declared.searchable.then_some(declared.name),
    }
}

/// The alignment, the minimum width and the grow factor of a kind.
const fn default_layout(kind: ColumnKind) -> (Align, u16, u16) {
    match kind {
        ColumnKind::Id => (Align::Right, 8, 0),
        ColumnKind::Number => (Align::Right, 9, 0),
        ColumnKind::Money => (Align::Right, 10, 0),
        ColumnKind::Percent | ColumnKind::Fraction => (Align::Right, 7, 0),
        ColumnKind::Time => (Align::Right, 4, 0),
        ColumnKind::Flag => (Align::Left, 5, 0),
        ColumnKind::Enum(_) | ColumnKind::ExactText | ColumnKind::OpenEnum => (Align::Left, 12, 0),
        ColumnKind::Text
        | ColumnKind::Record(_)
        | ColumnKind::EnumList(_)
        | ColumnKind::Countries
        | ColumnKind::Json => (Align::Left, 14, 2),
    }
}

fn to_filter_field(
    declared: &'static lists::Column,
    aliases: &'static [&'static str],
) -> Option<FilterField> {
    let kind = match declared.kind {
        ColumnKind::Id | ColumnKind::Number => filter::FieldKind::Number,
        ColumnKind::Money | ColumnKind::Fraction => filter::FieldKind::Money,
        ColumnKind::Percent => filter::FieldKind::Percent,
        ColumnKind::Time => filter::FieldKind::Time,
        ColumnKind::Flag => filter::FieldKind::Flag,
        ColumnKind::Enum(values) | ColumnKind::EnumList(values) => filter::FieldKind::Enum(values.texts),
        ColumnKind::Text
        | ColumnKind::Record(_)
        | ColumnKind::Countries
        | ColumnKind::ExactText
        | ColumnKind::OpenEnum => filter::FieldKind::Text,
        ColumnKind::Json => return None,
    };
    let is_filterable = declared.searchable && declared.alias_of.is_none();
    is_filterable.then_some(FilterField { name: declared.name, aliases, kind })
}

/// Formats a field as a cell; empty if the field is missing.
fn to_cell(kind: ColumnKind, value: &Value) -> Cell {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        _ => return Cell::Text(String::new()),
    };
    let cell = match kind {
        ColumnKind::Number => value.as_i64().map(Cell::Number),
        ColumnKind::Money => text.parse::<Money>().ok().map(Cell::Money),
        ColumnKind::Time => text.parse::<Time>().ok().map(Cell::Age),
        ColumnKind::Percent => Some(Cell::Text(format!("{text} %"))),
        ColumnKind::Enum(_) | ColumnKind::ExactText | ColumnKind::OpenEnum => {
            Some(Cell::Text(sanitize(&text.replace('_', " "))))
        }
        _ => None,
    };
    cell.unwrap_or_else(|| Cell::Text(sanitize(&text)))
}

fn field_value<'v>(row: &'v Value, name: &str) -> &'v Value {
    name.split('.').try_fold(row, |value, part| value.get(part)).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{combo_orders, free_trials, orders, withdrawals};

    fn check_names<R: Serialize + 'static>(contract_list: &ContractList<R>) {
        let name = contract_list.list.name;
        for layout in contract_list.layouts {
            let column = contract_list.list.column(layout.column);
            assert!(column.is_some_and(|column| column.in_row), "{name}: {}", layout.column);
        }
        for (field_name, _) in contract_list.field_names {
            assert!(
                contract_list.fields().iter().any(|field| field.name == *field_name),
                "{name}: {field_name}"
            );
        }
        let mut all_names: Vec<&str> = contract_list
            .fields()
            .iter()
            .flat_map(|field| field.aliases.iter().copied().chain([field.name]))
            .collect();
        let count = all_names.len();
        all_names.sort_unstable();
        all_names.dedup();
        assert_eq!(all_names.len(), count, "{name}: two fields must not have the same name");
    }

    #[test]
    fn layouts_and_field_names_are_columns_of_the_list() {
        check_names(&orders::ORDERS);
        check_names(&combo_orders::COMBO_ORDERS);
        check_names(&free_trials::FREE_TRIALS);
        check_names(&withdrawals::WITHDRAWALS);
    }

    #[test]
    fn every_field_of_a_row_can_be_shown() {
        let columns = orders::ORDERS.columns();
        assert_eq!(columns.len(), 32);
        assert!(columns.iter().all(|column| !column.title.is_empty()));
        let refunded = columns.iter().find(|column| column.sort_key == Some("refunded")).unwrap();
        assert_eq!((refunded.title.as_str(), refunded.is_visible_by_default), ("REFUNDED", false));
        let refunded = combo_orders::COMBO_ORDERS.columns().iter().find(|column| column.title == "REFUNDED");
        assert_eq!(
            refunded.unwrap().sort_key,
            None,
            "a column that the server cannot sort by must have no sort key"
        );
    }

    #[test]
    fn a_cell_has_the_format_of_its_kind() {
        let format_value = |kind, value: Value| to_cell(kind, &value);
        assert_eq!(format_value(ColumnKind::Percent, "12.50".into()), Cell::Text("12.50 %".into()));
        assert_eq!(format_value(ColumnKind::Money, "1.5".into()), Cell::Money(Money(1_500_000)));
        assert_eq!(format_value(ColumnKind::Flag, true.into()), Cell::Text("yes".into()));
        assert_eq!(format_value(ColumnKind::Text, "a\u{1b}[2Jb".into()), Cell::Text("a[2Jb".into()));
        assert_eq!(format_value(ColumnKind::Number, Value::Null), Cell::Text(String::new()));
    }
}
