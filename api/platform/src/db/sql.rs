//! SQL as data: fixed texts and bound values, rendered for the database that runs it.
//!
//! Only `&'static str` gets in as text, so nothing that a person typed can become SQL.

use std::time::Duration;

use panel_contract::amount::{Fraction, Money, Percent};
use panel_contract::ids::Id;
use panel_contract::moment::{Day, Stamp, Time, micros};
use serde::{Serialize, Serializer};

use crate::db::Dialect;
use crate::db::named::assert_resolved;
use crate::db::statement_name::{NameReader, StatementName};

/// A bound value. `None` is a NULL that still knows its type (PostgreSQL asks).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Val {
    /// BIGINT.
    Int(Option<i64>),
    /// TEXT.
    Text(Option<String>),
    /// BOOLEAN.
    Bool(Option<bool>),
    /// BYTEA or BLOB.
    Bytes(Option<Vec<u8>>),
    /// Many BIGINTs as one bind.
    Ints(Vec<i64>),
}

macro_rules! val_from {
    ($($variant:ident: $($kind:ty => |$value:ident| $make:expr),+;)+) => { $($(
        impl From<$kind> for Val {
            fn from($value: $kind) -> Self { Self::$variant(Some($make)) }
        }
        impl From<Option<$kind>> for Val {
            fn from(value: Option<$kind>) -> Self { Self::$variant(value.map(|$value| $make)) }
        }
    )+)+ };
}

val_from! {
    Int: i64 => |v| v, i32 => |v| i64::from(v), u32 => |v| i64::from(v), Money => |v| v.0, Fraction => |v| v.0,
        Percent => |v| v.0, Time => |v| v.0, Stamp => |v| v.0, Day => |v| v.0, Duration => |v| micros(v);
    Text: String => |v| v, &str => |v| v.to_owned();
    Bool: bool => |v| v;
    Bytes: Vec<u8> => |v| v;
}

macro_rules! val_of_ids {
    ($($name:ident)+) => { $(
        impl From<panel_contract::ids::$name> for Val {
            fn from(id: panel_contract::ids::$name) -> Self {
                Self::Int(Some(id.get()))
            }
        }
        impl From<Option<panel_contract::ids::$name>> for Val {
            fn from(id: Option<panel_contract::ids::$name>) -> Self {
                Self::Int(id.map(Id::get))
            }
        }
    )+ };
}
panel_contract::for_each_id!(val_of_ids);

/// A field of a destructured draft.
impl<T: Copy + Into<Self>> From<&T> for Val {
    fn from(value: &T) -> Self {
        (*value).into()
    }
}

#[derive(Debug, Clone)]
pub(super) enum Part {
    Text(&'static str),
    Either(&'static str, &'static str),
    Bind(Val),
    Ids(Vec<i64>),
    Rows { alias: &'static str, columns: Vec<&'static str>, rows: Vec<Vec<Val>> },
    Object(Vec<(&'static str, &'static str)>),
}

/// A statement in the making. Each `?` in a text takes the next value bound after that text, each `@name` the value of that name.
#[derive(Debug, Clone, Default)]
pub struct Sql {
    pub(super) parts: Vec<Part>,
    /// Rest of the last text, from its first unbound `?`.
    rest: Option<&'static str>,
    /// Values of the names in its texts.
    pub(super) names: Vec<(&'static str, Val)>,
}

impl Sql {
    /// Starts with a text.
    #[must_use]
    pub fn new(text: &'static str) -> Self {
        Self::default().push(text)
    }

    /// Nothing yet.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds a text; its `?` are bound by the next calls of [`Sql::bind`].
    #[must_use]
    pub fn push(mut self, text: &'static str) -> Self {
        assert!(self.rest.is_none(), "a value is missing before {text}");
        self.take_text(text);
        self
    }

    /// Binds the next `?`; without one the value stands where it is pushed.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Val>) -> Self {
        self.parts.push(Part::Bind(value.into()));
        if let Some(rest) = self.rest.take() {
            self.take_text(rest);
        }
        self
    }

    /// Adds another statement's parts.
    #[must_use]
    pub fn append(mut self, other: Self) -> Self {
        assert!(self.rest.is_none() && other.rest.is_none(), "a value is missing");
        self.parts.extend(other.resolved());
        self
    }

    /// Adds a set of ids, to stand behind `IN`: one bind however many they are.
    #[must_use]
    pub fn ids<I: Id>(self, ids: &[I]) -> Self {
        self.numbers(ids.iter().map(|id| id.get()))
    }

    /// Adds a set of numbers, to stand behind `IN`: one bind however many they are.
    #[must_use]
    pub fn numbers(mut self, numbers: impl IntoIterator<Item = i64>) -> Self {
        self.parts.push(Part::Ids(numbers.into_iter().collect()));
        self
    }

