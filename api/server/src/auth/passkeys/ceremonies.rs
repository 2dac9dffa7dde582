//! Stores pending WebAuthn challenges. webauthn-rs warns against serializing their state, because a client that holds the state can
//! replay it. This module stores the state in the database, so that each process can verify the response to a challenge of another
//! process. The client gets only the challenge and a random token, and the statement that reads the row also deletes it.

use std::time::Duration;

use panel_contract::ids::{SessionId, UserId};
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::auth::sessions;
use crate::auth::store::passkey_ceremonies::{self as store, NewCeremony};
use crate::context::Ctx;

/// How long a client can respond to a challenge.
const CHALLENGE_LIFETIME: Duration = Duration::from_mins(5);

/// The purpose of a challenge. The response to the challenge is valid for no other purpose.
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

    /// The session to which the challenge is bound; `None` for a sign-in.
    fn session_id(self, ctx: &Ctx) -> Result<Option<SessionId>> {
        match self {
            Self::SignIn => Ok(None),
            Self::Register | Self::Confirm => Ok(Some(ctx.caller()?.session_id)),
        }
    }
}

/// Stores the state of a challenge, and returns the token that the client sends with its response. A new challenge of a session
/// replaces the older challenge of the same purpose, so that a session has at most two rows.
pub(super) async fn begin<T: Serialize + Sync>(
    ctx: &Ctx,
    user_id: UserId,
    purpose: Purpose,
    state: &T,
) -> Result<String> {
    let token = ctx.app.random.token();
    let state_json = serde_json::to_string(state).map_err(|error| Error::Internal(error.to_string()))?;
    let session_id = purpose.session_id(ctx)?;
    let now = ctx.now();
    let mut tx = ctx.db().begin().await?;
    store::delete_replaced(&mut tx, user_id, purpose.as_str(), session_id, now).await?;
    let ceremony = NewCeremony {
        token_hash: sessions::hash(&token),
        user_id,
        purpose: purpose.as_str(),
        session: session_id,
        state: state_json,
        expires_at: now.plus(CHALLENGE_LIFETIME),
    };
    store::insert(&mut tx, ceremony).await?;
    tx.commit().await?;
    Ok(token)
}

/// Reads and deletes the state of a challenge. Returns `None` if the challenge is unknown, used or expired, or if it belongs to another
/// account, purpose or session.
pub(super) async fn consume<T: DeserializeOwned>(
    ctx: &Ctx,
    user_id: UserId,
    purpose: Purpose,
    token: &str,
) -> Result<Option<T>> {
    let session_id = purpose.session_id(ctx)?;
    let (token_hash, now) = (sessions::hash(token), ctx.now());
    let mut tx = ctx.db().begin().await?;
    let state_json = store::consume(&mut tx, token_hash, user_id, purpose.as_str(), session_id, now).await?;
    tx.commit().await?;
    let Some(state_json) = state_json else { return Ok(None) };
    serde_json::from_str(&state_json).map(Some).map_err(|error| Error::Internal(error.to_string()))
}
