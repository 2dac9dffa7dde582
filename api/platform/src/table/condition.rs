//! Turns the search of one column into an SQL condition.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;

use crate::db::{Dialect, Sql};
use crate::table::search::{self, MatchPosition};
use crate::table::values::{self, NumberFilter};
use crate::table::{Column, Group, Kind, Table};

/// Largest number of values in one search of a [`Kind::Choice`].
const MAX_CHOICES: usize = 100;

/// A condition on rows.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) sql: Sql,
    /// Aliases of the joins that it needs.
    pub(super) joins: Vec<&'static str>,
    /// Whether it searches a text. The engine then finds the rows once, for the total and for the page.
    pub(super) text: bool,
    /// Query of the matching ids of the list, from the index alone.
    pub(super) index_ids: Option<Sql>,
    /// Whether it has an upper bound of a time.
    pub(super) past: bool,
    /// Tables of which only the newest records are searched, because the text is too short for an index.
    pub(super) newest_of: Vec<&'static str>,
    /// The materialized count of the matching rows, where this is the only condition.
    pub(super) count: Option<MaterializedCount>,
}

/// A materialized count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MaterializedCount {
    /// Groups of `row_counts`.
    Groups(Vec<String>),
    /// Orders of one user.
    User(UserId),
    /// The row with this key, if it exists.
    Key,
    /// Orders of these statuses (none: of all) that were created on these days, both inclusive.
    Days(Vec<String>, i64, i64),
}

impl MaterializedCount {
    /// The count of both conditions together, where it is materialized.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Groups(words), Self::Days(none, from, to))
            | (Self::Days(none, from, to), Self::Groups(words))
                if none.is_empty() =>
            {
                Some(Self::Days(words.clone(), *from, *to))
            }
            _ => None,
        }
    }

    /// Whether an index has its rows in the order of ids, so that a page of the newest is a short index scan.
    pub(super) fn is_scannable_by_id(&self) -> bool {
        !matches!(self, Self::Days(..))
    }
}

impl Condition {
    pub(super) fn new(sql: Sql) -> Self {
        Self {
            sql,
            joins: Vec::new(),
            text: false,
            index_ids: None,
            past: false,
            newest_of: Vec::new(),
            count: None,
        }
    }

    fn on(sql: Sql, column: &Column) -> Self {
        Self { joins: column.join.into_iter().collect(), ..Self::new(sql) }
    }
}

/// Context of a query: the list, the database and the time.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueryContext {
    pub(super) table: &'static Table,
    pub(super) dialect: Dialect,
    /// Whether the result must be complete (exports and selections), regardless of the cost.
    pub(super) whole: bool,
    /// The value of `@now` in the declaration.
    pub(super) now: Time,
}

impl QueryContext {
    /// The condition of a column's search. An error is a message for the field.
    pub(super) fn search(self, column: &'static Column, text: &str) -> Result<Condition, String> {
        match column.kind {
            Kind::Text => Ok(self.text(column, text.trim())),
            Kind::Ref => Ok(self.reference(column, text.trim())),
            Kind::OneOf(allowed) => {
                let words: Vec<String> =
                    values::words(allowed, text)?.into_iter().map(str::to_owned).collect();
                let count =
                    (column.group == Some(Group::Word)).then(|| MaterializedCount::Groups(words.clone()));
                Ok(Condition { count, ..Condition::on(any_word(column.expr, &words), column) })
            }
            Kind::SomeOf(allowed) => {
                Ok(Condition::on(any_of_list(column.expr, &values::words(allowed, text)?), column))
            }
            Kind::Exact => {
                let words = values::listed(text)?;
                let count =
                    (column.group == Some(Group::Word)).then(|| MaterializedCount::Groups(words.clone()));
                Ok(Condition { count, ..Condition::on(any_word(column.expr, &words), column) })
            }
            Kind::Choice(index) => {
                let words = values::listed(text)?;
                if words.len() > MAX_CHOICES {
                    return Err(format!("List at most {MAX_CHOICES} values."));
                }
                Ok(Condition::on(
                    search::equals_or_contains(column.expr, index, &words, self.dialect),
                    column,
                ))
            }
            Kind::Flag => {
                let set = values::flag(text)?;
                let count = match column.group {
                    Some(Group::Set(group)) if set => Some(MaterializedCount::Groups(vec![group.to_owned()])),
                    _ => None,
                };
                let sql = Sql::empty().push(column.expr).push(if set { " = TRUE" } else { " = FALSE" });
                Ok(Condition { count, ..Condition::on(sql, column) })
            }
            Kind::Unless if values::flag(text)? => Ok(Condition::new(Sql::new("TRUE"))),
            Kind::Unless => Ok(Condition::on(Sql::empty().push(column.expr), column)),
            Kind::When if values::flag(text)? => Ok(Condition::on(Sql::empty().push(column.expr), column)),
            Kind::When => Ok(Condition::on(Sql::new("NOT (").push(column.expr).push(")"), column)),
            Kind::Shown => Err("This column can be neither sorted nor searched.".into()),
            _ => Ok(self.number(column, column.expr, &values::parse_number_filter(column.kind, text)?)),
        }
    }

