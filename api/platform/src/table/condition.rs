//! One column and what is searched in it, as a condition.

use panel_contract::ids::UserId;
use panel_contract::moment::Time;

use crate::db::{Dialect, Sql};
use crate::table::search::{self, Part};
use crate::table::values::{self, Wanted};
use crate::table::{Column, Group, Kind, Table};

/// Most values of one [`Kind::Choice`].
const MOST_CHOICES: usize = 100;

/// A condition on rows.
#[derive(Debug, Clone)]
pub(super) struct Cond {
    pub(super) sql: Sql,
    /// The joins it needs.
    pub(super) joins: Vec<&'static str>,
    /// It finds texts: the rows are found once, and give both the total and the page.
    pub(super) text: bool,
    /// The list's own ids that it finds, read from the index alone.
    pub(super) found: Option<Sql>,
    /// It leaves out what is newer than some moment.
    pub(super) past: bool,
    /// The tables of which only the newest records are looked at, because the text is below what an index finds.
    pub(super) newest_of: Vec<&'static str>,
    /// The kept count of the rows that it leaves, when it is the only one.
    pub(super) kept: Option<Kept>,
}

/// A kept count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kept {
    /// Groups of `row_counts`.
    Groups(Vec<String>),
    /// Orders of one user.
    User(UserId),
    /// The one row with this key, if it is there.
    Key,
    /// Orders of these statuses (none: of all) that were made on these days, both included.
    Days(Vec<String>, i64, i64),
}

impl Kept {
    /// Both at once, where that is kept as well.
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

    /// Whether its rows stand in an index by id, so that a page of the newest is a short walk.
    pub(super) fn is_walked(&self) -> bool {
        !matches!(self, Self::Days(..))
    }
}

impl Cond {
    pub(super) fn new(sql: Sql) -> Self {
        Self {
            sql,
            joins: Vec::new(),
            text: false,
            found: None,
            past: false,
            newest_of: Vec::new(),
            kept: None,
        }
    }

    fn on(sql: Sql, column: &Column) -> Self {
        Self { joins: column.join.into_iter().collect(), ..Self::new(sql) }
    }
}

/// Where conditions are made: for which list, on which database.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) table: &'static Table,
    pub(super) dialect: Dialect,
    /// Everything that matches is wanted, whatever it costs.
    pub(super) whole: bool,
    /// The value of `@now` in the declaration.
    pub(super) now: Time,
}

impl Place {
    /// What a column's search means; an error is a sentence for the field.
    pub(super) fn search(self, column: &'static Column, text: &str) -> Result<Cond, String> {
        match column.kind {
            Kind::Text => Ok(self.text(column, text.trim())),
            Kind::Ref => Ok(self.reference(column, text.trim())),
            Kind::OneOf(known) => {
                let words: Vec<String> = values::words(known, text)?.into_iter().map(str::to_owned).collect();
                let kept = (column.group == Some(Group::Word)).then(|| Kept::Groups(words.clone()));
                Ok(Cond { kept, ..Cond::on(any_word(column.expr, &words), column) })
            }
            Kind::SomeOf(known) => {
                Ok(Cond::on(any_of_list(column.expr, &values::words(known, text)?), column))
            }
            Kind::Exact => {
                let words = values::listed(text)?;
                let kept = (column.group == Some(Group::Word)).then(|| Kept::Groups(words.clone()));
                Ok(Cond { kept, ..Cond::on(any_word(column.expr, &words), column) })
            }
            Kind::Choice(index) => {
                let words = values::listed(text)?;
                if words.len() > MOST_CHOICES {
                    return Err(format!("List at most {MOST_CHOICES} values."));
                }
                Ok(Cond::on(search::chosen(column.expr, index, &words, self.dialect), column))
            }
            Kind::Flag => {
                let set = values::flag(text)?;
                let kept = match column.group {
                    Some(Group::Set(group)) if set => Some(Kept::Groups(vec![group.to_owned()])),
                    _ => None,
                };
                let sql = Sql::empty().push(column.expr).push(if set { " = TRUE" } else { " = FALSE" });
                Ok(Cond { kept, ..Cond::on(sql, column) })
            }
            Kind::Unless if values::flag(text)? => Ok(Cond::new(Sql::new("TRUE"))),
            Kind::Unless => Ok(Cond::on(Sql::empty().push(column.expr), column)),
            Kind::When if values::flag(text)? => Ok(Cond::on(Sql::empty().push(column.expr), column)),
            Kind::When => Ok(Cond::on(Sql::new("NOT (").push(column.expr).push(")"), column)),
            Kind::Shown => Err("This column can be neither sorted nor searched.".into()),
            _ => Ok(self.number(column, column.expr, &values::wanted(column.kind, text)?)),
        }
    }

