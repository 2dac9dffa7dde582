//! Sign-in with e-mail and password. A customer's right password, a wrong one and an unknown e-mail get the same
//! answer after the same work.

use panel_contract::fields::FieldErrors;
use panel_contract::session::{LoginInput, SignedIn};
use totp_rs::{Builder, Secret};

use crate::auth::store::{self, Account};
use crate::auth::throttle::Attempt;
use crate::auth::{captcha, people, sessions, traces};
use crate::configuration::settings;
use crate::http::Ctx;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, Result};
use crate::http::reply::WithToken;

/// Signs in.
pub async fn login(ctx: &Ctx, input: &LoginInput) -> Result<WithToken<SignedIn>> {
    let app = &ctx.app;
    let email = input.email.trim().to_lowercase();
    given(&email, &input.password)?;
    if email.len() > 254 || input.password.len() > 1_024 {
        return Err(wrong());
    }
    let attempt = Attempt::new(&email, ctx.meta.ip);
    attempt.admit(&app.db, &app.config.limits, ctx.now()).await?;
    if settings::flag(&mut ctx.db(), settings::CAPTCHA_IS_ENABLED).await? {
        captcha::check(app, &ctx.meta, input.captcha.as_deref()).await?;
    }
    let account = store::account_by_email(&mut ctx.db(), &email).await?;
    let named = account.as_ref().map(|account| account.id);
    let hash = account.as_ref().and_then(|account| account.password_hash.as_deref());
    let right = app.passwords.verify(&input.password, hash).await?;
    let Some((account, caller)) = staff(ctx, account.filter(|_| right)).await? else {
        attempt.failed(&app.db, &app.config.limits, ctx.now()).await?;
        traces::refused(ctx, named).await?;
        return Err(wrong());
    };
    match second_factor(ctx, &account, input.otp.as_deref()).await? {
        Factor::Fits => {}
        Factor::Missing => {
            let message = "Type the six digits of your authenticator app.";
            return Err(ApiError::invalid("otp", "otp_required", message));
        }
        Factor::Wrong => {
            // Six digits are quickly guessed by whoever has the password: they count like one.
            attempt.failed(&app.db, &app.config.limits, ctx.now()).await?;
            traces::refused(ctx, named).await?;
            let message = "These digits are wrong or were used; wait for the next ones.";
            return Err(ApiError::invalid("otp", "otp_wrong", message));
        }
    }
    attempt.succeeded(&app.db).await?;
    refresh_hash(ctx, &account, &input.password).await?;
    sign_in(ctx, caller).await
}

/// Issues a token to somebody whose identity is settled.
pub async fn sign_in(ctx: &Ctx, caller: Caller) -> Result<WithToken<SignedIn>> {
    let mut work = ctx.once().acting_as(caller.user_id).begin().await?;
    let issued = sessions::issue(&ctx.app, &mut work, &ctx.meta, caller.user_id, None).await?;
    traces::signed_in(&mut work, caller.user_id).await?;
    work.finish(()).await?;
    tracing::info!(user_id = caller.user_id, "signed in");
    Ok(WithToken {
        body: SignedIn { user: people::profile(&caller), expires_at: issued.expires_at },
        token: issued.token,
    })
}

/// The account as a caller, when it belongs to staff who may sign in.
pub async fn staff(ctx: &Ctx, account: Option<Account>) -> Result<Option<(Account, Caller)>> {
    let Some(account) = account.filter(|account| account.status != "deactivated") else { return Ok(None) };
    let grants = people::grants(&mut ctx.db(), account.id).await?;
    if grants.0.is_empty() && grants.1.is_empty() {
        return Ok(None);
    }
    let caller = Caller {
        user_id: account.id,
        session_id: 0,
        name: account.name.clone(),
        email: account.email.clone(),
        grants,
        as_of: None,
    };
    Ok(Some((account, caller)))
}

/// Names each field that was left empty: that says nothing about any account.
fn given(email: &str, password: &str) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if email.is_empty() {
        errors.add("email", "Type your e-mail address.");
    }
    if password.is_empty() {
        errors.add("password", "Type your password.");
    }
    errors.or(())
}

fn wrong() -> ApiError {
    ApiError::invalid("email", "wrong_credentials", "The e-mail address or the password is wrong.")
}

/// What was found of the second factor.
enum Factor {
    /// It fits, or the account has none.
    Fits,
    /// It is wanted.
    Missing,
    /// It is wrong, over, or was used.
    Wrong,
}

/// Checks the six digits of accounts that have TOTP; each works once. The step before and after count as well,
/// for clocks that go wrong by half a minute.
async fn second_factor(ctx: &Ctx, account: &Account, otp: Option<&str>) -> Result<Factor> {
    let Some(sealed) = &account.totp_secret else { return Ok(Factor::Fits) };
    let Some(otp) = otp.map(str::trim).filter(|otp| !otp.is_empty()) else { return Ok(Factor::Missing) };
    let place = format!("users|totp_secret|{}", account.id);
    let seed = ctx.app.secrets.open(sealed, &place).map_err(ApiError::Fault)?;
    let totp = Builder::new()
        .with_secret(Secret::from(seed))
        .with_account_name(account.email.clone())
        .build()
        .map_err(|error| ApiError::Fault(error.to_string()))?;
    let now = u64::try_from(ctx.now().0 / 1_000_000).unwrap_or(0);
    let step = totp.check(otp, now).and_then(|step| i64::try_from(step).ok());
    Ok(match step {
        Some(step) if store::use_totp_step(&mut ctx.db(), account.id, step).await? => Factor::Fits,
        _ => Factor::Wrong,
    })
}

/// Hashes the password anew when its hash was made with other parameters than today's.
async fn refresh_hash(ctx: &Ctx, account: &Account, password: &str) -> Result<()> {
    let passwords = &ctx.app.passwords;
    let Some(old) = account.password_hash.as_deref().filter(|old| !passwords.is_current(old)) else {
        return Ok(());
    };
    let new = passwords.hash(password).await?;
    store::replace_hash(&mut ctx.db(), account.id, old, &new).await
}
