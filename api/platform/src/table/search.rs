//! Builds the SQL that searches for a part of a text in any case and script, by a trigram index if the table has one.
//!
//! A trigram index cannot find fewer than three characters. Such a search reads only the newest [`MAX_SHORT_TEXT_ROWS`] rows of
//! the indexed table, and if the table has older rows, the total is marked as a lower bound. Exports and the selection of all
//! matching rows must be complete, so they read the whole table instead.

use std::collections::BTreeSet;

use panel_kernel::error::Result;

use crate::db::{Dialect, Sql, SqlExecutor};
use crate::table::{IndexKind, SearchTarget, TextIndex};

/// Length of the shortest text that a trigram index finds, in characters.
const MIN_INDEXED_CHARS: usize = 3;
/// How many of the newest rows a search for a shorter text reads.
const MAX_SHORT_TEXT_ROWS: i64 = 20_000;

/// Where the column's text must contain the searched text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchPosition {
    Anywhere,
    Start,
    End,
    Whole,
}

/// Whether a text is too short for a trigram index.
pub(super) fn is_short(text: &str) -> bool {
    text.chars().count() < MIN_INDEXED_CHARS
}

impl MatchPosition {
    const fn allows_prefix(self) -> bool {
        matches!(self, Self::Anywhere | Self::End)
    }

    const fn allows_suffix(self) -> bool {
        matches!(self, Self::Anywhere | Self::Start)
    }
}

/// Returns the condition that `expr` contains `text` at `position`. The database evaluates it row by row.
pub(super) fn contains(expr: &'static str, text: &str, position: MatchPosition, dialect: Dialect) -> Sql {
    match dialect {
        Dialect::Sqlite => Sql::empty().push(expr).push(" GLOB ?").bind(glob_pattern(text, position)),
        Dialect::Postgres => Sql::new("lower(")
            .push(expr)
            .push(" COLLATE \"und-x-icu\") LIKE lower(? COLLATE \"und-x-icu\")")
            .bind(like_pattern(text, position)),
    }
}

