//! Positions of records in lists that staff sort, such as services in a service type. A request sends all ids of the list in
//! the new order. The number of SQL statements does not depend on the length of the list.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, RecordId};
use panel_kernel::error::{Error, Result};

use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::UnitOfWork;

const MAX_RECORDS: usize = 10_000;

/// Declares a list whose records staff can sort.
#[derive(Debug, Clone, Copy)]
pub struct SortableList {
    /// The field of the request that holds the sorted ids.
    pub field: &'static str,
    /// For example `SELECT id, sorting FROM services WHERE service_type_id = ?`; with a `?` only if the list has a parent.
    pub select_sql: &'static str,
    /// For example `UPDATE services SET sorting = r.place FROM `; rows `r` of id and new position follow.
    pub update_sql: &'static str,
    /// For example ` WHERE services.id = r.id`, which ends the update.
    pub update_where_sql: &'static str,
}

/// Sorts the records of `parent` as `requested` does, and returns the previous order.
pub async fn sort<I: Id>(
    work: &mut UnitOfWork,
    list: SortableList,
    parent: Option<RecordId>,
    requested: &[I],
) -> Result<Vec<I>> {
    let mut sql = Sql::new(list.select_sql);
    if let Some(parent) = parent {
        sql = sql.bind(parent);
    }
    let rows: Vec<(i64, i64)> = work.fetch_all(sql.push(" ORDER BY id").for_update()).await?;
    let mut rows: Vec<(I, i64)> = rows.into_iter().map(|(id, sorting)| (I::new(id), sorting)).collect();
    rows.sort_unstable_by_key(|(id, sorting)| (*sorting, *id));
    let previous_order: Vec<I> = rows.iter().map(|(id, _)| *id).collect();
    check_complete(list.field, &previous_order, requested)?;
    let current_positions: BTreeMap<I, i64> = rows.into_iter().collect();
    let moved =
        requested.iter().zip(1_i64..).filter(|(id, position)| current_positions.get(*id) != Some(position));
    let rows: Vec<Vec<Val>> = moved.map(|(id, position)| vec![id.get().into(), position.into()]).collect();
    if !rows.is_empty() {
        work.execute(Sql::new(list.update_sql).rows("r", &["id", "place"], rows).push(list.update_where_sql))
            .await?;
    }
    Ok(previous_order)
}

/// Checks that a list names every existing record exactly once.
fn check_complete<I: Id>(field: &str, current: &[I], requested: &[I]) -> Result<()> {
    if requested.len() > MAX_RECORDS {
        return Err(FieldErrors::single(field, format!("Sort at most {MAX_RECORDS} records.")).into());
    }
    let mut distinct = BTreeSet::new();
    let mut errors = FieldErrors::default();
    for (index, id) in requested.iter().enumerate().filter(|(_, id)| !distinct.insert(**id)) {
        errors.add(format!("{field}.{index}"), format!("{id} is in the list twice; list it once."));
    }
    errors.into_result(())?;
    let current: BTreeSet<I> = current.iter().copied().collect();
    if distinct == current {
        return Ok(());
    }
    let (missing, unknown) = (current.difference(&distinct).count(), distinct.difference(&current).count());
    Err(Error::conflict(
        "list_changed",
        format!(
            "The list changed: {missing} of its records are missing in the request, {unknown} are no longer in it. Reload and sort again."
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_must_name_every_record_exactly_once() {
        let error_code = |requested: &[i64]| {
            let to_ids = |numbers: &[i64]| numbers.iter().copied().map(RecordId::new).collect::<Vec<_>>();
            match check_complete("ids", &to_ids(&[1, 2, 3]), &to_ids(requested)) {
                Ok(()) => String::new(),
                Err(error) => error.report("").code.to_owned(),
            }
        };
        assert_eq!(error_code(&[3, 1, 2]), "");
        assert_eq!(error_code(&[3, 1]), "list_changed");
        assert_eq!(error_code(&[3, 1, 2, 4]), "list_changed");
        assert_eq!(error_code(&[3, 1, 2, 1]), "invalid");
    }
}
