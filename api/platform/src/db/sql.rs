//! SQL as data: fixed texts and bound values, rendered for the database that runs it.
//!
//! Only `&'static str` is accepted as SQL text, so that no input of a user can become SQL.

use std::time::Duration;

use panel_contract::amount::{Fraction, Money, Percent};
use panel_contract::ids::Id;
use panel_contract::moment::{Day, Stamp, Time, micros};
use serde::{Serialize, Serializer};

use crate::db::Dialect;
use crate::db::named::assert_resolved;
use crate::db::statement_name::{StatementName, StatementNameParser};

/// A bound value. `None` is a NULL with a type, which PostgreSQL requires.
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
    /// Several BIGINTs in one bind.
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

/// For the fields of a struct that is matched by reference.
impl<T: Copy + Into<Self>> From<&T> for Val {
    fn from(value: &T) -> Self {
        (*value).into()
    }
}

#[derive(Debug, Clone)]
pub(super) enum SqlPart {
    Text(&'static str),
    Either(&'static str, &'static str),
    Bind(Val),
    Ids(Vec<i64>),
    Rows { alias: &'static str, columns: Vec<&'static str>, rows: Vec<Vec<Val>> },
    Object(Vec<(&'static str, &'static str)>),
}

/// Builder of a statement. Each `?` in a text takes the next value that is bound after that text, each `@name` the value of that
/// name.
#[derive(Debug, Clone, Default)]
pub struct Sql {
    pub(super) parts: Vec<SqlPart>,
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

    /// An empty statement.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds a text; its `?` are bound by the next calls of [`Sql::bind`].
    #[must_use]
    pub fn push(mut self, text: &'static str) -> Self {
        assert!(self.rest.is_none(), "a value is missing before {text}");
        self.add_text(text);
        self
    }

    /// Binds the next `?`; without one the value is appended at the current position.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Val>) -> Self {
        self.parts.push(SqlPart::Bind(value.into()));
        if let Some(rest) = self.rest.take() {
            self.add_text(rest);
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

    /// Adds a set of ids, for use behind `IN`: one bind for any number of ids.
    #[must_use]
    pub fn ids<I: Id>(self, ids: &[I]) -> Self {
        self.numbers(ids.iter().map(|id| id.get()))
    }

    /// Adds a set of numbers, for use behind `IN`: one bind for any number of them.
    #[must_use]
    pub fn numbers(mut self, numbers: impl IntoIterator<Item = i64>) -> Self {
        self.parts.push(SqlPart::Ids(numbers.into_iter().collect()));
        self
    }

    /// Adds a table of values, for use behind `FROM` or `JOIN`. Every row has one value per column, and the values of a
    /// column have one type.
    #[must_use]
    pub fn rows(mut self, alias: &'static str, columns: &[&'static str], rows: Vec<Vec<Val>>) -> Self {
        self.parts.push(SqlPart::Rows { alias, columns: columns.to_vec(), rows });
        self
    }

    /// Adds an expression that builds a JSON text from named expressions: `{"status": …}`.
    #[must_use]
    pub fn object(mut self, fields: Vec<(&'static str, &'static str)>) -> Self {
        self.parts.push(SqlPart::Object(fields));
        self
    }

    /// Adds one text on SQLite and another on PostgreSQL, neither with a name. Only `db` and `table` may call it.
    #[must_use]
    pub fn either(mut self, sqlite: &'static str, postgres: &'static str) -> Self {
        self.parts.push(SqlPart::Either(sqlite, postgres));
        self
    }

    /// Locks the rows read until the transaction ends. SQLite has one writer, which holds the lock already.
    ///
    /// Keys never change, so rows that refer to these may be written meanwhile: an audit entry about a customer does
    /// not wait for the lock on their balance.
    ///
    /// A statement that waits for a lock then sees these rows as they are, but all other tables as they were before
    /// the wait. It therefore selects columns of the one table only; `UnitOfWork::lock` comes before a read that joins.
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

