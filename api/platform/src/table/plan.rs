//! What a query asks of a list: everything in it is looked up in the declaration here, or refused by its field.

use std::collections::BTreeSet;

use panel_contract::fields::FieldErrors;
use panel_contract::table::{ColumnQuery, MAX_IDS, MAX_LENGTH, TableQuery};

use crate::db::{Sql, Val};
use crate::scope::Scope;
use crate::table::condition::{Cond, Kept, Place};
use crate::table::order::{self, Key, Order};
use crate::table::{Arm, Column, Kind, Table};

/// Most words of a common search.
const MOST_WORDS: usize = 10;

/// A query understood.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) place: Place,
    /// The list's own plain filters: they bound the total as well.
    pub(super) plain: Vec<Cond>,
    /// Column searches.
    pub(super) filters: Vec<Cond>,
    /// The words of the common search, all of which must be found.
    pub(super) words: Vec<String>,
    /// Where they are looked for.
    pub(super) arms: Vec<&'static Arm>,
    /// Whether ids are looked at as well.
    pub(super) by_id: bool,
    pub(super) order: Order,
    pub(super) start: i64,
    /// Most rows to read.
    pub(super) length: i64,
    /// The page begins below this id, without another total.
    pub(super) below: Option<i64>,
    /// Values of the rows that no SQL works out, where a filter or the order needs them.
    pub worked_out: Option<WorkedOut>,
}

/// Values that are worked out in the program, as a table beside the base.
#[derive(Debug, Clone)]
pub struct WorkedOut {
    /// Its alias, which the columns name as their join: `k`.
    pub alias: &'static str,
    /// How its rows belong to those of the base: `k.id = p.id`.
    pub on: &'static str,
    /// Its columns.
    pub columns: &'static [&'static str],
    /// A row for each row of the base.
    pub rows: Vec<Vec<Val>>,
}

impl Plan {
    /// Understands `query`.
    pub fn read(table: &'static Table, query: &TableQuery, scope: &Scope) -> Result<Self, FieldErrors> {
        let whole = query.ids_only || scope.meta.export.is_some();
        let place = Place { table, dialect: scope.db().dialect(), whole, now: scope.now() };
        let mut reading = Reading { place, query, scope, errors: query.wrong.clone() };
        let words = reading.words();
        let (plain, by_column) = reading.plain();
        let filters = reading.filters(by_column);
        let (order, length) = (reading.order(), reading.length());
        let unwanted = |name: &str| {
            let means = |column: &ColumnQuery| named(table, column).is_some_and(|column| column.name == name);
            query.columns.iter().any(|column| means(column) && !column.searchable)
        };
        let plan = Self {
            place,
            plain,
            filters,
            words,
            arms: table
                .common
                .iter()
                .filter(|arm| !unwanted(arm.column) && may_see(table, arm, scope))
                .collect(),
            by_id: !unwanted("id"),
            order,
            start: query.page_number.map_or(query.start, |page| (page - 1).saturating_mul(length)),
            length,
            below: None,
            worked_out: None,
        };
        reading.errors.or(plan)
    }

