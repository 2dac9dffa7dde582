//! Signs staff members in with email and password. A wrong password, an unknown email, and the correct password of a customer get the
//! same response after the same work, so that the response does not reveal which accounts exist.

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::second_factor::{SecondFactorChoice, SecondFactorMethod};
use panel_contract::session::{LoginInput, SignInResponse};
use panel_kernel::actor::StaffMember;
use panel_kernel::error::{Error, Result};

use crate::auth::factor_state::FactorCheck;
use crate::auth::passkeys::Purpose as ChallengePurpose;
use crate::auth::second_factor::FactorInput;
use crate::auth::sessions::SessionOrigin;
use crate::auth::store::{self, Account};
use crate::auth::throttle::{self, Attempt, CaptchaState, Purpose, Reservation};
use crate::auth::{captcha, second_factor, sessions, sign_in_audit, staff_accounts};
use crate::context::Ctx;
use crate::http::typed_response::WithToken;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

pub async fn login(ctx: &Ctx, input: &LoginInput) -> Result<WithToken<SignInResponse>> {
    let app = &ctx.app;
    let email = input.email.trim().to_lowercase();
    check_not_empty(&email, &input.password)?;
    if email.len() > 254 || input.password.len() > 1_024 {
        return Err(wrong_credentials_error());
    }
    let attempt = Attempt::new(Purpose::Login, &email, ctx.meta.ip);
    attempt.admit(app).await?;
    let reservation = reserve(ctx, &attempt, input.captcha.as_deref()).await?;
    match check_credentials(ctx, input, &email).await {
        Ok(LoginCheck::Valid(account, caller)) => {
            reservation.record_success(&app.db).await?;
            let factor_names = second_factor::factor_names(&account, factor_input(input));
            let response = sign_in(ctx, &account, caller, factor_names).await?;
            rehash_if_outdated(ctx, &account, &input.password).await?;
            Ok(response)
        }
        Ok(LoginCheck::WrongCredentials(account_id)) => {
            reservation.record_failure();
            sign_in_audit::record_failed_sign_in(ctx, account_id);
            Err(wrong_credentials_error())
        }
        Ok(LoginCheck::WrongFactor(account)) => {
            // An attacker who knows the password could guess six digits quickly, so a wrong second factor counts like a wrong password.
            reservation.record_failure();
            sign_in_audit::record_failed_sign_in(ctx, Some(account.id));
            let error = second_factor::wrong_factor_error(factor_input(input));
            Err(error
                .with_second_factor_choice(second_factor::create_second_factor_choice(ctx, &account).await?))
        }
        Ok(LoginCheck::MissingFactor(account)) => {
            reservation.release(&app.db).await?;
            Err(factor_required_error(second_factor::create_second_factor_choice(ctx, &account).await?))
        }
        Err(error) => {
            // The check did not complete, so the attempt must not count as a failure of the client.
            reservation.release(&app.db).await?;
            Err(error)
        }
    }
}

/// Counts the attempt before its secrets are checked. Requires a captcha if the setting always requires one, or if the account had too
/// many failures.
pub(super) async fn reserve(
    ctx: &Ctx,
    attempt: &Attempt,
    captcha_response: Option<&str>,
) -> Result<Reservation> {
    let app = &ctx.app;
    let state = if settings::read_bool(&mut ctx.db(), settings::CAPTCHA_IS_ENABLED).await? {
        captcha::check(app, &ctx.meta, captcha_response).await?;
        CaptchaState::Solved
    } else if captcha::is_configured(&app.config.captcha) {
        CaptchaState::Unsolved
    } else {
        CaptchaState::Unavailable
    };
    if let Some(reservation) = attempt.reserve(app, state).await? {
        return Ok(reservation);
    }
    captcha::check(app, &ctx.meta, captcha_response).await?;
    let reservation = attempt.reserve(app, CaptchaState::Solved).await?;
    reservation.ok_or_else(|| Error::Internal("a solved captcha was required again".into()))
}

fn factor_input(input: &LoginInput) -> FactorInput<'_> {
    FactorInput { otp: input.otp.as_deref(), passkey: input.passkey.as_ref() }
}

/// The error that requires a second factor. Its message names the methods of the account.
fn factor_required_error(choice: SecondFactorChoice) -> Error {
    let has_method = |method| choice.methods.contains(&method);
    let message = match (has_method(SecondFactorMethod::Totp), has_method(SecondFactorMethod::Passkey)) {
        (true, true) => "Use your passkey, or enter the six digits of your authenticator app.",
        (true, false) => "Enter the six digits of your authenticator app.",
        (false, true) => "Use your passkey, or enter a recovery code.",
        (false, false) => "Enter a recovery code.",
    };
    Error::invalid("otp", "otp_required", message).with_second_factor_choice(choice)
}

/// The result of checking a password and a second factor.
enum LoginCheck {
    Valid(Box<Account>, StaffMember),
    /// The id of the account with this email address, if there is one.
    WrongCredentials(Option<UserId>),
    MissingFactor(Box<Account>),
    WrongFactor(Box<Account>),
}

