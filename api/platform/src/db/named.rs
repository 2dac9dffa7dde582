//! Named values: an `@name` in a text takes the value with this name, so that a statement with many values shows which value
//! belongs to which column.
//!
//! Names are resolved here, before the statement is rendered: the database receives `$1`, `$2`, … and never a name. SQLite would
//! treat a name without a value as NULL, so rendering panics on an unresolved name.

use crate::db::Sql;
use crate::db::sql::{SqlPart, Val};

/// A statement whose values have names: `sql!("UPDATE labels SET name = @name WHERE id = @id", { name: &draft.name, id })`.
///
/// The build fails where a name in the text has no value, and where a value has no name in the text. The text is a literal, a
/// `concat!` or a `const`; later texts are added by [`Sql::push`](crate::db::Sql::push) as usual.
///
/// A list of texts becomes a list of statements with the same values, each computed once:
/// `let [insert, update] = sql!(["INSERT …", "UPDATE …"], { name: &draft.name }, later: [now, id])`. Each text has each of the
/// values. Names that only some of the texts have are listed as `later`; [`Sql::named`](crate::db::Sql::named) sets their values.
#[macro_export]
macro_rules! sql {
    (@value $name:ident : $value:expr) => { $value };
    (@value $name:ident) => { $name };
    (
        [$($text:expr),+ $(,)?],
        { $($name:ident $(: $value:expr)?),+ $(,)? }
        $(, later: [$($later:ident),+ $(,)?])? $(,)?
    ) => {{
        const _: () = $crate::db::named::assert_named(
            &[$($text),+],
            &[$(stringify!($name)),+],
            &[$($(stringify!($later)),+)?],
        );
        $crate::db::named::with_values(
            [$($text),+],
            &[$((stringify!($name), $crate::db::Val::from($crate::sql!(@value $name $(: $value)?)))),+],
        )
    }};
    ($text:expr, { $($name:ident $(: $value:expr)?),+ $(,)? } $(,)?) => {{
        const _: () = $crate::db::named::assert_named(&[$text], &[$(stringify!($name)),+], &[]);
        $crate::db::Sql::new($text)$(.named(stringify!($name), $crate::sql!(@value $name $(: $value)?)))+
    }};
}

/// Statements with the same values.
#[must_use]
pub fn with_values<const N: usize>(texts: [&'static str; N], values: &[(&'static str, Val)]) -> [Sql; N] {
    texts.map(|text| {
        values.iter().fold(Sql::new(text), |sql, &(name, ref value)| sql.named(name, value.clone()))
    })
}

impl Sql {
    /// Sets the value of `@name` in all texts of this statement: those added before and after this call, and those of appended
    /// statements that have no value of their own for it.
    #[must_use]
    pub fn named(mut self, name: &'static str, value: impl Into<Val>) -> Self {
        assert!(self.names.iter().all(|(known, _)| *known != name), "two values for @{name}");
        self.names.push((name, value.into()));
        self
    }

    /// The parts with the values in place of their names. A name without a value is left to the enclosing statement.
    pub(super) fn resolved(self) -> Vec<SqlPart> {
        let Self { parts, names, .. } = self;
        if names.is_empty() {
            return parts;
        }
        let mut resolved = Vec::with_capacity(parts.len() + 2 * names.len());
        for part in parts {
            match part {
                SqlPart::Text(text) => split(text, &names, &mut resolved),
                other => resolved.push(other),
            }
        }
        resolved
    }
}

/// Splits a text into texts and values.
fn split(text: &'static str, names: &[(&'static str, Val)], parts: &mut Vec<SqlPart>) {
    let (mut from, mut searched) = (0, 0);
    while let Some((start, end)) = next_name(text.as_bytes(), searched) {
        let name = &text[start + 1..end];
        if let Some((_, value)) = names.iter().find(|(known, _)| *known == name) {
            parts.push(SqlPart::Text(&text[from..start]));
            parts.push(SqlPart::Bind(value.clone()));
            from = end;
        }
        searched = end;
    }
    parts.push(SqlPart::Text(&text[from..]));
}

/// Panics where a text still has an unresolved name.
pub(super) fn assert_resolved(text: &str) {
    if let Some((start, end)) = next_name(text.as_bytes(), 0) {
        panic!("no value for {} in {text}", &text[start..end]);
    }
}

/// The compile-time check of [`sql!`](crate::sql): each text has each of the names with a value, and no other names than those
/// that get their value later.
pub const fn assert_named(texts: &[&str], names: &[&str], later: &[&str]) {
    let mut text = 0;
    while text < texts.len() {
        assert_text(texts[text].as_bytes(), names, later);
        text += 1;
    }
    let mut index = 0;
    while index < later.len() {
        let name = later[index].as_bytes();
        assert!(!is_listed(name, 0, name.len(), names), "a name with a value gets another one later");
        assert!(is_in_any(texts, name), "a name that gets its value later is in no text");
        index += 1;
    }
}