    /// The list that it asks.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.place.table
    }

    /// Whether a filter or the order needs the join `alias`.
    pub fn needs(&self, alias: &str) -> bool {
        let conds = self.plain.iter().chain(&self.filters).flat_map(|cond| cond.joins.iter().copied());
        conds.chain(self.order.keys.iter().filter_map(|key| key.column.join)).any(|join| join == alias)
    }

    /// Whether a text decides which rows there are.
    pub(super) fn has_text(&self) -> bool {
        !self.words.is_empty() || self.filters.iter().chain(&self.plain).any(|cond| cond.text)
    }

    /// The tables of which its filters look only at the newest records, because a text is too short for an index.
    pub(super) fn newest_of(&self) -> BTreeSet<&'static str> {
        let conds = self.plain.iter().chain(&self.filters);
        conds.flat_map(|cond| cond.newest_of.iter().copied()).collect()
    }

    /// The kept groups that count all its rows, when there are such.
    pub(super) fn kept(&self) -> Option<Kept> {
        if !self.plain.is_empty() || !self.words.is_empty() {
            return None;
        }
        let (_, all) = self.place.table.row_counts?;
        match self.filters.as_slice() {
            [] => Some(Kept::Groups(vec![all.to_owned()])),
            [only] if only.kept == Some(Kept::Key) => Some(Kept::Key),
            // A group is a part of the whole table, so it counts only where the list is the whole table.
            _ if !all.is_empty() => None,
            [only] => only.kept.clone(),
            [one, two] => one.kept.as_ref()?.and(two.kept.as_ref()?),
            _ => None,
        }
    }

    /// ` FROM … WHERE …` of all rows, with the joins that conditions (and, when wanted, sort keys) need.
    pub(super) fn body(&self, with_filters: bool, with_order: bool) -> Sql {
        let table = self.place.table;
        let from = Sql::empty().push(table.source.base).push(" ").push(table.source.alias);
        self.body_of(from, with_filters, with_order)
    }

    /// As `Plan::body`, with `from` in the place of the base.
    pub fn body_of(&self, from: Sql, with_filters: bool, with_order: bool) -> Sql {
        let filters: &[Cond] = if with_filters { &self.filters } else { &[] };
        let mut needed: BTreeSet<&str> =
            self.plain.iter().chain(filters).flat_map(|cond| cond.joins.iter().copied()).collect();
        if with_order {
            needed.extend(self.order.keys.iter().filter_map(|key| key.column.join));
        }
        let table = self.place.table;
        let mut sql = Sql::new(" FROM ").append(from);
        for join in table.source.joins.iter().filter(|join| needed.contains(join.alias)) {
            sql = sql.push(" ").push(join.sql);
        }
        if let Some(beside) = self.worked_out.as_ref().filter(|beside| needed.contains(beside.alias)) {
            sql = sql.push(" JOIN ").rows(beside.alias, beside.columns, beside.rows.clone());
            sql = sql.push(" ON ").push(beside.on);
        }
        sql = sql.push(" WHERE ").push(table.source.scope.unwrap_or("TRUE"));
        for cond in self.plain.iter().chain(filters) {
            sql = sql.push(" AND ").append(cond.sql.clone());
        }
        sql
    }
}

/// Whether the caller may search by the column that stands for `arm`.
fn may_see(table: &Table, arm: &Arm, scope: &Scope) -> bool {
    let permission = table.column(arm.column).and_then(|column| column.permission);
    permission.is_none_or(|permission| scope.may(permission))
}

/// The column that a client's column means; its own columns (`data: null`, functions) mean none.
fn named(table: &'static Table, column: &ColumnQuery) -> Option<&'static Column> {
    table.column(&column.name).or_else(|| table.column(&column.data))
}

struct Reading<'q> {
    place: Place,
    query: &'q TableQuery,
    scope: &'q Scope,
    errors: FieldErrors,
}