    fn text(self, column: &'static Column, text: &str) -> Condition {
        let is_short = search::is_short(text);
        let newest_of = |index| search::newest_only_table(index, text, self.whole).into_iter().collect();
        let sql = match column.find {
            Some((key, index, name)) if let Some(through) = column.through => {
                let index_ids = search::matching_ids(index, name, text, self.dialect, self.whole);
                let index_ids = search::key_in(through.1, index_ids);
                let sql = search::key_in(key, Sql::new(through.0).append(index_ids));
                return Condition { text: true, newest_of: newest_of(index), ..Condition::new(sql) };
            }
            // On PostgreSQL the database uses the index for the expression itself.
            Some((key, _, _))
                if key == self.table.source.key && self.dialect == Dialect::Postgres && !is_short =>
            {
                search::contains(column.expr, text, MatchPosition::Anywhere, self.dialect)
            }
            Some((key, index, name)) => {
                let newest_of = newest_of(index);
                let index_ids = search::matching_ids(index, name, text, self.dialect, self.whole);
                let sql = search::key_in(key, index_ids.clone());
                let index_ids = (key == self.table.source.key).then_some(index_ids);
                return Condition { text: true, newest_of, index_ids, ..Condition::new(sql) };
            }
            None => search::contains(column.expr, text, MatchPosition::Anywhere, self.dialect),
        };
        Condition { text: true, ..Condition::on(sql, column) }
    }

    /// Searches by id where the text is a list of ids, else by a text of the referenced record.
    fn reference(self, column: &'static Column, text: &str) -> Condition {
        let Some((key, _, _)) = column.find else { return self.text(column, text) };
        match (values::parse_number_filter(Kind::Id, text), column.through) {
            (Ok(filter), Some((select, inner))) => {
                let index_ids = self.number(&Column { join: None, ..*column }, inner, &filter);
                Condition::new(search::key_in(key, Sql::new(select).append(index_ids.sql)))
            }
            (Ok(filter), None) => self.number(&Column { join: None, ..*column }, key, &filter),
            (Err(_), _) => self.text(column, text),
        }
    }

    fn number(self, column: &Column, expr: &'static str, filter: &NumberFilter) -> Condition {
        let sql = Sql::empty().push(expr);
        let sql = match filter {
            NumberFilter::Is(values) => match values.as_slice() {
                [value] => sql.push(" = ?").bind(*value),
                many => sql.push(" IN ").numbers(many.iter().copied()),
            },
            NumberFilter::Between(Some(from), Some(to)) => {
                sql.push(" >= ?").bind(*from).push(" AND ").push(expr).push(" <= ?").bind(*to)
            }
            NumberFilter::Between(Some(from), None) => sql.push(" >= ?").bind(*from),
            NumberFilter::Between(None, Some(to)) => sql.push(" <= ?").bind(*to),
            NumberFilter::Between(None, None) => Sql::new("TRUE"),
        };
        let past = matches!(column.kind, Kind::Time) && !matches!(filter, NumberFilter::Between(_, None));
        Condition { past, count: self.count_of(column, expr, filter), ..Condition::on(sql, column) }
    }

    fn count_of(self, column: &Column, expr: &str, filter: &NumberFilter) -> Option<MaterializedCount> {
        match (filter, column.group) {
            (NumberFilter::Is(values), _) => match values.as_slice() {
                [_] if expr == self.table.source.key => Some(MaterializedCount::Key),
                [user] if column.group == Some(Group::User) => {
                    Some(MaterializedCount::User(UserId::new(*user)))
                }
                _ => None,
            },
            (NumberFilter::Between(Some(from), Some(to)), Some(Group::Day)) => {
                let (from, to) = values::whole_days(*from, *to)?;
                Some(MaterializedCount::Days(Vec::new(), from, to))
            }
            _ => None,
        }
    }

