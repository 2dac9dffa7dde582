//! Passkeys (WebAuthn) as a second factor: a staff member registers, lists, renames and removes their own, and the server verifies
//! an authenticator's answer at sign-in and confirmation with webauthn-rs. User verification is always required, so that a passkey
//! proves possession and a PIN or biometrics. It must never accept an answer twice, for another account, or with a counter that
//! does not grow.

mod ceremonies;
mod relying_party;

use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::passkeys::{
    BeginPasskey, ChallengePasskey, ListPasskeys, RegisterPasskey, RemovePasskey, RenamePasskey,
};
use panel_contract::ids::UserId;
use panel_contract::passkeys::{Passkey, PasskeyChallenge, PasskeyResponse, RegisteredPasskey};
use panel_kernel::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use webauthn_rs::prelude::{
    AuthenticationResult, PasskeyAuthentication, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, WebauthnError,
};

pub use self::ceremonies::Purpose;
use crate::auth::factor_state::{self, FactorCheck};
use crate::auth::store::{self as auth_store, passkeys as store, second_factors};
use crate::auth::{recovery_codes, second_factor};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;

/// Maximum number of passkeys per account.
pub const MAX_PASSKEYS: usize = 10;
/// Maximum length of a passkey's name, in characters.
const MAX_NAME_CHARS: usize = 60;

// Routes

pub fn routes(api: Api) -> Api {
    api.on::<ListPasskeys, _, _, _>(list)
        .on::<BeginPasskey, _, _, _>(begin)
        .on::<RegisterPasskey, _, _, _>(register)
        .on::<RenamePasskey, _, _, _>(rename)
        .on::<RemovePasskey, _, _, _>(remove)
        .on::<ChallengePasskey, _, _, _>(create_challenge)
}

async fn list(ctx: Ctx, _req: Req<ListPasskeys>) -> Result<Data<Vec<Passkey>>> {
    Ok(Data { data: store::list(&mut ctx.db(), ctx.caller()?.user_id).await? })
}

async fn begin(ctx: Ctx, _req: Req<BeginPasskey>) -> Result<Data<PasskeyChallenge>> {
    let caller = ctx.caller()?;
    let webauthn = relying_party::webauthn(&ctx).await?;
    let existing = store::credentials(&mut ctx.db(), caller.user_id).await?;
    if existing.len() >= MAX_PASSKEYS {
        return Err(too_many_passkeys());
    }
    let handle = relying_party::user_handle(caller.user_id);
    let excluded = existing.iter().map(|passkey| passkey.cred_id().clone()).collect();
    let registration =
        webauthn.start_passkey_registration(handle, &caller.email, &caller.name, Some(excluded));
    let (challenge, state) = registration.map_err(internal_error)?;
    let ceremony = ceremonies::begin(&ctx, caller.user_id, Purpose::Register, &state).await?;
    Ok(Data { data: PasskeyChallenge { ceremony, options: json!(challenge.public_key) } })
}

async fn register(ctx: Ctx, req: Req<RegisterPasskey>) -> Result<Data<RegisteredPasskey>> {
    let (user, session) = (ctx.caller()?.user_id, ctx.caller()?.session_id);
    let name = parse_name(&req.body.name)?;
    let webauthn = relying_party::webauthn(&ctx).await?;
    let state: Option<PasskeyRegistration> =
        ceremonies::consume(&ctx, user, Purpose::Register, &req.body.ceremony).await?;
    let state = state.ok_or_else(ceremony_expired)?;
    let credential: RegisterPublicKeyCredential =
        parse_credential(&req.body.credential).ok_or_else(|| malformed_credential("credential"))?;
    let passkey = webauthn.finish_passkey_registration(&credential, &state).map_err(|error| {
        tracing::info!(user_id = user.get(), %error, "refused to register a passkey");
        let message =
            "The passkey was not accepted. Start again, and confirm with your PIN, face or fingerprint.";
        Error::invalid("credential", "passkey_refused", message)
    })?;
    // The response has recovery codes, so it must not be stored under an idempotency key.
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[user]).await?;
    auth_store::lock_access_version(&mut work).await?;
    if !auth_store::is_open(&mut work, session).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    let before = second_factors::state(&mut work, user).await?;
    if usize::try_from(before.passkeys).is_ok_and(|passkeys| passkeys >= MAX_PASSKEYS) {
        return Err(too_many_passkeys());
    }
    let passkey = store::insert(&mut work, user, &name, &passkey).await?;
    let recovery_codes = match before.recovery_codes_left {
        0 => recovery_codes::replace(&mut work, &ctx.app, user).await?.recovery_codes,
        _ => Vec::new(),
    };
    if !before.is_enabled {
        auth_store::end_sessions(&mut work, user, Some(session), ctx.now()).await?;
    }
    let description = format!("the passkey \"{name}\" was added to your account");
    factor_state::record_change(&mut work, user, "second_factor.passkey_added", &description).await?;
    work.finish(()).await?;
    Ok(Data { data: RegisteredPasskey { passkey, recovery_codes } })
}