    /// Adds a table of given rows, to stand behind `FROM` or `JOIN`. Every row has a value per column, of one
    /// kind per column.
    #[must_use]
    pub fn rows(mut self, alias: &'static str, columns: &[&'static str], rows: Vec<Vec<Val>>) -> Self {
        self.parts.push(Part::Rows { alias, columns: columns.to_vec(), rows });
        self
    }

    /// Adds an expression that makes one JSON text of named expressions: `{"status": …}`.
    #[must_use]
    pub fn object(mut self, fields: Vec<(&'static str, &'static str)>) -> Self {
        self.parts.push(Part::Object(fields));
        self
    }

    /// Adds one text on SQLite and another on PostgreSQL, neither with a name. Only `db` and `table` may.
    #[must_use]
    pub fn either(mut self, sqlite: &'static str, postgres: &'static str) -> Self {
        self.parts.push(Part::Either(sqlite, postgres));
        self
    }

    /// Locks the rows read until the transaction ends. SQLite has one writer, which holds the lock already.
    ///
    /// Keys never change, so rows that refer to these may be written meanwhile: an audit entry about a customer does
    /// not wait for the lock on their balance.
    ///
    /// A statement that waits for a lock then sees these rows as they are, but all other tables as they were before
    /// the wait. It therefore selects columns of the one table only; `Work::lock` comes before a read that joins.
    #[must_use]
    pub fn for_update(self) -> Self {
        debug_assert!(self.reads_one_table(), "lock the rows first, then read what joins them: {self:?}");
        self.either("", " FOR NO KEY UPDATE")
    }

    /// Whether what is selected comes from one table: no join, no subquery among the columns.
    fn reads_one_table(&self) -> bool {
        let text = self.clone().render(Dialect::Postgres).0;
        let outermost = text.split(" WHERE ").next().unwrap_or_default();
        outermost.matches("SELECT ").count() == 1 && !outermost.contains(" JOIN ")
    }

    /// Keeps the rows read as they are until the transaction ends; others may do the same at once.
    #[must_use]
    pub fn for_share(self) -> Self {
        self.either("", " FOR SHARE")
    }

    /// As [`Sql::for_share`], but of one joined table only.
    #[must_use]
    pub fn for_share_of(self, alias: &'static str) -> Self {
        self.either("", " FOR SHARE OF ").either("", alias)
    }

    /// As [`Sql::for_update`], but rows that others hold are left out: workers side by side take different ones.
    #[must_use]
    pub fn for_update_skipping(self) -> Self {
        self.either("", " FOR UPDATE SKIP LOCKED")
    }

    /// As [`Sql::for_update_skipping`], but of one joined table only.
    #[must_use]
    pub fn for_update_skipping_of(self, alias: &'static str) -> Self {
        self.either("", " FOR UPDATE OF ").either("", alias).either("", " SKIP LOCKED")
    }

    /// Chooses the rows of a write once, before anything is written, as the table `due`: within an UPDATE, PostgreSQL may
    /// look for them again and again, passes over those that it wrote just now, and takes more than the LIMIT.
    #[must_use]
    pub fn first(self) -> Self {
        Self::new("WITH due AS MATERIALIZED (").append(self).push(") ")
    }

    /// What it does, to which table.
    #[must_use]
    pub(crate) fn name(&self) -> StatementName {
        let mut reader = NameReader::new();
        for part in &self.parts {
            match part {
                Part::Text(text) | Part::Either(text, _) => {
                    if let Some(name) = reader.read(text) {
                        return name;
                    }
                }
                // A subquery of its own.
                _ if reader.expects_table() => break,
                _ => {}
            }
        }
        reader.end()
    }

    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn take_text(&mut self, text: &'static str) {
        match text.split_once('?') {
            Some((head, rest)) => {
                self.parts.push(Part::Text(head));
                self.rest = Some(rest);
            }
            None => self.parts.push(Part::Text(text)),
        }
    }

    /// The text and the values for one database.
    #[must_use]
    pub fn render(self, dialect: Dialect) -> (String, Vec<Val>) {
        assert!(self.rest.is_none(), "a value is missing at the end");
        let mut out = Rendered::default();
        for part in self.resolved() {
            out.part(part, dialect);
        }
        (out.text, out.values)
    }
}

#[derive(Default)]
struct Rendered {
    text: String,
    values: Vec<Val>,
}

impl Rendered {
    fn value(&mut self, value: Val) {
        self.values.push(value);
        self.text.push('$');
        self.text.push_str(&self.values.len().to_string());
    }

    fn words(&mut self, text: &str) {
        assert_resolved(text);
        self.text.push_str(text);
    }