    /// A condition of the ColumnControl extension.
    pub(super) fn control(
        self,
        column: &'static Column,
        logic: &str,
        value: &str,
    ) -> Result<Condition, String> {
        let on = |sql: Sql| Ok(Condition::on(sql, column));
        match (logic, column.kind) {
            ("empty" | "notEmpty", kind) => {
                let (empty, or) =
                    if logic == "empty" { (" IS NULL", " OR ") } else { (" IS NOT NULL", " AND ") };
                let sql = Sql::new("(").push(column.expr).push(empty);
                let sql = match kind {
                    Kind::SomeOf(_) => sql.push(or).push(column.expr).push(if logic == "empty" {
                        " = '[]'"
                    } else {
                        " <> '[]'"
                    }),
                    Kind::Text | Kind::Ref | Kind::Exact | Kind::Choice(_) => {
                        sql.push(or).push(column.expr).push(if logic == "empty" { " = ''" } else { " <> ''" })
                    }
                    _ => sql,
                };
                on(sql.push(")"))
            }
            ("contains", Kind::Text)
            | ("equal" | "contains", Kind::Ref | Kind::OneOf(_) | Kind::SomeOf(_) | Kind::Flag)
            | ("equal", Kind::Time | Kind::Exact) => self.search(column, value),
            ("contains", Kind::Choice(index)) => {
                let index_ids = search::matching_ids(index, "", value.trim(), self.dialect, self.whole);
                on(search::key_in(column.expr, index_ids))
            }
            ("equal", Kind::Choice(_)) => on(any_word(column.expr, &values::listed(value)?)),
            ("notEqual", Kind::Choice(_)) => {
                on(not(column.expr, any_word(column.expr, &values::listed(value)?)))
            }
            ("notContains" | "notEqual", Kind::Text | Kind::Ref) => {
                let position =
                    if logic == "notEqual" { MatchPosition::Whole } else { MatchPosition::Anywhere };
                on(not(column.expr, search::contains(column.expr, value, position, self.dialect)))
            }
            ("notEqual" | "notContains", Kind::SomeOf(_)) => {
                on(not(column.expr, self.search(column, value)?.sql))
            }
            ("notEqual", Kind::OneOf(_) | Kind::Exact | Kind::Flag | Kind::Time) => {
                on(not(column.expr, self.search(column, value)?.sql))
            }
            ("equal" | "starts" | "ends", Kind::Text) => {
                let position = match logic {
                    "equal" => MatchPosition::Whole,
                    "starts" => MatchPosition::Start,
                    _ => MatchPosition::End,
                };
                Ok(Condition {
                    text: true,
                    ..Condition::on(search::contains(column.expr, value, position, self.dialect), column)
                })
            }
            (
                _,
                Kind::Text
                | Kind::Ref
                | Kind::OneOf(_)
                | Kind::SomeOf(_)
                | Kind::Exact
                | Kind::Choice(_)
                | Kind::Flag
                | Kind::Unless
                | Kind::When
                | Kind::Shown,
            ) => Err(format!("The condition {logic} does not suit this column.")),
            _ => on(compared(column, logic, value)?),
        }
    }
}

fn compared(column: &Column, logic: &str, value: &str) -> Result<Sql, String> {
    let (first, last) = values::span(column.kind, value.trim())?;
    let (sign, bound) = match logic {
        "equal" => (" = ?", first),
        "notEqual" => return Ok(not(column.expr, Sql::empty().push(column.expr).push(" = ?").bind(first))),
        "greater" => (" > ?", last),
        "greaterOrEqual" => (" >= ?", first),
        "less" => (" < ?", first),
        "lessOrEqual" => (" <= ?", last),
        _ => return Err(format!("The condition {logic} does not suit this column.")),
    };
    Ok(Sql::empty().push(column.expr).push(sign).bind(bound))
}

/// Rows for which the condition is false or the value is NULL.
fn not(expr: &'static str, sql: Sql) -> Sql {
    Sql::new("(").push(expr).push(" IS NULL OR NOT (").append(sql).push("))")
}

fn any_word(expr: &'static str, words: &[String]) -> Sql {
    let sql = Sql::empty().push(expr);
    if let [word] = words {
        return sql.push(" = ?").bind(word.as_str());
    }
    let list = words.iter().enumerate().fold(sql.push(" IN ("), |sql, (at, word)| {
        if at == 0 { sql.bind(word.as_str()) } else { sql.push(", ").bind(word.as_str()) }
    });
    list.push(")")
}

/// Whether a JSON list has one of these values. A value is matched with its quotes, so that no part of another value matches.
fn any_of_list(expr: &'static str, words: &[&str]) -> Sql {
    let mut sql = Sql::new("(");
    for (at, word) in words.iter().enumerate() {
        let pattern = format!("%\"{}\"%", word.replace('_', "\\_"));
        sql = sql.push(if at > 0 { " OR " } else { "" }).push(expr).push(" LIKE ?").bind(pattern);
        sql = sql.push(" ESCAPE '\\'");
    }
    sql.push(")")
}
