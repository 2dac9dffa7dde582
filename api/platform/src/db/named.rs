//! Named placeholders: each `@name` in a text is filled with the value of that name, so that a statement with many values shows
//! which value belongs to which column.
//!
//! This module replaces the names before the statement is rendered: the database receives `$1`, `$2`, … and never a name. SQLite
//! would treat a name without a value as NULL, so rendering panics on a name that has no value.

use crate::db::Sql;
use crate::db::sql::{SqlPart, Val};

/// A statement whose values have names: `sql!("UPDATE labels SET name = @name WHERE id = @id", { name: &draft.name, id })`.
///
/// The build fails if a name in the text has no value, or if a value has no name in the text. The text is a literal, a
/// `concat!` or a `const`; later texts are added by [`Sql::push`](crate::db::Sql::push) as usual.
///
/// A list of texts becomes a list of statements with the same values, each computed once:
/// `let [insert, update] = sql!(["INSERT …", "UPDATE …"], { name: &draft.name }, bound_later: [now, id])`. Each text must contain
/// each name that has a value here. `bound_later` lists the names that only some texts contain; the caller sets their values by
/// [`Sql::bind_named`](crate::db::Sql::bind_named).
#[macro_export]
macro_rules! sql {
    (@value $name:ident : $value:expr) => { $value };
    (@value $name:ident) => { $name };
    (
        [$($text:expr),+ $(,)?],
        { $($name:ident $(: $value:expr)?),+ $(,)? }
        $(, bound_later: [$($bound_later:ident),+ $(,)?])? $(,)?
    ) => {{
        const _: () = $crate::db::named::assert_named(
            &[$($text),+],
            &[$(stringify!($name)),+],
            &[$($(stringify!($bound_later)),+)?],
        );
        $crate::db::named::with_values(
            [$($text),+],
            &[$((stringify!($name), $crate::db::Val::from($crate::sql!(@value $name $(: $value)?)))),+],
        )
    }};
    ($text:expr, { $($name:ident $(: $value:expr)?),+ $(,)? } $(,)?) => {{
        const _: () = $crate::db::named::assert_named(&[$text], &[$(stringify!($name)),+], &[]);
        $crate::db::Sql::new($text)$(.bind_named(stringify!($name), $crate::sql!(@value $name $(: $value)?)))+
    }};
}

/// Builds one statement for each text, all with the same values.
#[must_use]
pub fn with_values<const N: usize>(texts: [&'static str; N], values: &[(&'static str, Val)]) -> [Sql; N] {
    texts.map(|text| {
        values.iter().fold(Sql::new(text), |sql, &(name, ref value)| sql.bind_named(name, value.clone()))
    })
}

impl Sql {
    /// Sets the value of `@name` in all texts of this statement: those added before and after this call, and those of appended
    /// statements that have no value of their own for it.
    #[must_use]
    pub fn bind_named(mut self, name: &'static str, value: impl Into<Val>) -> Self {
        assert!(self.named_values.iter().all(|(existing, _)| *existing != name), "two values for @{name}");
        self.named_values.push((name, value.into()));
        self
    }

    /// Replaces the names by their values. A name without a value stays: the enclosing statement may have its value.
    pub(super) fn resolve_names(self) -> Vec<SqlPart> {
        let Self { parts, named_values, .. } = self;
        if named_values.is_empty() {
            return parts;
        }
        let mut resolved = Vec::with_capacity(parts.len() + 2 * named_values.len());
        for part in parts {
            match part {
                SqlPart::Text(text) => split_at_names(text, &named_values, &mut resolved),
                other => resolved.push(other),
            }
        }
        resolved
    }
}

/// Splits a text at the names that have a value, and appends the texts and values to `parts`.
fn split_at_names(text: &'static str, named_values: &[(&'static str, Val)], parts: &mut Vec<SqlPart>) {
    let (mut text_start, mut search_start) = (0, 0);
    while let Some((start, end)) = next_name(text.as_bytes(), search_start) {
        let name = &text[start + 1..end];
        if let Some((_, value)) = named_values.iter().find(|(value_name, _)| *value_name == name) {
            parts.push(SqlPart::Text(&text[text_start..start]));
            parts.push(SqlPart::Bind(value.clone()));
            text_start = end;
        }
        search_start = end;
    }
    parts.push(SqlPart::Text(&text[text_start..]));
}

