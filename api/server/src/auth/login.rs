//! Sign-in with email and password. A customer's right password, a wrong one and an unknown email get the same
//! answer after the same work.

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{SessionId, UserId};
use panel_contract::moment::Time;
use panel_contract::second_factor::{SecondFactorChoice, SecondFactorMethod};
use panel_contract::session::{LoginInput, SignedIn};
use panel_kernel::actor::StaffMember;
use panel_kernel::error::{Error, Result};

use crate::auth::factor_state::Factor;
use crate::auth::passkeys::Purpose as Ceremony;
use crate::auth::second_factor::Proof;
use crate::auth::sessions::Origin;
use crate::auth::store::{self, Account};
use crate::auth::throttle::{self, Attempt, Captcha, Purpose, Reservation};
use crate::auth::{captcha, people, second_factor, sessions, traces};
use crate::context::Ctx;
use crate::http::reply::WithToken;
use panel_platform::settings;
use panel_platform::work::Work;

/// Signs in.
pub async fn login(ctx: &Ctx, input: &LoginInput) -> Result<WithToken<SignedIn>> {
    let app = &ctx.app;
    let email = input.email.trim().to_lowercase();
    given(&email, &input.password)?;
    if email.len() > 254 || input.password.len() > 1_024 {
        return Err(wrong());
    }
    let attempt = Attempt::new(Purpose::Login, &email, ctx.meta.ip);
    attempt.admit(app).await?;
    let reservation = reserve(ctx, &attempt, input.captcha.as_deref()).await?;
    match check(ctx, input, &email).await {
        Ok(Checked::Fits(account, caller)) => {
            reservation.succeeded(&app.db).await?;
            let factors = second_factor::factors(&account, proof(input));
            let answer = sign_in(ctx, &account, caller, factors).await?;
            refresh_hash(ctx, &account, &input.password).await?;
            Ok(answer)
        }
        Ok(Checked::WrongCredentials(named)) => {
            reservation.failed();
            traces::refused(ctx, named);
            Err(wrong())
        }
        Ok(Checked::WrongFactor(account)) => {
            // An attacker who knows the password guesses six digits quickly: they count like a password.
            reservation.failed();
            traces::refused(ctx, Some(account.id));
            let refused = second_factor::wrong(proof(input));
            Err(refused.offering(second_factor::choice(ctx, &account).await?))
        }
        Ok(Checked::MissingFactor(account)) => {
            reservation.release(&app.db).await?;
            Err(missing(second_factor::choice(ctx, &account).await?))
        }
        Err(error) => {
            // Nothing was checked to its end, and that is not the client's failure.
            reservation.release(&app.db).await?;
            Err(error)
        }
    }
}

/// Counts the attempt before anything of it is checked; asks for the captcha where the panel always does, or where the
/// account had too many failures.
pub(super) async fn reserve(ctx: &Ctx, attempt: &Attempt, answer: Option<&str>) -> Result<Reservation> {
    let app = &ctx.app;
    let state = if settings::flag(&mut ctx.db(), settings::CAPTCHA_IS_ENABLED).await? {
        captcha::check(app, &ctx.meta, answer).await?;
        Captcha::Solved
    } else if captcha::is_configured(&app.config.captcha) {
        Captcha::Unsolved
    } else {
        Captcha::Unavailable
    };
    if let Some(reservation) = attempt.reserve(app, state).await? {
        return Ok(reservation);
    }
    captcha::check(app, &ctx.meta, answer).await?;
    let reservation = attempt.reserve(app, Captcha::Solved).await?;
    reservation.ok_or_else(|| Error::Fault("a solved captcha was asked for again".into()))
}

fn proof(input: &LoginInput) -> Proof<'_> {
    Proof { otp: input.otp.as_deref(), passkey: input.passkey.as_ref() }
}

/// Asks for a second factor, in words for what the account has.
fn missing(choice: SecondFactorChoice) -> Error {
    let has = |method| choice.methods.contains(&method);
    let message = match (has(SecondFactorMethod::Totp), has(SecondFactorMethod::Passkey)) {
        (true, true) => "Use your passkey, or type the six digits of your authenticator app.",
        (true, false) => "Type the six digits of your authenticator app.",
        (false, true) => "Use your passkey, or type a recovery code.",
        (false, false) => "Type a recovery code.",
    };
    Error::invalid("otp", "otp_required", message).offering(choice)
}

/// What the check of a password and a second factor found.
enum Checked {
    Fits(Box<Account>, StaffMember),
    /// The id of the account with this email address, where there is one.
    WrongCredentials(Option<UserId>),
    MissingFactor(Box<Account>),
    WrongFactor(Box<Account>),
}

