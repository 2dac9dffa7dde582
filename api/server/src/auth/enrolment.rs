//! Setting up an authenticator app: a new secret, and the first code that shows that the app has it. Sign-in asks for no code
//! before. The secret waits fifteen minutes, for the session that began. It never shows a secret again.

use std::time::Duration;

use panel_contract::common::Data;
use panel_contract::endpoints::second_factor::{BeginSecondFactor, ConfirmSecondFactor};
use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::second_factor::{RecoveryCodes, SecondFactorEnrolment};
use panel_kernel::error::{Error, Result};
use totp_rs::Secret;

use crate::auth::factor_state::{fault, note, place};
use crate::auth::store::second_factors;
use crate::auth::throttle::{self, Purpose};
use crate::auth::{authenticator_app, recovery_codes, store};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::db::Source;
use panel_platform::settings;

/// How long a secret waits for its first code.
const LIFETIME: Duration = Duration::from_mins(15);
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
    let sealed = ctx.app.secrets.seal(&ctx.app.random, &seed, &sealed_for(caller.user_id));
    // The answer holds a secret, so it is not stored under the request's key.
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[caller.user_id]).await?;
    store::hold_access(&mut work).await?;
    if !store::is_open(&mut work, caller.session_id).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    let state = second_factors::state(&mut work, caller.user_id).await?;
    if state.has_authenticator_app {
        let message = "You have an authenticator app; switch it off before you begin with another one.";
        return Err(Error::conflict("second_factor_on", message));
    }
    let expires_at = work.now.after(LIFETIME);
    let (opened_in, sealed) = ((caller.user_id, caller.session_id), sealed.map_err(fault)?);
    second_factors::begin_enrolment(&mut work, opened_in, sealed, expires_at).await?;
    work.finish(()).await?;
    let qr_svg = authenticator_app::svg(&otpauth_url)?;
    Ok(Data { data: SecondFactorEnrolment { secret: Secret::from(seed).to_base32(), otpauth_url, qr_svg } })
}

async fn confirm(ctx: Ctx, req: Req<ConfirmSecondFactor>) -> Result<Data<RecoveryCodes>> {
    let (user, session) = (ctx.caller()?.user_id, ctx.caller()?.session_id);
    // Guesses count like those of sign-in.
    let check = first_code(&ctx, user, session, &req.body.otp);
    let (begun, seed, step) =
        throttle::confirm_by(&ctx, Purpose::Enrolment, &ctx.caller()?.email, check).await?;
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[user]).await?;
    store::hold_access(&mut work).await?;
    if !store::is_open(&mut work, session).await? {
        return Err(Error::unauthenticated("token_ended"));
    }
    if waiting(&mut work, user, session, ctx.now()).await? != begun {
        return Err(over());
    }
    let sealed = ctx.app.secrets.seal(&ctx.app.random, &seed, &place("totp_secret", user)).map_err(fault)?;
    if !second_factors::enable_app(&mut work, user, sealed, step).await? {
        return Err(Error::conflict("second_factor_on", "You have an authenticator app already."));
    }
    second_factors::forget_enrolment(&mut work, user).await?;
    let codes = recovery_codes::write(&mut work, &ctx.app, user).await?;
    store::end_sessions(&mut work, user, Some(session), ctx.now()).await?;
    note(&mut work, user, "second_factor.enabled", "the second factor of your account was switched on")
        .await?;
    work.finish(()).await?;
    Ok(Data { data: codes })
}

/// The waiting secret as it is stored and as it is, and the step of the digits; a refusal where they do not fit.
async fn first_code(
    ctx: &Ctx,
    user: UserId,
    session: SessionId,
    otp: &str,
) -> Result<std::result::Result<(Vec<u8>, Vec<u8>, i64), Error>> {
    let begun = waiting(&mut ctx.db(), user, session, ctx.now()).await?;
    let seed = ctx.app.secrets.open(&begun, &sealed_for(user)).map_err(Error::Fault)?;
    let step = authenticator_app::step(&seed, otp, ctx.now())?;
    let message = "These digits do not fit; type those that the app shows now, and check its clock.";
    Ok(step.map(|step| (begun, seed, step)).ok_or_else(|| Error::invalid("otp", "otp_wrong", message)))
}

/// The secret that waits for its first code from this session, sealed; a refusal where there is none.
async fn waiting(db: &mut impl Source, user: UserId, session: SessionId, now: Time) -> Result<Vec<u8>> {
    match second_factors::enrolment(db, user, session, now).await? {
        Some((sealed, true)) => Ok(sealed),
        Some((_, false)) => Err(over()),
        None => {
            let message = "Begin with a new secret first, then confirm it.";
            Err(Error::conflict("second_factor_not_begun", message))
        }
    }
}

// Rules

fn sealed_for(user: UserId) -> String {
    format!("authenticator_enrolments|secret|{user}")
}

fn over() -> Error {
    let message = "This set-up was begun in another session, was replaced by a newer one, or is older than fifteen minutes. Begin again with a new secret.";
    Error::conflict("second_factor_enrolment_over", message)
}
