//! Handoff codes: one-time codes with which `panelctl open` signs a browser in. A code is valid once, for one minute, and only
//! while the session that created it is open, so that an attacker cannot use a code from a URL, a log or a browser history. Reading
//! the owner of a code does not consume the code: the console asks the user before it signs in as another staff member.

use std::time::Duration;

use panel_contract::session::{SignInCode, SignInCodeOwner, SignInResponse};
use panel_kernel::error::{Error, Result};

use crate::auth::sessions::SessionOrigin;
use crate::auth::{login, sessions, store};
use crate::context::Ctx;
use crate::http::typed_response::WithToken;

/// How long a code is valid.
const CODE_LIFETIME: Duration = Duration::from_mins(1);

/// Creates a code for the caller. Rejects a caller with a cookie session: a malicious script in the console cannot read the cookie,
/// but it could exchange a code for a token.
pub async fn create(ctx: &Ctx) -> Result<SignInCode> {
    if ctx.meta.has_cookie_token {
        let message = "A console session cannot create a sign-in code. Use a bearer token, for example with panelctl open.";
        return Err(Error::forbidden("bearer_required", message));
    }
    let code = ctx.app.random.token();
    let now = ctx.now();
    let expires_at = now.plus(CODE_LIFETIME);
    let session_id = ctx.caller()?.session_id;
    if !store::insert_handoff_code(&mut ctx.db(), sessions::hash(&code), session_id, now, expires_at).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    Ok(SignInCode { code, expires_at })
}

fn code_expired_error() -> Error {
    Error::invalid(
        "code",
        "handoff_code_over",
        "This code was already used or has expired. Sign in, or request a new code.",
    )
}

/// Returns the owner of a code. The code remains valid.
pub async fn load_owner(ctx: &Ctx, code: &str) -> Result<SignInCodeOwner> {
    let owner_and_expiry = store::load_handoff_code(&mut ctx.db(), sessions::hash(code), ctx.now()).await?;
    let (user_id, expires_at) = owner_and_expiry.ok_or_else(code_expired_error)?;
    let account = store::load_account(&mut ctx.db(), user_id).await?;
    let (account, _) = login::load_staff_caller(ctx, account).await?.ok_or_else(code_expired_error)?;
    Ok(SignInCodeOwner { id: account.id, name: account.name, email: account.email, expires_at })
}

/// Signs in the owner of a code, and returns a session token.
pub async fn exchange(ctx: &Ctx, code: &str) -> Result<WithToken<SignInResponse>> {
    let hash = sessions::hash(code);
    let owner_and_expiry = store::load_handoff_code(&mut ctx.db(), hash.clone(), ctx.now()).await?;
    let (user_id, _) = owner_and_expiry.ok_or_else(code_expired_error)?;
    let account = store::load_account(&mut ctx.db(), user_id).await?;
    let (account, caller) = login::load_staff_caller(ctx, account).await?.ok_or_else(code_expired_error)?;
    let mut work = login::begin_sign_in(ctx, &account).await?.ok_or_else(code_expired_error)?;
    let sign_in_times = store::consume_handoff_code(&mut work, hash, ctx.now()).await?;
    let (signed_in_at, confirmed_at) = sign_in_times.ok_or_else(code_expired_error)?;
    login::finish_sign_in(ctx, work, caller, SessionOrigin::Code { signed_in_at }, confirmed_at, &["code"])
        .await
}
