//! Passkeys (WebAuthn) as a second factor. Staff members register, list, rename and remove their passkeys, and the server verifies the
//! response of a passkey at sign-in and confirmation with webauthn-rs. User verification (PIN or biometrics) is always required. The
//! server must never accept a response twice, for another account, or with a signature counter that does not grow.

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
    api.route::<ListPasskeys, _, _, _>(list_passkeys)
        .route::<BeginPasskey, _, _, _>(begin_registration)
        .route::<RegisterPasskey, _, _, _>(register_passkey)
        .route::<RenamePasskey, _, _, _>(rename_passkey)
        .route::<RemovePasskey, _, _, _>(remove_passkey)
        .route::<ChallengePasskey, _, _, _>(create_challenge)
}

async fn list_passkeys(ctx: Ctx, _req: Req<ListPasskeys>) -> Result<Data<Vec<Passkey>>> {
    Ok(Data { data: store::list(&mut ctx.db(), ctx.caller()?.user_id).await? })
}

async fn begin_registration(ctx: Ctx, _req: Req<BeginPasskey>) -> Result<Data<PasskeyChallenge>> {
    let caller = ctx.caller()?;
    let webauthn = relying_party::build_webauthn(&ctx).await?;
    let existing_credentials = store::load_credentials(&mut ctx.db(), caller.user_id).await?;
    if existing_credentials.len() >= MAX_PASSKEYS {
        return Err(too_many_passkeys());
    }
    let handle = relying_party::user_handle(caller.user_id);
    let excluded_ids = existing_credentials.iter().map(|passkey| passkey.cred_id().clone()).collect();
    let registration =
        webauthn.start_passkey_registration(handle, &caller.email, &caller.name, Some(excluded_ids));
    let (challenge, state) = registration.map_err(internal_error)?;
    let ceremony = ceremonies::begin(&ctx, caller.user_id, Purpose::Register, &state).await?;
    Ok(Data { data: PasskeyChallenge { ceremony, options: json!(challenge.public_key) } })
}

async fn register_passkey(ctx: Ctx, req: Req<RegisterPasskey>) -> Result<Data<RegisteredPasskey>> {
    let (user_id, session_id) = (ctx.caller()?.user_id, ctx.caller()?.session_id);
    let name = parse_name(&req.body.name)?;
    let webauthn = relying_party::build_webauthn(&ctx).await?;
    let state: Option<PasskeyRegistration> =
        ceremonies::consume(&ctx, user_id, Purpose::Register, &req.body.ceremony).await?;
    let state = state.ok_or_else(ceremony_expired)?;
    let credential: RegisterPublicKeyCredential =
        parse_credential(&req.body.credential).ok_or_else(|| malformed_credential("credential"))?;
    let passkey = webauthn.finish_passkey_registration(&credential, &state).map_err(|error| {
        tracing::info!(user_id = user_id.get(), %error, "rejected the registration of a passkey");
        let message =
            "The passkey was not accepted. Start again, and confirm with your PIN, face or fingerprint.";
        Error::invalid("credential", "passkey_rejected", message)
    })?;
    // The response contains recovery codes, so the server must not store the response under an idempotency key.
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    work.lock("users", &[user_id]).await?;
    auth_store::lock_access_version(&mut work).await?;
    if !auth_store::is_session_open(&mut work, session_id).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    let factors_before = second_factors::load_state(&mut work, user_id).await?;
    if usize::try_from(factors_before.passkeys).is_ok_and(|passkey_count| passkey_count >= MAX_PASSKEYS) {
        return Err(too_many_passkeys());
    }
    let passkey = store::insert(&mut work, user_id, &name, &passkey).await?;
    let recovery_codes = match factors_before.recovery_codes_left {
        0 => recovery_codes::replace(&mut work, &ctx.app, user_id).await?.recovery_codes,
        _ => Vec::new(),
    };
    if !factors_before.is_enabled {
        auth_store::end_sessions(&mut work, user_id, Some(session_id), ctx.now()).await?;
    }
    let description = format!("the passkey \"{name}\" was added to your account");
    factor_state::record_change(&mut work, user_id, "second_factor.passkey_added", &description).await?;
    work.finish(()).await?;
    Ok(Data { data: RegisteredPasskey { passkey, recovery_codes } })
}

async fn rename_passkey(ctx: Ctx, req: Req<RenamePasskey>) -> Result<Data<Passkey>> {
    let user_id = ctx.caller()?.user_id;
    let name = req.body.name.as_deref().map(parse_name).transpose()?;
    let mut work = ctx.begin().await?;
    let passkey = store::find(&mut work, user_id, req.path).await?;
    let passkey = passkey.ok_or_else(|| Error::not_found("passkey", req.path))?;
    let Some(new_name) = name.filter(|name| *name != passkey.name) else {
        return work.finish(Data { data: passkey }).await;
    };
    if !store::rename(&mut work, user_id, req.path, &new_name).await? {
        return Err(Error::not_found("passkey", req.path));
    }
    let change = AuditChange {
        id: user_id.as_record_id(),
        old: json!({ "passkey": passkey.name }),
        new: json!({ "passkey": new_name }),
    };
    audit::record(&mut work, "second_factor.passkey_renamed", "user", change).await?;
    work.finish(Data { data: Passkey { name: new_name, ..passkey } }).await
}

