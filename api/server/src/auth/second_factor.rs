//! The second factor: enrolment, the check at sign-in, recovery codes, and its end. A secret and the codes are shown once; the secret is stored sealed and the codes as hashes. It must never check a proof
//! before the attempt is counted.

use panel_contract::common::Data;
use panel_contract::endpoint::{NoBody, Op};
use panel_contract::endpoints::second_factor::{
    BeginSecondFactor, ConfirmSecondFactor, GetSecondFactor, RemoveSecondFactor, RenewRecoveryCodes,
};
use panel_contract::second_factor::{RecoveryCodes, SecondFactor, SecondFactorEnrolment, SecondFactorProof};
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::json;
use totp_rs::{Builder, Secret, Totp};

use crate::app::App;
use crate::audit::{self, Change};
use crate::auth::store::{self, Account, requires_second_factor};
use crate::auth::{sessions, throttle};
use crate::configuration::settings;
use crate::db::{DbResult, Source, Sql};
use crate::http::api::Api;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::jobs::{self, Job};
use crate::mail::Letter;
use crate::refusal::Refusal;
use crate::work::Work;

/// Recovery codes of an account.
const CODES: usize = 10;
/// Letters of a recovery code: 140 bits, so that its hash needs no salt and no cost.
const CODE_LETTERS: usize = 28;
/// Digits and letters that are not mistaken for each other.
const ALPHABET: &[u8; 32] = b"23456789abcdefghjkmnpqrstuvwxyz0";
/// Bytes of a secret, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<GetSecondFactor, _, _, _>(get)
        .on::<BeginSecondFactor, _, _, _>(begin)
        .on::<ConfirmSecondFactor, _, _, _>(confirm)
        .on::<RenewRecoveryCodes, _, _, _>(renew)
        .on::<RemoveSecondFactor, _, _, _>(remove)
}

async fn get(ctx: Ctx, _req: Req<GetSecondFactor>) -> Result<Data<SecondFactor>> {
    Ok(Data { data: state(&mut ctx.db(), ctx.caller()?.user_id).await? })
}

async fn begin(ctx: Ctx, _req: Req<BeginSecondFactor>) -> Result<Data<SecondFactorEnrolment>> {
    let caller = ctx.caller()?;
    let seed = ctx.app.random.bytes::<SECRET_BYTES>().to_vec();
    let issuer = settings::text(&mut ctx.db(), settings::PANEL_NAME).await?;
    let totp = totp(seed.clone(), &caller.email, issuer.as_deref())?;
    let otpauth_url = totp.to_url().map_err(fault)?;
    let sealed = ctx.app.secrets.seal(&ctx.app.random, &seed, &place("totp_pending", caller.user_id));
    // The answer holds a secret, so it is not stored under the request's key.
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[caller.user_id]).await?;
    if !write_pending(&mut work, caller.user_id, sealed.map_err(fault)?).await? {
        let message = "You have a second factor; switch it off before you begin with another one.";
        return Err(ApiError::conflict("second_factor_on", message));
    }
    work.finish(()).await?;
    let qr_svg = svg(&otpauth_url)?;
    Ok(Data { data: SecondFactorEnrolment { secret: Secret::from(seed).to_base32(), otpauth_url, qr_svg } })
}

async fn confirm(ctx: Ctx, req: Req<ConfirmSecondFactor>) -> Result<Data<RecoveryCodes>> {
    let (user, session) = (ctx.caller()?.user_id, ctx.caller()?.session_id);
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[user]).await?;
    store::hold_access(&mut work).await?;
    let pending = pending(&mut work, user).await?.ok_or_else(|| {
        ApiError::conflict("second_factor_not_begun", "Begin with a new secret first, then confirm it.")
    })?;
    let seed = ctx.app.secrets.open(&pending, &place("totp_pending", user)).map_err(ApiError::Fault)?;
    let Some(step) = step(&seed, &req.body.otp, &ctx)? else {
        let message = "These digits do not fit; type those that the app shows now, and check its clock.";
        return Err(ApiError::invalid("otp", "otp_wrong", message));
    };
    let sealed = ctx.app.secrets.seal(&ctx.app.random, &seed, &place("totp_secret", user)).map_err(fault)?;
    enable(&mut work, user, sealed, step).await?;
    let codes = write_codes(&mut work, &ctx.app, user).await?;
    store::end_sessions(&mut work, user, session, ctx.now()).await?;
    note(&mut work, user, "second_factor.enabled", "switched on").await?;
    work.finish(()).await?;
    Ok(Data { data: codes })
}

