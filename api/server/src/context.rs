//! The context of a handler: the state of the server, and the actor and metadata of the current request.

use std::sync::Arc;

use panel_contract::ids::UserId;
use panel_kernel::actor::Actor;
use panel_kernel::request_meta::RequestMeta;

use crate::app::App;
use panel_platform::scope::Scope;

/// The context of one request or of one piece of background work.
#[derive(Clone)]
pub struct Ctx {
    pub app: App,
    scope: Scope,
}

impl Ctx {
    /// The context of one request.
    #[must_use]
    pub fn new(app: App, meta: Arc<RequestMeta>, actor: Actor) -> Self {
        Self { scope: Scope::new(app.platform.clone(), meta, actor), app }
    }

    /// The context of background work; `name` is stored as the request id in the audit entries of that work.
    #[must_use]
    pub fn system(app: App, name: &str) -> Self {
        Self { scope: Scope::system(&app, name), app }
    }

    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The same request without its idempotency key and never as a dry run, for responses that contain a session: the server
    /// must not store or repeat such a response.
    #[must_use]
    pub fn without_replay_and_dry_run(&self) -> Self {
        Self { app: self.app.clone(), scope: self.scope.without_replay_and_dry_run() }
    }

    /// The same request with this user as the actor of its audit entries. If a staff member is signed in, they stay the actor.
    #[must_use]
    pub fn acting_as(self, user_id: UserId) -> Self {
        Self { app: self.app, scope: self.scope.acting_as(user_id) }
    }
}

impl From<Ctx> for Scope {
    fn from(ctx: Ctx) -> Self {
        ctx.scope
    }
}

impl std::ops::Deref for Ctx {
    type Target = Scope;
    fn deref(&self) -> &Scope {
        &self.scope
    }
}
