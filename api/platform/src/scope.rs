//! What every write and every list is given: the platform, who acts, and the marks of the request. It never knows how a request
//! arrived.

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
use crate::work::Work;

/// The scope of one request or of one piece of background work.
#[derive(Clone)]
pub struct Scope {
    /// The platform of the running panel.
    pub platform: Platform,
    /// The marks of the request.
    pub meta: Arc<RequestMeta>,
    /// Who acts.
    pub actor: Actor,
    /// How to take the request back, once its transaction has ended and where it can be.
    undo: Arc<OnceLock<UndoOffer>>,
}

impl Scope {
    /// Of one request.
    #[must_use]
    pub fn new(platform: Platform, meta: Arc<RequestMeta>, actor: Actor) -> Self {
        Self { platform, meta, actor, undo: Arc::default() }
    }

    /// Of background work; `name` is the request id of its audit entries.
    #[must_use]
    pub fn system(platform: &Platform, name: &str) -> Self {
        Self::new(platform.clone(), Arc::new(RequestMeta::of_system(name)), Actor::System)
    }

    /// The same request without its idempotency key and never as a dry run: for answers that sign in.
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

    /// The signed-in member of staff; the guard has made sure that there is one wherever the endpoint table says so.
    pub fn caller(&self) -> Result<&StaffMember> {
        self.actor.staff().ok_or_else(|| Error::unauthenticated("unauthenticated"))
    }

    /// The version of all permissions at which a cached session was read; none when it was read for this request.
    #[must_use]
    pub fn as_of(&self) -> Option<i64> {
        self.actor.staff().and_then(|staff| staff.as_of)
    }

    /// An error for a cached session: the request is run again with a session that is read anew.
    pub fn sure(&self) -> Result<()> {
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

    /// The current moment.
    #[must_use]
    pub fn now(&self) -> Time {
        self.platform.clock.now()
    }

    /// Begins the one transaction of a write.
    pub async fn begin(&self) -> Result<Work> {
        Work::begin(self.clone()).await
    }

    /// How to take the request back, once its transaction has ended.
    #[must_use]
    pub fn undo_offer(&self) -> Option<&UndoOffer> {
        self.undo.get()
    }

    /// Notes how to take the request back. One request answers once; a second transaction of it adds nothing to the offer.
    pub fn offer_undo(&self, offer: UndoOffer) {
        drop(self.undo.set(offer));
    }
}
