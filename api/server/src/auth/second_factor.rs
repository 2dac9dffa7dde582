//! Shows, verifies and removes the second factor of an account. `enrolment` sets up an authenticator app, and `passkeys` registers
//! passkeys. The server shows a secret and the recovery codes only once, and stores the secret encrypted and the codes as hashes. The
//! server must count an attempt before it verifies the second factor of the request.

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
    FactorCheck, check_required_factor, no_second_factor_error, record_change, seal_context,
};
use crate::auth::store::{self, Account, second_factors};
use crate::auth::{authenticator_app, enrolment, passkeys, recovery_codes, throttle};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<GetSecondFactor, _, _, _>(get_second_factor)
        .route::<RenewRecoveryCodes, _, _, _>(renew_recovery_codes)
        .route::<RemoveSecondFactor, _, _, _>(remove_authenticator_app)
        .with(enrolment::routes)
}

async fn get_second_factor(ctx: Ctx, _req: Req<GetSecondFactor>) -> Result<Data<SecondFactor>> {
    Ok(Data { data: second_factors::load_state(&mut ctx.db(), ctx.caller()?.user_id).await? })
}

async fn renew_recovery_codes(ctx: Ctx, req: Req<RenewRecoveryCodes>) -> Result<Data<RecoveryCodes>> {
    let user_id = require_reauthentication(&ctx, &req.body).await?;
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    work.lock("users", &[user_id]).await?;
    if !second_factors::load_state(&mut work, user_id).await?.is_enabled {
        return Err(no_second_factor_error());
    }
    let codes = recovery_codes::replace(&mut work, &ctx.app, user_id).await?;
    let description = "new recovery codes were created for your account";
    record_change(&mut work, user_id, "second_factor.recovery_codes_renewed", description).await?;
    work.finish(()).await?;
    Ok(Data { data: codes })
}

async fn remove_authenticator_app(ctx: Ctx, req: Req<RemoveSecondFactor>) -> Result<EmptyBody> {
    let state = second_factors::load_state(&mut ctx.db(), ctx.caller()?.user_id).await?;
    if state.is_enabled && !state.has_authenticator_app {
        let message = "You have no authenticator app. Remove your passkeys one by one instead.";
        return Err(Error::conflict("no_authenticator_app", message));
    }
    check_required_factor(&state, 1)?;
    let user_id = require_reauthentication(&ctx, &req.body).await?;
    let mut work = ctx.begin().await?;
    work.lock("users", &[user_id]).await?;
    store::lock_access_version(&mut work).await?;
    if !second_factors::disable_app(&mut work, user_id).await? {
        return Err(no_second_factor_error());
    }
    let description = "the authenticator app of your account was removed";
    finish_removal(&mut work, user_id, "second_factor.disabled", description).await?;
    work.finish(EmptyBody {}).await
}

/// Completes the removal of a factor. Returns a 409 if a role requires a second factor and none remains. If no factor remains, also
/// deletes the recovery codes.
pub(super) async fn finish_removal(
    work: &mut UnitOfWork,
    user_id: UserId,
    event: &'static str,
    description: &str,
) -> Result<()> {
    let remaining_factors = second_factors::load_state(work, user_id).await?;
    check_required_factor(&remaining_factors, 0)?;
    if !remaining_factors.is_enabled {
        store::recovery_codes::delete(work, user_id).await?;
    }
    record_change(work, user_id, event, description).await
}

/// Removes all second factors of another user and ends the sessions of that user. Returns false if the user has no second factor. The
/// caller must have checked the permission.
pub async fn reset(work: &mut UnitOfWork, user_id: UserId) -> Result<bool> {
    let removed_app = second_factors::disable_app(work, user_id).await?;
    let removed_passkeys = store::passkeys::delete_all(work, user_id).await?;
    if !removed_app && !removed_passkeys {
        return Ok(false);
    }
    store::recovery_codes::delete(work, user_id).await?;
    second_factors::delete_enrolment(work, user_id).await?;
    let now = work.now;
    store::end_sessions(work, user_id, None, now).await?;
    let description = "the second factor of your account was removed by another staff member";
    record_change(work, user_id, "second_factor.reset", description).await?;
    Ok(true)
}

/// Ids of the operations that are allowed to a caller who must first set up a second factor: they read the profile, confirm the identity
/// of the caller, set up a factor, or sign out.
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

/// Rejects all other operations of a caller who must first set up a second factor.
pub fn check_request(op: &Op, caller: &StaffMember) -> Result<(), Rejection> {
    if !caller.must_enrol || ENROLMENT_OPERATIONS.contains(&op.id) {
        return Ok(());
    }
    let message = "Your role or the panel's settings require a second factor. Set one up in your profile, then try again.";
    Err(Rejection::forbidden("second_factor_required", message))
}

/// The second factor that a request contains.
#[derive(Debug, Clone, Copy)]
pub struct FactorInput<'a> {
    /// The six digits of an authenticator app, or a recovery code.
    pub otp: Option<&'a str>,
    /// The response of a passkey. If it is set, `otp` is ignored.
    pub passkey: Option<&'a PasskeyResponse>,
}