/// Panics if a text still has a name without a value.
pub(super) fn assert_resolved(text: &str) {
    if let Some((start, end)) = next_name(text.as_bytes(), 0) {
        panic!("no value for {} in {text}", &text[start..end]);
    }
}

/// The compile-time check of [`sql!`](crate::sql): each text has each of the names with a value, and no other names than those
/// in `bound_later`.
pub const fn assert_named(texts: &[&str], names: &[&str], bound_later: &[&str]) {
    let mut index = 0;
    while index < texts.len() {
        assert_text(texts[index].as_bytes(), names, bound_later);
        index += 1;
    }
    index = 0;
    while index < bound_later.len() {
        let name = bound_later[index].as_bytes();
        assert!(!is_listed(name, 0, name.len(), names), "a name in `bound_later` already has a value");
        assert!(is_in_any_text(texts, name), "no text contains a name in `bound_later`");
        index += 1;
    }
}

const fn assert_text(text: &[u8], names: &[&str], bound_later: &[&str]) {
    assert!(!has_question_mark(text), "a text with names has no `?`");
    let mut search_start = 0;
    while let Some((start, end)) = next_name(text, search_start) {
        let has_value =
            is_listed(text, start + 1, end, names) || is_listed(text, start + 1, end, bound_later);
        assert!(has_value, "a name in the text has no value");
        search_start = end;
    }
    let mut index = 0;
    while index < names.len() {
        assert!(has_name(text, names[index].as_bytes()), "a value has no name in the text");
        index += 1;
    }
}

const fn is_in_any_text(texts: &[&str], name: &[u8]) -> bool {
    let mut index = 0;
    while index < texts.len() {
        if has_name(texts[index].as_bytes(), name) {
            return true;
        }
        index += 1;
    }
    false
}

/// Finds the next `@name` at or after `search_start`; returns its start and end. Quoted text and operators such as `@>` are not
/// names.
const fn next_name(text: &[u8], search_start: usize) -> Option<(usize, usize)> {
    let (mut index, mut is_quoted) = (search_start, false);
    while index < text.len() {
        if text[index] == b'\'' {
            is_quoted = !is_quoted;
        } else if text[index] == b'@'
            && !is_quoted
            && index + 1 < text.len()
            && text[index + 1].is_ascii_lowercase()
        {
            let mut end = index + 1;
            while end < text.len() && (text[end].is_ascii_alphanumeric() || text[end] == b'_') {
                end += 1;
            }
            return Some((index, end));
        }
        index += 1;
    }
    None
}

const fn has_question_mark(text: &[u8]) -> bool {
    let mut index = 0;
    while index < text.len() {
        if text[index] == b'?' {
            return true;
        }
        index += 1;
    }
    false
}

const fn has_name(text: &[u8], name: &[u8]) -> bool {
    let mut search_start = 0;
    while let Some((start, end)) = next_name(text, search_start) {
        if is_equal(text, start + 1, end, name) {
            return true;
        }
        search_start = end;
    }
    false
}

