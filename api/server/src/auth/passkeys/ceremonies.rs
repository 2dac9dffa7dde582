//! Pending WebAuthn challenges. webauthn-rs warns against serialising their state, because a client that holds the state can replay
//! it. Here the state is a database row, so that every process can finish a challenge of another process: the client gets only the
//! challenge and a random token, and the statement that reads the row deletes it.

use std::time::Duration;

use panel_contract::ids::{SessionId, UserId};
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::auth::sessions;
use crate::auth::store::passkey_ceremonies::{self as store, NewCeremony};
use crate::context::Ctx;

/// How long a challenge can be answered.
const LIFETIME: Duration = Duration::from_mins(5);

/// The purpose of a challenge. Its answer is valid for no other purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To register a new passkey.
    Register,
    /// To sign in, after the password was verified.
    SignIn,
    /// To confirm the caller's identity within a session.
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

    /// The session that the challenge is bound to; `None` for a sign-in.
    fn session(self, ctx: &Ctx) -> Result<Option<SessionId>> {
        match self {
            Self::SignIn => Ok(None),
            Self::Register | Self::Confirm => Ok(Some(ctx.caller()?.session_id)),
        }
    }
}

/// Stores the state of a challenge and returns the token for its answer. Within a session a newer challenge replaces the older one
/// of the same purpose, so that a session has at most two rows.
pub(super) async fn begin<T: Serialize + Sync>(
    ctx: &Ctx,
    user: UserId,
    purpose: Purpose,
    state: &T,
) -> Result<String> {
    let token = ctx.app.random.token();
    let state = serde_json::to_string(state).map_err(|error| Error::Internal(error.to_string()))?;
    let session = purpose.session(ctx)?;
    let now = ctx.now();
    let mut tx = ctx.db().begin().await?;
    store::delete_replaced(&mut tx, user, purpose.as_str(), session, now).await?;
    let ceremony = NewCeremony {
        token_hash: sessions::hash(&token),
        user_id: user,
        purpose: purpose.as_str(),
        session,
        state,
        expires_at: now.plus(LIFETIME),
    };
    store::insert(&mut tx, ceremony).await?;
    tx.commit().await?;
    Ok(token)
}

/// Reads and deletes the state of a challenge. `None` if it is unknown, used, expired, or of another account, purpose or session.
pub(super) async fn consume<T: DeserializeOwned>(
    ctx: &Ctx,
    user: UserId,
    purpose: Purpose,
    token: &str,
) -> Result<Option<T>> {
    let session = purpose.session(ctx)?;
    let (token_hash, now) = (sessions::hash(token), ctx.now());
    let mut tx = ctx.db().begin().await?;
    let state = store::consume(&mut tx, token_hash, user, purpose.as_str(), session, now).await?;
    tx.commit().await?;
    let Some(state) = state else { return Ok(None) };
    serde_json::from_str(&state).map(Some).map_err(|error| Error::Internal(error.to_string()))
}