async fn check_credentials(ctx: &Ctx, input: &LoginInput, email: &str) -> Result<LoginCheck> {
    let account = store::load_account_by_email(&mut ctx.db(), email).await?;
    let account_id = account.as_ref().map(|account| account.id);
    let hash = account.as_ref().and_then(|account| account.password_hash.as_deref());
    let is_correct = ctx.app.passwords.verify(&input.password, hash).await?;
    let Some((account, caller)) = load_staff_caller(ctx, account.filter(|_| is_correct)).await? else {
        return Ok(LoginCheck::WrongCredentials(account_id));
    };
    Ok(match second_factor::verify(ctx, &account, factor_input(input), ChallengePurpose::SignIn).await? {
        FactorCheck::Valid => LoginCheck::Valid(Box::new(account), caller),
        FactorCheck::Missing => LoginCheck::MissingFactor(Box::new(account)),
        FactorCheck::Wrong => LoginCheck::WrongFactor(Box::new(account)),
    })
}

/// Signs in a caller whose factors have been verified.
pub async fn sign_in(
    ctx: &Ctx,
    account: &Account,
    caller: StaffMember,
    factor_names: &[&str],
) -> Result<WithToken<SignInResponse>> {
    let work = begin_sign_in(ctx, account).await?.ok_or_else(wrong_credentials_error)?;
    finish_sign_in(ctx, work, caller, SessionOrigin::SignIn, Some(ctx.now()), factor_names).await
}

/// Begins the transaction of a sign-in and locks the account. Returns `None` if the password, the status or the second factor has changed
/// since `verified_account` was loaded: such a change ended the sessions of the account, so it must also prevent this sign-in.
pub async fn begin_sign_in(ctx: &Ctx, verified_account: &Account) -> Result<Option<UnitOfWork>> {
    let mut work = ctx.without_replay_and_dry_run().acting_as(verified_account.id).begin().await?;
    work.lock("users", &[verified_account.id]).await?;
    store::lock_access_version(&mut work).await?;
    let current_account = store::load_account(&mut work, verified_account.id).await?;
    Ok(current_account.is_some_and(|account| account.is_unchanged_since(verified_account)).then_some(work))
}

/// Issues the token, commits, and ends the session whose cookie is replaced by the new token.
pub async fn finish_sign_in(
    ctx: &Ctx,
    mut work: UnitOfWork,
    caller: StaffMember,
    origin: SessionOrigin,
    confirmed_at: Option<Time>,
    factor_names: &[&str],
) -> Result<WithToken<SignInResponse>> {
    let issued_token =
        sessions::issue(&ctx.app, &mut work, &ctx.meta, caller.user_id, origin, confirmed_at).await?;
    sign_in_audit::record_sign_in(&mut work, caller.user_id, factor_names).await?;
    work.finish(()).await?;
    end_replaced_session(ctx).await?;
    throttle::record_network_of_sign_in(&mut ctx.db(), caller.user_id, ctx.meta.ip, ctx.now()).await?;
    tracing::info!(user_id = caller.user_id.get(), "signed in");
    Ok(WithToken::new(ctx, staff_accounts::load_profile(&mut ctx.db(), &caller).await?, issued_token))
}

/// Ends the session whose cookie the new cookie overwrites, because the browser can no longer sign out of this session.
async fn end_replaced_session(ctx: &Ctx) -> Result<()> {
    let Some(hash) = ctx.meta.token_hash.filter(|_| ctx.meta.has_cookie_token && ctx.meta.cookie.is_some())
    else {
        return Ok(());
    };
    if let Some(session) = store::load_session(&mut ctx.db(), &hash).await? {
        store::revoke_family(&mut ctx.db(), &session.family_id, ctx.now()).await?;
    }
    Ok(())
}

/// Returns the account and its staff member, or `None` if the account does not belong to a staff member who may sign in.
pub async fn load_staff_caller(
    ctx: &Ctx,
    account: Option<Account>,
) -> Result<Option<(Account, StaffMember)>> {
    let Some(account) = account.filter(|account| account.status != "deactivated") else { return Ok(None) };
    let grants = staff_accounts::load_grants(&mut ctx.db(), account.id).await?;
    if grants.is_empty() {
        return Ok(None);
    }
    let caller = StaffMember {
        user_id: account.id,
        // There is no session yet, and the sign-in does not use the id.
        session_id: SessionId::new(0),
        name: account.name.clone(),
        email: account.email.clone(),
        grants,
        must_enrol: account.must_enrol,
        access_version: None,
        confirmed_at: None,
    };
    Ok(Some((account, caller)))
}

/// Rejects empty fields, which reveals nothing about accounts.
fn check_not_empty(email: &str, password: &str) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if email.is_empty() {
        errors.add("email", "Enter your email address.");
    }
    if password.is_empty() {
        errors.add("password", "Enter your password.");
    }
    errors.into_result(())
}

fn wrong_credentials_error() -> Error {
    Error::invalid(
        "email",
        "wrong_credentials",
        "The email address or the password is wrong. Check both and try again.",
    )
}

/// Replaces the hash of the password if it was computed with outdated parameters.
async fn rehash_if_outdated(ctx: &Ctx, account: &Account, password: &str) -> Result<()> {
    let passwords = &ctx.app.passwords;
    let Some(old_hash) = account.password_hash.as_deref().filter(|hash| !passwords.is_current(hash)) else {
        return Ok(());
    };
    let new_hash = passwords.hash(password).await?;
    Ok(store::passwords::rehash(&mut ctx.db(), account.id, old_hash, &new_hash).await?)
}
