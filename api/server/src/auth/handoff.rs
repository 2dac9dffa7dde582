//! Handoff codes: how `panelctl open` signs a browser in. Good once, for a minute, so that a code in an address,
//! a log or a history is worth nothing.

use panel_contract::moment::Time;
use panel_contract::session::{HandoffCode, SignedIn};

use crate::auth::{login, sessions, store};
use crate::http::Ctx;
use crate::http::error::{ApiError, Result};
use crate::http::reply::WithToken;

/// How long a code lives.
const LIFE_MICROS: i64 = 60_000_000;

/// Makes a code for the caller. Never for a session of the console: a script in its page could exchange the code for a
/// token of its own, while it cannot read the cookie.
pub async fn create(ctx: &Ctx) -> Result<HandoffCode> {
    if ctx.meta.is_by_cookie {
        let message = "Ask for a sign-in code with a bearer token, such as by panelctl open; the console's own session cannot make one.";
        return Err(ApiError::forbidden("bearer_required", message));
    }
    let code = ctx.app.random.token();
    let now = ctx.now();
    let expires_at = Time(now.0 + LIFE_MICROS);
    store::insert_code(&mut ctx.db(), sessions::hash(&code), ctx.caller()?.user_id, now, expires_at).await?;
    Ok(HandoffCode { code, expires_at })
}

/// Exchanges a code for a token.
pub async fn exchange(ctx: &Ctx, code: &str) -> Result<WithToken<SignedIn>> {
    let over = || {
        ApiError::invalid(
            "code",
            "handoff_code_over",
            "This code was used or is over; sign in, or ask for a new one.",
        )
    };
    let mut tx = ctx.db().begin().await?;
    let user_id = store::use_code(&mut tx, sessions::hash(code), ctx.now()).await?;
    tx.commit().await?;
    let account = store::account(&mut ctx.db(), user_id.ok_or_else(over)?).await?;
    let (_, caller) = login::staff(ctx, account).await?.ok_or_else(over)?;
    login::sign_in(ctx, caller).await
}
