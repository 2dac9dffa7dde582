//! Passkeys (WebAuthn) as a second factor: registering, listing, renaming and removing one's own, and the check of an
//! authenticator's answer at sign-in and confirmation. The cryptography is webauthn-rs. User verification is always required, so
//! that a passkey counts as possession and a PIN or biometry. It must never accept an answer twice, for another account, or with
//! a counter that does not grow.

mod ceremonies;
mod relying_party;

use panel_contract::common::Data;
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::passkeys::{
    BeginPasskey, ChallengePasskey, ListPasskeys, RegisterPasskey, RemovePasskey, RenamePasskey,
};
use panel_contract::ids::UserId;
use panel_contract::passkeys::{Passkey, PasskeyAnswer, PasskeyChallenge, RegisteredPasskey};
use panel_kernel::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use webauthn_rs::prelude::{
    AuthenticationResult, PasskeyAuthentication, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, WebauthnError,
};

pub use self::ceremonies::Purpose;
use crate::auth::factor_state::{self, Factor};
use crate::auth::store::{self as sessions_store, passkeys as store, second_factors};
use crate::auth::{recovery_codes, second_factor};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit;
use panel_platform::audit::change::Change;

/// Most passkeys of one account.
pub const MOST: usize = 10;
/// Most characters of a passkey's name.
const MAX_NAME_CHARS: usize = 60;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListPasskeys, _, _, _>(list)
        .on::<BeginPasskey, _, _, _>(begin)
        .on::<RegisterPasskey, _, _, _>(register)
        .on::<RenamePasskey, _, _, _>(rename)
        .on::<RemovePasskey, _, _, _>(remove)
        .on::<ChallengePasskey, _, _, _>(ask)
}

async fn list(ctx: Ctx, _req: Req<ListPasskeys>) -> Result<Data<Vec<Passkey>>> {
    Ok(Data { data: store::all(&mut ctx.db(), ctx.caller()?.user_id).await? })
}

async fn begin(ctx: Ctx, _req: Req<BeginPasskey>) -> Result<Data<PasskeyChallenge>> {
    let caller = ctx.caller()?;
    let webauthn = relying_party::of(&ctx).await?;
    let existing = store::credentials(&mut ctx.db(), caller.user_id).await?;
    if existing.len() >= MOST {
        return Err(full());
    }
    let handle = relying_party::user_handle(caller.user_id);
    let excluded = existing.iter().map(|passkey| passkey.cred_id().clone()).collect();
    let begun = webauthn.start_passkey_registration(handle, &caller.email, &caller.name, Some(excluded));
    let (challenge, state) = begun.map_err(fault)?;
    let ceremony = ceremonies::begin(&ctx, caller.user_id, Purpose::Register, &state).await?;
    Ok(Data { data: PasskeyChallenge { ceremony, options: json!(challenge.public_key) } })
}

async fn register(ctx: Ctx, req: Req<RegisterPasskey>) -> Result<Data<RegisteredPasskey>> {
    let (user, session) = (ctx.caller()?.user_id, ctx.caller()?.session_id);
    let name = named(&req.body.name)?;
    let webauthn = relying_party::of(&ctx).await?;
    let state: Option<PasskeyRegistration> =
        ceremonies::take(&ctx, user, Purpose::Register, &req.body.ceremony).await?;
    let state = state.ok_or_else(over)?;
    let credential: RegisterPublicKeyCredential =
        read(&req.body.credential).ok_or_else(|| unreadable("credential"))?;
    let passkey = webauthn.finish_passkey_registration(&credential, &state).map_err(|error| {
        tracing::info!(user_id = user.get(), %error, "refused to register a passkey");
        let message =
            "This passkey was not accepted. Begin again, and confirm with your PIN, face or finger.";
        Error::invalid("credential", "passkey_refused", message)
    })?;
    // The answer holds recovery codes, so it is not stored under the request's key.
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[user]).await?;
    sessions_store::hold_access(&mut work).await?;
    if !sessions_store::is_open(&mut work, session).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    let before = second_factors::state(&mut work, user).await?;
    if usize::try_from(before.passkeys).is_ok_and(|passkeys| passkeys >= MOST) {
        return Err(full());
    }
    let passkey = store::insert(&mut work, user, &name, &passkey).await?;
    let recovery_codes = match before.recovery_codes_left {
        0 => recovery_codes::write(&mut work, &ctx.app, user).await?.recovery_codes,
        _ => Vec::new(),
    };
    if !before.is_enabled {
        sessions_store::end_sessions(&mut work, user, Some(session), ctx.now()).await?;
    }
    let what = format!("the passkey \"{name}\" was added to your account");
    factor_state::note(&mut work, user, "second_factor.passkey_added", &what).await?;
    work.finish(()).await?;
    Ok(Data { data: RegisteredPasskey { passkey, recovery_codes } })
}

