//! Changes the order of records in lists that staff sort, such as the services of a service type. A request sends all ids of the
//! list in the new order. The number of SQL statements does not depend on the length of the list.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, RecordId};
use panel_kernel::error::{Error, Result};

use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::work::UnitOfWork;

const MAX_RECORDS: usize = 10_000;

/// Declares a list whose records staff can sort.
#[derive(Debug, Clone, Copy)]
pub struct SortableList {
    /// Name of the request field that holds the sorted ids.
    pub field: &'static str,
    /// Selects id and position, for example `SELECT id, sorting FROM services WHERE service_type_id = ?`. Contains a `?` only if
    /// the list belongs to a parent record.
    pub select_sql: &'static str,
    /// Start of the UPDATE, for example `UPDATE services SET sorting = r.place FROM `. [`sort`] appends the rows `r` with the
    /// columns `id` and `place`.
    pub update_sql: &'static str,
    /// End of the UPDATE, for example ` WHERE services.id = r.id`.
    pub update_where_sql: &'static str,
}

/// Stores the order `requested_order` for the list of the record `parent_id`, and returns the previous order.
pub async fn sort<I: Id>(
    work: &mut UnitOfWork,
    list: SortableList,
    parent_id: Option<RecordId>,
    requested_order: &[I],
) -> Result<Vec<I>> {
    let mut sql = Sql::new(list.select_sql);
    if let Some(parent_id) = parent_id {
        sql = sql.bind(parent_id);
    }
    let id_and_sorting: Vec<(i64, i64)> = work.fetch_all(sql.push(" ORDER BY id").for_update()).await?;
    let mut rows: Vec<(I, i64)> =
        id_and_sorting.into_iter().map(|(id, sorting)| (I::new(id), sorting)).collect();
    rows.sort_unstable_by_key(|(id, sorting)| (*sorting, *id));
    let previous_order: Vec<I> = rows.iter().map(|(id, _)| *id).collect();
    check_complete(list.field, &previous_order, requested_order)?;
    let current_positions: BTreeMap<I, i64> = rows.into_iter().collect();
    let moved_records = requested_order
        .iter()
        .zip(1_i64..)
        .filter(|(id, position)| current_positions.get(*id) != Some(position));
    let rows: Vec<Vec<Val>> =
        moved_records.map(|(id, position)| vec![id.get().into(), position.into()]).collect();
    if !rows.is_empty() {
        work.execute(Sql::new(list.update_sql).rows("r", &["id", "place"], rows).push(list.update_where_sql))
            .await?;
    }
    Ok(previous_order)
}

/// Checks that the requested order contains every existing record exactly once.
fn check_complete<I: Id>(field: &str, current_order: &[I], requested_order: &[I]) -> Result<()> {
    if requested_order.len() > MAX_RECORDS {
        return Err(FieldErrors::single(field, format!("Sort at most {MAX_RECORDS} records.")).into());
    }
    let mut requested_ids = BTreeSet::new();
    let mut errors = FieldErrors::default();
    for (index, id) in requested_order.iter().enumerate().filter(|(_, id)| !requested_ids.insert(**id)) {
        errors.add(format!("{field}.{index}"), format!("{id} is in the list twice; list it once."));
    }
    errors.into_result(())?;
    let current_ids: BTreeSet<I> = current_order.iter().copied().collect();
    if requested_ids == current_ids {
        return Ok(());
    }
    let missing_count = current_ids.difference(&requested_ids).count();
    let unknown_count = requested_ids.difference(&current_ids).count();
    Err(Error::conflict(
        "list_changed",
        format!(
            "The list changed: {missing_count} of its records are missing in the request, {unknown_count} records of the request are no longer in the list. Reload the list and sort it again."
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_must_contain_every_record_exactly_once() {
        let error_code = |requested_order: &[i64]| {
            let to_ids = |numbers: &[i64]| numbers.iter().copied().map(RecordId::new).collect::<Vec<_>>();
            match check_complete("ids", &to_ids(&[1, 2, 3]), &to_ids(requested_order)) {
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