impl Reading<'_> {
    /// The column at `at`, if it may be used by the caller; else an error on `field`.
    fn column(&mut self, at: usize, field: &str) -> Option<&'static Column> {
        let asked = self.query.columns.get(at)?;
        let name = if asked.data.is_empty() { &asked.name } else { &asked.data };
        self.usable(named(self.place.table, asked), name, field)
    }

    /// `column`, which the client calls `name`, if the caller may use it.
    fn usable(
        &mut self,
        column: Option<&'static Column>,
        name: &str,
        field: &str,
    ) -> Option<&'static Column> {
        let Some(column) = column else {
            self.errors.add(field, format!("There is no column \"{}\" here.", shortened(name)));
            return None;
        };
        match column.permission {
            Some(permission) if !self.scope.may(permission) => {
                self.errors
                    .add(field, format!("The column {} needs the permission \"{permission}\".", column.name));
                None
            }
            _ if matches!(column.kind, Kind::Shown) => {
                self.errors
                    .add(field, format!("The column {} can be neither sorted nor searched.", column.name));
                None
            }
            _ => Some(column),
        }
    }

    fn keep(&mut self, into: &mut Vec<Cond>, field: &str, cond: Result<Cond, String>) {
        match cond {
            Ok(cond) => into.push(cond),
            Err(sentence) => self.errors.add(field, sentence),
        }
    }

    /// The list's own filters, and those by the names of columns.
    fn plain(&mut self) -> (Vec<Cond>, Vec<Cond>) {
        let table = self.place.table;
        let (mut own, mut by_column) = (Vec::new(), Vec::new());
        for (name, value) in &self.query.plain {
            let declared = table.plain().iter().find(|column| column.is(name));
            match (declared, table.column(name)) {
                (None, None) => {
                    let sentence = format!("The parameter {} is not known here; remove it.", shortened(name));
                    self.errors.add(name, sentence);
                }
                (None, Some(_)) if !self.query.columns.is_empty() => {
                    let sentence =
                        format!("Filter by {name}=… or by columns[…], not by both in one request.");
                    self.errors.add(name, sentence);
                }
                _ if value.trim().is_empty() => {}
                (Some(column), _) => self.keep(&mut own, name, self.place.search(column, value)),
                (None, column) => {
                    if let Some(column) = self.usable(column, name, name) {
                        self.keep(&mut by_column, name, self.place.search(column, value));
                    }
                }
            }
        }
        (own, by_column)
    }

    fn filters(&mut self, mut conds: Vec<Cond>) -> Vec<Cond> {
        for (at, asked) in self.query.columns.iter().enumerate() {
            if is_common(asked) {
                continue;
            }
            if !asked.search.trim().is_empty() {
                let field = format!("columns.{at}.search");
                if let Some(column) = self.column(at, &field) {
                    self.keep(&mut conds, &field, self.place.search(column, &asked.search));
                }
            }
            if let Some(control) = &asked.control
                && (!control.value.is_empty() || matches!(control.logic.as_str(), "empty" | "notEmpty"))
            {
                let field = format!("columns.{at}.columnControl.search");
                if let Some(column) = self.column(at, &field) {
                    self.keep(&mut conds, &field, self.place.control(column, &control.logic, &control.value));
                }
            }
        }
        self.groups(&mut conds);
        conds
    }

    /// DataTables 3: a text in any of some columns.
    fn groups(&mut self, conds: &mut Vec<Cond>) {
        for (at, (columns, term)) in self.query.groups.iter().enumerate() {
            if term.trim().is_empty() {
                continue;
            }
            let field = format!("search.groups.{at}");
            let known: Vec<_> = columns.iter().filter_map(|column| self.column(*column, &field)).collect();
            let found: Vec<Cond> =
                known.into_iter().filter_map(|column| self.place.search(column, term).ok()).collect();
            if found.is_empty() {
                self.errors.add(field, "None of these columns can hold that; search for something else.");
                continue;
            }
            conds.push(any(found));
        }
    }

    fn order(&mut self) -> Order {
        let table = self.place.table;
        let mut keys = Vec::new();
        for (at, asked) in self.query.order.iter().enumerate() {
            let field = format!("order.{at}.column");
            if at >= order::MOST {
                self.errors.add(field, format!("Sort by at most {} columns.", order::MOST));
                break;
            }
            if let Some(column) = self.column(asked.column, &field) {
                keys.push(Key { column, descending: asked.descending });
            }
        }
        for asked in &self.query.sort {
            if keys.len() >= order::MOST {
                self.errors.add("sort", format!("Sort by at most {} columns.", order::MOST));
                break;
            }
            let found = table.column(&asked.column);
            if let Some(column) = self.usable(found, &asked.column, "sort") {
                keys.push(Key { column, descending: asked.descending });
            }
        }
        if self.query.order.is_empty() && self.query.sort.is_empty() {
            let own = |(name, descending): &(&str, bool)| {
                Some(Key { column: table.column(name)?, descending: *descending })
            };
            keys = table.list.order.iter().filter_map(own).collect();
        }
        order::trimmed(table, keys)
    }

    fn words(&mut self) -> Vec<String> {
        let common =
            self.query.columns.iter().filter(|column| is_common(column)).map(|column| &column.search);
        let words: Vec<String> = std::iter::once(&self.query.search)
            .chain(common)
            .flat_map(|text| text.split_whitespace())
            .map(str::to_owned)
            .collect();
        if words.len() > MOST_WORDS {
            self.errors.add("search", format!("Search for at most {MOST_WORDS} words."));
            return Vec::new();
        }
        words
    }

    fn length(&mut self) -> i64 {
        let most = if self.query.ids_only { MAX_IDS } else { MAX_LENGTH };
        match self.query.length {
            None if self.query.ids_only => MAX_IDS,
            None => self.place.table.list.length,
            Some(-1 | 0) => most,
            Some(rows) if (1..=most).contains(&rows) => rows,
            Some(_) => {
                self.errors.add(
                    "length",
                    format!("Ask for at most {most} rows a page, or take the export (Accept: text/csv)."),
                );
                most
            }
        }
    }
}

/// The specification's name of the common search, where a client sends it as a column.
fn is_common(column: &ColumnQuery) -> bool {
    matches!(column.data.as_str(), "commonSearch" | "common_search")
}

fn any(found: Vec<Cond>) -> Cond {
    let mut all = Cond { text: true, ..Cond::new(Sql::new("(")) };
    for (at, cond) in found.into_iter().enumerate() {
        let sql = if at == 0 { all.sql } else { all.sql.push(" OR ") };
        all.sql = sql.push("(").append(cond.sql).push(")");
        all.newest_of.extend(cond.newest_of);
        all.joins.extend(cond.joins);
    }
    all.sql = all.sql.push(")");
    all
}

fn shortened(name: &str) -> String {
    name.chars().take(60).collect()
}
