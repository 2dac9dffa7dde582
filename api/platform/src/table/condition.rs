//! Converts the filter of one column into an SQL condition.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;

use crate::db::{Dialect, Sql};
use crate::table::search::{self, MatchPosition};
use crate::table::values::{self, NumberFilter};
use crate::table::{Column, CountGroup, FilterKind, Table};

/// Largest number of values in one filter on a [`FilterKind::Choice`].
const MAX_CHOICES: usize = 100;

/// A condition on the rows of a list.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) sql: Sql,
    /// The aliases of the joins that `sql` needs.
    pub(super) joins: Vec<&'static str>,
    /// Whether the condition searches a text. The engine then finds the rows once, for the total and for the page.
    pub(super) searches_text: bool,
    /// Selects the ids of the matching rows from the search index, without reading the rows; `None` if the index has other ids.
    pub(super) index_ids: Option<Sql>,
    pub(super) has_upper_time_bound: bool,
    /// The tables in which the condition searches only the newest rows, because the text is too short for an index.
    pub(super) newest_only_tables: Vec<&'static str>,
    /// The materialized count of the matching rows, valid if the list has no other condition.
    pub(super) count: Option<MaterializedCount>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MaterializedCount {
    /// Groups of `row_counts` together.
    Groups(Vec<String>),
    /// The orders of one user.
    User(UserId),
    /// The condition selects one row by its primary key, if it exists.
    Key,
    /// The orders that were created from the first to the last day, both inclusive: orders of these statuses, or all if the list of
    /// statuses is empty.
    Days(Vec<String>, i64, i64),
}

impl MaterializedCount {
    /// Returns the materialized count of the rows that match both conditions, if there is one.
    pub(super) fn combine(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Groups(groups), Self::Days(statuses, from, to))
            | (Self::Days(statuses, from, to), Self::Groups(groups))
                if statuses.is_empty() =>
            {
                Some(Self::Days(groups.clone(), *from, *to))
            }
            _ => None,
        }
    }

    /// Whether an index contains the rows in the order of ids, so that a page of the newest rows is a short index scan.
    pub(super) fn is_scannable_by_id(&self) -> bool {
        !matches!(self, Self::Days(..))
    }
}

impl Condition {
    pub(super) fn new(sql: Sql) -> Self {
        Self {
            sql,
            joins: Vec::new(),
            searches_text: false,
            index_ids: None,
            has_upper_time_bound: false,
            newest_only_tables: Vec::new(),
            count: None,
        }
    }