async fn rename(ctx: Ctx, req: Req<RenamePasskey>) -> Result<Data<Passkey>> {
    let user = ctx.caller()?.user_id;
    let name = req.body.name.as_deref().map(parse_name).transpose()?;
    let mut work = ctx.begin().await?;
    let before = store::find(&mut work, user, req.path).await?;
    let before = before.ok_or_else(|| Error::not_found("passkey", req.path))?;
    let Some(name) = name.filter(|name| *name != before.name) else {
        return work.finish(Data { data: before }).await;
    };
    if !store::rename(&mut work, user, req.path, &name).await? {
        return Err(Error::not_found("passkey", req.path));
    }
    let change = AuditChange {
        id: user.as_record_id(),
        old: json!({ "passkey": before.name }),
        new: json!({ "passkey": name }),
    };
    audit::record(&mut work, "second_factor.passkey_renamed", "user", change).await?;
    work.finish(Data { data: Passkey { name, ..before } }).await
}

async fn remove(ctx: Ctx, req: Req<RemovePasskey>) -> Result<EmptyBody> {
    let user = ctx.caller()?.user_id;
    let passkey = store::find(&mut ctx.db(), user, req.path).await?;
    let passkey = passkey.ok_or_else(|| Error::not_found("passkey", req.path))?;
    factor_state::check_required_factor(&second_factors::state(&mut ctx.db(), user).await?, 1)?;
    second_factor::require_proof(&ctx, &req.body).await?;
    let mut work = ctx.begin().await?;
    work.lock("users", &[user]).await?;
    auth_store::lock_access_version(&mut work).await?;
    if !store::delete(&mut work, user, passkey.id).await? {
        return Err(Error::not_found("passkey", req.path));
    }
    let description = format!("the passkey \"{}\" of your account was removed", passkey.name);
    second_factor::after_removal(&mut work, user, "second_factor.passkey_removed", &description).await?;
    work.finish(EmptyBody {}).await
}

async fn create_challenge(ctx: Ctx, _req: Req<ChallengePasskey>) -> Result<Data<PasskeyChallenge>> {
    let user = ctx.caller()?.user_id;
    let data = challenge(&ctx, user, Purpose::Confirm).await?.ok_or_else(|| {
        Error::conflict("no_passkey", "You have no passkey. Add one in your profile first.")
    })?;
    Ok(Data { data })
}

/// Whether the configured `public_url` allows passkeys.
pub(super) fn is_available(ctx: &Ctx) -> bool {
    relying_party::host_and_origin(&ctx.app.config).is_ok()
}

/// A new challenge for the passkeys of an account; `None` if it has no passkey.
pub(super) async fn challenge(ctx: &Ctx, user: UserId, purpose: Purpose) -> Result<Option<PasskeyChallenge>> {
    let webauthn = relying_party::webauthn(ctx).await?;
    let passkeys = store::credentials(&mut ctx.db(), user).await?;
    if passkeys.is_empty() {
        return Ok(None);
    }
    let (challenge, state) = webauthn.start_passkey_authentication(&passkeys).map_err(internal_error)?;
    let ceremony = ceremonies::begin(ctx, user, purpose, &state).await?;
    Ok(Some(PasskeyChallenge { ceremony, options: json!(challenge.public_key) }))
}

