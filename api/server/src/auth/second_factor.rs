//! The second factor: its state (`enrolment` sets up an app), the check at sign-in of digits, passkeys (`passkeys`) and recovery codes,
//! and its end. A secret and the codes are shown once; the secret is stored sealed and the codes as hashes. It must never check a
//! proof before the attempt is counted.

use panel_contract::common::Data;
use panel_contract::endpoint::{NoBody, Op};
use panel_contract::endpoints::second_factor::{GetSecondFactor, RemoveSecondFactor, RenewRecoveryCodes};
use panel_contract::ids::UserId;
use panel_contract::passkeys::PasskeyAnswer;
use panel_contract::second_factor::{
    RecoveryCodes, SecondFactor, SecondFactorChoice, SecondFactorMethod, SecondFactorProof,
};
use panel_kernel::actor::StaffMember;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use crate::auth::factor_state::{Factor, keep_required, note, off, place};
use crate::auth::store::{self, Account, second_factors};
use crate::auth::{authenticator_app, enrolment, passkeys, recovery_codes, throttle};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<GetSecondFactor, _, _, _>(get)
        .on::<RenewRecoveryCodes, _, _, _>(renew)
        .on::<RemoveSecondFactor, _, _, _>(remove)
        .with(enrolment::routes)
}

async fn get(ctx: Ctx, _req: Req<GetSecondFactor>) -> Result<Data<SecondFactor>> {
    Ok(Data { data: second_factors::state(&mut ctx.db(), ctx.caller()?.user_id).await? })
}

async fn renew(ctx: Ctx, req: Req<RenewRecoveryCodes>) -> Result<Data<RecoveryCodes>> {
    let user = prove(&ctx, &req.body).await?;
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[user]).await?;
    if !second_factors::state(&mut work, user).await?.is_enabled {
        return Err(off());
    }
    let codes = recovery_codes::write(&mut work, &ctx.app, user).await?;
    let what = "the second factor of your account was given new recovery codes";
    note(&mut work, user, "second_factor.recovery_codes_renewed", what).await?;
    work.finish(()).await?;
    Ok(Data { data: codes })
}

async fn remove(ctx: Ctx, req: Req<RemoveSecondFactor>) -> Result<NoBody> {
    let state = second_factors::state(&mut ctx.db(), ctx.caller()?.user_id).await?;
    if state.is_enabled && !state.has_authenticator_app {
        let message = "You have no authenticator app; remove your passkeys one by one.";
        return Err(Error::conflict("no_authenticator_app", message));
    }
    keep_required(&state, 1)?;
    let user = prove(&ctx, &req.body).await?;
    let mut work = ctx.begin().await?;
    work.lock("users", &[user]).await?;
    store::hold_access(&mut work).await?;
    if !second_factors::disable_app(&mut work, user).await? {
        return Err(off());
    }
    let what = "the authenticator app of your account was switched off";
    removed(&mut work, user, "second_factor.disabled", what).await?;
    work.finish(NoBody {}).await
}

/// What follows the removal of a factor: the last one stays where a role requires it, and takes the recovery codes with it.
pub(super) async fn removed(work: &mut Work, user: UserId, event: &'static str, what: &str) -> Result<()> {
    let left = second_factors::state(work, user).await?;
    keep_required(&left, 0)?;
    if !left.is_enabled {
        store::recovery_codes::forget(work, user).await?;
    }
    note(work, user, event, what).await
}

/// Removes the second factor of another user, whom the caller may act on, and ends their sessions; false where there is none.
pub async fn reset(work: &mut Work, user: UserId) -> Result<bool> {
    let had_app = second_factors::disable_app(work, user).await?;
    let had_passkeys = store::passkeys::forget_all(work, user).await?;
    if !had_app && !had_passkeys {
        return Ok(false);
    }
    store::recovery_codes::forget(work, user).await?;
    second_factors::forget_enrolment(work, user).await?;
    let now = work.now;
    store::end_sessions(work, user, None, now).await?;
    let what = "the second factor of your account was removed by another member of staff";
    note(work, user, "second_factor.reset", what).await?;
    Ok(true)
}

/// What a caller may do who must enrol: see who they are, confirm it, enrol, and leave.
const ENROLMENT: [&str; 10] = [
    "profile",
    "refresh",
    "logout",
    "confirm_profile",
    "second_factor",
    "begin_second_factor",
    "confirm_second_factor",
    "passkeys",
    "begin_passkey",
    "register_passkey",
];

/// Refuses a caller who must enrol everything but that.
pub fn check_call(op: &Op, caller: &StaffMember) -> Result<(), Rejection> {
    if !caller.must_enrol || ENROLMENT.contains(&op.id) {
        return Ok(());
    }
    let message =
        "Your role or the panel's settings require a second factor. Set it up in your profile, then go on.";
    Err(Rejection::forbidden("second_factor_required", message))
}

/// What a person proves their second factor with.
#[derive(Debug, Clone, Copy)]
pub struct Proof<'a> {
    /// Six digits or a recovery code.
    pub otp: Option<&'a str>,
    /// A passkey's answer, which goes before them.
    pub passkey: Option<&'a PasskeyAnswer>,
}

