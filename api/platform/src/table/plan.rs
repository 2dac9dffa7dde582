//! Parses a list query into a [`Plan`]: looks up each of its columns in the declaration, and refuses unknown ones by field.

use std::collections::BTreeSet;

use panel_contract::fields::FieldErrors;
use panel_contract::table::{ColumnQuery, MAX_IDS, MAX_LENGTH, TableQuery};

use crate::db::{Sql, Val};
use crate::scope::Scope;
use crate::table::condition::{Condition, MaterializedCount, QueryContext};
use crate::table::order::{self, Key, Order};
use crate::table::{Column, Kind, SearchTarget, Table};

/// Largest number of words in a common search.
const MAX_WORDS: usize = 10;

/// A parsed list query.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) place: QueryContext,
    /// The list's own plain filters: they bound the total as well.
    pub(super) plain: Vec<Condition>,
    /// Column searches.
    pub(super) filters: Vec<Condition>,
    /// The words of the common search, all of which must be found.
    pub(super) words: Vec<String>,
    /// Where the words are searched.
    pub(super) search_targets: Vec<&'static SearchTarget>,
    /// Whether ids are searched as well.
    pub(super) by_id: bool,
    pub(super) order: Order,
    pub(super) start: i64,
    /// Limit of rows to read.
    pub(super) length: i64,
    /// The page begins below this id, without another total.
    pub(super) below: Option<i64>,
    /// Values that the program computes, where a filter or the order needs them.
    pub computed_columns: Option<ComputedColumns>,
}

/// Values that the program computes, joined to the base as a table.
#[derive(Debug, Clone)]
pub struct ComputedColumns {
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
    /// Parses `query`; errors name its fields.
    pub fn read(table: &'static Table, query: &TableQuery, scope: &Scope) -> Result<Self, FieldErrors> {
        let whole = query.ids_only || scope.meta.export.is_some();
        let place = QueryContext { table, dialect: scope.db().dialect(), whole, now: scope.now() };
        let mut parser = QueryParser { place, query, scope, errors: query.wrong.clone() };
        let words = parser.words();
        let (plain, by_column) = parser.plain();
        let filters = parser.filters(by_column);
        let (order, length) = (parser.order(), parser.length());
        let is_excluded = |name: &str| {
            let refers_to =
                |column: &ColumnQuery| named(table, column).is_some_and(|column| column.name == name);
            query.columns.iter().any(|column| refers_to(column) && !column.searchable)
        };
        let plan = Self {
            place,
            plain,
            filters,
            words,
            search_targets: table
                .common
                .iter()
                .filter(|target| !is_excluded(target.column) && may_see(table, target, scope))
                .collect(),
            by_id: !is_excluded("id"),
            order,
            start: query.page_number.map_or(query.start, |page| (page - 1).saturating_mul(length)),
            length,
            below: None,
            computed_columns: None,
        };
        parser.errors.or(plan)
    }

    /// The list of the query.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.place.table
    }

    /// Whether a filter or the order needs the join `alias`.
    pub fn needs(&self, alias: &str) -> bool {
        let conds = self.plain.iter().chain(&self.filters).flat_map(|cond| cond.joins.iter().copied());
        conds.chain(self.order.keys.iter().filter_map(|key| key.column.join)).any(|join| join == alias)
    }

    /// Whether a text search narrows the rows.
    pub(super) fn has_text(&self) -> bool {
        !self.words.is_empty() || self.filters.iter().chain(&self.plain).any(|cond| cond.text)
    }

    /// The tables in which the filters search only the newest rows, because a text is too short for an index.
    pub(super) fn newest_only_tables(&self) -> BTreeSet<&'static str> {
        let conds = self.plain.iter().chain(&self.filters);
        conds.flat_map(|cond| cond.newest_of.iter().copied()).collect()
    }

    /// The materialized count of all its rows, where there is one.
    pub(super) fn materialized_count(&self) -> Option<MaterializedCount> {
        if !self.plain.is_empty() || !self.words.is_empty() {
            return None;
        }
        let (_, all) = self.place.table.row_counts?;
        match self.filters.as_slice() {
            [] => Some(MaterializedCount::Groups(vec![all.to_owned()])),
            [only] if only.count == Some(MaterializedCount::Key) => Some(MaterializedCount::Key),
            // A group is a part of the whole table, so it counts only where the list is the whole table.
            _ if !all.is_empty() => None,
            [only] => only.count.clone(),
            [one, two] => one.count.as_ref()?.and(two.count.as_ref()?),
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
        let filters: &[Condition] = if with_filters { &self.filters } else { &[] };
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
        if let Some(computed) =
            self.computed_columns.as_ref().filter(|computed| needed.contains(computed.alias))
        {
            sql = sql.push(" JOIN ").rows(computed.alias, computed.columns, computed.rows.clone());
            sql = sql.push(" ON ").push(computed.on);
        }
        sql = sql.push(" WHERE ").push(table.source.scope.unwrap_or("TRUE"));
        for cond in self.plain.iter().chain(filters) {
            sql = sql.push(" AND ").append(cond.sql.clone());
        }
        sql
    }
}

/// Whether the caller may search by the column that represents `target`.
fn may_see(table: &Table, target: &SearchTarget, scope: &Scope) -> bool {
    let permission = table.column(target.column).and_then(|column| column.permission);
    permission.is_none_or(|permission| scope.may(permission))
}

