//! Parses a list query into a [`Plan`]. It accepts only columns that the table declares and the caller may see; errors name the
//! field of the query.

use std::collections::BTreeSet;

use panel_contract::fields::FieldErrors;
use panel_contract::table::{ColumnQuery, MAX_IDS, MAX_LENGTH, SearchGroup, TableQuery};

use crate::db::{Sql, Val};
use crate::scope::Scope;
use crate::table::condition::{Condition, MaterializedCount, QueryContext};
use crate::table::order::{self, Order, SortKey};
use crate::table::{Column, FilterKind, SearchTarget, Table};

/// Largest number of words in a global search.
const MAX_WORDS: usize = 10;

/// A parsed list query.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) context: QueryContext,
    /// The conditions of [`Table::own_filters`], which also bound the total.
    pub(super) own_filters: Vec<Condition>,
    pub(super) filters: Vec<Condition>,
    /// The words of the global search; a row must contain all of them.
    pub(super) search_words: Vec<String>,
    pub(super) search_targets: Vec<&'static SearchTarget>,
    /// Whether the global search also compares the id.
    pub(super) searches_id: bool,
    pub(super) order: Order,
    pub(super) start: i64,
    /// Limit of rows to read.
    pub(super) length: i64,
    /// The page begins below this id; the totals count all rows.
    pub(super) below_id: Option<i64>,
    /// Columns that SQL cannot compute, if a filter or the order needs them.
    pub computed_columns: Option<ComputedColumns>,
}

/// Values that the server computes because SQL cannot, joined to the base as a table.
#[derive(Debug, Clone)]
pub struct ComputedColumns {
    /// The alias of the table, which the columns have as their join: `k`.
    pub alias: &'static str,
    /// The join condition: `k.id = p.id`.
    pub on: &'static str,
    pub columns: &'static [&'static str],
    /// One row for each row of the base.
    pub rows: Vec<Vec<Val>>,
}

