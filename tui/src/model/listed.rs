//! A source that is a list of the contract: its columns and the fields of its filter come from the declaration. What is here is how
//! a kind is drawn; what a source adds is which columns show first, their widths and short names for typing.

use std::sync::OnceLock;

use panel_contract::amount::Money;
use panel_contract::lists::{self, Kind, List};
use panel_contract::moment::Time;
use serde::Serialize;
use serde_json::Value;

use crate::model::columns::{Cell, Column};
use crate::model::filter::{self, Field};
use crate::text::{Align, clean};

/// A column of the screen: what its kind does not say.
#[derive(Debug)]
pub struct Place<R: 'static> {
    column: &'static str,
    rank: u8,
    head: Option<&'static str>,
    least: Option<u16>,
    grow: Option<u16>,
    shown: bool,
    cell: Option<fn(&R) -> Cell>,
}

impl<R: 'static> Place<R> {
    /// The column of the list called `column`, shown before the person chooses others; a column with a lower rank stays longer when the screen
    /// gets narrow.
    #[must_use]
    pub const fn of(column: &'static str, rank: u8) -> Self {
        Self { column, rank, head: None, least: None, grow: None, shown: true, cell: None }
    }

    /// Its heading, where the label of the list is another one.
    #[must_use]
    pub const fn head(mut self, head: &'static str) -> Self {
        self.head = Some(head);
        self
    }

    /// Columns of the screen it takes at least.
    #[must_use]
    pub const fn least(mut self, least: u16) -> Self {
        self.least = Some(least);
        self
    }

    /// Its share of what is left over.
    #[must_use]
    pub const fn grow(mut self, grow: u16) -> Self {
        self.grow = Some(grow);
        self
    }

    /// It does not show before the person chooses it.
    #[must_use]
    pub const fn hidden(mut self) -> Self {
        self.shown = false;
        self
    }

    /// Its cell, where the field of the row is not what it shows.
    #[must_use]
    pub const fn cell(mut self, cell: fn(&R) -> Cell) -> Self {
        self.cell = Some(cell);
        self
    }
}

/// A list of the contract as a source.
#[derive(Debug)]
pub struct Listed<R: 'static> {
    list: &'static List,
    places: &'static [Place<R>],
    /// Names to type, in the order in which an unknown name is answered.
    names: &'static [(&'static str, &'static [&'static str])],
    columns: OnceLock<Vec<Column>>,
    fields: OnceLock<Vec<Field>>,
}

impl<R: Serialize + 'static> Listed<R> {
    /// The list with its places and short names.
    #[must_use]
    pub const fn new(
        list: &'static List,
        places: &'static [Place<R>],
        names: &'static [(&'static str, &'static [&'static str])],
    ) -> Self {
        Self { list, places, names, columns: OnceLock::new(), fields: OnceLock::new() }
    }

    /// Its columns: those with a place, then every other field of a row, which shows on request.
    pub fn columns(&self) -> &[Column] {
        self.columns.get_or_init(|| self.drawn().enumerate().map(|(at, drawn)| column(at, drawn)).collect())
    }

    /// What the filter prompt knows: first what has a short name, then everything else that the list can be filtered by.
    pub fn fields(&self) -> &[Field] {
        self.fields.get_or_init(|| {
            let named = self.names.iter().filter_map(|(name, also)| field(self.list.column(name)?, also));
            let is_named = |name: &str| self.names.iter().any(|(named, _)| *named == name);
            let others = self.list.columns.iter().filter(|column| !is_named(column.name));
            named.chain(others.filter_map(|column| field(column, &[]))).collect()
        })
    }

    /// What the columns show of a row, one cell for each.
    pub fn cells(&self, row: &R) -> Vec<Cell> {
        let value = serde_json::to_value(row).unwrap_or_default();
        let cell = |(declared, place): Drawn<R>| match place.and_then(|place| place.cell) {
            Some(cell) => cell(row),
            None => cell_of(declared.kind, at(&value, declared.name)),
        };
        self.drawn().map(cell).collect()
    }

    fn drawn(&self) -> impl Iterator<Item = Drawn<R>> {
        let placed =
            self.places.iter().filter_map(move |place| Some((self.list.column(place.column)?, Some(place))));
        let others = self
            .list
            .columns
            .iter()
            .filter(|column| column.in_row && column.alias_of.is_none() && column.kind != Kind::Json);
        let others = others.filter(move |column| self.places.iter().all(|place| place.column != column.name));
        placed.chain(others.map(|column| (column, None)))
    }
}