/// Verifies the answer to a challenge of this account, purpose and session. The challenge is deleted even if the answer is wrong.
pub(super) async fn verify(
    ctx: &Ctx,
    user: UserId,
    purpose: Purpose,
    answer: &PasskeyResponse,
) -> Result<FactorCheck> {
    let webauthn = relying_party::webauthn(ctx).await?;
    let state: Option<PasskeyAuthentication> =
        ceremonies::consume(ctx, user, purpose, &answer.ceremony).await?;
    let (Some(state), Some(credential)) =
        (state, parse_credential::<PublicKeyCredential>(&answer.credential))
    else {
        return Ok(FactorCheck::Wrong);
    };
    match webauthn.finish_passkey_authentication(&credential, &state) {
        Ok(result) => record_use(ctx, user, &result).await,
        Err(WebauthnError::CredentialPossibleCompromise) => {
            record_copied_key(ctx, user).await?;
            Ok(FactorCheck::Wrong)
        }
        Err(error) => {
            tracing::info!(user_id = user.get(), %error, "refused the answer of a passkey");
            Ok(FactorCheck::Wrong)
        }
    }
}

/// Stores the counter of an accepted answer. If another answer was accepted since the challenge was created, the counter of this
/// one must be higher: of two answers with the same counter one is refused.
async fn record_use(ctx: &Ctx, user: UserId, result: &AuthenticationResult) -> Result<FactorCheck> {
    let id = result.cred_id().as_slice();
    let Some(mut passkey) = store::credential(&mut ctx.db(), user, id).await? else {
        return Ok(FactorCheck::Wrong);
    };
    passkey.update_credential(result);
    if store::update_after_use(&mut ctx.db(), user, &passkey, i64::from(result.counter()), ctx.now()).await? {
        return Ok(FactorCheck::Valid);
    }
    // If the passkey was removed meanwhile, nothing points to a copied key.
    if store::credential(&mut ctx.db(), user, id).await?.is_some() {
        record_copied_key(ctx, user).await?;
    }
    Ok(FactorCheck::Wrong)
}

/// Records a counter that did not grow, which shows that two authenticators hold the same key.
async fn record_copied_key(ctx: &Ctx, user: UserId) -> Result<()> {
    tracing::warn!(user_id = user.get(), "refused a passkey because its signature counter did not grow");
    let mut work = ctx.once().acting_as(user).begin().await?;
    let description = "a passkey of your account was refused because its counter did not grow. It may have been copied: remove it";
    factor_state::record_change(&mut work, user, "second_factor.passkey_copied", description).await?;
    work.finish(()).await
}

// Rules

fn parse_name(name: &str) -> Result<String> {
    let name = name.trim();
    match name.chars().count() {
        0 => Err(Error::invalid("name", "invalid", "Enter a name for the passkey, such as \"Work laptop\".")),
        chars if chars > MAX_NAME_CHARS => {
            let message = format!("Enter a name of at most {MAX_NAME_CHARS} characters.");
            Err(Error::invalid("name", "invalid", message))
        }
        _ => Ok(name.to_owned()),
    }
}

/// Parses a credential from the browser; `None` if it is malformed.
fn parse_credential<T: DeserializeOwned>(credential: &Map<String, Value>) -> Option<T> {
    T::deserialize(credential).ok()
}

fn malformed_credential(field: &'static str) -> Error {
    let message = "The credential is malformed. Send the result of PublicKeyCredential.toJSON.";
    Error::invalid(field, "passkey_refused", message)
}

fn ceremony_expired() -> Error {
    let message = "This challenge was already used or is older than five minutes. Start again.";
    Error::invalid("ceremony", "passkey_ceremony_over", message)
}

fn too_many_passkeys() -> Error {
    let message = format!("You already have {MAX_PASSKEYS} passkeys. Remove one that you do not need.");
    Error::conflict("too_many_passkeys", message)
}

fn internal_error(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}
