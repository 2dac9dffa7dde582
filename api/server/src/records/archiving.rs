//! Archives and restores records of every kind in [`archivable_kinds`](super::archivable_kinds). The module of a kind contains the
//! conditions and effects that only this kind has.

use panel_contract::change_logs::ChangeAction;
use panel_contract::common::ArchivableActions;
use panel_contract::endpoint::Endpoint;
use panel_contract::ids::{Id, RecordId, ServiceId};
use panel_domain::state_machine::next_state;
use panel_domain::states::archivables::{ArchivableEvent, ArchivableState, Archivables};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::typed_response::IntoApiResponse;
use crate::records::archivable_kinds::Archivable;
use crate::records::change_log::ChangedRecord;
use crate::records::{changes, references, undo};
use crate::stores::archive_state;
use panel_platform::audit::restore::Snapshot;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;

// Routes

impl Api {
    /// Registers the endpoints that archive (`A`) and restore (`U`) a record. `respond` commits the unit of work and returns the
    /// record.
    #[must_use]
    pub fn archive_endpoints<A, U, H, F, R>(self, archivable: &'static Archivable, respond: H) -> Self
    where
        A: Endpoint<Path: Id>,
        U: Endpoint<Path = A::Path, Response = A::Response>,
        H: Fn(UnitOfWork, A::Path) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<R>> + Send + 'static,
        R: IntoApiResponse<A::Response> + 'static,
    {
        self.archive_endpoints_with_handler::<A, U, _, _, _>(move |ctx: Ctx, id: A::Path, archive| {
            let respond = respond.clone();
            async move {
                let mut work = ctx.begin().await?;
                archivable.archive_or_restore(&mut work, id, archive).await?;
                respond(work, id).await
            }
        })
    }

    /// Like [`Api::archive_endpoints`], with a custom handler, for a kind whose archiving changes other records. The handler
    /// archives the record if its last argument is true; otherwise it restores it.
    #[must_use]
    pub fn archive_endpoints_with_handler<A, U, H, F, R>(self, handler: H) -> Self
    where
        A: Endpoint,
        U: Endpoint<Path = A::Path, Response = A::Response>,
        H: Fn(Ctx, A::Path, bool) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<R>> + Send + 'static,
        R: IntoApiResponse<A::Response> + 'static,
    {
        let unarchive_handler = handler.clone();
        self.route::<A, _, _, _>(move |ctx, req: Req<A>| handler(ctx, req.path, true))
            .route::<U, _, _, _>(move |ctx, req: Req<U>| unarchive_handler(ctx, req.path, false))
    }
}

// Rules

impl Archivable {
    const fn noun(&self) -> &'static str {
        self.undoable.noun
    }

    /// Checks whether a record can be archived (`archive`) or restored.
    pub fn check_transition(&self, is_archived: bool, archive: bool) -> Result<(), Rejection> {
        let event = ArchivableEvent::of(archive);
        if next_state::<Archivables>(ArchivableState::of(is_archived), event).is_some() {
            return Ok(());
        }
        let [already_archived, not_archived] = self.codes;
        Err(match event {
            ArchivableEvent::Archive => {
                Rejection::conflict(already_archived, format!("This {} is already archived.", self.noun()))
            }
            ArchivableEvent::Restore => {
                Rejection::conflict(not_archived, format!("This {} is not archived.", self.noun()))
            }
        })
    }

    /// Returns which actions on a record the server accepts from a caller. `may_manage` is whether the caller may manage records of
    /// this kind, `is_used` whether another record refers to the record.
    #[must_use]
    pub fn allowed_actions(&self, may_manage: bool, is_archived: bool, is_used: bool) -> ArchivableActions {
        ArchivableActions {
            editable: may_manage,
            archivable: may_manage && !is_used && self.check_transition(is_archived, true).is_ok(),
            restore: may_manage && self.check_transition(is_archived, false).is_ok(),
        }
    }
}

// Store