/// The declared column that a client's column names; none for columns of the client's own (`data: null`, functions).
fn named(table: &'static Table, column: &ColumnQuery) -> Option<&'static Column> {
    table.column(&column.name).or_else(|| table.column(&column.data))
}

struct QueryParser<'q> {
    place: QueryContext,
    query: &'q TableQuery,
    scope: &'q Scope,
    errors: FieldErrors,
}

impl QueryParser<'_> {
    /// The column at `at`, if it may be used by the caller; else an error on `field`.
    fn column(&mut self, at: usize, field: &str) -> Option<&'static Column> {
        let requested = self.query.columns.get(at)?;
        let name = if requested.data.is_empty() { &requested.name } else { &requested.data };
        self.usable(named(self.place.table, requested), name, field)
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

    fn add_condition(&mut self, into: &mut Vec<Condition>, field: &str, cond: Result<Condition, String>) {
        match cond {
            Ok(cond) => into.push(cond),
            Err(sentence) => self.errors.add(field, sentence),
        }
    }

    /// The list's own filters, and those by the names of columns.
    fn plain(&mut self) -> (Vec<Condition>, Vec<Condition>) {
        let table = self.place.table;
        let (mut plain, mut by_column) = (Vec::new(), Vec::new());
        for (name, value) in &self.query.plain {
            let declared = table.plain().iter().find(|column| column.is(name));
            match (declared, table.column(name)) {
                (None, None) => {
                    let sentence = format!("The parameter {} is unknown; remove it.", shortened(name));
                    self.errors.add(name, sentence);
                }
                (None, Some(_)) if !self.query.columns.is_empty() => {
                    let sentence =
                        format!("Filter by {name}=… or by columns[…], not by both in one request.");
                    self.errors.add(name, sentence);
                }
                _ if value.trim().is_empty() => {}
                (Some(column), _) => self.add_condition(&mut plain, name, self.place.search(column, value)),
                (None, column) => {
                    if let Some(column) = self.usable(column, name, name) {
                        self.add_condition(&mut by_column, name, self.place.search(column, value));
                    }
                }
            }
        }
        (plain, by_column)
    }

    fn filters(&mut self, mut conds: Vec<Condition>) -> Vec<Condition> {
        for (at, requested) in self.query.columns.iter().enumerate() {
            if is_common(requested) {
                continue;
            }
            if !requested.search.trim().is_empty() {
                let field = format!("columns.{at}.search");
                if let Some(column) = self.column(at, &field) {
                    self.add_condition(&mut conds, &field, self.place.search(column, &requested.search));
                }
            }
            if let Some(control) = &requested.control
                && (!control.value.is_empty() || matches!(control.logic.as_str(), "empty" | "notEmpty"))
            {
                let field = format!("columns.{at}.columnControl.search");
                if let Some(column) = self.column(at, &field) {
                    self.add_condition(
                        &mut conds,
                        &field,
                        self.place.control(column, &control.logic, &control.value),
                    );
                }
            }
        }
        self.groups(&mut conds);
        conds
    }

    /// DataTables 3: a text in any of some columns.
    fn groups(&mut self, conds: &mut Vec<Condition>) {
        for (at, (columns, term)) in self.query.groups.iter().enumerate() {
            if term.trim().is_empty() {
                continue;
            }
            let field = format!("search.groups.{at}");
            let usable: Vec<_> = columns.iter().filter_map(|column| self.column(*column, &field)).collect();
            let conditions: Vec<Condition> =
                usable.into_iter().filter_map(|column| self.place.search(column, term).ok()).collect();
            if conditions.is_empty() {
                self.errors.add(field, "None of these columns can hold that; search for something else.");
                continue;
            }
            conds.push(any(conditions));
        }
    }

    fn order(&mut self) -> Order {
        let table = self.place.table;
        let mut keys = Vec::new();
        for (at, requested) in self.query.order.iter().enumerate() {
            let field = format!("order.{at}.column");
            if at >= order::MAX_KEYS {
                self.errors.add(field, format!("Sort by at most {} columns.", order::MAX_KEYS));
                break;
            }
            if let Some(column) = self.column(requested.column, &field) {
                keys.push(Key { column, descending: requested.descending });
            }
        }
        for requested in &self.query.sort {
            if keys.len() >= order::MAX_KEYS {
                self.errors.add("sort", format!("Sort by at most {} columns.", order::MAX_KEYS));
                break;
            }
            let declared = table.column(&requested.column);
            if let Some(column) = self.usable(declared, &requested.column, "sort") {
                keys.push(Key { column, descending: requested.descending });
            }
        }
        if self.query.order.is_empty() && self.query.sort.is_empty() {
            let default_key = |(name, descending): &(&str, bool)| {
                Some(Key { column: table.column(name)?, descending: *descending })
            };
            keys = table.list.order.iter().filter_map(default_key).collect();
        }
        order::normalize(table, keys)
    }

    fn words(&mut self) -> Vec<String> {
        let common =
            self.query.columns.iter().filter(|column| is_common(column)).map(|column| &column.search);
        let words: Vec<String> = std::iter::once(&self.query.search)
            .chain(common)
            .flat_map(|text| text.split_whitespace())
            .map(str::to_owned)
            .collect();
        if words.len() > MAX_WORDS {
            self.errors.add("search", format!("Search for at most {MAX_WORDS} words."));
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
                    format!("Ask for at most {most} rows a page, or use the export (Accept: text/csv)."),
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

fn any(conditions: Vec<Condition>) -> Condition {
    let mut all = Condition { text: true, ..Condition::new(Sql::new("(")) };
    for (at, cond) in conditions.into_iter().enumerate() {
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
