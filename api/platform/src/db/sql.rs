//! SQL statements as data: fixed texts and bound values, which [`Sql::render`] renders for SQLite or PostgreSQL.
//!
//! SQL texts must be `&'static str`, so that the input of a user can never become SQL.

use std::time::Duration;

use panel_contract::amount::{Fraction, Money, Percent};
use panel_contract::ids::Id;
use panel_contract::moment::{Day, Time, Timestamp, duration_micros};
use serde::{Serialize, Serializer};

use crate::db::Dialect;
use crate::db::named::assert_resolved;
use crate::db::statement_name::{StatementName, StatementNameParser};

/// A bound value. `None` is a NULL with a type, which PostgreSQL requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Val {
    Int(Option<i64>),
    Text(Option<String>),
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
        Percent => |v| v.0, Time => |v| v.0, Timestamp => |v| v.0, Day => |v| v.0, Duration => |v| duration_micros(v);
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

/// Lets a field that a pattern borrows from a struct be bound without `*`.
impl<T: Copy + Into<Self>> From<&T> for Val {
    fn from(value: &T) -> Self {
        (*value).into()
    }
}

#[derive(Debug, Clone)]
pub(super) enum SqlPart {
    Text(&'static str),
    PerDialect { sqlite: &'static str, postgres: &'static str },
    Bind(Val),
    Ids(Vec<i64>),
    Rows { alias: &'static str, columns: Vec<&'static str>, rows: Vec<Vec<Val>> },
    JsonObject(Vec<(&'static str, &'static str)>),
}

/// Builder of a statement. [`Sql::bind`] fills the next `?` of the last text, and [`Sql::bind_named`] fills each `@name` of all texts.
#[derive(Debug, Clone, Default)]
pub struct Sql {
    pub(super) parts: Vec<SqlPart>,
    /// The text behind the first `?` that has no value yet.
    text_after_placeholder: Option<&'static str>,
    /// The values of the `@name` placeholders.
    pub(super) named_values: Vec<(&'static str, Val)>,
}

impl Sql {
    #[must_use]
    pub fn new(text: &'static str) -> Self {
        Self::default().push(text)
    }

    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds a text; its `?` are bound by the next calls of [`Sql::bind`].
    #[must_use]
    pub fn push(mut self, text: &'static str) -> Self {
        assert!(self.text_after_placeholder.is_none(), "a value is missing before {text}");
        self.add_text(text);
        self
    }

    /// Fills the next `?` of the last text. If none is open, appends a placeholder for the value at the end of the statement.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Val>) -> Self {
        self.parts.push(SqlPart::Bind(value.into()));
        if let Some(text) = self.text_after_placeholder.take() {
            self.add_text(text);
        }
        self
    }

    /// Adds the texts and values of another statement. An `@name` in it that has no value there takes its value here.
    #[must_use]
    pub fn append(mut self, other: Self) -> Self {
        let is_complete = self.text_after_placeholder.is_none() && other.text_after_placeholder.is_none();
        assert!(is_complete, "a value is missing");
        self.parts.extend(other.resolve_names());
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

    /// Adds a table of values, for use behind `FROM` or `JOIN`. Every row must have one value per column, and the values of a
    /// column must have the same type.
    #[must_use]
    pub fn rows(mut self, alias: &'static str, columns: &[&'static str], rows: Vec<Vec<Val>>) -> Self {
        self.parts.push(SqlPart::Rows { alias, columns: columns.to_vec(), rows });
        self
    }

    /// Adds an expression that builds a JSON text from named expressions: `{"status": …}`.
    #[must_use]
    pub fn json_object(mut self, fields: Vec<(&'static str, &'static str)>) -> Self {
        self.parts.push(SqlPart::JsonObject(fields));
        self
    }

    /// Adds one text on SQLite and another on PostgreSQL. Neither may contain a placeholder. Only `db` and `table` may call it.
    #[must_use]
    pub fn per_dialect(mut self, sqlite: &'static str, postgres: &'static str) -> Self {
        self.parts.push(SqlPart::PerDialect { sqlite, postgres });
        self
    }