async fn renew(ctx: Ctx, req: Req<RenewRecoveryCodes>) -> Result<Data<RecoveryCodes>> {
    let user = prove(&ctx, &req.body).await?;
    let mut work = ctx.once().begin().await?;
    work.lock("users", &[user]).await?;
    if !is_enabled(&mut work, user).await? {
        return Err(off());
    }
    let codes = write_codes(&mut work, &ctx.app, user).await?;
    note(&mut work, user, "second_factor.recovery_codes_renewed", "given new recovery codes").await?;
    work.finish(()).await?;
    Ok(Data { data: codes })
}

async fn remove(ctx: Ctx, req: Req<RemoveSecondFactor>) -> Result<NoBody> {
    let id = ctx.caller()?.user_id;
    if state(&mut ctx.db(), id).await?.is_required {
        let message = "Your role or the panel's settings require a second factor, so it stays on.";
        return Err(ApiError::conflict("second_factor_is_required", message));
    }
    let user = prove(&ctx, &req.body).await?;
    let mut work = ctx.begin().await?;
    work.lock("users", &[user]).await?;
    store::hold_access(&mut work).await?;
    if !disable(&mut work, user).await? {
        return Err(off());
    }
    note(&mut work, user, "second_factor.disabled", "switched off").await?;
    work.finish(NoBody {}).await
}

/// Removes the second factor of another user, whom the caller may act on, and ends their sessions; false where there is none.
pub async fn reset(work: &mut Work, user: i64) -> Result<bool> {
    if !disable(work, user).await? {
        return Ok(false);
    }
    let now = work.now;
    store::end_sessions(work, user, 0, now).await?;
    note(work, user, "second_factor.reset", "removed by another member of staff").await?;
    Ok(true)
}

/// What a caller may do who must enrol: see who they are, confirm it, enrol, and leave.
const ENROLMENT: [&str; 7] = [
    "profile",
    "refresh",
    "logout",
    "confirm_profile",
    "second_factor",
    "begin_second_factor",
    "confirm_second_factor",
];

/// Refuses a caller who must enrol everything but that.
pub fn check_call(op: &Op, caller: &Caller) -> Result<(), Refusal> {
    if !caller.must_enrol || ENROLMENT.contains(&op.id) {
        return Ok(());
    }
    let message =
        "Your role or the panel's settings require a second factor. Set it up in your profile, then go on.";
    Err(Refusal::forbidden("second_factor_required", message))
}

/// What was found of the second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// It fits, or the account has none.
    Fits,
    /// It is wanted.
    Missing,
    /// It is wrong, over, or was used.
    Wrong,
}

/// Checks six digits, or a recovery code in their place; each works once.
pub async fn verify(ctx: &Ctx, account: &Account, otp: Option<&str>) -> Result<Factor> {
    let Some(sealed) = &account.totp_secret else { return Ok(Factor::Fits) };
    let Some(otp) = otp.map(str::trim).filter(|otp| !otp.is_empty()) else { return Ok(Factor::Missing) };
    if let Some(code) = recovery_code(otp) {
        return use_code(ctx, account.id, &code).await;
    }
    let seed = ctx.app.secrets.open(sealed, &place("totp_secret", account.id)).map_err(ApiError::Fault)?;
    Ok(match step(&seed, otp, ctx)? {
        Some(step) if store::use_totp_step(&mut ctx.db(), account.id, step).await? => Factor::Fits,
        _ => Factor::Wrong,
    })
}

/// What a sign-in by password is proven by, once [`verify`] found that the digits fit.
#[must_use]
pub fn factors(account: &Account, otp: Option<&str>) -> &'static [&'static str] {
    match otp.map(str::trim) {
        Some(otp) if account.totp_secret.is_some() && recovery_code(otp).is_some() => {
            &["password", "recovery_code"]
        }
        Some(_) if account.totp_secret.is_some() => &["password", "totp"],
        _ => &["password"],
    }
}

