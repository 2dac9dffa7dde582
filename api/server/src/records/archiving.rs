//! Putting a record away and taking it back: one way for every record that can be archived. What else a record asks for
//! before it goes, or does when it comes back, stays with the record.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::ids::{Id, RecordId};
use panel_domain::state_machine::next;
use panel_domain::states::archivables::{ArchivableEvent, ArchivableState, Archivables};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::records::change_log::ChangedRecord;
use crate::records::{changes, undo};
use crate::stores::archivables;
use panel_platform::audit::restore::Snapshot;
use panel_platform::work::Work;

/// A kind of record with an `is_archived`.
#[derive(Debug)]
pub struct Archivable {
    /// What the change log calls it.
    pub model: ChangeModel,
    /// Its table, which has `is_archived` and `updated_at`.
    pub table: &'static str,
    /// What a person calls one.
    pub noun: &'static str,
    /// The codes of "archived already" and of "not archived".
    pub codes: [&'static str; 2],
}

impl Archivable {
    /// Whether it can be archived (`away`), or restored.
    pub fn judge(&self, is_archived: bool, away: bool) -> Result<(), Rejection> {
        let event = ArchivableEvent::of(away);
        if next::<Archivables>(ArchivableState::of(is_archived), event).is_some() {
            return Ok(());
        }
        let [already, not] = self.codes;
        Err(match event {
            ArchivableEvent::Archive => {
                Rejection::conflict(already, format!("This {} is archived already.", self.noun))
            }
            ArchivableEvent::Restore => {
                Rejection::conflict(not, format!("This {} is not archived.", self.noun))
            }
        })
    }

    /// Writes what was judged, on condition that nobody was faster, and tells of it.
    pub async fn put(&self, work: &mut Work, (id, name): (impl Id, &str), away: bool) -> Result<()> {
        let before = self.before(work, id).await?;
        let stamp = work.stamp();
        if !archivables::set_archived(work, self.table, id, away, stamp).await?.is_applied() {
            let message = format!("Somebody else was faster; reload to see where the {} stands.", self.noun);
            return Err(Error::conflict("changed_meanwhile", message));
        }
        self.tell(work, (id, name), away, &before).await
    }

    /// The state of a record before it is put away or brought back, so that this can be undone.
    pub async fn before(&self, work: &mut Work, id: impl Id) -> Result<Snapshot> {
        undo::before(work, self.model.as_str(), id).await
    }

    /// Only tells of it; for records that are written in a way of their own.
    pub async fn tell(
        &self,
        work: &mut Work,
        (id, name): (impl Id, &str),
        away: bool,
        before: &Snapshot,
    ) -> Result<()> {
        let action = if away { ChangeAction::Archived } else { ChangeAction::Unarchived };
        let noted = ChangedRecord { action, model: self.model, id: RecordId::new(id.get()), name };
        let values = (&json!({ "is_archived": !away }), &json!({ "is_archived": away }));
        changes::note_undoable(work, noted, values, before).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_yet_so_can_be_done() {
        let archivable = Archivable {
            model: ChangeModel::Page,
            table: "panel_pages",
            noun: "page",
            codes: ["page_archived", "page_not_archived"],
        };
        let said = |is_archived, away| archivable.judge(is_archived, away).map_err(|refusal| refusal.message);
        assert_eq!(said(false, true), Ok(()));
        assert_eq!(said(true, false), Ok(()));
        assert_eq!(said(true, true), Err("This page is archived already.".to_owned()));
        assert_eq!(said(false, false), Err("This page is not archived.".to_owned()));
        assert_eq!(archivable.judge(true, true).unwrap_err().code, "page_archived");
        assert_eq!(archivable.judge(false, false).unwrap_err().code, "page_not_archived");
    }
}