impl Proof<'_> {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.passkey.is_none() && self.otp.is_none_or(|otp| otp.trim().is_empty())
    }

    /// What its failures are counted as in a session.
    #[must_use]
    pub fn purpose(&self) -> throttle::Purpose {
        match self.passkey {
            Some(_) => throttle::Purpose::ConfirmByPasskey,
            None => throttle::Purpose::ConfirmByCode,
        }
    }

    /// The field that is to blame where it does not fit.
    #[must_use]
    pub fn field(&self) -> &'static str {
        if self.passkey.is_some() { "passkey" } else { "otp" }
    }
}

/// The refusal of a proof that does not fit.
#[must_use]
pub fn wrong(proof: Proof<'_>) -> Error {
    match proof.passkey {
        Some(_) => {
            let message =
                "This passkey was not accepted. Try again within five minutes, or use another method.";
            Error::invalid("passkey", "passkey_wrong", message)
        }
        None => {
            let message =
                "This code is wrong or was used. Type the next digits of your app, or another recovery code.";
            Error::invalid("otp", "otp_wrong", message)
        }
    }
}

/// Checks a passkey's answer, six digits, or a recovery code in their place; each works once.
pub async fn verify(
    ctx: &Ctx,
    account: &Account,
    proof: Proof<'_>,
    purpose: passkeys::Purpose,
) -> Result<Factor> {
    if !account.has_second_factor() {
        return Ok(Factor::Fits);
    }
    if let Some(answer) = proof.passkey {
        return passkeys::verify(ctx, account.id, purpose, answer).await;
    }
    let Some(otp) = proof.otp.map(str::trim).filter(|otp| !otp.is_empty()) else {
        return Ok(Factor::Missing);
    };
    if let Some(code) = recovery_codes::read(otp) {
        return recovery_codes::use_code(ctx, account.id, &code).await;
    }
    let Some(sealed) = &account.totp_secret else { return Ok(Factor::Wrong) };
    let seed = ctx.app.secrets.open(sealed, &place("totp_secret", account.id)).map_err(Error::Fault)?;
    Ok(match authenticator_app::step(&seed, otp, ctx.now())? {
        Some(step) if store::use_totp_step(&mut ctx.db(), account.id, step).await? => Factor::Fits,
        _ => Factor::Wrong,
    })
}

/// What a sign-in by password is proven by, once [`verify`] found that the second factor fits.
#[must_use]
pub fn factors(account: &Account, proof: Proof<'_>) -> &'static [&'static str] {
    match (proof.passkey, proof.otp) {
        (Some(_), _) if account.has_passkey() => &["password", "passkey"],
        (_, Some(otp)) if account.has_second_factor() && recovery_codes::read(otp.trim()).is_some() => {
            &["password", "recovery_code"]
        }
        (_, Some(_)) if account.totp_secret.is_some() => &["password", "totp"],
        _ => &["password"],
    }
}

/// What the sign-in of an account can go on with, with a new challenge for its passkeys. A panel whose address is configured
/// wrongly offers the other methods.
pub async fn choice(ctx: &Ctx, account: &Account) -> Result<SecondFactorChoice> {
    let passkey = match account.has_passkey() && passkeys::is_available(ctx) {
        true => passkeys::challenge(ctx, account.id, passkeys::Purpose::SignIn).await?,
        false => None,
    };
    let codes = second_factors::state(&mut ctx.db(), account.id).await?.recovery_codes_left;
    let methods = [
        (account.totp_secret.is_some(), SecondFactorMethod::Totp),
        (passkey.is_some(), SecondFactorMethod::Passkey),
        (codes > 0, SecondFactorMethod::RecoveryCode),
    ];
    let methods = methods.into_iter().filter_map(|(has, method)| has.then_some(method)).collect();
    Ok(SecondFactorChoice { methods, passkey })
}

/// The caller's id, once password and second factor are proven. Attempts count as those of sign-in.
pub(super) async fn prove(ctx: &Ctx, proof: &SecondFactorProof) -> Result<UserId> {
    let id = ctx.caller()?.user_id;
    let account = store::account(&mut ctx.db(), id).await?.ok_or_else(|| Error::not_found("user", id))?;
    if !account.has_second_factor() {
        return Err(off());
    }
    let password = check_password(ctx, &account, &proof.password);
    throttle::confirm_by(ctx, throttle::Purpose::ConfirmByPassword, &account.email, password).await?;
    let proof = Proof { otp: proof.otp.as_deref(), passkey: proof.passkey.as_ref() };
    let factor = check_factor(ctx, &account, proof);
    throttle::confirm_next_by(ctx, proof.purpose(), &account.email, factor).await?;
    Ok(id)
}

async fn check_password(ctx: &Ctx, account: &Account, password: &str) -> Result<Result<(), Error>> {
    let is_right = password.len() <= 1_024
        && ctx.app.passwords.verify(password, account.password_hash.as_deref()).await?;
    let message = "This is not your password.";
    Ok(if is_right { Ok(()) } else { Err(Error::invalid("password", "wrong_password", message)) })
}

async fn check_factor(ctx: &Ctx, account: &Account, proof: Proof<'_>) -> Result<Result<(), Error>> {
    Ok(match verify(ctx, account, proof, passkeys::Purpose::Confirm).await? {
        Factor::Fits => Ok(()),
        Factor::Missing | Factor::Wrong => Err(wrong(proof)),
    })
}