    fn part(&mut self, part: Part, dialect: Dialect) {
        match (part, dialect) {
            (Part::Text(text) | Part::Either(text, _), Dialect::Sqlite)
            | (Part::Text(text) | Part::Either(_, text), Dialect::Postgres) => self.words(text),
            (Part::Bind(value), _) => self.value(value),
            // PostgreSQL expects many of a set and plans anew at each execution, which costs more than reading one row.
            (Part::Ids(ids), Dialect::Postgres) if ids.len() == 1 => {
                self.text.push('(');
                self.value(ids[0].into());
                self.text.push(')');
            }
            (Part::Ids(ids), Dialect::Sqlite) => {
                self.text.push_str("(SELECT value FROM json_each(");
                self.value(Val::Text(Some(serde_json::json!(ids).to_string())));
                self.text.push_str("))");
            }
            (Part::Ids(ids), Dialect::Postgres) => {
                self.text.push_str("(SELECT unnest(");
                self.value(Val::Ints(ids));
                self.text.push_str("))");
            }
            (Part::Object(fields), dialect) => self.object(&fields, dialect),
            (Part::Rows { alias, columns, rows }, dialect) => self.table(alias, &columns, &rows, dialect),
        }
    }

    fn object(&mut self, fields: &[(&str, &str)], dialect: Dialect) {
        let named: Vec<String> = fields.iter().map(|(name, sql)| format!("'{name}', {sql}")).collect();
        let (open, close) = match dialect {
            Dialect::Sqlite => ("json_object(", ")"),
            Dialect::Postgres => ("CAST(jsonb_build_object(", ") AS TEXT)"),
        };
        self.text.push_str(open);
        self.text.push_str(&named.join(", "));
        self.text.push_str(close);
    }

    /// Both read the rows from one JSON text: `[[1,"a"],…]`.
    fn table(&mut self, alias: &str, columns: &[&str], rows: &[Vec<Val>], dialect: Dialect) {
        let kinds: Vec<&Val> = rows.first().map(|row| row.iter().collect()).unwrap_or_default();
        let cells: Vec<String> = columns
            .iter()
            .enumerate()
            .map(|(at, column)| match (dialect, kinds.get(at)) {
                (Dialect::Sqlite, Some(Val::Bytes(_))) => {
                    format!("unhex(json_extract(value, '$[{at}]')) AS {column}")
                }
                (Dialect::Sqlite, _) => format!("json_extract(value, '$[{at}]') AS {column}"),
                (Dialect::Postgres, Some(Val::Text(_))) => format!("value->>{at} AS {column}"),
                (Dialect::Postgres, Some(Val::Bool(_))) => format!("(value->>{at})::boolean AS {column}"),
                (Dialect::Postgres, Some(Val::Bytes(_))) => {
                    format!("decode(value->>{at}, 'hex') AS {column}")
                }
                (Dialect::Postgres, _) => format!("(value->>{at})::bigint AS {column}"),
            })
            .collect();
        self.text.push_str(&format!("(SELECT {} FROM ", cells.join(", ")));
        self.text.push_str(if dialect == Dialect::Sqlite { "json_each(" } else { "jsonb_array_elements(" });
        // A text that could not be written would be empty, which no database takes for JSON.
        self.value(Val::Text(Some(serde_json::to_string(rows).unwrap_or_default())));
        self.text.push_str(if dialect == Dialect::Sqlite { ")" } else { "::jsonb)" });
        self.text.push_str(&format!(") {alias}"));
    }
}

/// As a cell of a row: straight into the text, for there may be a hundred thousand of them.
impl Serialize for Val {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(value) => value.serialize(serializer),
            Self::Text(value) => value.serialize(serializer),
            Self::Bool(value) => value.serialize(serializer),
            Self::Bytes(value) => value.as_deref().map(hex).serialize(serializer),
            Self::Ints(values) => values.serialize(serializer),
        }
    }
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_binds_in_order() {
        let sql = Sql::new("SELECT a FROM t WHERE b = ? AND c = ?")
            .bind(1)
            .bind("x")
            .push(" AND id IN ")
            .numbers([4, 5])
            .for_update();
        let (text, values) = sql.clone().render(Dialect::Postgres);
        assert_eq!(
            text,
            "SELECT a FROM t WHERE b = $1 AND c = $2 AND id IN (SELECT unnest($3)) FOR NO KEY UPDATE"
        );
        assert_eq!(values, [Val::from(1), Val::from("x"), Val::Ints(vec![4, 5])]);
        let (text, values) = sql.render(Dialect::Sqlite);
        assert_eq!(
            text,
            "SELECT a FROM t WHERE b = $1 AND c = $2 AND id IN (SELECT value FROM json_each($3))"
        );
        assert_eq!(values[2], Val::from("[4,5]"));
    }

    #[test]
    fn one_id_is_a_value_like_any_other() {
        let sql = Sql::new("SELECT a FROM t WHERE b = ? AND id IN ")
            .bind("x")
            .numbers([4])
            .push(" AND c = ?")
            .bind(2);
        let (text, values) = sql.render(Dialect::Postgres);
        assert_eq!(text, "SELECT a FROM t WHERE b = $1 AND id IN ($2) AND c = $3");
        assert_eq!(values, [Val::from("x"), Val::from(4), Val::from(2)]);
    }
}
