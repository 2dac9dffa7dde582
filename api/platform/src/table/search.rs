//! Searches for a part of a text, ignoring case in every script, through trigram indexes where they exist.
//!
//! A trigram index cannot find fewer than three characters: such a text is searched in the newest [`MAX_SHORT_TEXT_ROWS`] rows of
//! the indexed table only, and where the table has older rows, the total is marked as a lower bound. Exports and the selection
//! of all matching rows must be complete, so they read the whole table instead.

use std::collections::BTreeSet;

use panel_kernel::error::Result;

use crate::db::{Dialect, Source, Sql};
use crate::table::{Find, Index, SearchTarget};

/// Length of the shortest text that a trigram index finds, in characters.
const MIN_INDEXED_CHARS: usize = 3;
/// How many of the newest rows a search for a shorter text reads.
const MAX_SHORT_TEXT_ROWS: i64 = 20_000;

/// Where in the column's text the searched text must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchPosition {
    Anywhere,
    Start,
    End,
    Whole,
}

/// Whether the text is too short for a trigram index.
pub(super) fn is_short(text: &str) -> bool {
    text.chars().count() < MIN_INDEXED_CHARS
}

/// Condition that `expr` contains `text` at `position`, evaluated row by row.
pub(super) fn contains(expr: &'static str, text: &str, position: MatchPosition, dialect: Dialect) -> Sql {
    let (open, close) = match position {
        MatchPosition::Anywhere => (true, true),
        MatchPosition::Start => (false, true),
        MatchPosition::End => (true, false),
        MatchPosition::Whole => (false, false),
    };
    match dialect {
        Dialect::Sqlite => Sql::empty().push(expr).push(" GLOB ?").bind(glob(text, open, close)),
        Dialect::Postgres => Sql::new("lower(")
            .push(expr)
            .push(" COLLATE \"und-x-icu\") LIKE lower(? COLLATE \"und-x-icu\")")
            .bind(like(text, open, close)),
    }
}