const fn is_listed(text: &[u8], start: usize, end: usize, names: &[&str]) -> bool {
    let mut index = 0;
    while index < names.len() {
        if is_equal(text, start, end, names[index].as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn is_equal(text: &[u8], start: usize, end: usize, name: &[u8]) -> bool {
    if end - start != name.len() {
        return false;
    }
    let mut index = 0;
    while index < name.len() {
        if text[start + index] != name[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Dialect;

    #[test]
    fn each_occurrence_of_a_name_gets_its_own_placeholder() {
        let (name, id) = ("new", 7);
        let sql = sql!("UPDATE t SET a = @name, at = @now, b = @name WHERE id = @id", { name, now: 5, id });
        let (text, values) = sql.push(" AND c = ?").bind(true).render(Dialect::Sqlite);
        assert_eq!(text, "UPDATE t SET a = $1, at = $2, b = $3 WHERE id = $4 AND c = $5");
        let expected = [Val::from("new"), Val::from(5), Val::from("new"), Val::from(7), Val::from(true)];
        assert_eq!(values, expected);
    }

    #[test]
    fn a_name_is_a_whole_word_outside_of_quotes() {
        let sql = sql!("SELECT '@id', '@' || x, a @> b FROM t WHERE id = @id OR y = @id_of_other", {
            id_of_other: 2,
            id: 1,
        });
        let (text, values) = sql.render(Dialect::Postgres);
        assert_eq!(text, "SELECT '@id', '@' || x, a @> b FROM t WHERE id = $1 OR y = $2");
        assert_eq!(values, [Val::from(1), Val::from(2)]);
    }

    #[test]
    fn an_appended_statement_keeps_the_values_of_its_names() {
        let inner = Sql::new("a <= @now AND id = @id AND b = ?").bind(7).bind_named("id", 1);
        let sql = Sql::new("SELECT id = @id, ").append(inner).push(" AND c > @now");
        let (text, values) = sql.bind_named("id", 2).bind_named("now", 5).render(Dialect::Postgres);
        assert_eq!(text, "SELECT id = $1, a <= $2 AND id = $3 AND b = $4 AND c > $5");
        assert_eq!(values, [2, 5, 1, 7, 5].map(Val::from));
    }

    #[test]
    #[should_panic(expected = "no value for @now in SELECT @now")]
    fn rendering_panics_on_a_name_without_a_value() {
        drop(Sql::new("SELECT @now").bind_named("id", 1).render(Dialect::Sqlite));
    }

    #[test]
    #[should_panic(expected = "two values for @id")]
    fn rejects_two_values_for_one_name() {
        drop(Sql::new("SELECT @id").bind_named("id", 1).bind_named("id", 2));
    }

    #[test]
    fn a_list_of_texts_becomes_statements_with_the_same_values() {
        let name = "new";
        let [insert, update] = sql!(
            ["INSERT INTO t (a, b, at) VALUES (@name, @b, @now)", "UPDATE t SET a = @name, b = @b WHERE id = @id"],
            { name, b: 1 },
            bound_later: [now, id],
        );
        let (text, values) = insert.bind_named("now", 5).render(Dialect::Sqlite);
        assert_eq!(text, "INSERT INTO t (a, b, at) VALUES ($1, $2, $3)");
        assert_eq!(values, [Val::from("new"), Val::from(1), Val::from(5)]);
        let (text, values) =
            update.push(" AND c = ?").bind(true).bind_named("id", 7).render(Dialect::Postgres);
        assert_eq!(text, "UPDATE t SET a = $1, b = $2 WHERE id = $3 AND c = $4");
        assert_eq!(values, [Val::from("new"), Val::from(1), Val::from(7), Val::from(true)]);
    }

    #[test]
    fn a_shared_value_is_computed_once() {
        let mut calls = 0;
        let mut count_calls = || {
            calls += 1;
            calls
        };
        let statements = sql!(["SELECT @a", "SELECT -@a", "SELECT @a + @a"], { a: count_calls() });
        let values = statements.map(|sql| sql.render(Dialect::Sqlite).1);
        assert_eq!(values, [vec![Val::from(1)], vec![Val::from(1)], vec![Val::from(1), Val::from(1)]]);
    }

    #[test]
    #[should_panic(expected = "no value for @id in")]
    fn rendering_panics_if_a_bound_later_name_has_no_value() {
        let [_, update] =
            sql!(["SELECT @a", "UPDATE t SET a = @a WHERE id = @id"], { a: 1 }, bound_later: [id]);
        drop(update.render(Dialect::Sqlite));
    }

    #[test]
    fn rejects_texts_whose_names_do_not_match_the_values() {
        assert_named(&["SELECT @a, '@c', @b, @a"], &["b", "a"], &[]);
        assert_named(&["SELECT @a, @b", "SELECT @c, @a"], &["a"], &["b", "c"]);
        let mismatches: [(&[&str], &[&str], &[&str]); 11] = [
            (&["SELECT @a, @b"], &["a"], &[]),
            (&["SELECT @a"], &["a", "b"], &[]),
            (&["SELECT @ab"], &["a"], &[]),
            (&["SELECT '@a'"], &["a"], &[]),
            (&["SELECT @a, ?"], &["a"], &[]),
            (&["SELECT @a", "SELECT @a, @b"], &["a"], &[]),
            (&["SELECT @a", "SELECT @a, @b"], &["a", "b"], &[]),
            (&["SELECT @a", "SELECT 1"], &["a"], &["b"]),
            (&["SELECT @a", "SELECT @a"], &["a"], &["b"]),
            (&["SELECT @a", "SELECT @a"], &["a"], &["a"]),
            (&["SELECT @a", "SELECT @a, ?"], &["a"], &[]),
        ];
        for (texts, names, bound_later) in mismatches {
            let result = std::panic::catch_unwind(|| assert_named(texts, names, bound_later));
            assert!(result.is_err(), "{texts:?} {names:?} {bound_later:?}");
        }
    }
}