const fn assert_text(text: &[u8], names: &[&str], later: &[&str]) {
    assert!(!has_unnamed(text), "a text with names has no `?`");
    let mut at = 0;
    while let Some((start, end)) = next_name(text, at) {
        let is_known = is_listed(text, start + 1, end, names) || is_listed(text, start + 1, end, later);
        assert!(is_known, "a name in the text has no value");
        at = end;
    }
    let mut index = 0;
    while index < names.len() {
        assert!(has_name(text, names[index].as_bytes()), "a value has no name in the text");
        index += 1;
    }
}

const fn is_in_any(texts: &[&str], name: &[u8]) -> bool {
    let mut text = 0;
    while text < texts.len() {
        if has_name(texts[text].as_bytes(), name) {
            return true;
        }
        text += 1;
    }
    false
}

/// Start and end of the next `@name`. Quoted text and operators such as `@>` are no names.
const fn next_name(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let (mut at, mut quoted) = (from, false);
    while at < text.len() {
        if text[at] == b'\'' {
            quoted = !quoted;
        } else if text[at] == b'@' && !quoted && at + 1 < text.len() && text[at + 1].is_ascii_lowercase() {
            let mut end = at + 1;
            while end < text.len() && (text[end].is_ascii_alphanumeric() || text[end] == b'_') {
                end += 1;
            }
            return Some((at, end));
        }
        at += 1;
    }
    None
}

const fn has_unnamed(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'?' {
            return true;
        }
        at += 1;
    }
    false
}

const fn has_name(text: &[u8], name: &[u8]) -> bool {
    let mut at = 0;
    while let Some((start, end)) = next_name(text, at) {
        if is_equal(text, start + 1, end, name) {
            return true;
        }
        at = end;
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
    let mut at = 0;
    while at < name.len() {
        if text[start + at] != name[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Dialect;

    #[test]
    fn each_occurrence_of_a_name_is_a_bind_of_its_own() {
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
    fn an_appended_statement_has_names_of_its_own() {
        let inner = Sql::new("a <= @now AND id = @id AND b = ?").bind(7).named("id", 1);
        let sql = Sql::new("SELECT id = @id, ").append(inner).push(" AND c > @now");
        let (text, values) = sql.named("id", 2).named("now", 5).render(Dialect::Postgres);
        assert_eq!(text, "SELECT id = $1, a <= $2 AND id = $3 AND b = $4 AND c > $5");
        assert_eq!(values, [2, 5, 1, 7, 5].map(Val::from));
    }

    #[test]
    #[should_panic(expected = "no value for @now in SELECT @now")]
    fn a_name_without_a_value_reaches_no_database() {
        drop(Sql::new("SELECT @now").named("id", 1).render(Dialect::Sqlite));
    }

    #[test]
    #[should_panic(expected = "two values for @id")]
    fn a_name_has_one_value() {
        drop(Sql::new("SELECT @id").named("id", 1).named("id", 2));
    }

    #[test]
    fn statements_share_their_values() {
        let name = "new";
        let [insert, update] = sql!(
            ["INSERT INTO t (a, b, at) VALUES (@name, @b, @now)", "UPDATE t SET a = @name, b = @b WHERE id = @id"],
            { name, b: 1 },
            later: [now, id],
        );
        let (text, values) = insert.named("now", 5).render(Dialect::Sqlite);
        assert_eq!(text, "INSERT INTO t (a, b, at) VALUES ($1, $2, $3)");
        assert_eq!(values, [Val::from("new"), Val::from(1), Val::from(5)]);
        let (text, values) = update.push(" AND c = ?").bind(true).named("id", 7).render(Dialect::Postgres);
        assert_eq!(text, "UPDATE t SET a = $1, b = $2 WHERE id = $3 AND c = $4");
        assert_eq!(values, [Val::from("new"), Val::from(1), Val::from(7), Val::from(true)]);
    }

    #[test]
    fn a_shared_value_is_computed_once() {
        let mut calls = 0;
        let mut next = || {
            calls += 1;
            calls
        };
        let statements = sql!(["SELECT @a", "SELECT -@a", "SELECT @a + @a"], { a: next() });
        let values = statements.map(|sql| sql.render(Dialect::Sqlite).1);
        assert_eq!(values, [vec![Val::from(1)], vec![Val::from(1)], vec![Val::from(1), Val::from(1)]]);
    }

    #[test]
    #[should_panic(expected = "no value for @id in")]
    fn a_later_value_is_given_before_the_database_gets_the_statement() {
        let [_, update] = sql!(["SELECT @a", "UPDATE t SET a = @a WHERE id = @id"], { a: 1 }, later: [id]);
        drop(update.render(Dialect::Sqlite));
    }

    #[test]
    fn names_and_values_belong_together() {
        assert_named(&["SELECT @a, '@c', @b, @a"], &["b", "a"], &[]);
        assert_named(&["SELECT @a, @b", "SELECT @c, @a"], &["a"], &["b", "c"]);
        let wrong: [(&[&str], &[&str], &[&str]); 11] = [
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
        for (texts, names, later) in wrong {
            let checked = std::panic::catch_unwind(|| assert_named(texts, names, later));
            assert!(checked.is_err(), "{texts:?} {names:?} {later:?}");
        }
    }
}