impl Plan {
    /// Parses `query`. Errors name the fields of the query.
    pub fn parse(table: &'static Table, query: &TableQuery, scope: &Scope) -> Result<Self, FieldErrors> {
        let must_be_complete = query.ids_only || scope.meta.export.is_some();
        let context =
            QueryContext { table, dialect: scope.db().dialect(), must_be_complete, now: scope.now() };
        let mut parser = QueryParser { context, query, scope, errors: query.errors.clone() };
        let search_words = parser.parse_search_words();
        let (own_filters, column_filters) = parser.parse_parameters();
        let filters = parser.parse_filters(column_filters);
        let (order, length) = (parser.parse_order(), parser.parse_length());
        let is_excluded = |name: &str| {
            let refers_to =
                |column: &ColumnQuery| find_column(table, column).is_some_and(|column| column.name == name);
            query.columns.iter().any(|column| refers_to(column) && !column.searchable)
        };
        let plan = Self {
            context,
            own_filters,
            filters,
            search_words,
            search_targets: table
                .global_search
                .iter()
                .filter(|target| !is_excluded(target.column) && may_search(table, target, scope))
                .collect(),
            searches_id: !is_excluded("id"),
            order,
            start: query.page_number.map_or(query.start, |page| (page - 1).saturating_mul(length)),
            length,
            below_id: None,
            computed_columns: None,
        };
        parser.errors.into_result(plan)
    }

    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.context.table
    }

    /// Whether a filter or the order needs the join `alias`.
    pub fn needs_join(&self, alias: &str) -> bool {
        let conditions = self.own_filters.iter().chain(&self.filters);
        let joins = conditions.flat_map(|condition| condition.joins.iter().copied());
        joins.chain(self.order.keys.iter().filter_map(|key| key.column.join)).any(|join| join == alias)
    }

    /// Whether a text search narrows the rows.
    pub(super) fn has_text(&self) -> bool {
        let mut conditions = self.filters.iter().chain(&self.own_filters);
        !self.search_words.is_empty() || conditions.any(|condition| condition.searches_text)
    }

    /// The tables in which the filters search only the newest rows, because a text is too short for an index.
    pub(super) fn newest_only_tables(&self) -> BTreeSet<&'static str> {
        let conditions = self.own_filters.iter().chain(&self.filters);
        conditions.flat_map(|condition| condition.newest_only_tables.iter().copied()).collect()
    }

    /// Returns the materialized count of all rows that match the plan, if there is one.
    pub(super) fn materialized_count(&self) -> Option<MaterializedCount> {
        if !self.own_filters.is_empty() || !self.search_words.is_empty() {
            return None;
        }
        let (_, group_of_list) = self.context.table.row_counts?;
        match self.filters.as_slice() {
            [] => Some(MaterializedCount::Groups(vec![group_of_list.to_owned()])),
            [filter] if filter.count == Some(MaterializedCount::Key) => Some(MaterializedCount::Key),
            // A group of `row_counts` is a part of the whole table, so it is the count of a filter only if the list shows the whole
            // table.
            _ if !group_of_list.is_empty() => None,
            [filter] => filter.count.clone(),
            [first, second] => first.count.as_ref()?.combine(second.count.as_ref()?),
            _ => None,
        }
    }

    /// Returns ` FROM … WHERE …` of all rows, with the joins that the conditions need and, with `with_order`, the sort keys.
    pub(super) fn select_body(&self, with_filters: bool, with_order: bool) -> Sql {
        let table = self.context.table;
        let base = Sql::empty().push(table.source.base).push(" ").push(table.source.alias);
        self.select_body_of(base, with_filters, with_order)
    }

    /// As `Plan::select_body`, but reads from `base`, a subquery with the alias of the base, instead of the whole table.
    pub fn select_body_of(&self, base: Sql, with_filters: bool, with_order: bool) -> Sql {
        let filters: &[Condition] = if with_filters { &self.filters } else { &[] };
        let conditions = || self.own_filters.iter().chain(filters);
        let mut joins: BTreeSet<&str> =
            conditions().flat_map(|condition| condition.joins.iter().copied()).collect();
        if with_order {
            joins.extend(self.order.keys.iter().filter_map(|key| key.column.join));
        }
        let table = self.context.table;
        let mut sql = Sql::new(" FROM ").append(base);
        for join in table.source.joins.iter().filter(|join| joins.contains(join.alias)) {
            sql = sql.push(" ").push(join.sql);
        }
        if let Some(computed) =
            self.computed_columns.as_ref().filter(|computed| joins.contains(computed.alias))
        {
            sql = sql.push(" JOIN ").rows(computed.alias, computed.columns, computed.rows.clone());
            sql = sql.push(" ON ").push(computed.on);
        }
        sql = sql.push(" WHERE ").push(table.source.scope.unwrap_or("TRUE"));
        for condition in conditions() {
            sql = sql.push(" AND ").append(condition.sql.clone());
        }
        sql
    }
}

/// Whether the caller may see the column of the list that shows the texts of `target`.
fn may_search(table: &Table, target: &SearchTarget, scope: &Scope) -> bool {
    let permission = table.column(target.column).and_then(|column| column.permission);
    permission.is_none_or(|permission| scope.has_permission(permission))
}

/// Finds the declared column to which a column of the query refers; `None` for a column that only the client has (`data: null`,
/// functions).
fn find_column(table: &'static Table, column: &ColumnQuery) -> Option<&'static Column> {
    table.column(&column.name).or_else(|| table.column(&column.data))
}

struct QueryParser<'q> {
    context: QueryContext,
    query: &'q TableQuery,
    scope: &'q Scope,
    errors: FieldErrors,
}