/// Selects the ids of the rows of `index` whose `column` (any of its columns when empty) contains `text`. With `all_rows`, a short
/// text is searched in the whole table.
pub(super) fn matching_ids(
    index: &Index,
    column: &'static str,
    text: &str,
    dialect: Dialect,
    all_rows: bool,
) -> Sql {
    let single = [column];
    let columns: &[&'static str] = if column.is_empty() { index.columns } else { &single };
    match index.find {
        Find::Values => {
            return distinct_values(index).append(contains(VALUE, text, MatchPosition::Anywhere, dialect));
        }
        Find::Trigrams if !is_short(text) => {}
        Find::Trigrams if !all_rows => return newest_matches(index, columns, text, dialect),
        Find::Rows | Find::Trigrams => {
            let sql =
                Sql::new("SELECT ").push(index.key).push(" AS id FROM ").push(index.table).push(" WHERE ");
            let sql = match index.scope {
                Some(scope) => sql.push(scope).push(" AND "),
                None => sql,
            };
            return sql.append(any_contains(columns, text, dialect));
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
            .append(any_contains(columns, text, dialect)),
    }
}

/// Selects the newest rows of `index` whose `columns` contain a text that is too short for the index.
fn newest_matches(index: &Index, columns: &[&'static str], text: &str, dialect: Dialect) -> Sql {
    let mut sql = Sql::new("SELECT id FROM (SELECT id, ").push(index.columns[0]);
    for column in &index.columns[1..] {
        sql = sql.push(", ").push(column);
    }
    sql = sql.push(" FROM ").push(index.table).push(" ORDER BY id DESC LIMIT ?").bind(MAX_SHORT_TEXT_ROWS);
    sql.push(") AS newest WHERE ").append(any_contains(columns, text, dialect))
}

/// Name of the value that [`distinct_values`] selects.
const VALUE: &str = "list_value";

/// `SELECT list_value … WHERE ` over the distinct values of an index's column. The recursive query finds each value by one step
/// along the database's index, from the value before it.
fn distinct_values(index: &Index) -> Sql {
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

/// Condition that `expr` equals one of `words`; a word that no row has as its value matches the values that contain it.
pub(super) fn equals_or_contains(
    expr: &'static str,
    index: &Index,
    words: &[String],
    dialect: Dialect,
) -> Sql {
    let mut sql = distinct_values(index).push("(");
    for (at, word) in words.iter().enumerate() {
        sql = sql.push(if at > 0 { " OR list_value = ?" } else { "list_value = ?" }).bind(word.as_str());
        sql = sql.push(" OR (").append(contains(VALUE, word, MatchPosition::Anywhere, dialect));
        sql = sql.push(" AND NOT EXISTS (SELECT 1 FROM ").push(index.table).push(" WHERE ");
        sql = sql.push(index.columns[0]).push(" = ?").bind(word.as_str()).push("))");
    }
    key_in(expr, sql.push(")"))
}

/// The table of `index`, where the search reads only its newest rows because the text is too short for the index.
pub(super) fn newest_only_table(index: &Index, text: &str, all_rows: bool) -> Option<&'static str> {
    (index.find == Find::Trigrams && is_short(text) && !all_rows).then_some(index.table)
}

/// Whether one of these tables has rows older than those that the search reads, so that a total is a lower bound.
pub(super) async fn has_older_rows(db: &mut impl Source, tables: &BTreeSet<&'static str>) -> Result<bool> {
    if tables.is_empty() {
        return Ok(false);
    }
    let mut sql = Sql::new("SELECT ");
    for (at, table) in tables.iter().enumerate() {
        sql = sql.push(if at > 0 { " OR EXISTS (SELECT 1 FROM " } else { "EXISTS (SELECT 1 FROM " });
        sql = sql.push(table).push(" ORDER BY id LIMIT 1 OFFSET ?)").bind(MAX_SHORT_TEXT_ROWS);
    }
    let (has_older,): (bool,) = db.one(sql).await?;
    Ok(has_older)
}

/// Selects the keys of `target` that match `word`.
pub(super) fn target_keys(target: &SearchTarget, word: &str, dialect: Dialect, all_rows: bool) -> Sql {
    let ids = matching_ids(target.index, "", word, dialect, all_rows);
    match target.through {
        Some(through) => Sql::new(through.select).append(key_in(through.column, ids)),
        None => ids,
    }
}

/// Condition that a row of the base matches `word` through `target`.
pub(super) fn row_matches(target: &SearchTarget, word: &str, dialect: Dialect, all_rows: bool) -> Sql {
    let sql = if target.here.is_empty() {
        let (key, ids) = match target.through {
            Some(through) if !through.here.is_empty() => {
                (through.here, matching_ids(target.index, "", word, dialect, all_rows))
            }
            _ => (target.key, target_keys(target, word, dialect, all_rows)),
        };
        Sql::empty().push(key).push(" IN (").append(ids).push(")")
    } else {
        any_contains(target.here, word, dialect)
    };
    match target.only {
        Some(condition) => Sql::new("(").push(condition).push(" AND ").append(sql).push(")"),
        None => sql,
    }
}

/// Condition that `key` is one of `ids`. On PostgreSQL as an array, so that the planner does not read all rows to find them.
pub(super) fn key_in(key: &'static str, ids: Sql) -> Sql {
    let sql = Sql::empty().push(key).either(" IN (", " = ANY (ARRAY(");
    sql.append(ids).either(")", "))")
}

/// Condition that any of `exprs` contains `text`.
pub(super) fn any_contains(exprs: &[&'static str], text: &str, dialect: Dialect) -> Sql {
    let mut sql = Sql::new("(");
    for (at, expr) in exprs.iter().enumerate() {
        if at > 0 {
            sql = sql.push(" OR ");
        }
        sql = sql.append(contains(expr, text, MatchPosition::Anywhere, dialect));
    }
    sql.push(")")
}

/// The FTS5 query for a literal text, in one column or in all.
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
        // A letter that becomes several letters in another case (ß) fits in no class.
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
