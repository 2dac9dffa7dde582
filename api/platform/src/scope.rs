//! The scope of a write or a list: the platform, the actor and the metadata of the request. This module does not depend on HTTP.

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

/// The scope of one request, or of one task of a worker.
#[derive(Clone)]
pub struct Scope {
    pub platform: Platform,
    /// Metadata of the request: id, address, language, idempotency key.
    pub meta: Arc<RequestMeta>,
    /// The staff member, the customer or the system.
    pub actor: Actor,
    /// Set at the end of the first transaction of the request, if staff can undo the request.
    undo: Arc<OnceLock<UndoOffer>>,
}

impl Scope {
    #[must_use]
    pub fn new(platform: Platform, meta: Arc<RequestMeta>, actor: Actor) -> Self {
        Self { platform, meta, actor, undo: Arc::default() }
    }

    /// Creates the scope of background work; `name` becomes the request id of its audit entries.
    #[must_use]
    pub fn system(platform: &Platform, name: &str) -> Self {
        Self::new(platform.clone(), Arc::new(RequestMeta::for_background_work(name)), Actor::System)
    }

    /// Removes the idempotency key and the dry run of the request, for responses that contain a session: the server must not store
    /// such a response for a replay.
    #[must_use]
    pub fn without_replay_and_dry_run(&self) -> Self {
        let meta = RequestMeta { idempotency_key: None, dry_run: false, ..RequestMeta::clone(&self.meta) };
        Self { meta: Arc::new(meta), ..self.clone() }
    }

    /// Makes this user the actor, whom the audit entries then name; a signed-in staff member stays the actor.
    #[must_use]
    pub fn acting_as(self, user_id: UserId) -> Self {
        match self.actor {
            Actor::Staff(_) => self,
            _ => Self { actor: Actor::User(user_id), ..self },
        }
    }

    /// Returns the signed-in staff member. There is one if the endpoint table requires a permission.
    pub fn caller(&self) -> Result<&StaffMember> {
        self.actor.staff().ok_or_else(|| Error::unauthenticated("unauthenticated"))
    }

    /// The `access_version` at which a cached session was loaded; `None` if the session was loaded for this request.
    #[must_use]
    pub fn access_version(&self) -> Option<i64> {
        self.actor.staff().and_then(|staff| staff.access_version)
    }

    /// Returns an error if the session comes from the cache. The server then repeats the request with a session that it loads from
    /// the database.
    pub fn require_fresh_session(&self) -> Result<()> {
        match self.access_version() {
            None => Ok(()),
            Some(_) => Err(Error::unauthenticated("remembered")),
        }
    }

    /// Whether the caller has `permission`.
    #[must_use]
    pub fn has_permission(&self, permission: Permission) -> bool {
        self.actor.staff().is_some_and(|staff| staff.has_permission(permission))
    }

    #[must_use]
    pub fn db(&self) -> &Db {
        &self.platform.db
    }

    #[must_use]
    pub fn now(&self) -> Time {
        self.platform.clock.now()
    }

    pub async fn begin(&self) -> Result<UnitOfWork> {
        UnitOfWork::begin(self.clone()).await
    }

    /// The offer to undo the request; `None` before the end of its transaction, and for requests that staff cannot undo.
    #[must_use]
    pub fn undo_offer(&self) -> Option<&UndoOffer> {
        self.undo.get()
    }

    /// Sets the offer to undo the request. Only the first transaction of a request sets it.
    pub fn offer_undo(&self, offer: UndoOffer) {
        drop(self.undo.set(offer));
    }
}