impl QueryParser<'_> {
    /// Returns the column with this index in the query if the caller may use it. Adds an error to `field` otherwise.
    fn usable_column_at(&mut self, index: usize, field: &str) -> Option<&'static Column> {
        let requested = self.query.columns.get(index)?;
        let name = if requested.data.is_empty() { &requested.name } else { &requested.data };
        self.check_usable(find_column(self.context.table, requested), name, field)
    }

    /// Returns `column` if it exists and the caller may use it. Adds an error to `field` otherwise; `name` is the client's name of
    /// the column.
    fn check_usable(
        &mut self,
        column: Option<&'static Column>,
        name: &str,
        field: &str,
    ) -> Option<&'static Column> {
        let Some(column) = column else {
            self.errors.add(field, format!("The column \"{}\" is unknown; remove it.", shorten(name)));
            return None;
        };
        match column.permission {
            Some(permission) if !self.scope.has_permission(permission) => {
                self.errors
                    .add(field, format!("The column {} needs the permission \"{permission}\".", column.name));
                None
            }
            _ if matches!(column.kind, FilterKind::DisplayOnly) => {
                self.errors
                    .add(field, format!("The column {} can be neither sorted nor searched.", column.name));
                None
            }
            _ => Some(column),
        }
    }

    fn push_or_add_error(
        &mut self,
        conditions: &mut Vec<Condition>,
        field: &str,
        parsed: Result<Condition, String>,
    ) {
        match parsed {
            Ok(condition) => conditions.push(condition),
            Err(message) => self.errors.add(field, message),
        }
    }

    /// Parses the query parameters into `(own_filters, column_filters)`: those of [`Table::own_filters`], and those that have the
    /// name of a column.
    fn parse_parameters(&mut self) -> (Vec<Condition>, Vec<Condition>) {
        let table = self.context.table;
        let (mut own_filters, mut column_filters) = (Vec::new(), Vec::new());
        for (name, value) in &self.query.simple_filters {
            let own_filter = table.own_filters().iter().find(|column| column.has_name(name));
            match (own_filter, table.column(name)) {
                (None, None) => {
                    let message = format!("The parameter {} is unknown; remove it.", shorten(name));
                    self.errors.add(name, message);
                }
                (None, Some(_)) if !self.query.columns.is_empty() => {
                    let message = format!("Filter by {name}=… or by columns[…], not by both in one request.");
                    self.errors.add(name, message);
                }
                _ if value.trim().is_empty() => {}
                (Some(column), _) => {
                    self.push_or_add_error(&mut own_filters, name, self.context.parse_filter(column, value));
                }
                (None, column) => {
                    if let Some(column) = self.check_usable(column, name, name) {
                        let parsed = self.context.parse_filter(column, value);
                        self.push_or_add_error(&mut column_filters, name, parsed);
                    }
                }
            }
        }
        (own_filters, column_filters)
    }

    /// Appends the filters of the query's columns to `conditions`.
    fn parse_filters(&mut self, mut conditions: Vec<Condition>) -> Vec<Condition> {
        for (index, requested) in self.query.columns.iter().enumerate() {
            if is_global_search(requested) {
                continue;
            }
            if !requested.search.trim().is_empty() {
                let field = format!("columns.{index}.search");
                if let Some(column) = self.usable_column_at(index, &field) {
                    let parsed = self.context.parse_filter(column, &requested.search);
                    self.push_or_add_error(&mut conditions, &field, parsed);
                }
            }
            if let Some(control) = &requested.control
                && (!control.value.is_empty() || matches!(control.logic.as_str(), "empty" | "notEmpty"))
            {
                let field = format!("columns.{index}.columnControl.search");
                if let Some(column) = self.usable_column_at(index, &field) {
                    let parsed = self.context.parse_column_control(column, &control.logic, &control.value);
                    self.push_or_add_error(&mut conditions, &field, parsed);
                }
            }
        }
        self.parse_search_groups(&mut conditions);
        conditions
    }

    /// Parses the search groups of DataTables 3: a text that any column of the group must contain.
    fn parse_search_groups(&mut self, conditions: &mut Vec<Condition>) {
        for (group_index, SearchGroup { columns, term }) in self.query.groups.iter().enumerate() {
            if term.trim().is_empty() {
                continue;
            }
            let field = format!("search.groups.{group_index}");
            let columns: Vec<_> =
                columns.iter().filter_map(|index| self.usable_column_at(*index, &field)).collect();
            let alternatives: Vec<Condition> = columns
                .into_iter()
                .filter_map(|column| self.context.parse_filter(column, term).ok())
                .collect();
            if alternatives.is_empty() {
                self.errors
                    .add(field, "None of these columns can contain this text. Search for another text.");
                continue;
            }
            conditions.push(any_of(alternatives));
        }
    }

    fn parse_order(&mut self) -> Order {
        let table = self.context.table;
        let mut keys = Vec::new();
        for (index, requested) in self.query.order.iter().enumerate() {
            let field = format!("order.{index}.column");
            if index >= order::MAX_KEYS {
                self.errors.add(field, format!("Sort by at most {} columns.", order::MAX_KEYS));
                break;
            }
            if let Some(column) = self.usable_column_at(requested.column, &field) {
                keys.push(SortKey { column, descending: requested.descending });
            }
        }
        for requested in &self.query.sort {
            if keys.len() >= order::MAX_KEYS {
                self.errors.add("sort", format!("Sort by at most {} columns.", order::MAX_KEYS));
                break;
            }
            let column = table.column(&requested.column);
            if let Some(column) = self.check_usable(column, &requested.column, "sort") {
                keys.push(SortKey { column, descending: requested.descending });
            }
        }
        if self.query.order.is_empty() && self.query.sort.is_empty() {
            let default_key = |(name, descending): &(&str, bool)| {
                Some(SortKey { column: table.column(name)?, descending: *descending })
            };
            keys = table.list.order.iter().filter_map(default_key).collect();
        }
        order::end_with_id(table, keys)
    }

    fn parse_search_words(&mut self) -> Vec<String> {
        let search_columns = self.query.columns.iter().filter(|column| is_global_search(column));
        let words: Vec<String> = std::iter::once(&self.query.search)
            .chain(search_columns.map(|column| &column.search))
            .flat_map(|text| text.split_whitespace())
            .map(str::to_owned)
            .collect();
        if words.len() > MAX_WORDS {
            self.errors.add("search", format!("Search for at most {MAX_WORDS} words."));
            return Vec::new();
        }
        words
    }

    fn parse_length(&mut self) -> i64 {
        let max_length = if self.query.ids_only { MAX_IDS } else { MAX_LENGTH };
        match self.query.length {
            None if self.query.ids_only => MAX_IDS,
            None => self.context.table.list.length,
            Some(-1 | 0) => max_length,
            Some(rows) if (1..=max_length).contains(&rows) => rows,
            Some(_) => {
                self.errors.add(
                    "length",
                    format!(
                        "A page has at most {max_length} rows. Use a smaller length, or the export (Accept: text/csv)."
                    ),
                );
                max_length
            }
        }
    }
}

/// Whether a column of the query is the global search: some clients send it as a column.
fn is_global_search(column: &ColumnQuery) -> bool {
    matches!(column.data.as_str(), "commonSearch" | "common_search")
}

fn any_of(alternatives: Vec<Condition>) -> Condition {
    let mut combined = Condition { searches_text: true, ..Condition::new(Sql::new("(")) };
    for (index, condition) in alternatives.into_iter().enumerate() {
        let sql = if index == 0 { combined.sql } else { combined.sql.push(" OR ") };
        combined.sql = sql.push("(").append(condition.sql).push(")");
        combined.newest_only_tables.extend(condition.newest_only_tables);
        combined.joins.extend(condition.joins);
    }
    combined.sql = combined.sql.push(")");
    combined
}

/// Limits an unknown name in an error message.
fn shorten(name: &str) -> String {
    name.chars().take(60).collect()
}