impl Archivable {
    /// Archives (`archive`) or restores the record `id` after the checks that its kind declares.
    async fn archive_or_restore(&self, work: &mut UnitOfWork, id: impl Id, archive: bool) -> Result<()> {
        let (name, is_archived) = self.lock(work, id).await?;
        self.check_transition(is_archived, archive)?;
        if let (true, Some(rules)) = (archive, self.references) {
            references::reject_if_used(work, rules, RecordId::new(id.get())).await?;
        }
        if let (false, Some(services)) = (archive, self.required_services) {
            let rows: Vec<(ServiceId,)> = work.fetch_all(Sql::new(services.select_sql).ids(&[id])).await?;
            let service_ids: Vec<ServiceId> = rows.into_iter().map(|(id,)| id).collect();
            references::reject_if_archived(work, self.noun(), &service_ids).await?;
        }
        self.save(work, (id, &name), archive).await
    }

    /// Locks a record. Returns its name and whether it is archived.
    async fn lock(&self, work: &mut UnitOfWork, id: impl Id) -> Result<(String, bool)> {
        work.lock(self.undoable.table, &[id]).await?;
        let sql = Sql::new("SELECT name, is_archived FROM ").push(self.undoable.table).push(" WHERE id = ?");
        let name_and_state = work.fetch_optional(sql.bind(id.get())).await?;
        name_and_state.ok_or_else(|| Error::not_found(self.noun(), id))
    }

    /// Writes the new state and records the change. Returns a 409 if another request changed the state meanwhile.
    pub async fn save(
        &self,
        work: &mut UnitOfWork,
        (id, name): (impl Id, &str),
        archive: bool,
    ) -> Result<()> {
        let snapshot = self.take_snapshot(work, id).await?;
        let timestamp = work.timestamp();
        if !archive_state::set_archived(work, self.undoable.table, id, archive, timestamp).await?.is_applied()
        {
            let message =
                format!("The {} was changed by another request. Reload it and try again.", self.noun());
            return Err(Error::conflict("changed_meanwhile", message));
        }
        self.record_change(work, (id, name), archive, &snapshot).await
    }

    /// Reads the fields that an undo needs, before the record is archived or restored.
    pub async fn take_snapshot(&self, work: &mut UnitOfWork, id: impl Id) -> Result<Snapshot> {
        undo::take_snapshot(work, self.model.as_str(), id).await
    }

    /// Records the change in the audit trail and the change log, for a kind whose module writes the record itself. The caller took
    /// `snapshot` before that write.
    pub async fn record_change(
        &self,
        work: &mut UnitOfWork,
        (id, name): (impl Id, &str),
        archive: bool,
        snapshot: &Snapshot,
    ) -> Result<()> {
        let action = if archive { ChangeAction::Archived } else { ChangeAction::Unarchived };
        let changed_record = ChangedRecord { action, model: self.model, id: RecordId::new(id.get()), name };
        let old_and_new = (&json!({ "is_archived": !archive }), &json!({ "is_archived": archive }));
        changes::record_undoable(work, changed_record, old_and_new, snapshot).await
    }
}

#[cfg(test)]
mod tests {
    use crate::records::archivable_kinds::PAGE;

    #[test]
    fn rejects_archiving_or_restoring_a_record_twice() {
        let check_transition = |is_archived, archive| {
            PAGE.check_transition(is_archived, archive).map_err(|rejection| rejection.message)
        };
        assert_eq!(check_transition(false, true), Ok(()));
        assert_eq!(check_transition(true, false), Ok(()));
        assert_eq!(check_transition(true, true), Err("This page is already archived.".to_owned()));
        assert_eq!(check_transition(false, false), Err("This page is not archived.".to_owned()));
        assert_eq!(PAGE.check_transition(true, true).unwrap_err().code, "page_archived");
        assert_eq!(PAGE.check_transition(false, false).unwrap_err().code, "page_not_archived");
    }

    #[test]
    fn allows_exactly_the_actions_that_the_endpoints_accept() {
        let actions = |may_manage, is_archived, is_used| {
            let actions = PAGE.allowed_actions(may_manage, is_archived, is_used);
            [actions.editable, actions.archivable, actions.restore]
        };
        assert_eq!(actions(true, false, false), [true, true, false]);
        assert_eq!(actions(true, false, true), [true, false, false]);
        assert_eq!(actions(true, true, false), [true, false, true]);
        assert_eq!(actions(false, false, false), [false; 3]);
    }
}
