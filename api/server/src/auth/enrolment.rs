//! Setting up an authenticator app: a new secret, and the first code that shows that the app has it. Sign-in asks for no code
//! before. It never shows a secret again.

use panel_contract::common::Data;
use panel_contract::endpoints::second_factor::{BeginSecondFactor, ConfirmSecondFactor};
use panel_contract::second_factor::{RecoveryCodes, SecondFactorEnrolment};
use totp_rs::Secret;

use crate::auth::second_factor::{fault, note, place};
use crate::auth::{authenticator_app, recovery_codes, store, throttle};
use crate::configuration::settings;
use crate::db::{DbResult, Source, Sql};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::work::Work;

/// Bytes of a secret, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;

// Routes

/// Adds the endpoints.
pub(crate) fn routes(api: Api) -> Api {
    api.on::<BeginSecondFactor, _, _, _>(begin).on::<ConfirmSecondFactor, _, _, _>(confirm)
}

async fn begin(ctx: Ctx, _req: Req<BeginSecondFactor>) -> Result<Data<SecondFactorEnrolment>> {
    let caller = ctx.caller()?;
    let seed = ctx.app.random.bytes::<SECRET_BYTES>().to_vec();
    let issuer = settings::text(&mut ctx.db(), settings::PANEL_NAME).await?;
    let totp = authenticator_app::generator(seed.clone(), &caller.email, issuer.as_deref())?;
    let otpauth_url = totp.to_url().map_err(fault)?;
    let sealed = ctx.app.secrets.seal(&ctx.app.random, &seed, &place("totp_pending", caller.user_id));
    // The answer holds a secret, so it is not stored under the request's key.
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[caller.user_id]).await?;
    if !write_pending(&mut work, caller.user_id, sealed.map_err(fault)?).await? {
        let message = "You have an authenticator app; switch it off before you begin with another one.";
        return Err(ApiError::conflict("second_factor_on", message));
    }
    work.finish(()).await?;
    let qr_svg = authenticator_app::svg(&otpauth_url)?;
    Ok(Data { data: SecondFactorEnrolment { secret: Secret::from(seed).to_base32(), otpauth_url, qr_svg } })
}

async fn confirm(ctx: Ctx, req: Req<ConfirmSecondFactor>) -> Result<Data<RecoveryCodes>> {
    let (user, session) = (ctx.caller()?.user_id, ctx.caller()?.session_id);
    // Guesses count like those of sign-in: the secret of an enrolment that was left may wait for long.
    let check = first_code(&ctx, user, &req.body.otp);
    let (begun, seed, step) = throttle::confirm_by(&ctx, &ctx.caller()?.email, check).await?;
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[user]).await?;
    store::hold_access(&mut work).await?;
    if pending(&mut work, user).await?.is_none_or(|now| now != begun) {
        return Err(not_begun());
    }
    let sealed = ctx.app.secrets.seal(&ctx.app.random, &seed, &place("totp_secret", user)).map_err(fault)?;
    enable(&mut work, user, sealed, step).await?;
    let codes = recovery_codes::write(&mut work, &ctx.app, user).await?;
    store::end_sessions(&mut work, user, session, ctx.now()).await?;
    note(&mut work, user, "second_factor.enabled", "the second factor of your account was switched on")
        .await?;
    work.finish(()).await?;
    Ok(Data { data: codes })
}

/// The pending secret as it is stored and as it is, and the step of the digits; a refusal where they do not fit.
async fn first_code(
    ctx: &Ctx,
    user: i64,
    otp: &str,
) -> Result<std::result::Result<(Vec<u8>, Vec<u8>, i64), ApiError>> {
    let begun = pending(&mut ctx.db(), user).await?.ok_or_else(not_begun)?;
    let seed = ctx.app.secrets.open(&begun, &place("totp_pending", user)).map_err(ApiError::Fault)?;
    let step = authenticator_app::step(&seed, otp, ctx.now())?;
    let message = "These digits do not fit; type those that the app shows now, and check its clock.";
    Ok(step.map(|step| (begun, seed, step)).ok_or_else(|| ApiError::invalid("otp", "otp_wrong", message)))
}

// Rules

fn not_begun() -> ApiError {
    ApiError::conflict("second_factor_not_begun", "Begin with a new secret first, then confirm it.")
}

// Store

async fn pending(db: &mut impl Source, user: i64) -> DbResult<Option<Vec<u8>>> {
    let sql = Sql::new("SELECT totp_pending FROM users WHERE id = ? AND totp_pending IS NOT NULL").bind(user);
    Ok(db.opt::<(Vec<u8>,)>(sql).await?.map(|(sealed,)| sealed))
}

async fn write_pending(work: &mut Work, user: i64, sealed: Vec<u8>) -> DbResult<bool> {
    let sql = Sql::new("UPDATE users SET totp_pending = ? WHERE id = ? AND totp_secret IS NULL");
    Ok(work.exec(sql.bind(sealed).bind(user)).await? == 1)
}

async fn enable(work: &mut Work, user: i64, sealed: Vec<u8>, step: i64) -> Result<()> {
    let sql = Sql::new(
        "UPDATE users SET totp_secret = ?, totp_pending = NULL, totp_last_step = ? WHERE id = ? AND totp_secret IS NULL",
    );
    match work.exec(sql.bind(sealed).bind(step).bind(user)).await? {
        1 => Ok(()),
        _ => Err(ApiError::conflict("second_factor_on", "You have an authenticator app already.")),
    }
}
