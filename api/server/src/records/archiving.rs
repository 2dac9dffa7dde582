//! Archiving a record and restoring it: one way for every kind in [`archivables`](super::archivables). What else a record asks
//! for before it goes, or does when it comes back, stays with the record.

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
use panel_platform::work::Work;

// Routes

impl Api {
    /// Ties the endpoints that archive (`A`) and restore (`U`) a record to its declaration; `answer` commits the work and
    /// shows the record.
    #[must_use]
    pub fn archiving<A, U, H, F, R>(self, archivable: &'static Archivable, answer: H) -> Self
    where
        A: Endpoint<Path: Id>,
        U: Endpoint<Path = A::Path, Answer = A::Answer>,
        H: Fn(Work, A::Path) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<R>> + Send + 'static,
        R: IntoReply<A::Answer> + 'static,
    {
        self.archiving_by::<A, U, _, _, _>(move |ctx: Ctx, id: A::Path, away| {
            let answer = answer.clone();
            async move {
                let mut work = ctx.begin().await?;
                archivable.apply(&mut work, id, away).await?;
                answer(work, id).await
            }
        })
    }

    /// As [`Api::archiving`], by a handler of its own (`away`: archives), for a record that brings others with it.
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
    /// What people call one.
    const fn noun(&self) -> &'static str {
        self.undoable.noun
    }

    /// Whether it can be archived (`away`), or restored.
    pub fn judge(&self, is_archived: bool, away: bool) -> Result<(), Rejection> {
        let event = ArchivableEvent::of(away);
        if next::<Archivables>(ArchivableState::of(is_archived), event).is_some() {
            return Ok(());
        }
        let [already, not] = self.codes;
        Err(match event {
            ArchivableEvent::Archive => {
                Rejection::conflict(already, format!("This {} is archived already.", self.noun()))
            }
            ArchivableEvent::Restore => {
                Rejection::conflict(not, format!("This {} is not archived.", self.noun()))
            }
        })
    }

    /// What a caller who `may` manage these records may do with one of them.
    #[must_use]
    pub fn actions(&self, may: bool, is_archived: bool, is_used: bool) -> ArchivableActions {
        ArchivableActions {
            editable: may,
            archivable: may && !is_used && self.judge(is_archived, true).is_ok(),
            restore: may && self.judge(is_archived, false).is_ok(),
        }
    }
}

// Store

impl Archivable {
    /// Archives the record `id` (`away`) or restores it, by what is declared of its kind.
    async fn apply(&self, work: &mut Work, id: impl Id, away: bool) -> Result<()> {
        let (name, is_archived) = self.lock(work, id).await?;
        self.judge(is_archived, away)?;
        if let (true, Some(uses)) = (away, self.uses) {
            uses::unless_used(work, uses, RecordId::new(id.get())).await?;
        }
        if let (false, Some(services)) = (away, self.services) {
            let services: Vec<(ServiceId,)> = work.all(Sql::new(services.select).ids(&[id])).await?;
            let services: Vec<ServiceId> = services.into_iter().map(|(id,)| id).collect();
            uses::unless_archived(work, self.noun(), &services).await?;
        }
        self.put(work, (id, &name), away).await
    }

    /// Locks a record: its name and whether it is archived.
    async fn lock(&self, work: &mut Work, id: impl Id) -> Result<(String, bool)> {
        work.lock(self.undoable.table, &[id]).await?;
        let sql = Sql::new("SELECT name, is_archived FROM ").push(self.undoable.table).push(" WHERE id = ?");
        let record = work.opt(sql.bind(id.get())).await?;
        record.ok_or_else(|| Error::not_found(self.noun(), id))
    }

    /// Writes what was judged, on condition that nobody was faster, and tells of it.
    pub async fn put(&self, work: &mut Work, (id, name): (impl Id, &str), away: bool) -> Result<()> {
        let before = self.before(work, id).await?;
        let stamp = work.stamp();
        if !archivables::set_archived(work, self.undoable.table, id, away, stamp).await?.is_applied() {
            let message =
                format!("Somebody else was faster; reload to see where the {} stands.", self.noun());
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
    use crate::records::archivables::PAGE;

    #[test]
    fn only_what_is_not_yet_so_can_be_done() {
        let judged = |is_archived, away| PAGE.judge(is_archived, away).map_err(|refusal| refusal.message);
        assert_eq!(judged(false, true), Ok(()));
        assert_eq!(judged(true, false), Ok(()));
        assert_eq!(judged(true, true), Err("This page is archived already.".to_owned()));
        assert_eq!(judged(false, false), Err("This page is not archived.".to_owned()));
        assert_eq!(PAGE.judge(true, true).unwrap_err().code, "page_archived");
        assert_eq!(PAGE.judge(false, false).unwrap_err().code, "page_not_archived");
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