/// Uses a recovery code up; the account's owner learns of it, as the app may be in other hands.
async fn use_code(ctx: &Ctx, user: i64, code: &str) -> Result<Factor> {
    let mut work = ctx.once().begin().await?;
    let now = work.now;
    let sql = "UPDATE recovery_codes SET used_at = ? WHERE user_id = ? AND code_hash = ? AND used_at IS NULL";
    if work.exec(Sql::new(sql).bind(now).bind(user).bind(sessions::hash(code))).await? == 0 {
        return Ok(Factor::Wrong);
    }
    note(&mut work, user, "second_factor.recovery_code_used", "replaced by a recovery code at sign-in")
        .await?;
    work.finish(()).await?;
    Ok(Factor::Fits)
}

/// The caller's id, once password and second factor are proven. Attempts count as those of sign-in.
async fn prove(ctx: &Ctx, proof: &SecondFactorProof) -> Result<i64> {
    let id = ctx.caller()?.user_id;
    let account = store::account(&mut ctx.db(), id).await?.ok_or_else(|| ApiError::not_found("user", id))?;
    if account.totp_secret.is_none() {
        return Err(off());
    }
    throttle::confirm_by(ctx, &account.email, check(ctx, &account, proof)).await?;
    Ok(id)
}

/// Whether a proof fits.
async fn check(ctx: &Ctx, account: &Account, proof: &SecondFactorProof) -> Result<Result<(), ApiError>> {
    let is_right = proof.password.len() <= 1_024
        && ctx.app.passwords.verify(&proof.password, account.password_hash.as_deref()).await?;
    if !is_right {
        return Ok(Err(ApiError::invalid("password", "wrong_password", "This is not your password.")));
    }
    let message = "These digits are wrong or were used; wait for the next ones.";
    Ok(match verify(ctx, account, Some(&proof.otp)).await? {
        Factor::Fits => Ok(()),
        Factor::Missing | Factor::Wrong => Err(ApiError::invalid("otp", "otp_wrong", message)),
    })
}

/// The audit entry of a change, and the mail that tells the account's owner.
async fn note(work: &mut Work, user: i64, event: &'static str, what: &str) -> Result<()> {
    let is_on = is_enabled(work, user).await?;
    let change = Change { id: user, old: json!({}), new: json!({ "second_factor": is_on }) };
    audit::record(work, event, "user", change).await?;
    let sql = Sql::new("SELECT name, email FROM users WHERE id = ?").bind(user);
    let (name, email): (String, String) = work.one(sql).await?;
    let ip = work.ctx().meta.ip;
    let text = format!(
        "Hello {name},\n\nthe second factor of your account was {what}, from the address {ip}.\nIf that was not you, change your password and ask another member of staff to end your sessions.\n"
    );
    let letter = Letter { name, email, subject: "Second factor of your account".to_owned(), text };
    let now = work.now;
    jobs::enqueue(work, &[Job::Mail(letter)], now).await
}

// Rules

fn off() -> ApiError {
    ApiError::conflict("no_second_factor", "You have no second factor.")
}

fn fault(error: impl std::fmt::Display) -> ApiError {
    ApiError::Fault(error.to_string())
}

fn place(column: &str, user: i64) -> String {
    format!("users|{column}|{user}")
}

/// The generator of a secret. A colon would end the issuer's or the account's part of the address.
fn totp(seed: Vec<u8>, account: &str, issuer: Option<&str>) -> Result<Totp> {
    let issuer = issuer.map(|name| name.replace(':', " ")).filter(|name| !name.trim().is_empty());
    let builder = Builder::new().with_secret(Secret::from(seed)).with_account_name(account.replace(':', " "));
    builder.with_issuer(issuer).build().map_err(fault)
}

/// The time step that the digits belong to; the steps before and after count as well, for clocks that go wrong by half a
/// minute.
fn step(seed: &[u8], otp: &str, ctx: &Ctx) -> Result<Option<i64>> {
    let now = u64::try_from(ctx.now().0 / 1_000_000).unwrap_or(0);
    let step = totp(seed.to_vec(), "account", None)?.check(otp.trim(), now);
    Ok(step.and_then(|step| i64::try_from(step).ok()))
}

/// A recovery code as it is hashed; none where the text is no such code.
fn recovery_code(text: &str) -> Option<String> {
    let is_separator = |letter: char| letter == '-' || letter.is_whitespace();
    let code: String =
        text.chars().filter(|letter| !is_separator(*letter)).collect::<String>().to_ascii_lowercase();
    (code.len() == CODE_LETTERS && code.bytes().all(|byte| ALPHABET.contains(&byte))).then_some(code)
}

