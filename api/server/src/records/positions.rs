//! The order of networks, service types and services: a whole list of ids at once, in one statement set however long.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, RecordId};
use panel_kernel::error::{Error, Result};

use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::Work;

/// Longest list.
const MOST: usize = 10_000;

/// A list that is put in order.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// The list's field in the request.
    pub field: &'static str,
    /// `SELECT id, sorting FROM services WHERE service_type_id = ?`; the `?` only where there is a parent.
    pub read: &'static str,
    /// `UPDATE services SET sorting = r.place FROM `; what follows is the same for all.
    pub write: &'static str,
    /// ` WHERE services.id = r.id`.
    pub on: &'static str,
}

/// Puts the list of `parent` in the order of `wanted`; the old order comes back.
pub async fn sort<I: Id>(
    work: &mut Work,
    places: Places,
    parent: Option<RecordId>,
    wanted: &[I],
) -> Result<Vec<I>> {
    let mut sql = Sql::new(places.read);
    if let Some(parent) = parent {
        sql = sql.bind(parent);
    }
    let rows: Vec<(i64, i64)> = work.all(sql.push(" ORDER BY id").for_update()).await?;
    let mut rows: Vec<(I, i64)> = rows.into_iter().map(|(id, sorting)| (I::new(id), sorting)).collect();
    rows.sort_unstable_by_key(|(id, sorting)| (*sorting, *id));
    let before: Vec<I> = rows.iter().map(|(id, _)| *id).collect();
    judge(places.field, &before, wanted)?;
    let now: BTreeMap<I, i64> = rows.into_iter().collect();
    let moved = wanted.iter().zip(1_i64..).filter(|(id, place)| now.get(*id) != Some(place));
    let rows: Vec<Vec<Val>> = moved.map(|(id, place)| vec![id.get().into(), place.into()]).collect();
    if !rows.is_empty() {
        work.exec(Sql::new(places.write).rows("r", &["id", "place"], rows).push(places.on)).await?;
    }
    Ok(before)
}

/// A list must name everything there is, once.
fn judge<I: Id>(field: &str, now: &[I], wanted: &[I]) -> Result<()> {
    if wanted.len() > MOST {
        return Err(FieldErrors::one(field, format!("Sort at most {MOST} records.")).into());
    }
    let mut seen = BTreeSet::new();
    let mut errors = FieldErrors::default();
    for (at, id) in wanted.iter().enumerate().filter(|(_, id)| !seen.insert(**id)) {
        errors.add(format!("{field}.{at}"), format!("{id} stands in the list twice; name it once."));
    }
    errors.or(())?;
    let now: BTreeSet<I> = now.iter().copied().collect();
    if seen == now {
        return Ok(());
    }
    let (missing, unknown) = (now.difference(&seen).count(), seen.difference(&now).count());
    Err(Error::conflict(
        "list_changed",
        format!(
            "The list changed meanwhile: {missing} of its records are missing here, {unknown} are not in it; reload and sort again."
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_everything_once() {
        let says = |wanted: &[i64]| {
            let ids = |raw: &[i64]| raw.iter().copied().map(RecordId::new).collect::<Vec<_>>();
            match judge("ids", &ids(&[1, 2, 3]), &ids(wanted)) {
                Ok(()) => "ok".to_owned(),
                Err(error) => error.report("").code.to_owned(),
            }
        };
        assert_eq!(says(&[3, 1, 2]), "ok");
        assert_eq!(says(&[3, 1]), "list_changed");
        assert_eq!(says(&[3, 1, 2, 4]), "list_changed");
        assert_eq!(says(&[3, 1, 2, 1]), "invalid");
    }
}
