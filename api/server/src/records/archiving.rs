//! Archives and restores records, in one way for every kind in [`archivables`](super::archivables). Further conditions and
//! effects of a kind belong to the module of that kind.

use panel_contract::change_logs::ChangeAction;
use panel_contract::common::ArchivableActions;
use panel_contract::endpoint::Endpoint;
use panel_contract::ids::{Id, RecordId, ServiceId};
use panel_domain::state_machine::next;
use panel_domain::states::archivables::{ArchivableEvent, ArchivableState, Archivables};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::reply::IntoReply;
use crate::records::archivables::Archivable;
use crate::records::change_log::ChangedRecord;
use crate::records::{changes, undo, uses};
use crate::stores::archivables;
use panel_platform::audit::restore::Snapshot;
use panel_platform::db::{Source as _, Sql};
use panel_platform::work::UnitOfWork;

// Routes

impl Api {
    /// Registers the endpoints that archive (`A`) and restore (`U`) a record; `answer` commits the work and returns the record.
    #[must_use]
    pub fn archiving<A, U, H, F, R>(self, archivable: &'static Archivable, answer: H) -> Self
    where
        A: Endpoint<Path: Id>,
        U: Endpoint<Path = A::Path, Answer = A::Answer>,
        H: Fn(UnitOfWork, A::Path) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<R>> + Send + 'static,
        R: IntoReply<A::Answer> + 'static,
    {
        self.archiving_by::<A, U, _, _, _>(move |ctx: Ctx, id: A::Path, archive| {
            let answer = answer.clone();
            async move {
                let mut work = ctx.begin().await?;
                archivable.apply(&mut work, id, archive).await?;
                answer(work, id).await
            }
        })
    }

    /// Like [`Api::archiving`], with a custom handler (`archive`: archives, otherwise restores), for a record whose archiving
    /// changes other records.
    #[must_use]
    pub fn archiving_by<A, U, H, F, R>(self, handler: H) -> Self
    where
        A: Endpoint,
        U: Endpoint<Path = A::Path, Answer = A::Answer>,
        H: Fn(Ctx, A::Path, bool) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<R>> + Send + 'static,
        R: IntoReply<A::Answer> + 'static,
    {
        let restore = handler.clone();
        self.on::<A, _, _, _>(move |ctx, req: Req<A>| handler(ctx, req.path, true))
            .on::<U, _, _, _>(move |ctx, req: Req<U>| restore(ctx, req.path, false))
    }
}

// Rules

impl Archivable {
    const fn noun(&self) -> &'static str {
        self.undoable.noun
    }

    /// Checks whether it can be archived (`archive`) or restored.
    pub fn check(&self, is_archived: bool, archive: bool) -> Result<(), Rejection> {
        let event = ArchivableEvent::of(archive);
        if next::<Archivables>(ArchivableState::of(is_archived), event).is_some() {
            return Ok(());
        }
        let [already, not] = self.codes;
        Err(match event {
            ArchivableEvent::Archive => {
                Rejection::conflict(already, format!("This {} is already archived.", self.noun()))
            }
            ArchivableEvent::Restore => {
                Rejection::conflict(not, format!("This {} is not archived.", self.noun()))
            }
        })
    }

    /// The actions on a record that are open to a caller; `may` is whether the caller may manage these records.
    #[must_use]
    pub fn actions(&self, may: bool, is_archived: bool, is_used: bool) -> ArchivableActions {
        ArchivableActions {
            editable: may,
            archivable: may && !is_used && self.check(is_archived, true).is_ok(),
            restore: may && self.check(is_archived, false).is_ok(),
        }
    }
}

// Store

impl Archivable {
    /// Archives (`archive`) or restores the record `id`, by the declaration of its kind.
    async fn apply(&self, work: &mut UnitOfWork, id: impl Id, archive: bool) -> Result<()> {
        let (name, is_archived) = self.lock(work, id).await?;
        self.check(is_archived, archive)?;
        if let (true, Some(uses)) = (archive, self.uses) {
            uses::refuse_if_used(work, uses, RecordId::new(id.get())).await?;
        }
        if let (false, Some(services)) = (archive, self.services) {
            let services: Vec<(ServiceId,)> = work.all(Sql::new(services.select).ids(&[id])).await?;
            let services: Vec<ServiceId> = services.into_iter().map(|(id,)| id).collect();
            uses::refuse_if_archived(work, self.noun(), &services).await?;
        }
        self.save(work, (id, &name), archive).await
    }

    /// Locks a record, and returns its name and whether it is archived.
    async fn lock(&self, work: &mut UnitOfWork, id: impl Id) -> Result<(String, bool)> {
        work.lock(self.undoable.table, &[id]).await?;
        let sql = Sql::new("SELECT name, is_archived FROM ").push(self.undoable.table).push(" WHERE id = ?");
        let record = work.opt(sql.bind(id.get())).await?;
        record.ok_or_else(|| Error::not_found(self.noun(), id))
    }

    /// Writes the new state if the record still has the other one, and records the change.
    pub async fn save(
        &self,
        work: &mut UnitOfWork,
        (id, name): (impl Id, &str),
        archive: bool,
    ) -> Result<()> {
        let before = self.before(work, id).await?;
        let stamp = work.stamp();
        if !archivables::set_archived(work, self.undoable.table, id, archive, stamp).await?.is_applied() {
            let message =
                format!("The {} was changed by another request. Reload it and try again.", self.noun());
            return Err(Error::conflict("changed_meanwhile", message));
        }
        self.record_change(work, (id, name), archive, &before).await
    }

    /// The state of a record before it is archived or restored, for the undo.
    pub async fn before(&self, work: &mut UnitOfWork, id: impl Id) -> Result<Snapshot> {
        undo::before(work, self.model.as_str(), id).await
    }

    /// Records the change in the audit trail and the change log, without writing the record itself; for records that are
    /// written by their own module.
    pub async fn record_change(
        &self,
        work: &mut UnitOfWork,
        (id, name): (impl Id, &str),
        archive: bool,
        before: &Snapshot,
    ) -> Result<()> {
        let action = if archive { ChangeAction::Archived } else { ChangeAction::Unarchived };
        let changed = ChangedRecord { action, model: self.model, id: RecordId::new(id.get()), name };
        let values = (&json!({ "is_archived": !archive }), &json!({ "is_archived": archive }));
        changes::record_undoable(work, changed, values, before).await
    }
}

#[cfg(test)]
mod tests {
    use crate::records::archivables::PAGE;

    #[test]
    fn refuses_to_archive_or_restore_twice() {
        let check =
            |is_archived, archive| PAGE.check(is_archived, archive).map_err(|rejection| rejection.message);
        assert_eq!(check(false, true), Ok(()));
        assert_eq!(check(true, false), Ok(()));
        assert_eq!(check(true, true), Err("This page is already archived.".to_owned()));
        assert_eq!(check(false, false), Err("This page is not archived.".to_owned()));
        assert_eq!(PAGE.check(true, true).unwrap_err().code, "page_archived");
        assert_eq!(PAGE.check(false, false).unwrap_err().code, "page_not_archived");
    }

    #[test]
    fn actions_are_what_the_endpoints_allow() {
        let actions = |may, is_archived, is_used| {
            let actions = PAGE.actions(may, is_archived, is_used);
            [actions.editable, actions.archivable, actions.restore]
        };
        assert_eq!(actions(true, false, false), [true, true, false]);
        assert_eq!(actions(true, false, true), [true, false, false]);
        assert_eq!(actions(true, true, false), [true, false, true]);
        assert_eq!(actions(false, false, false), [false; 3]);
    }
}
