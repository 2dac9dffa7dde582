//! Searching texts: parts of a text, ignoring case in every script, through trigram indexes where there are any.
//!
//! Fewer than three characters are below what a trigram index knows: such a text is looked for among the newest
//! [`NEWEST`] records of the indexed table, and where there are older ones the total says that it is a lower bound. What must be whole (exports,
//! selecting all that match) reads the whole table instead.

use std::collections::BTreeSet;

use panel_kernel::error::Result;

use crate::db::{Dialect, Source, Sql};
use crate::table::{Arm, Find, Index};

/// Shortest text that a trigram index finds, in characters.
const TRIGRAM: usize = 3;
/// How many records a shorter text is looked for in.
const NEWEST: i64 = 20_000;

/// Which part of the text must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Anywhere,
    Start,
    End,
    Whole,
}

/// Whether the text is too short for an index.
pub(super) fn is_short(text: &str) -> bool {
    text.chars().count() < TRIGRAM
}

/// `expr` has `text` in it, row by row.
pub(super) fn has(expr: &'static str, text: &str, part: Part, dialect: Dialect) -> Sql {
    let (open, close) = match part {
        Part::Anywhere => (true, true),
        Part::Start => (false, true),
        Part::End => (true, false),
        Part::Whole => (false, false),
    };
    match dialect {
        Dialect::Sqlite => Sql::empty().push(expr).push(" GLOB ?").bind(glob(text, open, close)),
        Dialect::Postgres => Sql::new("lower(")
            .push(expr)
            .push(" COLLATE \"und-x-icu\") LIKE lower(? COLLATE \"und-x-icu\")")
            .bind(like(text, open, close)),
    }
}

