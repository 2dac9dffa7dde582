//! Sort keys. The id is always the last, in the direction of the one before it, so that an index serves both.

use crate::db::Sql;
use crate::table::{Column, Kind, Table};

/// One sort key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) column: &'static Column,
    pub(super) descending: bool,
}

/// The names that sort keys have in a step that hands them on.
const NAMES: [&str; MOST] = ["k0", "k1", "k2", "k3", "k4"];
/// Most sort keys of one query.
pub(super) const MOST: usize = 5;

/// Sort keys that matter: what stands behind the id never does.
pub(super) fn trimmed(table: &Table, keys: Vec<Key>) -> Order {
    let mut kept: Vec<Key> = Vec::new();
    let mut id = None;
    for key in keys {
        if key.column.expr == table.source.key {
            id = Some(key.descending);
            break;
        }
        kept.push(key);
    }
    let descending = id.or(kept.last().map(|key| key.descending)).unwrap_or(true);
    Order { keys: kept, descending }
}

/// The order of a list.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// Before the id.
    pub(super) keys: Vec<Key>,
    /// The id's direction.
    pub(super) descending: bool,
}

impl Order {
    /// Whether it is by id only, in either direction.
    pub(super) fn is_by_id(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether it is the one that the list declares, for which there is an index.
    pub(super) fn is_own(&self, table: &Table) -> bool {
        let is = |(key, own): (&Key, &(&str, bool))| (key.column.name, key.descending) == *own;
        self.keys.len() == table.list.order.len()
            && self.keys.iter().zip(table.list.order).all(is)
            && self.keys.last().is_none_or(|last| last.descending == self.descending)
    }

    /// `, expr AS k0, …` for a step that hands its keys on.
    pub(super) fn selected(&self, sql: Sql) -> Sql {
        self.keys
            .iter()
            .zip(NAMES)
            .fold(sql, |sql, (key, name)| sql.push(", ").push(key.column.expr).push(" AS ").push(name))
    }

    /// ` ORDER BY …` over the tables themselves.
    pub(super) fn here(&self, sql: Sql, table: &Table) -> Sql {
        self.by(sql, |key, _| key.column.expr, table.source.key)
    }

    /// ` ORDER BY …` over a step that handed its keys on.
    pub(super) fn handed(&self, sql: Sql) -> Sql {
        self.by(sql, |_, at| NAMES[at], "id")
    }

    fn by(&self, sql: Sql, name: impl Fn(&Key, usize) -> &'static str, id: &'static str) -> Sql {
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