async fn check(ctx: &Ctx, input: &LoginInput, email: &str) -> Result<Checked> {
    let account = store::account_by_email(&mut ctx.db(), email).await?;
    let named = account.as_ref().map(|account| account.id);
    let hash = account.as_ref().and_then(|account| account.password_hash.as_deref());
    let right = ctx.app.passwords.verify(&input.password, hash).await?;
    let Some((account, caller)) = staff(ctx, account.filter(|_| right)).await? else {
        return Ok(Checked::WrongCredentials(named));
    };
    Ok(match second_factor::verify(ctx, &account, proof(input), Ceremony::SignIn).await? {
        Factor::Fits => Checked::Fits(Box::new(account), caller),
        Factor::Missing => Checked::MissingFactor(Box::new(account)),
        Factor::Wrong => Checked::WrongFactor(Box::new(account)),
    })
}

/// Issues a token to a caller whose identity is settled by their password and these factors.
pub async fn sign_in(
    ctx: &Ctx,
    account: &Account,
    caller: StaffMember,
    factors: &[&str],
) -> Result<WithToken<SignedIn>> {
    let work = begin(ctx, account).await?.ok_or_else(wrong)?;
    finish(ctx, work, caller, Origin::SignIn, Some(ctx.now()), factors).await
}

/// Begins the work of a sign-in and holds the account until it ends. None where its password, its status or its second factor
/// changed since `verified` was read: what ended the account's sessions meanwhile counts for this one, too.
pub async fn begin(ctx: &Ctx, verified: &Account) -> Result<Option<Work>> {
    let mut work = ctx.once().acting_as(verified.id).begin().await?;
    work.lock("users", &[verified.id]).await?;
    store::hold_access(&mut work).await?;
    let now = store::account(&mut work, verified.id).await?;
    Ok(now.is_some_and(|now| now.is_unchanged_since(verified)).then_some(work))
}

/// Issues the token, and ends the session that it replaces in its browser.
pub async fn finish(
    ctx: &Ctx,
    mut work: Work,
    caller: StaffMember,
    origin: Origin,
    confirmed_at: Option<Time>,
    factors: &[&str],
) -> Result<WithToken<SignedIn>> {
    let issued =
        sessions::issue(&ctx.app, &mut work, &ctx.meta, caller.user_id, origin, confirmed_at).await?;
    traces::signed_in(&mut work, caller.user_id, factors).await?;
    work.finish(()).await?;
    end_replaced(ctx).await?;
    throttle::note_sign_in(&mut ctx.db(), caller.user_id, ctx.meta.ip, ctx.now()).await?;
    tracing::info!(user_id = caller.user_id.get(), "signed in");
    Ok(WithToken::new(ctx, people::profile(&mut ctx.db(), &caller).await?, issued))
}

/// Ends the session whose cookie the new one overwrites: the browser has no other way left to end it.
async fn end_replaced(ctx: &Ctx) -> Result<()> {
    let Some(hash) = ctx.meta.token_hash.filter(|_| ctx.meta.is_by_cookie && ctx.meta.cookie.is_some())
    else {
        return Ok(());
    };
    if let Some(session) = store::session(&mut ctx.db(), &hash).await? {
        store::revoke_family(&mut ctx.db(), &session.family_id, ctx.now()).await?;
    }
    Ok(())
}

/// The account as a caller, when it belongs to staff who may sign in.
pub async fn staff(ctx: &Ctx, account: Option<Account>) -> Result<Option<(Account, StaffMember)>> {
    let Some(account) = account.filter(|account| account.status != "deactivated") else { return Ok(None) };
    let grants = people::grants(&mut ctx.db(), account.id).await?;
    if grants.is_empty() {
        return Ok(None);
    }
    let caller = StaffMember {
        user_id: account.id,
        // They have none yet, and nothing of a sign-in asks for it.
        session_id: SessionId::new(0),
        name: account.name.clone(),
        email: account.email.clone(),
        grants,
        must_enrol: account.must_enrol,
        as_of: None,
        confirmed_at: None,
    };
    Ok(Some((account, caller)))
}

/// Names each field that was left empty: that says nothing about any account.
fn given(email: &str, password: &str) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if email.is_empty() {
        errors.add("email", "Type your email address.");
    }
    if password.is_empty() {
        errors.add("password", "Type your password.");
    }
    errors.or(())
}

fn wrong() -> Error {
    Error::invalid("email", "wrong_credentials", "The email address or the password is wrong.")
}

/// Hashes the password anew when its hash was made with other parameters than today's.
async fn refresh_hash(ctx: &Ctx, account: &Account, password: &str) -> Result<()> {
    let passwords = &ctx.app.passwords;
    let Some(old) = account.password_hash.as_deref().filter(|old| !passwords.is_current(old)) else {
        return Ok(());
    };
    let new = passwords.hash(password).await?;
    Ok(store::passwords::rehash(&mut ctx.db(), account.id, old, &new).await?)
}
