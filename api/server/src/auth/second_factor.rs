//! The second factor: its state, the check of digits, passkeys and recovery codes, and its removal. `enrolment` sets up an app,
//! `passkeys` registers passkeys. The server shows a secret and the codes once, and stores the secret sealed and the codes as
//! hashes. It must never check a proof before it has counted the attempt.

use panel_contract::common::Data;
use panel_contract::endpoint::{EmptyBody, Op};
use panel_contract::endpoints::second_factor::{GetSecondFactor, RemoveSecondFactor, RenewRecoveryCodes};
use panel_contract::ids::UserId;
use panel_contract::passkeys::PasskeyResponse;
use panel_contract::second_factor::{
    RecoveryCodes, SecondFactor, SecondFactorChoice, SecondFactorMethod, SecondFactorProof,
};
use panel_kernel::actor::StaffMember;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use crate::auth::factor_state::{
    FactorCheck, check_required_factor, no_second_factor, record_change, seal_context,
};
use crate::auth::store::{self, Account, second_factors};
use crate::auth::{authenticator_app, enrolment, passkeys, recovery_codes, throttle};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::work::UnitOfWork;

// Routes

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
    let user = require_proof(&ctx, &req.body).await?;
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[user]).await?;
    if !second_factors::state(&mut work, user).await?.is_enabled {
        return Err(no_second_factor());
    }
    let codes = recovery_codes::replace(&mut work, &ctx.app, user).await?;
    let description = "new recovery codes were created for your account";
    record_change(&mut work, user, "second_factor.recovery_codes_renewed", description).await?;
    work.finish(()).await?;
    Ok(Data { data: codes })
}

async fn remove(ctx: Ctx, req: Req<RemoveSecondFactor>) -> Result<EmptyBody> {
    let state = second_factors::state(&mut ctx.db(), ctx.caller()?.user_id).await?;
    if state.is_enabled && !state.has_authenticator_app {
        let message = "You have no authenticator app. Remove your passkeys one by one instead.";
        return Err(Error::conflict("no_authenticator_app", message));
    }
    check_required_factor(&state, 1)?;
    let user = require_proof(&ctx, &req.body).await?;
    let mut work = ctx.begin().await?;
    work.lock("users", &[user]).await?;
    store::lock_access_version(&mut work).await?;
    if !second_factors::disable_app(&mut work, user).await? {
        return Err(no_second_factor());
    }
    let description = "the authenticator app of your account was removed";
    after_removal(&mut work, user, "second_factor.disabled", description).await?;
    work.finish(EmptyBody {}).await
}

/// Completes the removal of a factor: refuses it if a role requires the last factor, and deletes the recovery codes with the last
/// one.
pub(super) async fn after_removal(
    work: &mut UnitOfWork,
    user: UserId,
    event: &'static str,
    description: &str,
) -> Result<()> {
    let after = second_factors::state(work, user).await?;
    check_required_factor(&after, 0)?;
    if !after.is_enabled {
        store::recovery_codes::delete(work, user).await?;
    }
    record_change(work, user, event, description).await
}

/// Removes the second factor of another user and ends their sessions. Returns false if the user has none. The caller must have
/// checked the permission.
pub async fn reset(work: &mut UnitOfWork, user: UserId) -> Result<bool> {
    let removed_app = second_factors::disable_app(work, user).await?;
    let removed_passkeys = store::passkeys::delete_all(work, user).await?;
    if !removed_app && !removed_passkeys {
        return Ok(false);
    }
    store::recovery_codes::delete(work, user).await?;
    second_factors::delete_enrolment(work, user).await?;
    let now = work.now;
    store::end_sessions(work, user, None, now).await?;
    let description = "the second factor of your account was removed by another staff member";
    record_change(work, user, "second_factor.reset", description).await?;
    Ok(true)
}

/// The operations that are allowed to a caller who must enrol a second factor: read the profile, confirm their identity, enrol and
/// sign out.
const ENROLMENT_OPERATIONS: [&str; 10] = [
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

/// Refuses all other operations to a caller who must enrol a second factor.
pub fn check_call(op: &Op, caller: &StaffMember) -> Result<(), Rejection> {
    if !caller.must_enrol || ENROLMENT_OPERATIONS.contains(&op.id) {
        return Ok(());
    }
    let message = "Your role or the panel's settings require a second factor. Set one up in your profile, then try again.";
    Err(Rejection::forbidden("second_factor_required", message))
}

/// The proof of a second factor in a request.
#[derive(Debug, Clone, Copy)]
pub struct Proof<'a> {
    /// Six digits or a recovery code.
    pub otp: Option<&'a str>,
    /// A passkey's answer, which takes precedence.
    pub passkey: Option<&'a PasskeyResponse>,
}