async fn rename(ctx: Ctx, req: Req<RenamePasskey>) -> Result<Data<Passkey>> {
    let user = ctx.caller()?.user_id;
    let name = req.body.name.as_deref().map(named).transpose()?;
    let mut work = ctx.begin().await?;
    let before = store::find(&mut work, user, req.path).await?;
    let before = before.ok_or_else(|| Error::not_found("passkey", req.path))?;
    let Some(name) = name.filter(|name| *name != before.name) else {
        return work.finish(Data { data: before }).await;
    };
    if !store::rename(&mut work, user, req.path, &name).await? {
        return Err(Error::not_found("passkey", req.path));
    }
    let change =
        Change { id: user.record(), old: json!({ "passkey": before.name }), new: json!({ "passkey": name }) };
    audit::record(&mut work, "second_factor.passkey_renamed", "user", change).await?;
    work.finish(Data { data: Passkey { name, ..before } }).await
}

async fn remove(ctx: Ctx, req: Req<RemovePasskey>) -> Result<NoBody> {
    let user = ctx.caller()?.user_id;
    let passkey = store::find(&mut ctx.db(), user, req.path).await?;
    let passkey = passkey.ok_or_else(|| Error::not_found("passkey", req.path))?;
    factor_state::keep_required(&second_factors::state(&mut ctx.db(), user).await?, 1)?;
    second_factor::prove(&ctx, &req.body).await?;
    let mut work = ctx.begin().await?;
    work.lock("users", &[user]).await?;
    sessions_store::hold_access(&mut work).await?;
    if !store::delete(&mut work, user, passkey.id).await? {
        return Err(Error::not_found("passkey", req.path));
    }
    let what = format!("the passkey \"{}\" of your account was removed", passkey.name);
    second_factor::removed(&mut work, user, "second_factor.passkey_removed", &what).await?;
    work.finish(NoBody {}).await
}

async fn ask(ctx: Ctx, _req: Req<ChallengePasskey>) -> Result<Data<PasskeyChallenge>> {
    let user = ctx.caller()?.user_id;
    let data = challenge(&ctx, user, Purpose::Confirm).await?.ok_or_else(|| {
        Error::conflict("no_passkey", "You have no passkey; add one in your profile first.")
    })?;
    Ok(Data { data })
}

/// Whether the panel's address allows passkeys.
pub(super) fn is_available(ctx: &Ctx) -> bool {
    relying_party::place(&ctx.app.config).is_ok()
}

/// A new challenge for the passkeys of an account; none where it has none.
pub(super) async fn challenge(ctx: &Ctx, user: UserId, purpose: Purpose) -> Result<Option<PasskeyChallenge>> {
    let webauthn = relying_party::of(ctx).await?;
    let passkeys = store::credentials(&mut ctx.db(), user).await?;
    if passkeys.is_empty() {
        return Ok(None);
    }
    let (challenge, state) = webauthn.start_passkey_authentication(&passkeys).map_err(fault)?;
    let ceremony = ceremonies::begin(ctx, user, purpose, &state).await?;
    Ok(Some(PasskeyChallenge { ceremony, options: json!(challenge.public_key) }))
}