type Drawn<R> = (&'static lists::Column, Option<&'static Place<R>>);

fn column<R: 'static>(at: usize, (declared, place): Drawn<R>) -> Column {
    let (align, least, grow) = measure(declared.kind);
    let own = place.map(|place| (place.head, place.least, place.grow, place.rank, place.shown));
    let last = u8::try_from(at).unwrap_or(u8::MAX);
    let (head, own_least, own_grow, rank, shown) = own.unwrap_or((None, None, None, last, false));
    let label = if declared.label.is_empty() { declared.name } else { declared.label };
    Column {
        title: head.or(declared.short).unwrap_or(label).replace(['_', '.'], " ").to_uppercase(),
        least: own_least.unwrap_or(least),
        grow: own_grow.unwrap_or(grow),
        align,
        rank,
        shown,
        sort: declared.searchable.then_some(declared.name),
    }
}

/// Where the texts of a kind stand, how much room they take at least, and their share of what is left over.
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

fn field(declared: &'static lists::Column, also: &'static [&'static str]) -> Option<Field> {
    let kind = match declared.kind {
        Kind::Id | Kind::Number => filter::Kind::Number,
        Kind::Money | Kind::Fraction => filter::Kind::Money,
        Kind::Percent => filter::Kind::Percent,
        Kind::Time => filter::Kind::Time,
        Kind::Flag => filter::Kind::Flag,
        Kind::Word(words) | Kind::Words(words) => filter::Kind::Word(words.texts),
        Kind::Text | Kind::Record(_) | Kind::Countries | Kind::Exact | Kind::Choice => filter::Kind::Text,
        Kind::Json => return None,
    };
    let is_offered = declared.searchable && declared.alias_of.is_none();
    is_offered.then_some(Field { name: declared.name, also, kind })
}

/// What a cell shows of a field; nothing where there is none.
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
        Kind::Word(_) | Kind::Exact | Kind::Choice => Some(Cell::Text(clean(&text.replace('_', " ")))),
        _ => None,
    };
    typed.unwrap_or_else(|| Cell::Text(clean(&text)))
}

fn at<'v>(row: &'v Value, name: &str) -> &'v Value {
    name.split('.').try_fold(row, |value, part| value.get(part)).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{combo_orders, free_trials, orders, withdrawals};

    fn check<R: Serialize + 'static>(listed: &Listed<R>) {
        let name = listed.list.name;
        for place in listed.places {
            let column = listed.list.column(place.column);
            assert!(column.is_some_and(|column| column.in_row), "{name}: {}", place.column);
        }
        for (named, _) in listed.names {
            assert!(listed.fields().iter().any(|field| field.name == *named), "{name}: {named}");
        }
        let mut called: Vec<&str> =
            listed.fields().iter().flat_map(|field| field.also.iter().copied().chain([field.name])).collect();
        let count = called.len();
        called.sort_unstable();
        called.dedup();
        assert_eq!(called.len(), count, "{name}: a name means two fields");
    }

    #[test]
    fn places_and_names_are_columns_of_the_list() {
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
        assert_eq!((refunded.title.as_str(), refunded.shown), ("REFUNDED", false));
        let returned = combo_orders::COMBO_ORDERS.columns().iter().find(|column| column.title == "RETURNED");
        assert_eq!(returned.unwrap().sort, None, "the panel cannot sort by it");
    }

    #[test]
    fn cells_show_what_a_column_holds() {
        let text = |kind, value: Value| cell_of(kind, &value);
        assert_eq!(text(Kind::Percent, "12.50".into()), Cell::Text("12.50 %".into()));
        assert_eq!(text(Kind::Money, "1.5".into()), Cell::Money(Money(1_500_000)));
        assert_eq!(text(Kind::Flag, true.into()), Cell::Text("yes".into()));
        assert_eq!(text(Kind::Text, "a\u{1b}[2Jb".into()), Cell::Text("a[2Jb".into()));
        assert_eq!(text(Kind::Number, Value::Null), Cell::Text(String::new()));
    }
}
