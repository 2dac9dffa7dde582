//! Sets up an authenticator app in two steps: the server creates a secret, then the user confirms it with the first code of the app.
//! Sign-in requires codes only after the confirmation. Until then the secret is pending: it is valid for fifteen minutes, and only for
//! the session that requested it. The server shows the secret only once.

use std::time::Duration;

use panel_contract::common::Data;
use panel_contract::endpoints::second_factor::{BeginSecondFactor, ConfirmSecondFactor};
use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::second_factor::{RecoveryCodes, SecondFactorEnrolment};
use panel_kernel::error::{Error, Result};
use totp_rs::Secret;

use crate::auth::factor_state::{internal_error, record_change, seal_context};
use crate::auth::store::second_factors;
use crate::auth::throttle::{self, Purpose};
use crate::auth::{authenticator_app, recovery_codes, store};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::db::SqlExecutor;
use panel_platform::settings;

/// How long the user can confirm a pending secret.
const PENDING_LIFETIME: Duration = Duration::from_mins(15);
/// Length of a secret in bytes, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;

// Routes

pub(crate) fn routes(api: Api) -> Api {
    api.route::<BeginSecondFactor, _, _, _>(begin_enrolment)
        .route::<ConfirmSecondFactor, _, _, _>(confirm_enrolment)
}

async fn begin_enrolment(ctx: Ctx, _req: Req<BeginSecondFactor>) -> Result<Data<SecondFactorEnrolment>> {
    let caller = ctx.caller()?;
    let secret = ctx.app.random.bytes::<SECRET_BYTES>().to_vec();
    let issuer = settings::read_text(&mut ctx.db(), settings::PANEL_NAME).await?;
    let totp = authenticator_app::totp_generator(secret.clone(), &caller.email, issuer.as_deref())?;
    let otpauth_url = totp.to_url().map_err(internal_error)?;
    let sealed_secret = ctx.app.secrets.seal(&ctx.app.random, &secret, &pending_seal_context(caller.user_id));
    // The response contains a secret, so the server must not store the response under an idempotency key.
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    work.lock("users", &[caller.user_id]).await?;
    store::lock_access_version(&mut work).await?;
    if !store::is_session_open(&mut work, caller.session_id).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    let state = second_factors::load_state(&mut work, caller.user_id).await?;
    if state.has_authenticator_app {
        let message = "You already have an authenticator app. Remove it before you set up another one.";
        return Err(Error::conflict("second_factor_on", message));
    }
    let expires_at = work.now.plus(PENDING_LIFETIME);
    let (user_and_session, sealed_secret) =
        ((caller.user_id, caller.session_id), sealed_secret.map_err(internal_error)?);
    second_factors::begin_enrolment(&mut work, user_and_session, sealed_secret, expires_at).await?;
    work.finish(()).await?;
    let qr_svg = authenticator_app::draw_qr_svg(&otpauth_url)?;
    Ok(Data { data: SecondFactorEnrolment { secret: Secret::from(secret).to_base32(), otpauth_url, qr_svg } })
}

async fn confirm_enrolment(ctx: Ctx, req: Req<ConfirmSecondFactor>) -> Result<Data<RecoveryCodes>> {
    let (user_id, session_id) = (ctx.caller()?.user_id, ctx.caller()?.session_id);
    // Wrong codes are throttled as at sign-in.
    let code_check = verify_first_code(&ctx, user_id, session_id, &req.body.otp);
    let (pending_secret, secret, time_step) =
        throttle::check_throttled(&ctx, Purpose::Enrolment, &ctx.caller()?.email, code_check).await?;
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    work.lock("users", &[user_id]).await?;
    store::lock_access_version(&mut work).await?;
    if !store::is_session_open(&mut work, session_id).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    if load_pending_secret(&mut work, user_id, session_id, ctx.now()).await? != pending_secret {
        return Err(enrolment_expired());
    }
    let sealed_secret = ctx
        .app
        .secrets
        .seal(&ctx.app.random, &secret, &seal_context("totp_secret", user_id))
        .map_err(internal_error)?;
    if !second_factors::enable_app(&mut work, user_id, sealed_secret, time_step).await? {
        return Err(Error::conflict(
            "second_factor_on",
            "You already have an authenticator app. Remove it before you set up another one.",
        ));
    }
    second_factors::delete_enrolment(&mut work, user_id).await?;
    let codes = recovery_codes::replace(&mut work, &ctx.app, user_id).await?;
    store::end_sessions(&mut work, user_id, Some(session_id), ctx.now()).await?;
    record_change(
        &mut work,
        user_id,
        "second_factor.enabled",
        "the second factor of your account was enabled",
    )
    .await?;
    work.finish(()).await?;
    Ok(Data { data: codes })
}

/// Returns the pending secret (encrypted, then decrypted) and the time step of the code. The inner error is returned to the caller if
/// the code is wrong; the outer error means that the check failed to run.
async fn verify_first_code(
    ctx: &Ctx,
    user_id: UserId,
    session_id: SessionId,
    otp: &str,
) -> Result<std::result::Result<(Vec<u8>, Vec<u8>, i64), Error>> {
    let pending_secret = load_pending_secret(&mut ctx.db(), user_id, session_id, ctx.now()).await?;
    let secret =
        ctx.app.secrets.open(&pending_secret, &pending_seal_context(user_id)).map_err(Error::Internal)?;
    let time_step = authenticator_app::matching_step(&secret, otp, ctx.now())?;
    let message =
        "These digits are wrong. Enter the digits that the app shows now, and check the clock of its device.";
    Ok(time_step
        .map(|time_step| (pending_secret, secret, time_step))
        .ok_or_else(|| Error::invalid("otp", "otp_wrong", message)))
}

/// Loads the encrypted pending secret of a session.
///
/// # Errors
/// A 409 if there is no pending secret, if it is expired, or if it belongs to another session.
async fn load_pending_secret(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    session_id: SessionId,
    now: Time,
) -> Result<Vec<u8>> {
    match second_factors::load_enrolment(db, user_id, session_id, now).await? {
        Some((sealed_secret, true)) => Ok(sealed_secret),
        Some((_, false)) => Err(enrolment_expired()),
        None => {
            let message = "Request a new secret first, then confirm it with a code.";
            Err(Error::conflict("second_factor_not_begun", message))
        }
    }
}

// Rules

fn pending_seal_context(user_id: UserId) -> String {
    format!("authenticator_enrolments|secret|{user_id}")
}

fn enrolment_expired() -> Error {
    let message = "This setup belongs to another session, was replaced by a newer one, or is older than fifteen minutes. Start again with a new secret.";
    Error::conflict("second_factor_enrolment_over", message)
}