    fn text(self, column: &'static Column, text: &str) -> Cond {
        let short = search::is_short(text);
        let newest_of = |index| search::newest_of(index, text, self.whole).into_iter().collect();
        let sql = match column.find {
            Some((key, index, name)) if let Some(through) = column.through => {
                let found = search::found(index, name, text, self.dialect, self.whole);
                let found = search::among(through.1, found);
                let sql = search::among(key, Sql::new(through.0).append(found));
                return Cond { text: true, newest_of: newest_of(index), ..Cond::new(sql) };
            }
            // On PostgreSQL the index stands behind the expression itself.
            Some((key, _, _))
                if key == self.table.source.key && self.dialect == Dialect::Postgres && !short =>
            {
                search::has(column.expr, text, Part::Anywhere, self.dialect)
            }
            Some((key, index, name)) => {
                let newest_of = newest_of(index);
                let found = search::found(index, name, text, self.dialect, self.whole);
                let sql = search::among(key, found.clone());
                let found = (key == self.table.source.key).then_some(found);
                return Cond { text: true, newest_of, found, ..Cond::new(sql) };
            }
            None => search::has(column.expr, text, Part::Anywhere, self.dialect),
        };
        Cond { text: true, ..Cond::on(sql, column) }
    }

    /// Ids when they are ids, else a text of the record beside.
    fn reference(self, column: &'static Column, text: &str) -> Cond {
        let Some((key, _, _)) = column.find else { return self.text(column, text) };
        match (values::wanted(Kind::Id, text), column.through) {
            (Ok(wanted), Some((select, inner))) => {
                let found = self.number(&Column { join: None, ..*column }, inner, &wanted);
                Cond::new(search::among(key, Sql::new(select).append(found.sql)))
            }
            (Ok(wanted), None) => self.number(&Column { join: None, ..*column }, key, &wanted),
            (Err(_), _) => self.text(column, text),
        }
    }

    fn number(self, column: &Column, expr: &'static str, wanted: &Wanted) -> Cond {
        let sql = Sql::empty().push(expr);
        let sql = match wanted {
            Wanted::Is(values) => match values.as_slice() {
                [value] => sql.push(" = ?").bind(*value),
                many => sql.push(" IN ").numbers(many.iter().copied()),
            },
            Wanted::Between(Some(from), Some(to)) => {
                sql.push(" >= ?").bind(*from).push(" AND ").push(expr).push(" <= ?").bind(*to)
            }
            Wanted::Between(Some(from), None) => sql.push(" >= ?").bind(*from),
            Wanted::Between(None, Some(to)) => sql.push(" <= ?").bind(*to),
            Wanted::Between(None, None) => Sql::new("TRUE"),
        };
        let past = matches!(column.kind, Kind::Time) && !matches!(wanted, Wanted::Between(_, None));
        Cond { past, kept: self.kept(column, expr, wanted), ..Cond::on(sql, column) }
    }

    fn kept(self, column: &Column, expr: &str, wanted: &Wanted) -> Option<Kept> {
        match (wanted, column.group) {
            (Wanted::Is(values), _) => match values.as_slice() {
                [_] if expr == self.table.source.key => Some(Kept::Key),
                [user] if column.group == Some(Group::User) => Some(Kept::User(UserId::new(*user))),
                _ => None,
            },
            (Wanted::Between(Some(from), Some(to)), Some(Group::Day)) => {
                let (from, to) = values::whole_days(*from, *to)?;
                Some(Kept::Days(Vec::new(), from, to))
            }
            _ => None,
        }
    }

    /// A condition of the ColumnControl extension.
    pub(super) fn control(self, column: &'static Column, logic: &str, value: &str) -> Result<Cond, String> {
        let on = |sql: Sql| Ok(Cond::on(sql, column));
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
                let found = search::found(index, "", value.trim(), self.dialect, self.whole);
                on(search::among(column.expr, found))
            }
            ("equal", Kind::Choice(_)) => on(any_word(column.expr, &values::listed(value)?)),
            ("notEqual", Kind::Choice(_)) => {
                on(not(column.expr, any_word(column.expr, &values::listed(value)?)))
            }
            ("notContains" | "notEqual", Kind::Text | Kind::Ref) => {
                let part = if logic == "notEqual" { Part::Whole } else { Part::Anywhere };
                on(not(column.expr, search::has(column.expr, value, part, self.dialect)))
            }
            ("notEqual" | "notContains", Kind::SomeOf(_)) => {
                on(not(column.expr, self.search(column, value)?.sql))
            }
            ("notEqual", Kind::OneOf(_) | Kind::Exact | Kind::Flag | Kind::Time) => {
                on(not(column.expr, self.search(column, value)?.sql))
            }
            ("equal" | "starts" | "ends", Kind::Text) => {
                let part = match logic {
                    "equal" => Part::Whole,
                    "starts" => Part::Start,
                    _ => Part::End,
                };
                Ok(Cond {
                    text: true,
                    ..Cond::on(search::has(column.expr, value, part, self.dialect), column)
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

/// Rows for which it is not so, or nothing is known.
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

/// Whether a JSON list of words has one of these. A word stands between quotes, so no part of another one is found.
fn any_of_list(expr: &'static str, words: &[&str]) -> Sql {
    let mut sql = Sql::new("(");
    for (at, word) in words.iter().enumerate() {
        let part = format!("%\"{}\"%", word.replace('_', "\\_"));
        sql = sql.push(if at > 0 { " OR " } else { "" }).push(expr).push(" LIKE ?").bind(part);
        sql = sql.push(" ESCAPE '\\'");
    }
    sql.push(")")
}