/// A new code, in groups of four.
fn new_code(random: [u8; CODE_LETTERS]) -> String {
    let letters: Vec<char> = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 31)])).collect();
    letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

/// A text as a QR code, with the quiet zone of four modules that scanners need.
fn svg(text: &str) -> Result<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).map_err(fault)?;
    let dark = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    let path: String = dark
        .filter(|(x, y)| code.get_module(*x, *y))
        .map(|(x, y)| format!("M{},{}h1v1h-1z", x + 4, y + 4))
        .collect();
    let size = code.size() + 8;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0,0h{size}v{size}h-{size}z\"/><path d=\"{path}\"/></svg>"
    ))
}

// Store

async fn state(db: &mut impl Source, user: i64) -> Result<SecondFactor> {
    let sql = Sql::new(concat!(
        "SELECT u.totp_secret IS NOT NULL, ",
        requires_second_factor!(),
        ", (SELECT count(*) FROM recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) FROM users u WHERE u.id = ?",
    ));
    let sql = sql.bind(settings::SECOND_FACTOR_FOR_ALL_STAFF).bind(user);
    let (is_enabled, is_required, recovery_codes_left) = db.one(sql).await?;
    Ok(SecondFactor { is_enabled, is_required, recovery_codes_left })
}

async fn is_enabled(db: &mut impl Source, user: i64) -> DbResult<bool> {
    let sql = Sql::new("SELECT id FROM users WHERE id = ? AND totp_secret IS NOT NULL").bind(user);
    Ok(db.opt::<(i64,)>(sql).await?.is_some())
}

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
        _ => Err(ApiError::conflict("second_factor_on", "You have a second factor already.")),
    }
}

async fn disable(work: &mut Work, user: i64) -> DbResult<bool> {
    work.exec(Sql::new("DELETE FROM recovery_codes WHERE user_id = ?").bind(user)).await?;
    let sql = Sql::new(
        "UPDATE users SET totp_secret = NULL, totp_pending = NULL, totp_last_step = NULL WHERE id = ? AND totp_secret IS NOT NULL",
    );
    Ok(work.exec(sql.bind(user)).await? == 1)
}

/// Replaces the recovery codes by new ones.
async fn write_codes(work: &mut Work, app: &App, user: i64) -> DbResult<RecoveryCodes> {
    let recovery_codes: Vec<String> = (0..CODES).map(|_| new_code(app.random.bytes())).collect();
    work.exec(Sql::new("DELETE FROM recovery_codes WHERE user_id = ?").bind(user)).await?;
    let now = work.now;
    for code in &recovery_codes {
        let sql = Sql::new("INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES (?, ?, ?)");
        work.exec(sql.bind(user).bind(sessions::hash(&code.replace('-', ""))).bind(now)).await?;
    }
    Ok(RecoveryCodes { recovery_codes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_are_written() {
        let code = new_code([
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 31, 32, 255, 128, 77, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
            20, 21,
        ]);
        assert_eq!(code.len(), 34);
        let plain = code.replace('-', "");
        for text in
            [code.clone(), plain.clone(), code.to_uppercase(), format!(" {} ", code.replace('-', " "))]
        {
            assert_eq!(recovery_code(&text), Some(plain.clone()), "{text}");
        }
        for text in [
            "123456",
            "",
            "k7wq-2m3p-xv4d",
            "k7wq-2m3p-xv4d-9tfi-k7wq-2m3p-xv4d",
            "ä7wq-2m3p-xv4d-9tfa-k7wq-2m3p-xv4d",
        ] {
            assert_eq!(recovery_code(text), None, "{text}");
        }
        assert_eq!(ALPHABET.iter().collect::<std::collections::BTreeSet<_>>().len(), 32);
    }

    #[test]
    fn a_qr_code_is_an_image() {
        let image = svg("otpauth://totp/Panel:a%40b.example?secret=JBSWY3DPEHPK3PXP&issuer=Panel").unwrap();
        assert!(image.starts_with("<svg ") && image.ends_with("</svg>") && !image.contains("script"));
        assert!(image.matches("h1v1h-1z").count() > 300);
    }

    #[test]
    fn names_with_colons_are_addresses_too() {
        let address = totp(vec![7; 20], "a:b@c.example", Some("My: panel")).unwrap().to_url().unwrap();
        assert!(
            address.starts_with("otpauth://totp/My%20%20panel:a%20b") && address.contains("secret="),
            "{address}"
        );
    }
}