impl Proof<'_> {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.passkey.is_none() && self.otp.is_none_or(|otp| otp.trim().is_empty())
    }

    /// The throttle purpose under which failures within a session are counted.
    #[must_use]
    pub fn purpose(&self) -> throttle::Purpose {
        match self.passkey {
            Some(_) => throttle::Purpose::ConfirmByPasskey,
            None => throttle::Purpose::ConfirmByCode,
        }
    }

    /// The field that the error of a wrong proof names.
    #[must_use]
    pub fn field(&self) -> &'static str {
        if self.passkey.is_some() { "passkey" } else { "otp" }
    }
}

/// The error of a wrong proof.
#[must_use]
pub fn wrong_proof(proof: Proof<'_>) -> Error {
    match proof.passkey {
        Some(_) => {
            let message =
                "The passkey was not accepted. Try again within five minutes, or use another method.";
            Error::invalid("passkey", "passkey_wrong", message)
        }
        None => {
            let message = "This code is wrong or was already used. Enter the next digits of your app, or another recovery code.";
            Error::invalid("otp", "otp_wrong", message)
        }
    }
}

/// Checks a passkey's answer, six digits or a recovery code. Each is valid once.
pub async fn verify(
    ctx: &Ctx,
    account: &Account,
    proof: Proof<'_>,
    purpose: passkeys::Purpose,
) -> Result<FactorCheck> {
    if !account.has_second_factor() {
        return Ok(FactorCheck::Valid);
    }
    if let Some(answer) = proof.passkey {
        return passkeys::verify(ctx, account.id, purpose, answer).await;
    }
    let Some(otp) = proof.otp.map(str::trim).filter(|otp| !otp.is_empty()) else {
        return Ok(FactorCheck::Missing);
    };
    if let Some(code) = recovery_codes::parse(otp) {
        return recovery_codes::use_code(ctx, account.id, &code).await;
    }
    let Some(sealed) = &account.totp_secret else { return Ok(FactorCheck::Wrong) };
    let seed =
        ctx.app.secrets.open(sealed, &seal_context("totp_secret", account.id)).map_err(Error::Internal)?;
    Ok(match authenticator_app::matching_step(&seed, otp, ctx.now())? {
        Some(step) if store::use_totp_step(&mut ctx.db(), account.id, step).await? => FactorCheck::Valid,
        _ => FactorCheck::Wrong,
    })
}

/// The factors of a sign-in by password for the audit trail, after [`verify`] accepted the second factor.
#[must_use]
pub fn factors(account: &Account, proof: Proof<'_>) -> &'static [&'static str] {
    match (proof.passkey, proof.otp) {
        (Some(_), _) if account.has_passkey() => &["password", "passkey"],
        (_, Some(otp)) if account.has_second_factor() && recovery_codes::parse(otp.trim()).is_some() => {
            &["password", "recovery_code"]
        }
        (_, Some(_)) if account.totp_secret.is_some() => &["password", "totp"],
        _ => &["password"],
    }
}

/// The methods with which the sign-in of an account can continue, with a new challenge for its passkeys. A panel without a usable
/// `public_url` offers the other methods.
pub async fn available_methods(ctx: &Ctx, account: &Account) -> Result<SecondFactorChoice> {
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
    let methods =
        methods.into_iter().filter_map(|(is_available, method)| is_available.then_some(method)).collect();
    Ok(SecondFactorChoice { methods, passkey })
}

/// Checks the caller's password and second factor and returns their id. Attempts are throttled like those of sign-in.
pub(super) async fn require_proof(ctx: &Ctx, proof: &SecondFactorProof) -> Result<UserId> {
    let id = ctx.caller()?.user_id;
    let account = store::account(&mut ctx.db(), id).await?.ok_or_else(|| Error::not_found("user", id))?;
    if !account.has_second_factor() {
        return Err(no_second_factor());
    }
    let password = check_password(ctx, &account, &proof.password);
    throttle::check_throttled(ctx, throttle::Purpose::ConfirmByPassword, &account.email, password).await?;
    let proof = Proof { otp: proof.otp.as_deref(), passkey: proof.passkey.as_ref() };
    let factor = check_factor(ctx, &account, proof);
    throttle::check_next_throttled(ctx, proof.purpose(), &account.email, factor).await?;
    Ok(id)
}

async fn check_password(ctx: &Ctx, account: &Account, password: &str) -> Result<Result<(), Error>> {
    let is_correct = password.len() <= 1_024
        && ctx.app.passwords.verify(password, account.password_hash.as_deref()).await?;
    let message = "This is not your password. Try again.";
    Ok(if is_correct { Ok(()) } else { Err(Error::invalid("password", "wrong_password", message)) })
}

async fn check_factor(ctx: &Ctx, account: &Account, proof: Proof<'_>) -> Result<Result<(), Error>> {
    Ok(match verify(ctx, account, proof, passkeys::Purpose::Confirm).await? {
        FactorCheck::Valid => Ok(()),
        FactorCheck::Missing | FactorCheck::Wrong => Err(wrong_proof(proof)),
    })
}
