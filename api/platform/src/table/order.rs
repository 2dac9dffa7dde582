//! Sort keys. The id is always the last, in the direction of the one before it, so that an index serves both.

use crate::db::Sql;
use crate::table::{Column, Kind, Table};

/// One sort key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) column: &'static Column,
    pub(super) descending: bool,
}

/// The names of the sort keys in the output of a step.
const NAMES: [&str; MAX_KEYS] = ["k0", "k1", "k2", "k3", "k4"];
/// Largest number of sort keys of one query.
pub(super) const MAX_KEYS: usize = 5;

/// Drops the sort keys after the id, which is unique.
pub(super) fn normalize(table: &Table, keys: Vec<Key>) -> Order {
    let mut before_id: Vec<Key> = Vec::new();
    let mut id = None;
    for key in keys {
        if key.column.expr == table.source.key {
            id = Some(key.descending);
            break;
        }
        before_id.push(key);
    }
    let descending = id.or(before_id.last().map(|key| key.descending)).unwrap_or(true);
    Order { keys: before_id, descending }
}

/// The order of a list.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// The keys before the id.
    pub(super) keys: Vec<Key>,
    /// The direction of the id.
    pub(super) descending: bool,
}

impl Order {
    /// Whether the order is by id only, in either direction.
    pub(super) fn is_by_id(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether this is the order that the list declares, which has an index.
    pub(super) fn is_default(&self, table: &Table) -> bool {
        let is_equal = |(key, default): (&Key, &(&str, bool))| (key.column.name, key.descending) == *default;
        self.keys.len() == table.list.order.len()
            && self.keys.iter().zip(table.list.order).all(is_equal)
            && self.keys.last().is_none_or(|last| last.descending == self.descending)
    }

    /// `, expr AS k0, …` for a step whose rows are sorted later.
    pub(super) fn select_keys(&self, sql: Sql) -> Sql {
        self.keys
            .iter()
            .zip(NAMES)
            .fold(sql, |sql, (key, name)| sql.push(", ").push(key.column.expr).push(" AS ").push(name))
    }

    /// ` ORDER BY …` over the tables themselves.
    pub(super) fn order_by(&self, sql: Sql, table: &Table) -> Sql {
        self.write_order_by(sql, |key, _| key.column.expr, table.source.key)
    }

    /// ` ORDER BY …` over a step that selected its sort keys.
    pub(super) fn order_by_step(&self, sql: Sql) -> Sql {
        self.write_order_by(sql, |_, at| NAMES[at], "id")
    }

    fn write_order_by(&self, sql: Sql, name: impl Fn(&Key, usize) -> &'static str, id: &'static str) -> Sql {
        let mut sql = sql.push(" ORDER BY ");
        for (at, key) in self.keys.iter().enumerate() {
            sql = sql.push(name(key, at));
            if matches!(key.column.kind, Kind::Text | Kind::Ref) {
                sql = sql.either(" COLLATE NOCASE", " COLLATE \"und-x-icu\"");
            }
            sql = sql.push(direction(key.descending));
            if key.column.nullable {
                sql = sql.push(" NULLS LAST");
            }
            sql = sql.push(", ");
        }
        sql.push(id).push(direction(self.descending))
    }
}

fn direction(descending: bool) -> &'static str {
    if descending { " DESC" } else { " ASC" }
}
