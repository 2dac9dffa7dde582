//! Handoff codes: how `panelctl open` signs a browser in. Good once, for a minute and while the sign-in that made it lasts,
//! so that a code in an address, a log or a history is worth nothing. Showing whose code it is never uses it up: the
//! console asks before it signs in as another person.

use std::time::Duration;

use panel_contract::session::{HandoffCode, HandoffOwner, SignedIn};
use panel_kernel::error::{Error, Result};

use crate::auth::sessions::Origin;
use crate::auth::{login, sessions, store};
use crate::context::Ctx;
use crate::http::reply::WithToken;

/// How long a code lives.
const LIFETIME: Duration = Duration::from_mins(1);

/// Makes a code for the caller. Never for a session of the console: a script in its page could exchange the code for a
/// token of its own, while it cannot read the cookie.
pub async fn create(ctx: &Ctx) -> Result<HandoffCode> {
    if ctx.meta.is_by_cookie {
        let message = "Ask for a sign-in code with a bearer token, such as by panelctl open; the console's own session cannot make one.";
        return Err(Error::forbidden("bearer_required", message));
    }
    let code = ctx.app.random.token();
    let now = ctx.now();
    let expires_at = now.after(LIFETIME);
    let session = ctx.caller()?.session_id;
    if !store::insert_code(&mut ctx.db(), sessions::hash(&code), session, now, expires_at).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    Ok(HandoffCode { code, expires_at })
}

fn over() -> Error {
    Error::invalid(
        "code",
        "handoff_code_over",
        "This code was used or has expired; sign in, or ask for a new one.",
    )
}

/// Whose code it is; the code stays good.
pub async fn show(ctx: &Ctx, code: &str) -> Result<HandoffOwner> {
    let found = store::code(&mut ctx.db(), sessions::hash(code), ctx.now()).await?;
    let (user_id, expires_at) = found.ok_or_else(over)?;
    let account = store::account(&mut ctx.db(), user_id).await?;
    let (account, _) = login::staff(ctx, account).await?.ok_or_else(over)?;
    Ok(HandoffOwner { id: account.id, name: account.name, email: account.email, expires_at })
}

/// Exchanges a code for a token.
pub async fn exchange(ctx: &Ctx, code: &str) -> Result<WithToken<SignedIn>> {
    let hash = sessions::hash(code);
    let found = store::code(&mut ctx.db(), hash.clone(), ctx.now()).await?;
    let (user_id, _) = found.ok_or_else(over)?;
    let account = store::account(&mut ctx.db(), user_id).await?;
    let (account, caller) = login::staff(ctx, account).await?.ok_or_else(over)?;
    let mut work = login::begin(ctx, &account).await?.ok_or_else(over)?;
    let used = store::use_code(&mut work, hash, ctx.now()).await?;
    let (signed_in_at, confirmed_at) = used.ok_or_else(over)?;
    login::finish(ctx, work, caller, Origin::Code { signed_in_at }, confirmed_at, &["code"]).await
}
