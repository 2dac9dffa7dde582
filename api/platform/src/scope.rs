//! The scope of a write or a list: the platform, the actor and the metadata of the request. It does not depend on HTTP.

use std::sync::{Arc, OnceLock};

use panel_contract::common::UndoOffer;
use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::actor::{Actor, StaffMember};
use panel_kernel::error::{Error, Result};
use panel_kernel::request_meta::RequestMeta;

use crate::db::Db;
use crate::platform::Platform;
use crate::work::UnitOfWork;

/// The scope of one request or of one piece of background work.
#[derive(Clone)]
pub struct Scope {
    /// The platform of the running panel.
    pub platform: Platform,
    /// Metadata of the request: id, address, language, idempotency key.
    pub meta: Arc<RequestMeta>,
    /// The actor: staff member, customer or system.
    pub actor: Actor,
    /// The offer to undo the request, once its transaction has ended and where it can be undone.
    undo: Arc<OnceLock<UndoOffer>>,
}

impl Scope {
    /// The scope of a request.
    #[must_use]
    pub fn new(platform: Platform, meta: Arc<RequestMeta>, actor: Actor) -> Self {
        Self { platform, meta, actor, undo: Arc::default() }
    }

    /// The scope of background work; `name` is the request id of its audit entries.
    #[must_use]
    pub fn system(platform: &Platform, name: &str) -> Self {
        Self::new(platform.clone(), Arc::new(RequestMeta::of_system(name)), Actor::System)
    }

    /// The same request without its idempotency key and never as a dry run: for answers that contain a session.
    #[must_use]
    pub fn once(&self) -> Self {
        let meta = RequestMeta { idempotency_key: None, dry_run: false, ..RequestMeta::clone(&self.meta) };
        Self { meta: Arc::new(meta), ..self.clone() }
    }

    /// The same request, whose audit entries name this user; a signed-in member of staff stays the actor.
    #[must_use]
    pub fn acting_as(self, user_id: UserId) -> Self {
        match self.actor {
            Actor::Staff(_) => self,
            _ => Self { actor: Actor::User(user_id), ..self },
        }
    }

    /// The signed-in member of staff; the guard ensures that there is one where the endpoint table requires a permission.
    pub fn caller(&self) -> Result<&StaffMember> {
        self.actor.staff().ok_or_else(|| Error::unauthenticated("unauthenticated"))
    }

    /// The `access_version` at which the cached session was loaded; none where it was loaded for this request.
    #[must_use]
    pub fn as_of(&self) -> Option<i64> {
        self.actor.staff().and_then(|staff| staff.as_of)
    }

    /// Returns an error for a cached session: the caller then repeats the request with a session loaded from the database.
    pub fn require_fresh_session(&self) -> Result<()> {
        match self.as_of() {
            None => Ok(()),
            Some(_) => Err(Error::unauthenticated("remembered")),
        }
    }

    /// Whether the caller holds `permission`.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.actor.staff().is_some_and(|staff| staff.may(permission))
    }

    /// The database, to read from.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.platform.db
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Time {
        self.platform.clock.now()
    }

    /// Begins the unit of work of a write.
    pub async fn begin(&self) -> Result<UnitOfWork> {
        UnitOfWork::begin(self.clone()).await
    }

    /// The offer to undo the request, once its transaction has ended.
    #[must_use]
    pub fn undo_offer(&self) -> Option<&UndoOffer> {
        self.undo.get()
    }

    /// Sets the offer to undo the request. Only the first transaction of a request sets it.
    pub fn offer_undo(&self, offer: UndoOffer) {
        drop(self.undo.set(offer));
    }
}
