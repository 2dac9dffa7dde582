//! Setting up an authenticator app: a new secret, then the first code, which proves that the app has the secret. Only then does
//! sign-in require codes. The secret is pending for fifteen minutes and only for the sign-in that requested it. It is shown once.

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
use panel_platform::db::Source;
use panel_platform::settings;

/// How long a secret is pending until its first code.
const LIFETIME: Duration = Duration::from_mins(15);
/// Bytes of a secret, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;

// Routes

pub(crate) fn routes(api: Api) -> Api {
    api.on::<BeginSecondFactor, _, _, _>(begin_enrolment).on::<ConfirmSecondFactor, _, _, _>(confirm)
}

async fn begin_enrolment(ctx: Ctx, _req: Req<BeginSecondFactor>) -> Result<Data<SecondFactorEnrolment>> {
    let caller = ctx.caller()?;
    let seed = ctx.app.random.bytes::<SECRET_BYTES>().to_vec();
    let issuer = settings::read_text(&mut ctx.db(), settings::PANEL_NAME).await?;
    let totp = authenticator_app::totp_generator(seed.clone(), &caller.email, issuer.as_deref())?;
    let otpauth_url = totp.to_url().map_err(internal_error)?;
    let sealed = ctx.app.secrets.seal(&ctx.app.random, &seed, &pending_seal_context(caller.user_id));
    // The response has a secret, so it must not be stored under an idempotency key.
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[caller.user_id]).await?;
    store::lock_access_version(&mut work).await?;
    if !store::is_open(&mut work, caller.session_id).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    let state = second_factors::state(&mut work, caller.user_id).await?;
    if state.has_authenticator_app {
        let message = "You already have an authenticator app. Remove it before you set up another one.";
        return Err(Error::conflict("second_factor_on", message));
    }
    let expires_at = work.now.plus(LIFETIME);
    let (user_and_session, sealed) = ((caller.user_id, caller.session_id), sealed.map_err(internal_error)?);
    second_factors::begin_enrolment(&mut work, user_and_session, sealed, expires_at).await?;
    work.finish(()).await?;
    let qr_svg = authenticator_app::svg(&otpauth_url)?;
    Ok(Data { data: SecondFactorEnrolment { secret: Secret::from(seed).to_base32(), otpauth_url, qr_svg } })
}

async fn confirm(ctx: Ctx, req: Req<ConfirmSecondFactor>) -> Result<Data<RecoveryCodes>> {
    let (user_id, session_id) = (ctx.caller()?.user_id, ctx.caller()?.session_id);
    // Guesses are throttled as at sign-in.
    let check = verify_first_code(&ctx, user_id, session_id, &req.body.otp);
    let (pending, seed, step) =
        throttle::check_throttled(&ctx, Purpose::Enrolment, &ctx.caller()?.email, check).await?;
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[user_id]).await?;
    store::lock_access_version(&mut work).await?;
    if !store::is_open(&mut work, session_id).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    if load_pending_secret(&mut work, user_id, session_id, ctx.now()).await? != pending {
        return Err(enrolment_expired());
    }
    let sealed = ctx
        .app
        .secrets
        .seal(&ctx.app.random, &seed, &seal_context("totp_secret", user_id))
        .map_err(internal_error)?;
    if !second_factors::enable_app(&mut work, user_id, sealed, step).await? {
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

/// The pending secret (first sealed, then open) and the time step of the digits. The inner error rejects wrong digits.
async fn verify_first_code(
    ctx: &Ctx,
    user_id: UserId,
    session_id: SessionId,
    otp: &str,
) -> Result<std::result::Result<(Vec<u8>, Vec<u8>, i64), Error>> {
    let pending = load_pending_secret(&mut ctx.db(), user_id, session_id, ctx.now()).await?;
    let seed = ctx.app.secrets.open(&pending, &pending_seal_context(user_id)).map_err(Error::Internal)?;
    let step = authenticator_app::matching_step(&seed, otp, ctx.now())?;
    let message =
        "These digits are wrong. Enter the digits that the app shows now, and check the clock of its device.";
    Ok(step.map(|step| (pending, seed, step)).ok_or_else(|| Error::invalid("otp", "otp_wrong", message)))
}

/// The sealed pending secret of this session.
///
/// # Errors
/// If there is none, it is expired, or it belongs to another session.
async fn load_pending_secret(
    db: &mut impl Source,
    user_id: UserId,
    session_id: SessionId,
    now: Time,
) -> Result<Vec<u8>> {
    match second_factors::enrolment(db, user_id, session_id, now).await? {
        Some((sealed, true)) => Ok(sealed),
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