    /// Locks the selected rows until the transaction ends. SQLite has one writer, which holds the lock already.
    ///
    /// Primary keys never change, so `FOR NO KEY UPDATE` suffices: other transactions may insert rows that reference the
    /// locked ones. An audit entry about a customer does not wait for the lock on the customer's balance.
    ///
    /// After PostgreSQL has waited for a lock, it reads the locked row again, but keeps the older snapshot of all other tables.
    /// The statement therefore reads one table only: lock first (`UnitOfWork::lock`), then run the query with joins.
    #[must_use]
    pub fn for_update(self) -> Self {
        debug_assert!(self.reads_one_table(), "lock the rows first, then run the query with joins: {self:?}");
        self.per_dialect("", " FOR NO KEY UPDATE")
    }

    /// Whether the statement selects columns of one table: no join, and no subquery among the columns.
    fn reads_one_table(&self) -> bool {
        let text = self.clone().render(Dialect::Postgres).0;
        let outer_select = text.split(" WHERE ").next().unwrap_or_default();
        outer_select.matches("SELECT ").count() == 1 && !outer_select.contains(" JOIN ")
    }

    /// Protects the selected rows from changes until the transaction ends; several transactions may hold this lock at once.
    #[must_use]
    pub fn for_share(self) -> Self {
        self.per_dialect("", " FOR SHARE")
    }

    /// As [`Sql::for_share`], but of one joined table only.
    #[must_use]
    pub fn for_share_of(self, alias: &'static str) -> Self {
        self.per_dialect("", " FOR SHARE OF ").per_dialect("", alias)
    }

    /// As [`Sql::for_update`], but skips rows that other transactions have locked, so that parallel workers claim different
    /// ones.
    #[must_use]
    pub fn for_update_skip_locked(self) -> Self {
        self.per_dialect("", " FOR UPDATE SKIP LOCKED")
    }

    /// As [`Sql::for_update_skip_locked`], but of one joined table only.
    #[must_use]
    pub fn for_update_skip_locked_of(self, alias: &'static str) -> Self {
        self.per_dialect("", " FOR UPDATE OF ").per_dialect("", alias).per_dialect("", " SKIP LOCKED")
    }

    /// Wraps this SELECT in a materialized CTE named `due`, for the UPDATE or DELETE that the caller appends. PostgreSQL may
    /// evaluate a plain subquery of an UPDATE several times; it then skips the rows that it has just written, and updates more
    /// rows than the LIMIT.
    #[must_use]
    pub fn into_materialized_cte(self) -> Self {
        Self::new("WITH due AS MATERIALIZED (").append(self).push(") ")
    }

    /// The operation and the table of the statement, as labels of metrics.
    #[must_use]
    pub(crate) fn name(&self) -> StatementName {
        let mut parser = StatementNameParser::new();
        for part in &self.parts {
            match part {
                SqlPart::Text(text) | SqlPart::PerDialect { sqlite: text, .. } => {
                    if let Some(name) = parser.parse_text(text) {
                        return name;
                    }
                }
                // The table is a subquery.
                _ if parser.expects_table() => break,
                _ => {}
            }
        }
        parser.finish()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn add_text(&mut self, text: &'static str) {
        match text.split_once('?') {
            Some((before, after)) => {
                self.parts.push(SqlPart::Text(before));
                self.text_after_placeholder = Some(after);
            }
            None => self.parts.push(SqlPart::Text(text)),
        }
    }

    /// The text and the values for one database.
    #[must_use]
    pub fn render(self, dialect: Dialect) -> (String, Vec<Val>) {
        assert!(self.text_after_placeholder.is_none(), "a value is missing at the end");
        let mut renderer = SqlRenderer::default();
        for part in self.resolve_names() {
            renderer.push_part(part, dialect);
        }
        (renderer.text, renderer.values)
    }
}

#[derive(Default)]
struct SqlRenderer {
    text: String,
    values: Vec<Val>,
}

impl SqlRenderer {
    fn push_value(&mut self, value: Val) {
        self.values.push(value);
        self.text.push('$');
        self.text.push_str(&self.values.len().to_string());
    }