/// The ids of the records in `index` whose `column` (all of its columns when empty) has `text` in it; `whole` looks
/// for a short text in all of them.
pub(super) fn found(index: &Index, column: &'static str, text: &str, dialect: Dialect, whole: bool) -> Sql {
    let named = [column];
    let columns: &[&'static str] = if column.is_empty() { index.columns } else { &named };
    match index.find {
        Find::Values => return values(index).append(has(VALUE, text, Part::Anywhere, dialect)),
        Find::Trigrams if !is_short(text) => {}
        Find::Trigrams if !whole => return newest(index, columns, text, dialect),
        Find::Rows | Find::Trigrams => {
            let sql =
                Sql::new("SELECT ").push(index.key).push(" AS id FROM ").push(index.table).push(" WHERE ");
            let sql = match index.scope {
                Some(scope) => sql.push(scope).push(" AND "),
                None => sql,
            };
            return sql.append(any_has(columns, text, dialect));
        }
    }
    match dialect {
        Dialect::Sqlite => Sql::new("SELECT rowid AS id FROM ")
            .push(index.table)
            .push("_fts WHERE ")
            .push(index.table)
            .push("_fts MATCH ?")
            .bind(phrase(column, text)),
        Dialect::Postgres => Sql::new("SELECT id FROM ")
            .push(index.table)
            .push(" WHERE ")
            .append(any_has(columns, text, dialect)),
    }
}

/// The newest records of `index` whose `columns` have a text that is too short for it.
fn newest(index: &Index, columns: &[&'static str], text: &str, dialect: Dialect) -> Sql {
    let mut sql = Sql::new("SELECT id FROM (SELECT id, ").push(index.columns[0]);
    for column in &index.columns[1..] {
        sql = sql.push(", ").push(column);
    }
    sql = sql.push(" FROM ").push(index.table).push(" ORDER BY id DESC LIMIT ?").bind(NEWEST);
    sql.push(") AS newest WHERE ").append(any_has(columns, text, dialect))
}

/// A value of [`values`].
const VALUE: &str = "list_value";

/// `SELECT list_value … WHERE ` over the distinct values of an index's column: each is found by one step along the
/// database's index, from the value before it.
fn values(index: &Index) -> Sql {
    let column = index.columns[0];
    Sql::new("WITH RECURSIVE list_values (list_value) AS (SELECT min(")
        .push(column)
        .push(") FROM ")
        .push(index.table)
        .push(" UNION ALL SELECT (SELECT min(")
        .push(column)
        .push(") FROM ")
        .push(index.table)
        .push(" WHERE ")
        .push(column)
        .push(" > list_value) FROM list_values WHERE list_value IS NOT NULL) SELECT list_value FROM list_values WHERE ")
}

/// `expr` is one of `words`; a word that the column does not have finds those that it is a part of.
pub(super) fn chosen(expr: &'static str, index: &Index, words: &[String], dialect: Dialect) -> Sql {
    let mut found = values(index).push("(");
    for (at, word) in words.iter().enumerate() {
        found = found.push(if at > 0 { " OR list_value = ?" } else { "list_value = ?" }).bind(word.as_str());
        found = found.push(" OR (").append(has(VALUE, word, Part::Anywhere, dialect));
        found = found.push(" AND NOT EXISTS (SELECT 1 FROM ").push(index.table).push(" WHERE ");
        found = found.push(index.columns[0]).push(" = ?").bind(word.as_str()).push("))");
    }
    among(expr, found.push(")"))
}

/// The table of which only the newest records are looked at, because the text is too short for its index.
pub(super) fn newest_of(index: &Index, text: &str, whole: bool) -> Option<&'static str> {
    (index.find == Find::Trigrams && is_short(text) && !whole).then_some(index.table)
}

/// Whether one of these tables has older records than the newest that are looked at, so that a total is a lower bound.
pub(super) async fn have_older(db: &mut impl Source, tables: &BTreeSet<&'static str>) -> Result<bool> {
    if tables.is_empty() {
        return Ok(false);
    }
    let mut sql = Sql::new("SELECT ");
    for (at, table) in tables.iter().enumerate() {
        sql = sql.push(if at > 0 { " OR EXISTS (SELECT 1 FROM " } else { "EXISTS (SELECT 1 FROM " });
        sql = sql.push(table).push(" ORDER BY id LIMIT 1 OFFSET ?)").bind(NEWEST);
    }
    let (have,): (bool,) = db.one(sql).await?;
    Ok(have)
}

/// What an arm of the common search finds for `word`: values of the arm's key.
pub(super) fn keys(arm: &Arm, word: &str, dialect: Dialect, whole: bool) -> Sql {
    let found = found(arm.index, "", word, dialect, whole);
    match arm.through {
        Some(through) => Sql::new(through.select).append(among(through.column, found)),
        None => found,
    }
}

/// Whether an arm finds `word` in one row of the base.
pub(super) fn arm_has(arm: &Arm, word: &str, dialect: Dialect, whole: bool) -> Sql {
    let sql = if arm.here.is_empty() {
        let (key, found) = match arm.through {
            Some(through) if !through.here.is_empty() => {
                (through.here, found(arm.index, "", word, dialect, whole))
            }
            _ => (arm.key, keys(arm, word, dialect, whole)),
        };
        Sql::empty().push(key).push(" IN (").append(found).push(")")
    } else {
        any_has(arm.here, word, dialect)
    };
    match arm.only {
        Some(condition) => Sql::new("(").push(condition).push(" AND ").append(sql).push(")"),
        None => sql,
    }
}

/// `key` is among the ids that `found` finds. On PostgreSQL as an array, so that no plan reads all rows for them.
pub(super) fn among(key: &'static str, found: Sql) -> Sql {
    let sql = Sql::empty().push(key).either(" IN (", " = ANY (ARRAY(");
    sql.append(found).either(")", "))")
}

/// Any of `exprs` has `text` in it.
pub(super) fn any_has(exprs: &[&'static str], text: &str, dialect: Dialect) -> Sql {
    let mut sql = Sql::new("(");
    for (at, expr) in exprs.iter().enumerate() {
        if at > 0 {
            sql = sql.push(" OR ");
        }
        sql = sql.append(has(expr, text, Part::Anywhere, dialect));
    }
    sql.push(")")
}

/// FTS5's query for a text as it stands, in one column or in all.
fn phrase(column: &str, text: &str) -> String {
    let quoted = text.replace('"', "\"\"");
    if column.is_empty() { format!("\"{quoted}\"") } else { format!("{{{column}}} : \"{quoted}\"") }
}

/// A GLOB pattern that ignores case in every script: each letter becomes the class of its cases.
fn glob(text: &str, open: bool, close: bool) -> String {
    let mut pattern = String::with_capacity(text.len() * 6);
    if open {
        pattern.push('*');
    }
    for letter in text.chars() {
        let mut cases = vec![letter];
        let (mut lower, mut upper) = (letter.to_lowercase(), letter.to_uppercase());
        // A letter that becomes several in another case (ß) has no class of one.
        for case in [(lower.next(), lower.next()), (upper.next(), upper.next())] {
            if let (Some(case), None) = case
                && !cases.contains(&case)
            {
                cases.push(case);
            }
        }
        if cases.len() > 1 || matches!(letter, '*' | '?' | '[') {
            pattern.push('[');
            pattern.extend(cases);
            pattern.push(']');
        } else {
            pattern.push(letter);
        }
    }
    if close {
        pattern.push('*');
    }
    pattern
}

fn like(text: &str, open: bool, close: bool) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("{}{escaped}{}", if open { "%" } else { "" }, if close { "%" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_literal() {
        assert_eq!(glob("a*[ü]", true, true), "*[aA][*][[][üÜ]]*");
        assert_eq!(like("50%_\\", true, false), "%50\\%\\_\\\\");
        assert_eq!(phrase("url", "a\"b"), "{url} : \"a\"\"b\"");
    }
}