    /// Locks the rows read against changes until the transaction ends; several transactions may do so at once.
    #[must_use]
    pub fn for_share(self) -> Self {
        self.either("", " FOR SHARE")
    }

    /// As [`Sql::for_share`], but of one joined table only.
    #[must_use]
    pub fn for_share_of(self, alias: &'static str) -> Self {
        self.either("", " FOR SHARE OF ").either("", alias)
    }

    /// As [`Sql::for_update`], but skips rows that other transactions have locked, so that parallel workers claim different
    /// ones.
    #[must_use]
    pub fn for_update_skipping(self) -> Self {
        self.either("", " FOR UPDATE SKIP LOCKED")
    }

    /// As [`Sql::for_update_skipping`], but of one joined table only.
    #[must_use]
    pub fn for_update_skipping_of(self, alias: &'static str) -> Self {
        self.either("", " FOR UPDATE OF ").either("", alias).either("", " SKIP LOCKED")
    }

    /// Selects the rows of a write once, before the write, as the table `due`. As a subquery of an UPDATE, PostgreSQL may
    /// evaluate the selection several times; it then skips the rows that it has just written, and updates more than the LIMIT.
    #[must_use]
    pub fn first(self) -> Self {
        Self::new("WITH due AS MATERIALIZED (").append(self).push(") ")
    }

    /// Operation and table of the statement, for metrics.
    #[must_use]
    pub(crate) fn name(&self) -> StatementName {
        let mut reader = StatementNameParser::new();
        for part in &self.parts {
            match part {
                SqlPart::Text(text) | SqlPart::Either(text, _) => {
                    if let Some(name) = reader.read(text) {
                        return name;
                    }
                }
                // The table is a subquery.
                _ if reader.expects_table() => break,
                _ => {}
            }
        }
        reader.end()
    }

    /// Whether the statement has no parts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn add_text(&mut self, text: &'static str) {
        match text.split_once('?') {
            Some((head, rest)) => {
                self.parts.push(SqlPart::Text(head));
                self.rest = Some(rest);
            }
            None => self.parts.push(SqlPart::Text(text)),
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

    fn push_text(&mut self, text: &str) {
        assert_resolved(text);
        self.text.push_str(text);
    }

    fn part(&mut self, part: SqlPart, dialect: Dialect) {
        match (part, dialect) {
            (SqlPart::Text(text) | SqlPart::Either(text, _), Dialect::Sqlite)
            | (SqlPart::Text(text) | SqlPart::Either(_, text), Dialect::Postgres) => self.push_text(text),
            (SqlPart::Bind(value), _) => self.value(value),
            // For a set, PostgreSQL estimates many rows and plans each execution anew, which costs more than reading one row.
            (SqlPart::Ids(ids), Dialect::Postgres) if ids.len() == 1 => {
                self.text.push('(');
                self.value(ids[0].into());
                self.text.push(')');
            }
            (SqlPart::Ids(ids), Dialect::Sqlite) => {
                self.text.push_str("(SELECT value FROM json_each(");
                self.value(Val::Text(Some(serde_json::json!(ids).to_string())));
                self.text.push_str("))");
            }
            (SqlPart::Ids(ids), Dialect::Postgres) => {
                self.text.push_str("(SELECT unnest(");
                self.value(Val::Ints(ids));
                self.text.push_str("))");
            }
            (SqlPart::Object(fields), dialect) => self.object(&fields, dialect),
            (SqlPart::Rows { alias, columns, rows }, dialect) => self.table(alias, &columns, &rows, dialect),
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

    /// Both databases read the rows from one JSON text: `[[1,"a"],…]`.
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
        // On a serialization error the text is empty, which both databases refuse as JSON.
        self.value(Val::Text(Some(serde_json::to_string(rows).unwrap_or_default())));
        self.text.push_str(if dialect == Dialect::Sqlite { ")" } else { "::jsonb)" });
        self.text.push_str(&format!(") {alias}"));
    }
}

/// As a cell of a row. Written without intermediate values, because there may be a hundred thousand cells.
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