    fn push_text(&mut self, text: &str) {
        assert_resolved(text);
        self.text.push_str(text);
    }

    fn push_part(&mut self, part: SqlPart, dialect: Dialect) {
        match (part, dialect) {
            (SqlPart::Text(text) | SqlPart::PerDialect { sqlite: text, .. }, Dialect::Sqlite)
            | (SqlPart::Text(text) | SqlPart::PerDialect { postgres: text, .. }, Dialect::Postgres) => {
                self.push_text(text)
            }
            (SqlPart::Bind(value), _) => self.push_value(value),
            // With `unnest`, PostgreSQL expects many rows and does not reuse its plan, which costs more than the read itself.
            (SqlPart::Ids(ids), Dialect::Postgres) if ids.len() == 1 => {
                self.text.push('(');
                self.push_value(ids[0].into());
                self.text.push(')');
            }
            (SqlPart::Ids(ids), Dialect::Sqlite) => {
                self.text.push_str("(SELECT value FROM json_each(");
                self.push_value(Val::Text(Some(serde_json::json!(ids).to_string())));
                self.text.push_str("))");
            }
            (SqlPart::Ids(ids), Dialect::Postgres) => {
                self.text.push_str("(SELECT unnest(");
                self.push_value(Val::Ints(ids));
                self.text.push_str("))");
            }
            (SqlPart::JsonObject(fields), dialect) => self.push_json_object(&fields, dialect),
            (SqlPart::Rows { alias, columns, rows }, dialect) => {
                self.push_value_table(alias, &columns, &rows, dialect)
            }
        }
    }

    fn push_json_object(&mut self, fields: &[(&str, &str)], dialect: Dialect) {
        let members: Vec<String> = fields.iter().map(|(name, sql)| format!("'{name}', {sql}")).collect();
        let (open, close) = match dialect {
            Dialect::Sqlite => ("json_object(", ")"),
            Dialect::Postgres => ("CAST(jsonb_build_object(", ") AS TEXT)"),
        };
        self.text.push_str(open);
        self.text.push_str(&members.join(", "));
        self.text.push_str(close);
    }

    /// Both databases read the rows from one JSON text: `[[1,"a"],…]`.
    fn push_value_table(&mut self, alias: &str, columns: &[&str], rows: &[Vec<Val>], dialect: Dialect) {
        // The first row decides the types of the columns.
        let first_row: &[Val] = rows.first().map_or(&[], Vec::as_slice);
        let cells: Vec<String> = columns
            .iter()
            .enumerate()
            .map(|(index, column)| match (dialect, first_row.get(index)) {
                (Dialect::Sqlite, Some(Val::Bytes(_))) => {
                    format!("unhex(json_extract(value, '$[{index}]')) AS {column}")
                }
                (Dialect::Sqlite, _) => format!("json_extract(value, '$[{index}]') AS {column}"),
                (Dialect::Postgres, Some(Val::Text(_))) => format!("value->>{index} AS {column}"),
                (Dialect::Postgres, Some(Val::Bool(_))) => format!("(value->>{index})::boolean AS {column}"),
                (Dialect::Postgres, Some(Val::Bytes(_))) => {
                    format!("decode(value->>{index}, 'hex') AS {column}")
                }
                (Dialect::Postgres, _) => format!("(value->>{index})::bigint AS {column}"),
            })
            .collect();
        self.text.push_str(&format!("(SELECT {} FROM ", cells.join(", ")));
        self.text.push_str(if dialect == Dialect::Sqlite { "json_each(" } else { "jsonb_array_elements(" });
        // On a serialization error the text is empty, which both databases reject as JSON.
        self.push_value(Val::Text(Some(serde_json::to_string(rows).unwrap_or_default())));
        self.text.push_str(if dialect == Dialect::Sqlite { ")" } else { "::jsonb)" });
        self.text.push_str(&format!(") {alias}"));
    }
}

/// Serializes a value as a cell of [`Sql::rows`], without an intermediate `serde_json::Value`, because a statement may have a
/// hundred thousand cells.
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

#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_in_order() {
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
    fn a_single_id_is_bound_as_a_scalar() {
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