async fn remove_passkey(ctx: Ctx, req: Req<RemovePasskey>) -> Result<EmptyBody> {
    let user_id = ctx.caller()?.user_id;
    let passkey = store::find(&mut ctx.db(), user_id, req.path).await?;
    let passkey = passkey.ok_or_else(|| Error::not_found("passkey", req.path))?;
    factor_state::check_required_factor(&second_factors::load_state(&mut ctx.db(), user_id).await?, 1)?;
    second_factor::require_reauthentication(&ctx, &req.body).await?;
    let mut work = ctx.begin().await?;
    work.lock("users", &[user_id]).await?;
    auth_store::lock_access_version(&mut work).await?;
    if !store::delete(&mut work, user_id, passkey.id).await? {
        return Err(Error::not_found("passkey", req.path));
    }
    let description = format!("the passkey \"{}\" of your account was removed", passkey.name);
    second_factor::finish_removal(&mut work, user_id, "second_factor.passkey_removed", &description).await?;
    work.finish(EmptyBody {}).await
}

async fn create_challenge(ctx: Ctx, _req: Req<ChallengePasskey>) -> Result<Data<PasskeyChallenge>> {
    let user_id = ctx.caller()?.user_id;
    let challenge = create_challenge_for(&ctx, user_id, Purpose::Confirm).await?;
    let data = challenge.ok_or_else(|| {
        Error::conflict("no_passkey", "You have no passkey. Add one in your profile first.")
    })?;
    Ok(Data { data })
}

/// Whether the configured `public_url` allows passkeys.
pub(super) fn is_available(ctx: &Ctx) -> bool {
    relying_party::host_and_origin(&ctx.app.config).is_ok()
}

/// Creates a challenge for the passkeys of an account; `None` if the account has no passkey.
pub(super) async fn create_challenge_for(
    ctx: &Ctx,
    user_id: UserId,
    purpose: Purpose,
) -> Result<Option<PasskeyChallenge>> {
    let webauthn = relying_party::build_webauthn(ctx).await?;
    let passkeys = store::load_credentials(&mut ctx.db(), user_id).await?;
    if passkeys.is_empty() {
        return Ok(None);
    }
    let (challenge, state) = webauthn.start_passkey_authentication(&passkeys).map_err(internal_error)?;
    let ceremony = ceremonies::begin(ctx, user_id, purpose, &state).await?;
    Ok(Some(PasskeyChallenge { ceremony, options: json!(challenge.public_key) }))
}

/// Verifies the response to a challenge of this account and purpose, and of the current session. The challenge is deleted even if the
/// response is wrong.
pub(super) async fn verify(
    ctx: &Ctx,
    user_id: UserId,
    purpose: Purpose,
    response: &PasskeyResponse,
) -> Result<FactorCheck> {
    let webauthn = relying_party::build_webauthn(ctx).await?;
    let state: Option<PasskeyAuthentication> =
        ceremonies::consume(ctx, user_id, purpose, &response.ceremony).await?;
    let (Some(state), Some(credential)) =
        (state, parse_credential::<PublicKeyCredential>(&response.credential))
    else {
        return Ok(FactorCheck::Wrong);
    };
    match webauthn.finish_passkey_authentication(&credential, &state) {
        Ok(result) => record_use(ctx, user_id, &result).await,
        Err(WebauthnError::CredentialPossibleCompromise) => {
            record_copied_key(ctx, user_id).await?;
            Ok(FactorCheck::Wrong)
        }
        Err(error) => {
            tracing::info!(user_id = user_id.get(), %error, "rejected the response of a passkey");
            Ok(FactorCheck::Wrong)
        }
    }
}

/// Stores the signature counter of an accepted response. If the server has accepted another response since the challenge was created,
/// the counter of this response must be higher. So of two responses with the same counter, the server rejects one.
async fn record_use(ctx: &Ctx, user_id: UserId, result: &AuthenticationResult) -> Result<FactorCheck> {
    let id = result.cred_id().as_slice();
    let Some(mut passkey) = store::load_credential(&mut ctx.db(), user_id, id).await? else {
        return Ok(FactorCheck::Wrong);
    };
    passkey.update_credential(result);
    if store::update_after_use(&mut ctx.db(), user_id, &passkey, i64::from(result.counter()), ctx.now())
        .await?
    {
        return Ok(FactorCheck::Valid);
    }
    // If the passkey was removed meanwhile, there is no reason to report a copied key.
    if store::load_credential(&mut ctx.db(), user_id, id).await?.is_some() {
        record_copied_key(ctx, user_id).await?;
    }
    Ok(FactorCheck::Wrong)
}

/// Records that a signature counter did not grow, because this may mean that two authenticators hold the same key.
async fn record_copied_key(ctx: &Ctx, user_id: UserId) -> Result<()> {
    tracing::warn!(user_id = user_id.get(), "rejected a passkey because its signature counter did not grow");
    let mut work = ctx.without_replay_and_dry_run().acting_as(user_id).begin().await?;
    let description = "a passkey of your account was rejected because its counter did not grow. It may have been copied: remove it";
    factor_state::record_change(&mut work, user_id, "second_factor.passkey_copied", description).await?;
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
    Error::invalid(field, "passkey_rejected", message)
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
