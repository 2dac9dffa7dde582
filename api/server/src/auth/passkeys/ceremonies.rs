//! Challenges that wait for an answer. The crate calls it dangerous to serialise their state, because a state that a client holds
//! can be replayed. Here it is a row of the database, so that every process can finish what another began: the client gets the
//! challenge and a random token only, and the row is deleted in the statement that reads it.

use std::time::Duration;

use panel_contract::ids::{SessionId, UserId};
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::auth::sessions;
use crate::auth::store::passkey_ceremonies::{self as store, NewCeremony};
use crate::context::Ctx;

/// How long an answer is accepted.
const LIFETIME: Duration = Duration::from_mins(5);

/// What a challenge is for; an answer counts for nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A new passkey.
    Register,
    /// A sign-in whose password was right.
    SignIn,
    /// A confirmation within a session.
    Confirm,
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::SignIn => "sign_in",
            Self::Confirm => "confirm",
        }
    }

    /// The session that the challenge is bound to; none for a sign-in.
    fn session(self, ctx: &Ctx) -> Result<Option<SessionId>> {
        match self {
            Self::SignIn => Ok(None),
            Self::Register | Self::Confirm => Ok(Some(ctx.caller()?.session_id)),
        }
    }
}

/// Stores the state of a challenge; the token that its answer is sent with. Within a session a newer challenge replaces the
/// older one of the same purpose, so that a session has two rows at most.
pub(super) async fn begin<T: Serialize + Sync>(
    ctx: &Ctx,
    user: UserId,
    purpose: Purpose,
    state: &T,
) -> Result<String> {
    let token = ctx.app.random.token();
    let state = serde_json::to_string(state).map_err(|error| Error::Fault(error.to_string()))?;
    let session = purpose.session(ctx)?;
    let now = ctx.now();
    let mut tx = ctx.db().begin().await?;
    store::forget_replaced(&mut tx, user, purpose.as_str(), session, now).await?;
    let ceremony = NewCeremony {
        token_hash: sessions::hash(&token),
        user_id: user,
        purpose: purpose.as_str(),
        session,
        state,
        expires_at: now.after(LIFETIME),
    };
    store::insert(&mut tx, ceremony).await?;
    tx.commit().await?;
    Ok(token)
}

/// Takes the state of a challenge; none where it is unknown, used, over, or of another account, purpose or session.
pub(super) async fn take<T: DeserializeOwned>(
    ctx: &Ctx,
    user: UserId,
    purpose: Purpose,
    token: &str,
) -> Result<Option<T>> {
    let session = purpose.session(ctx)?;
    let (token_hash, now) = (sessions::hash(token), ctx.now());
    let mut tx = ctx.db().begin().await?;
    let found = store::take(&mut tx, token_hash, user, purpose.as_str(), session, now).await?;
    tx.commit().await?;
    let Some(state) = found else { return Ok(None) };
    serde_json::from_str(&state).map(Some).map_err(|error| Error::Fault(error.to_string()))
}