/// Checks the answer to a challenge of this account, purpose and session. The challenge is used up whatever the answer is.
pub(super) async fn verify(
    ctx: &Ctx,
    user: UserId,
    purpose: Purpose,
    answer: &PasskeyAnswer,
) -> Result<Factor> {
    let webauthn = relying_party::of(ctx).await?;
    let state: Option<PasskeyAuthentication> = ceremonies::take(ctx, user, purpose, &answer.ceremony).await?;
    let (Some(state), Some(credential)) = (state, read::<PublicKeyCredential>(&answer.credential)) else {
        return Ok(Factor::Wrong);
    };
    match webauthn.finish_passkey_authentication(&credential, &state) {
        Ok(result) => note_use(ctx, user, &result).await,
        Err(WebauthnError::CredentialPossibleCompromise) => {
            note_copy(ctx, user).await?;
            Ok(Factor::Wrong)
        }
        Err(error) => {
            tracing::info!(user_id = user.get(), %error, "refused the answer of a passkey");
            Ok(Factor::Wrong)
        }
    }
}

/// Stores the counter of an accepted answer. Another answer may have been accepted since the challenge was made: then its
/// counter decides, and of two with the same counter one is refused.
async fn note_use(ctx: &Ctx, user: UserId, result: &AuthenticationResult) -> Result<Factor> {
    let id = result.cred_id().as_slice();
    let Some(mut passkey) = store::credential(&mut ctx.db(), user, id).await? else {
        return Ok(Factor::Wrong);
    };
    passkey.update_credential(result);
    if store::write_use(&mut ctx.db(), user, &passkey, i64::from(result.counter()), ctx.now()).await? {
        return Ok(Factor::Fits);
    }
    // One that was removed meanwhile is no copy.
    if store::credential(&mut ctx.db(), user, id).await?.is_some() {
        note_copy(ctx, user).await?;
    }
    Ok(Factor::Wrong)
}

/// The trace of a counter that did not grow, which reveals that two authenticators hold the same key.
async fn note_copy(ctx: &Ctx, user: UserId) -> Result<()> {
    tracing::warn!(user_id = user.get(), "refused a passkey whose signature counter went back");
    let mut work = ctx.once().acting_as(user).begin().await?;
    let what = "a passkey of your account was refused, as its counter went back: it may have been copied. Remove it. It was used";
    factor_state::note(&mut work, user, "second_factor.passkey_copied", what).await?;
    work.finish(()).await
}

// Rules

fn named(name: &str) -> Result<String> {
    let name = name.trim();
    match name.chars().count() {
        0 => Err(Error::invalid("name", "invalid", "Name the passkey, such as \"Work laptop\".")),
        chars if chars > MAX_NAME_CHARS => {
            let message = format!("Choose a name of at most {MAX_NAME_CHARS} characters.");
            Err(Error::invalid("name", "invalid", message))
        }
        _ => Ok(name.to_owned()),
    }
}

/// What a browser sent; none where it has another form.
fn read<T: DeserializeOwned>(credential: &Map<String, Value>) -> Option<T> {
    T::deserialize(credential).ok()
}

fn unreadable(field: &'static str) -> Error {
    let message = "Send what PublicKeyCredential.toJSON returns.";
    Error::invalid(field, "passkey_refused", message)
}

fn over() -> Error {
    let message = "This challenge was used or is older than five minutes. Begin again.";
    Error::invalid("ceremony", "passkey_ceremony_over", message)
}

fn full() -> Error {
    let message = format!("You have {MOST} passkeys; remove one that you do not need.");
    Error::conflict("too_many_passkeys", message)
}

fn fault(error: impl std::fmt::Display) -> Error {
    Error::Fault(error.to_string())
}