/// Selects the ids of the rows of `index` whose `column` contains `text`; an empty `column` means any column of the index. With
/// `all_rows`, the search for a short text reads the whole table.
pub(super) fn matching_ids(
    index: &TextIndex,
    column: &'static str,
    text: &str,
    dialect: Dialect,
    all_rows: bool,
) -> Sql {
    let single = [column];
    let columns: &[&'static str] = if column.is_empty() { index.columns } else { &single };
    match index.kind {
        IndexKind::Values => {
            return distinct_values(index).append(contains(
                VALUE_COLUMN,
                text,
                MatchPosition::Anywhere,
                dialect,
            ));
        }
        IndexKind::Trigrams if !is_short(text) => {}
        IndexKind::Trigrams if !all_rows => return newest_matches(index, columns, text, dialect),
        IndexKind::Rows | IndexKind::Trigrams => {
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
            .bind(fts_phrase(column, text)),
        Dialect::Postgres => Sql::new("SELECT id FROM ")
            .push(index.table)
            .push(" WHERE ")
            .append(any_contains(columns, text, dialect)),
    }
}

/// Selects the newest rows of `index` whose `columns` contain a text that is too short for the index.
fn newest_matches(index: &TextIndex, columns: &[&'static str], text: &str, dialect: Dialect) -> Sql {
    let mut sql = Sql::new("SELECT id FROM (SELECT id, ").push(index.columns[0]);
    for column in &index.columns[1..] {
        sql = sql.push(", ").push(column);
    }
    sql = sql.push(" FROM ").push(index.table).push(" ORDER BY id DESC LIMIT ?").bind(MAX_SHORT_TEXT_ROWS);
    sql.push(") AS newest WHERE ").append(any_contains(columns, text, dialect))
}

/// The name of the column that [`distinct_values`] selects.
const VALUE_COLUMN: &str = "list_value";

/// Returns `SELECT list_value … WHERE ` over the distinct values of the index's column; the caller adds the condition. The
/// recursive query finds each value by one step along the database's index, from the previous value.
fn distinct_values(index: &TextIndex) -> Sql {
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

/// Returns the condition that `expr` equals one of `values`. A value that no row has matches the values that contain it.
pub(super) fn equals_or_contains(
    expr: &'static str,
    index: &TextIndex,
    values: &[String],
    dialect: Dialect,
) -> Sql {
    let mut sql = distinct_values(index).push("(");
    for (index_of_value, value) in values.iter().enumerate() {
        sql = sql.push(if index_of_value > 0 { " OR list_value = ?" } else { "list_value = ?" });
        sql = sql.bind(value.as_str());
        sql = sql.push(" OR (").append(contains(VALUE_COLUMN, value, MatchPosition::Anywhere, dialect));
        sql = sql.push(" AND NOT EXISTS (SELECT 1 FROM ").push(index.table).push(" WHERE ");
        sql = sql.push(index.columns[0]).push(" = ?").bind(value.as_str()).push("))");
    }
    key_in(expr, sql.push(")"))
}

/// Returns the table of `index` if the search reads only its newest rows, because `text` is too short for the index.
pub(super) fn newest_only_table(index: &TextIndex, text: &str, all_rows: bool) -> Option<&'static str> {
    (index.kind == IndexKind::Trigrams && is_short(text) && !all_rows).then_some(index.table)
}

/// Whether one of these tables has older rows than those that the search reads, so that the total is a lower bound.
pub(super) async fn has_older_rows(
    db: &mut impl SqlExecutor,
    tables: &BTreeSet<&'static str>,
) -> Result<bool> {
    if tables.is_empty() {
        return Ok(false);
    }
    let mut sql = Sql::new("SELECT ");
    for (index, table) in tables.iter().enumerate() {
        sql = sql.push(if index > 0 { " OR EXISTS (SELECT 1 FROM " } else { "EXISTS (SELECT 1 FROM " });
        sql = sql.push(table).push(" ORDER BY id LIMIT 1 OFFSET ?)").bind(MAX_SHORT_TEXT_ROWS);
    }
    let (has_older,): (bool,) = db.fetch_one(sql).await?;
    Ok(has_older)
}

/// Selects the values of `target.key` whose texts contain `word`.
pub(super) fn select_target_keys(target: &SearchTarget, word: &str, dialect: Dialect, all_rows: bool) -> Sql {
    let ids = matching_ids(target.index, "", word, dialect, all_rows);
    match target.join_table {
        Some(join_table) => Sql::new(join_table.select).append(key_in(join_table.column, ids)),
        None => ids,
    }
}

/// Returns the condition that a row of the base matches `word` by the texts of `target`.
pub(super) fn row_matches(target: &SearchTarget, word: &str, dialect: Dialect, all_rows: bool) -> Sql {
    let sql = if target.own_columns.is_empty() {
        let (key, ids) = match target.join_table {
            Some(join_table) if !join_table.row_key.is_empty() => {
                (join_table.row_key, matching_ids(target.index, "", word, dialect, all_rows))
            }
            _ => (target.key, select_target_keys(target, word, dialect, all_rows)),
        };
        Sql::empty().push(key).push(" IN (").append(ids).push(")")
    } else {
        any_contains(target.own_columns, word, dialect)
    };
    match target.condition {
        Some(condition) => Sql::new("(").push(condition).push(" AND ").append(sql).push(")"),
        None => sql,
    }
}

/// Returns the condition that `key` is one of `ids`. PostgreSQL compares with an array, because with a subquery its planner may
/// read all rows to find the ids.
pub(super) fn key_in(key: &'static str, ids: Sql) -> Sql {
    let sql = Sql::empty().push(key).per_dialect(" IN (", " = ANY (ARRAY(");
    sql.append(ids).per_dialect(")", "))")
}

/// Returns the condition that any of `exprs` contains `text`.
pub(super) fn any_contains(exprs: &[&'static str], text: &str, dialect: Dialect) -> Sql {
    let mut sql = Sql::new("(");
    for (index, expr) in exprs.iter().enumerate() {
        if index > 0 {
            sql = sql.push(" OR ");
        }
        sql = sql.append(contains(expr, text, MatchPosition::Anywhere, dialect));
    }
    sql.push(")")
}

/// Returns the FTS5 query for a literal text, in one column or, if `column` is empty, in all.
fn fts_phrase(column: &str, text: &str) -> String {
    let quoted = text.replace('"', "\"\"");
    if column.is_empty() { format!("\"{quoted}\"") } else { format!("{{{column}}} : \"{quoted}\"") }
}

/// Returns a GLOB pattern that ignores case in every script: it replaces each letter by the character class of its cases (`[aA]`).
fn glob_pattern(text: &str, position: MatchPosition) -> String {
    let mut pattern = String::with_capacity(text.len() * 6);
    if position.allows_prefix() {
        pattern.push('*');
    }
    for letter in text.chars() {
        let mut cases = vec![letter];
        let (mut lower, mut upper) = (letter.to_lowercase(), letter.to_uppercase());
        // A class cannot contain a letter that becomes several letters in another case (ß).
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
    if position.allows_suffix() {
        pattern.push('*');
    }
    pattern
}

fn like_pattern(text: &str, position: MatchPosition) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    let prefix = if position.allows_prefix() { "%" } else { "" };
    let suffix = if position.allows_suffix() { "%" } else { "" };
    format!("{prefix}{escaped}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_escape_special_characters() {
        assert_eq!(glob_pattern("a*[ü]", MatchPosition::Anywhere), "*[aA][*][[][üÜ]]*");
        assert_eq!(like_pattern("50%_\\", MatchPosition::End), "%50\\%\\_\\\\");
        assert_eq!(fts_phrase("url", "a\"b"), "{url} : \"a\"\"b\"");
    }
}