    /// Creates a condition with the join that the expression of `column` needs.
    fn on_column(sql: Sql, column: &Column) -> Self {
        Self { joins: column.join.into_iter().collect(), ..Self::new(sql) }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct QueryContext {
    pub(super) table: &'static Table,
    pub(super) dialect: Dialect,
    /// Whether the result must be complete (exports and selections), regardless of the cost.
    pub(super) must_be_complete: bool,
    /// The value of `@now` in the SQL of the table.
    pub(super) now: Time,
}

impl QueryContext {
    /// Parses the filter of a column. An error is a message for the field.
    pub(super) fn parse_filter(self, column: &'static Column, text: &str) -> Result<Condition, String> {
        let count_of_groups = |groups: &[String]| {
            (column.group == Some(CountGroup::FilterValue))
                .then(|| MaterializedCount::Groups(groups.to_vec()))
        };
        match column.kind {
            FilterKind::Text => Ok(self.text_condition(column, text.trim())),
            FilterKind::Reference => Ok(self.reference_condition(column, text.trim())),
            FilterKind::OneOf(allowed) => {
                let values = values::parse_allowed_values(allowed, text)?;
                let values: Vec<String> = values.into_iter().map(str::to_owned).collect();
                let count = count_of_groups(&values);
                Ok(Condition { count, ..Condition::on_column(equals_any(column.expr, &values), column) })
            }
            FilterKind::SomeOf(allowed) => {
                let values = values::parse_allowed_values(allowed, text)?;
                Ok(Condition::on_column(json_list_contains_any(column.expr, &values), column))
            }
            FilterKind::Exact => {
                let values = values::parse_values(text)?;
                let count = count_of_groups(&values);
                Ok(Condition { count, ..Condition::on_column(equals_any(column.expr, &values), column) })
            }
            FilterKind::Choice(index) => {
                let values = values::parse_values(text)?;
                if values.len() > MAX_CHOICES {
                    return Err(format!("Enter at most {MAX_CHOICES} values."));
                }
                Ok(Condition::on_column(
                    search::equals_or_contains(column.expr, index, &values, self.dialect),
                    column,
                ))
            }
            FilterKind::Flag => {
                let is_set = values::parse_flag(text)?;
                let count = match column.group {
                    Some(CountGroup::FlagSet(group)) if is_set => {
                        Some(MaterializedCount::Groups(vec![group.to_owned()]))
                    }
                    _ => None,
                };
                let sql = Sql::empty().push(column.expr).push(if is_set { " = TRUE" } else { " = FALSE" });
                Ok(Condition { count, ..Condition::on_column(sql, column) })
            }
            FilterKind::IncludeFlag if values::parse_flag(text)? => Ok(Condition::new(Sql::new("TRUE"))),
            FilterKind::IncludeFlag => Ok(Condition::on_column(Sql::empty().push(column.expr), column)),
            FilterKind::ConditionFlag if values::parse_flag(text)? => {
                Ok(Condition::on_column(Sql::empty().push(column.expr), column))
            }
            FilterKind::ConditionFlag => {
                Ok(Condition::on_column(Sql::new("NOT (").push(column.expr).push(")"), column))
            }
            FilterKind::DisplayOnly => Err("This column can be neither sorted nor searched.".into()),
            _ => {
                let filter = values::parse_number_filter(column.kind, text)?;
                Ok(self.number_condition(column, column.expr, &filter))
            }
        }
    }

    fn text_condition(self, column: &'static Column, text: &str) -> Condition {
        let is_short = search::is_short(text);
        let newest_only_tables =
            |index| search::newest_only_table(index, text, self.must_be_complete).into_iter().collect();
        let sql = match column.text_index {
            Some((key, index, name)) if let Some((select, join_column)) = column.join_table => {
                let index_ids = search::matching_ids(index, name, text, self.dialect, self.must_be_complete);
                let index_ids = search::key_in(join_column, index_ids);
                let sql = search::key_in(key, Sql::new(select).append(index_ids));
                return Condition {
                    searches_text: true,
                    newest_only_tables: newest_only_tables(index),
                    ..Condition::new(sql)
                };
            }
            // PostgreSQL uses its index for the expression itself.
            Some((key, _, _))
                if key == self.table.source.key && self.dialect == Dialect::Postgres && !is_short =>
            {
                search::contains(column.expr, text, MatchPosition::Anywhere, self.dialect)
            }
            Some((key, index, name)) => {
                let newest_only_tables = newest_only_tables(index);
                let index_ids = search::matching_ids(index, name, text, self.dialect, self.must_be_complete);
                let sql = search::key_in(key, index_ids.clone());
                let index_ids = (key == self.table.source.key).then_some(index_ids);
                return Condition {
                    searches_text: true,
                    newest_only_tables,
                    index_ids,
                    ..Condition::new(sql)
                };
            }
            None => search::contains(column.expr, text, MatchPosition::Anywhere, self.dialect),
        };
        Condition { searches_text: true, ..Condition::on_column(sql, column) }
    }

    /// Filters by id if the text is a list of ids, else by a text of the referenced record.
    fn reference_condition(self, column: &'static Column, text: &str) -> Condition {
        let Some((key, _, _)) = column.text_index else { return self.text_condition(column, text) };
        let without_join = Column { join: None, ..*column };
        match (values::parse_number_filter(FilterKind::Id, text), column.join_table) {
            (Ok(filter), Some((select, join_column))) => {
                let records = self.number_condition(&without_join, join_column, &filter);
                Condition::new(search::key_in(key, Sql::new(select).append(records.sql)))
            }
            (Ok(filter), None) => self.number_condition(&without_join, key, &filter),
            (Err(_), _) => self.text_condition(column, text),
        }
    }

    fn number_condition(self, column: &Column, expr: &'static str, filter: &NumberFilter) -> Condition {
        let sql = Sql::empty().push(expr);
        let sql = match filter {
            NumberFilter::OneOf(values) => match values.as_slice() {
                [value] => sql.push(" = ?").bind(*value),
                values => sql.push(" IN ").numbers(values.iter().copied()),
            },
            NumberFilter::Between(Some(from), Some(to)) => {
                sql.push(" >= ?").bind(*from).push(" AND ").push(expr).push(" <= ?").bind(*to)
            }
            NumberFilter::Between(Some(from), None) => sql.push(" >= ?").bind(*from),
            NumberFilter::Between(None, Some(to)) => sql.push(" <= ?").bind(*to),
            NumberFilter::Between(None, None) => Sql::new("TRUE"),
        };
        let has_upper_time_bound =
            matches!(column.kind, FilterKind::Time) && !matches!(filter, NumberFilter::Between(_, None));
        let count = self.materialized_count(column, expr, filter);
        Condition { has_upper_time_bound, count, ..Condition::on_column(sql, column) }
    }

    fn materialized_count(
        self,
        column: &Column,
        expr: &str,
        filter: &NumberFilter,
    ) -> Option<MaterializedCount> {
        match (filter, column.group) {
            (NumberFilter::OneOf(values), _) => match values.as_slice() {
                [_] if expr == self.table.source.key => Some(MaterializedCount::Key),
                [user] if column.group == Some(CountGroup::User) => {
                    Some(MaterializedCount::User(UserId::new(*user)))
                }
                _ => None,
            },
            (NumberFilter::Between(Some(from), Some(to)), Some(CountGroup::Day)) => {
                let (from, to) = values::whole_days(*from, *to)?;
                Some(MaterializedCount::Days(Vec::new(), from, to))
            }
            _ => None,
        }
    }

    /// Parses a condition of the ColumnControl extension of DataTables.
    pub(super) fn parse_column_control(
        self,
        column: &'static Column,
        logic: &str,
        value: &str,
    ) -> Result<Condition, String> {
        let condition = |sql: Sql| Ok(Condition::on_column(sql, column));
        match (logic, column.kind) {
            ("empty" | "notEmpty", kind) => {
                let is_empty = logic == "empty";
                let (null_test, operator) =
                    if is_empty { (" IS NULL", " OR ") } else { (" IS NOT NULL", " AND ") };
                let sql = Sql::new("(").push(column.expr).push(null_test);
                let sql = match kind {
                    FilterKind::SomeOf(_) => {
                        let list_test = if is_empty { " = '[]'" } else { " <> '[]'" };
                        sql.push(operator).push(column.expr).push(list_test)
                    }
                    FilterKind::Text | FilterKind::Reference | FilterKind::Exact | FilterKind::Choice(_) => {
                        let text_test = if is_empty { " = ''" } else { " <> ''" };
                        sql.push(operator).push(column.expr).push(text_test)
                    }
                    _ => sql,
                };
                condition(sql.push(")"))
            }
            ("contains", FilterKind::Text)
            | (
                "equal" | "contains",
                FilterKind::Reference | FilterKind::OneOf(_) | FilterKind::SomeOf(_) | FilterKind::Flag,
            )
            | ("equal", FilterKind::Time | FilterKind::Exact) => self.parse_filter(column, value),
            ("contains", FilterKind::Choice(index)) => {
                let matching_values =
                    search::matching_ids(index, "", value.trim(), self.dialect, self.must_be_complete);
                condition(search::key_in(column.expr, matching_values))
            }
            ("equal", FilterKind::Choice(_)) => {
                condition(equals_any(column.expr, &values::parse_values(value)?))
            }
            ("notEqual", FilterKind::Choice(_)) => {
                condition(is_null_or_not(column.expr, equals_any(column.expr, &values::parse_values(value)?)))
            }
            ("notContains" | "notEqual", FilterKind::Text | FilterKind::Reference) => {
                let position =
                    if logic == "notEqual" { MatchPosition::Whole } else { MatchPosition::Anywhere };
                let sql = search::contains(column.expr, value, position, self.dialect);
                condition(is_null_or_not(column.expr, sql))
            }
            ("notEqual" | "notContains", FilterKind::SomeOf(_)) => {
                condition(is_null_or_not(column.expr, self.parse_filter(column, value)?.sql))
            }
            ("notEqual", FilterKind::OneOf(_) | FilterKind::Exact | FilterKind::Flag | FilterKind::Time) => {
                condition(is_null_or_not(column.expr, self.parse_filter(column, value)?.sql))
            }
            ("equal" | "starts" | "ends", FilterKind::Text) => {
                let position = match logic {
                    "equal" => MatchPosition::Whole,
                    "starts" => MatchPosition::Start,
                    _ => MatchPosition::End,
                };
                let sql = search::contains(column.expr, value, position, self.dialect);
                Ok(Condition { searches_text: true, ..Condition::on_column(sql, column) })
            }
            (
                _,
                FilterKind::Text
                | FilterKind::Reference
                | FilterKind::OneOf(_)
                | FilterKind::SomeOf(_)
                | FilterKind::Exact
                | FilterKind::Choice(_)
                | FilterKind::Flag
                | FilterKind::IncludeFlag
                | FilterKind::ConditionFlag
                | FilterKind::DisplayOnly,
            ) => Err(unsupported_condition(logic)),
            _ => condition(compare(column, logic, value)?),
        }
    }
}

fn unsupported_condition(logic: &str) -> String {
    format!("This column does not support the condition {logic}. Use another condition.")
}

fn compare(column: &Column, logic: &str, value: &str) -> Result<Sql, String> {
    let (first, last) = values::parse_range(column.kind, value.trim())?;
    let (operator, bound) = match logic {
        "equal" => (" = ?", first),
        "notEqual" => {
            let sql = Sql::empty().push(column.expr).push(" = ?").bind(first);
            return Ok(is_null_or_not(column.expr, sql));
        }
        "greater" => (" > ?", last),
        "greaterOrEqual" => (" >= ?", first),
        "less" => (" < ?", first),
        "lessOrEqual" => (" <= ?", last),
        _ => return Err(unsupported_condition(logic)),
    };
    Ok(Sql::empty().push(column.expr).push(operator).bind(bound))
}

/// Negates a condition on `expr`; rows whose value is NULL match as well.
fn is_null_or_not(expr: &'static str, condition: Sql) -> Sql {
    Sql::new("(").push(expr).push(" IS NULL OR NOT (").append(condition).push("))")
}

fn equals_any(expr: &'static str, values: &[String]) -> Sql {
    let sql = Sql::empty().push(expr);
    if let [value] = values {
        return sql.push(" = ?").bind(value.as_str());
    }
    let list = values.iter().enumerate().fold(sql.push(" IN ("), |sql, (index, value)| {
        if index == 0 { sql.bind(value.as_str()) } else { sql.push(", ").bind(value.as_str()) }
    });
    list.push(")")
}

/// Returns the condition that a JSON array contains one of the values. The pattern includes the quotes, so that a part of another
/// value does not match.
fn json_list_contains_any(expr: &'static str, values: &[&str]) -> Sql {
    let mut sql = Sql::new("(");
    for (index, value) in values.iter().enumerate() {
        let pattern = format!("%\"{}\"%", value.replace('_', "\\_"));
        sql = sql.push(if index > 0 { " OR " } else { "" }).push(expr).push(" LIKE ?").bind(pattern);
        sql = sql.push(" ESCAPE '\\'");
    }
    sql.push(")")
}