impl FactorInput<'_> {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.passkey.is_none() && self.otp.is_none_or(|otp| otp.trim().is_empty())
    }

    /// The purpose under which wrong attempts of a signed-in caller are throttled.
    #[must_use]
    pub fn purpose(&self) -> throttle::Purpose {
        match self.passkey {
            Some(_) => throttle::Purpose::ConfirmByPasskey,
            None => throttle::Purpose::ConfirmByCode,
        }
    }

    /// The field that the error for a wrong second factor names.
    #[must_use]
    pub fn field(&self) -> &'static str {
        if self.passkey.is_some() { "passkey" } else { "otp" }
    }
}

/// The error for a wrong second factor.
#[must_use]
pub fn wrong_factor_error(factor_input: FactorInput<'_>) -> Error {
    match factor_input.passkey {
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

/// Verifies the response of a passkey, the digits of an app, or a recovery code. Each of them is accepted only once.
pub async fn verify(
    ctx: &Ctx,
    account: &Account,
    factor_input: FactorInput<'_>,
    purpose: passkeys::Purpose,
) -> Result<FactorCheck> {
    if !account.has_second_factor() {
        return Ok(FactorCheck::Valid);
    }
    if let Some(passkey_response) = factor_input.passkey {
        return passkeys::verify(ctx, account.id, purpose, passkey_response).await;
    }
    let Some(otp) = factor_input.otp.map(str::trim).filter(|otp| !otp.is_empty()) else {
        return Ok(FactorCheck::Missing);
    };
    if let Some(code) = recovery_codes::parse(otp) {
        return recovery_codes::use_code(ctx, account.id, &code).await;
    }
    let Some(sealed_secret) = &account.totp_secret else { return Ok(FactorCheck::Wrong) };
    let secret = ctx
        .app
        .secrets
        .open(sealed_secret, &seal_context("totp_secret", account.id))
        .map_err(Error::Internal)?;
    Ok(match authenticator_app::matching_step(&secret, otp, ctx.now())? {
        Some(time_step) if store::use_totp_step(&mut ctx.db(), account.id, time_step).await? => {
            FactorCheck::Valid
        }
        _ => FactorCheck::Wrong,
    })
}

/// Returns the names of the factors of a sign-in with a password, for the audit trail. Called after [`verify`] accepted the second
/// factor.
#[must_use]
pub fn factor_names(account: &Account, factor_input: FactorInput<'_>) -> &'static [&'static str] {
    match (factor_input.passkey, factor_input.otp) {
        (Some(_), _) if account.has_passkey() => &["password", "passkey"],
        (_, Some(otp)) if account.has_second_factor() && recovery_codes::parse(otp.trim()).is_some() => {
            &["password", "recovery_code"]
        }
        (_, Some(_)) if account.totp_secret.is_some() => &["password", "totp"],
        _ => &["password"],
    }
}

/// Returns the methods with which the sign-in of an account can continue, and creates a challenge for its passkeys. Without a usable
/// `public_url` in the configuration, passkeys are not offered.
pub async fn create_second_factor_choice(ctx: &Ctx, account: &Account) -> Result<SecondFactorChoice> {
    let passkey = match account.has_passkey() && passkeys::is_available(ctx) {
        true => passkeys::create_challenge_for(ctx, account.id, passkeys::Purpose::SignIn).await?,
        false => None,
    };
    let unused_code_count = second_factors::load_state(&mut ctx.db(), account.id).await?.recovery_codes_left;
    let methods = [
        (account.totp_secret.is_some(), SecondFactorMethod::Totp),
        (passkey.is_some(), SecondFactorMethod::Passkey),
        (unused_code_count > 0, SecondFactorMethod::RecoveryCode),
    ];
    let methods =
        methods.into_iter().filter_map(|(is_available, method)| is_available.then_some(method)).collect();
    Ok(SecondFactorChoice { methods, passkey })
}

/// Verifies the password and the second factor of the caller, and returns the id of the caller. Attempts are throttled like those of a
/// sign-in.
pub(super) async fn require_reauthentication(ctx: &Ctx, input: &SecondFactorProof) -> Result<UserId> {
    let id = ctx.caller()?.user_id;
    let account =
        store::load_account(&mut ctx.db(), id).await?.ok_or_else(|| Error::not_found("user", id))?;
    if !account.has_second_factor() {
        return Err(no_second_factor_error());
    }
    let password_check = check_password(ctx, &account, &input.password);
    throttle::check_throttled(ctx, throttle::Purpose::ConfirmByPassword, &account.email, password_check)
        .await?;
    let factor_input = FactorInput { otp: input.otp.as_deref(), passkey: input.passkey.as_ref() };
    let factor_check = check_factor(ctx, &account, factor_input);
    throttle::check_next_throttled(ctx, factor_input.purpose(), &account.email, factor_check).await?;
    Ok(id)
}

async fn check_password(ctx: &Ctx, account: &Account, password: &str) -> Result<Result<(), Error>> {
    let is_correct = password.len() <= 1_024
        && ctx.app.passwords.verify(password, account.password_hash.as_deref()).await?;
    let message = "This is not your password. Try again.";
    Ok(if is_correct { Ok(()) } else { Err(Error::invalid("password", "wrong_password", message)) })
}

async fn check_factor(
    ctx: &Ctx,
    account: &Account,
    factor_input: FactorInput<'_>,
) -> Result<Result<(), Error>> {
    Ok(match verify(ctx, account, factor_input, passkeys::Purpose::Confirm).await? {
        FactorCheck::Valid => Ok(()),
        FactorCheck::Missing | FactorCheck::Wrong => Err(wrong_factor_error(factor_input)),
    })
}
