//! Handoff codes, with which `panelctl open` signs a browser in. A code is valid once, for a minute, and while the sign-in that
//! created it lasts, so that a code in a URL, a log or a history is worthless. Showing the owner of a code does not use it: the
//! console asks before it signs in as another staff member.

use std::time::Duration;

use panel_contract::session::{HandoffCode, HandoffOwner, SignInResponse};
use panel_kernel::error::{Error, Result};

use crate::auth::sessions::SessionOrigin;
use crate::auth::{login, sessions, store};
use crate::context::Ctx;
use crate::http::reply::WithToken;

/// How long a code is valid.
const LIFETIME: Duration = Duration::from_mins(1);

/// Creates a code for the caller. Never for a console session: a script in the page cannot read the cookie, but could exchange the
/// code for a token.
pub async fn create(ctx: &Ctx) -> Result<HandoffCode> {
    if ctx.meta.has_cookie_token {
        let message = "A console session cannot create a sign-in code. Use a bearer token, for example with panelctl open.";
        return Err(Error::forbidden("bearer_required", message));
    }
    let code = ctx.app.random.token();
    let now = ctx.now();
    let expires_at = now.plus(LIFETIME);
    let session = ctx.caller()?.session_id;
    if !store::insert_handoff_code(&mut ctx.db(), sessions::hash(&code), session, now, expires_at).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    Ok(HandoffCode { code, expires_at })
}

fn code_expired() -> Error {
    Error::invalid(
        "code",
        "handoff_code_over",
        "This code was already used or has expired. Sign in, or request a new code.",
    )
}

/// The owner of a code. The code remains valid.
pub async fn show(ctx: &Ctx, code: &str) -> Result<HandoffOwner> {
    let code = store::handoff_code(&mut ctx.db(), sessions::hash(code), ctx.now()).await?;
    let (user_id, expires_at) = code.ok_or_else(code_expired)?;
    let account = store::account(&mut ctx.db(), user_id).await?;
    let (account, _) = login::staff_caller(ctx, account).await?.ok_or_else(code_expired)?;
    Ok(HandoffOwner { id: account.id, name: account.name, email: account.email, expires_at })
}

/// Exchanges a code for a token.
pub async fn exchange(ctx: &Ctx, code: &str) -> Result<WithToken<SignInResponse>> {
    let hash = sessions::hash(code);
    let code = store::handoff_code(&mut ctx.db(), hash.clone(), ctx.now()).await?;
    let (user_id, _) = code.ok_or_else(code_expired)?;
    let account = store::account(&mut ctx.db(), user_id).await?;
    let (account, caller) = login::staff_caller(ctx, account).await?.ok_or_else(code_expired)?;
    let mut work = login::begin(ctx, &account).await?.ok_or_else(code_expired)?;
    let consumed = store::consume_handoff_code(&mut work, hash, ctx.now()).await?;
    let (signed_in_at, confirmed_at) = consumed.ok_or_else(code_expired)?;
    login::finish(ctx, work, caller, SessionOrigin::Code { signed_in_at }, confirmed_at, &["code"]).await
}
