//! The order of a list. The id is always the last sort key, in the direction of the key before it, so that one index serves both.

use crate::db::Sql;
use crate::table::{Column, FilterKind, Table};

#[derive(Debug, Clone, Copy)]
pub(super) struct SortKey {
    pub(super) column: &'static Column,
    pub(super) descending: bool,
}

/// The names of the sort keys in the output of a CTE.
const KEY_NAMES: [&str; MAX_KEYS] = ["k0", "k1", "k2", "k3", "k4"];
/// Largest number of sort keys of one query.
pub(super) const MAX_KEYS: usize = 5;

/// Builds an order that ends with the id. Drops the keys after the id, because the id is unique.
pub(super) fn end_with_id(table: &Table, keys: Vec<SortKey>) -> Order {
    let mut keys_before_id: Vec<SortKey> = Vec::new();
    let mut is_id_descending = None;
    for key in keys {
        if key.column.expr == table.source.key {
            is_id_descending = Some(key.descending);
            break;
        }
        keys_before_id.push(key);
    }
    let last_direction = keys_before_id.last().map(|key| key.descending);
    let descending = is_id_descending.or(last_direction).unwrap_or(true);
    Order { keys: keys_before_id, descending }
}

/// The order of a list.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// The keys before the id.
    pub(super) keys: Vec<SortKey>,
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
        let is_equal =
            |(key, default): (&SortKey, &(&str, bool))| (key.column.name, key.descending) == *default;
        self.keys.len() == table.list.order.len()
            && self.keys.iter().zip(table.list.order).all(is_equal)
            && self.keys.last().is_none_or(|last| last.descending == self.descending)
    }

    /// Appends `, expr AS k0, …` to the SELECT of a CTE, for [`Self::order_by_selected_keys`].
    pub(super) fn select_keys(&self, sql: Sql) -> Sql {
        self.keys
            .iter()
            .zip(KEY_NAMES)
            .fold(sql, |sql, (key, name)| sql.push(", ").push(key.column.expr).push(" AS ").push(name))
    }

    /// Appends ` ORDER BY …` over the columns of the tables.
    pub(super) fn order_by(&self, sql: Sql, table: &Table) -> Sql {
        self.push_order_by(sql, |key, _| key.column.expr, table.source.key)
    }

    /// Appends ` ORDER BY …` over the keys that [`Self::select_keys`] selected.
    pub(super) fn order_by_selected_keys(&self, sql: Sql) -> Sql {
        self.push_order_by(sql, |_, index| KEY_NAMES[index], "id")
    }

    fn push_order_by(
        &self,
        sql: Sql,
        key_expr: impl Fn(&SortKey, usize) -> &'static str,
        id: &'static str,
    ) -> Sql {
        let mut sql = sql.push(" ORDER BY ");
        for (index, key) in self.keys.iter().enumerate() {
            sql = sql.push(key_expr(key, index));
            if matches!(key.column.kind, FilterKind::Text | FilterKind::Reference) {
                sql = sql.per_dialect(" COLLATE NOCASE", " COLLATE \"und-x-icu\"");
            }
            sql = sql.push(direction_sql(key.descending));
            if key.column.nullable {
                sql = sql.push(" NULLS LAST");
            }
            sql = sql.push(", ");
        }
        sql.push(id).push(direction_sql(self.descending))
    }
}

fn direction_sql(descending: bool) -> &'static str {
    if descending { " DESC" } else { " ASC" }
}
