//! Positions of networks, service types and services. A request sends the whole list of ids; the number of statements does not
//! depend on its length.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, RecordId};
use panel_kernel::error::{Error, Result};

use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::UnitOfWork;

/// Longest list, in records.
const MAX_RECORDS: usize = 10_000;

/// A list that can be sorted.
#[derive(Debug, Clone, Copy)]
pub struct SortableList {
    /// The list's field in the request.
    pub field: &'static str,
    /// `SELECT id, sorting FROM services WHERE service_type_id = ?`; with a `?` only if the list has a parent.
    pub read: &'static str,
    /// `UPDATE services SET sorting = r.place FROM `; the rest is the same for all lists.
    pub write: &'static str,
    /// ` WHERE services.id = r.id`.
    pub on: &'static str,
}

/// Puts the list of `parent` in the order of `requested`, and returns the previous order.
pub async fn sort<I: Id>(
    work: &mut UnitOfWork,
    places: SortableList,
    parent: Option<RecordId>,
    requested: &[I],
) -> Result<Vec<I>> {
    let mut sql = Sql::new(places.read);
    if let Some(parent) = parent {
        sql = sql.bind(parent);
    }
    let rows: Vec<(i64, i64)> = work.all(sql.push(" ORDER BY id").for_update()).await?;
    let mut rows: Vec<(I, i64)> = rows.into_iter().map(|(id, sorting)| (I::new(id), sorting)).collect();
    rows.sort_unstable_by_key(|(id, sorting)| (*sorting, *id));
    let before: Vec<I> = rows.iter().map(|(id, _)| *id).collect();
    check_complete(places.field, &before, requested)?;
    let current: BTreeMap<I, i64> = rows.into_iter().collect();
    let moved = requested.iter().zip(1_i64..).filter(|(id, place)| current.get(*id) != Some(place));
    let rows: Vec<Vec<Val>> = moved.map(|(id, place)| vec![id.get().into(), place.into()]).collect();
    if !rows.is_empty() {
        work.exec(Sql::new(places.write).rows("r", &["id", "place"], rows).push(places.on)).await?;
    }
    Ok(before)
}

/// Checks that a list names every existing record exactly once.
fn check_complete<I: Id>(field: &str, current: &[I], requested: &[I]) -> Result<()> {
    if requested.len() > MAX_RECORDS {
        return Err(FieldErrors::one(field, format!("Sort at most {MAX_RECORDS} records.")).into());
    }
    let mut seen = BTreeSet::new();
    let mut errors = FieldErrors::default();
    for (at, id) in requested.iter().enumerate().filter(|(_, id)| !seen.insert(**id)) {
        errors.add(format!("{field}.{at}"), format!("{id} is in the list twice; list it once."));
    }
    errors.or(())?;
    let current: BTreeSet<I> = current.iter().copied().collect();
    if seen == current {
        return Ok(());
    }
    let (missing, unknown) = (current.difference(&seen).count(), seen.difference(&current).count());
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
        let outcome = |requested: &[i64]| {
            let ids = |raw: &[i64]| raw.iter().copied().map(RecordId::new).collect::<Vec<_>>();
            match check_complete("ids", &ids(&[1, 2, 3]), &ids(requested)) {
                Ok(()) => "ok".to_owned(),
                Err(error) => error.report("").code.to_owned(),
            }
        };
        assert_eq!(outcome(&[3, 1, 2]), "ok");
        assert_eq!(outcome(&[3, 1]), "list_changed");
        assert_eq!(outcome(&[3, 1, 2, 4]), "list_changed");
        assert_eq!(outcome(&[3, 1, 2, 1]), "invalid");
    }
}
