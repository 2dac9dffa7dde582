//! Panel-wide settings: one JSON value per key, declared in the contract, read here where they rule.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::Id;
use panel_contract::moment::{Stamp, Time};
use panel_contract::settings::{SETTINGS, Setting, SettingKind};
use panel_kernel::error::{Error, Result};
use panel_kernel::random::Random;
use serde_json::{Value, json};

use crate::db::{DbResult, Source, Sql};
use crate::platform::Platform;
use crate::secrets::Secrets;
use crate::work::Work;

/// The panel's name.
pub const PANEL_NAME: &str = "panel_name";
/// Whether sign-in wants a captcha.
pub const CAPTCHA_IS_ENABLED: &str = "captcha_is_enabled";
/// Whether staff may do nothing but enrol a second factor while they have none, whatever their roles say.
pub const SECOND_FACTOR_FOR_ALL_STAFF: &str = "second_factor_for_all_staff";
/// Whether sessions last as the two numbers of days say, or as a stricter preset does.
pub const SESSION_PRESET: &str = "session_preset";
/// Days without use after which a session ends.
pub const SESSION_IDLE_DAYS: &str = "session_idle_days";
/// Days after the sign-in at which a session ends in any case.
pub const SESSION_ABSOLUTE_DAYS: &str = "session_absolute_days";
/// Days that verification documents are kept after their customer was deactivated; 0 for ever.
pub const DOCUMENTS_KEEP_DAYS: &str = "documents_keep_days";
/// Days that the change log is kept; 0 for ever.
pub const CHANGE_LOGS_KEEP_DAYS: &str = "change_logs_keep_days";
/// Decimals that charges and refunds are rounded to.
pub const ROUNDING_PRECISION: &str = "rounding_precision";
/// A dearer order waits for moderation.
pub const MAXIMAL_COST_WITHOUT_APPROVAL: &str = "maximal_order_cost_without_approval_required";
/// Services may not be resold with less.
pub const MIN_MARGIN: &str = "min_margin_percent";
/// Whether a price below the least margin is refused, set once the caller confirms it, or not judged at all.
pub const MIN_MARGIN_ACTION: &str = "min_margin_action";
/// Hours that a provider has to answer a cancel request before staff decide.
pub const CANCEL_REQUEST_HOURS: &str = "cancel_request_hours";
/// Whether grades count.
pub const GRADES_ENABLED: &str = "grades_enabled";
/// Whether customers reach grades by what they spend.
pub const AUTOMATIC_GRADES: &str = "automatic_grades_enabled";
/// Whether customers earn by tasks.
pub const ENABLE_TASKS: &str = "enable_tasks";
/// The currency of all amounts.
pub const CURRENCY: &str = "currencies.default";
/// How much of each other currency one unit of the panel's own buys.
pub const EXCHANGE_RATES: &str = "currencies.exchange_rates";
/// The logo in e-mails.
pub const EMAIL_LOGO: &str = "email_logo";
/// What a logo shows, in words.
pub const LOGO_ALT: &str = "logo_alt";
/// Where the logo leads: the address of the customers' site.
pub const LOGO_DESTINATION: &str = "logo_destination_url";
/// What an order through a widget costs at least.
pub const MINIMUM_ON_WIDGET: &str = "minimum_purchase_amount_on_widget";
/// What being sped up adds to an order's price.
pub const SPEEDUP_CHARGE: &str = "speedup_charge_percent";
/// What a guarantee adds to an order's price.
pub const GUARANTEE_CHARGE: &str = "guarantee_charge_percent";
/// Where the feed of a channel is: `{url}` is replaced by the channel, `{type}` by its network.
pub const CONTENT_FEED: &str = "content_feed_url";
/// The prefix of invoice numbers.
pub const INVOICE_PREFIX: &str = "invoice_prefix";
/// What affiliates get who have no share of their own.
pub const DEFAULT_REFERRAL: &str = "default_referral_program_percent";
/// How much one staff member may credit by hand on one day.
pub const MANUAL_CREDIT_LIMIT: &str = "manual_credit_daily_limit";
/// Manual credits above this ask for a confirmation.
pub const CREDIT_CONFIRMATION: &str = "manual_credit_confirmation_above";
/// Whether the staff member who approved a withdrawal is kept from marking it as paid.
pub const FOUR_EYES: &str = "withdrawals_four_eyes";
/// Whether free trials are given.
pub const FREE_TRIALS: &str = "free_trials_is_enabled";
/// Where the real counter is asked, with places for the order's address and kind.
pub const COUNTER_URL: &str = "integrations.counter_url";
/// What it is asked with.
pub const COUNTER_TOKEN: &str = "integrations.counter_token";
/// Hash of the one-time set-up token of an empty panel.
pub const SETUP_TOKEN: &str = "setup_token_hash";
/// Secret that signs live subscriptions; sealed.
pub const REALTIME_SECRET: &str = "realtime_secret";
/// What vouched for the audit trail under keys that `secrets rotate` retired; sealed.
pub const AUDIT_KEYS: &str = "audit_keys";
/// A hash of the key that secrets are sealed with, from which the key cannot be found.
pub const SECRET_KEY_MARK: &str = "secret_key_mark";

/// What is stored of one setting.
pub async fn get(db: &mut impl Source, key: &str) -> Result<Option<Value>> {
    Ok(stored_text(db, key).await?.and_then(|text| serde_json::from_str(&text).ok()))
}

/// What is stored of one setting, as JSON text.
pub async fn stored_text(db: &mut impl Source, key: &str) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT value FROM settings WHERE key = ?").bind(key);
    Ok(db.opt::<(String,)>(sql).await?.map(|row| row.0))
}

/// As [`stored_text`], locked until the transaction ends.
pub async fn lock_stored_text(db: &mut impl Source, key: &str) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT value FROM settings WHERE key = ?").bind(key).for_update();
    Ok(db.opt::<(String,)>(sql).await?.map(|row| row.0))
}

/// What is stored of two settings that belong together, as of one moment.
pub async fn pair(db: &mut impl Source, keys: [&str; 2]) -> Result<[Option<Value>; 2]> {
    let sql = Sql::new(
        "SELECT (SELECT value FROM settings WHERE key = ?), (SELECT value FROM settings WHERE key = ?)",
    );
    let row: (Option<String>, Option<String>) = db.one(sql.bind(keys[0]).bind(keys[1])).await?;
    let value = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    Ok([value(row.0), value(row.1)])
}

/// Writes one setting.
pub async fn put(db: &mut impl Source, key: &str, value: &Value, now: Time) -> Result<()> {
    let sql = Sql::new(
        "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
    );
    db.exec(sql.bind(key).bind(value.to_string()).bind(now)).await?;
    Ok(())
}

/// Writes one setting unless it is there.
pub async fn put_new(db: &mut impl Source, key: &str, value: &Value, now: Time) -> Result<()> {
    let sql = Sql::new(
        "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
    );
    db.exec(sql.bind(key).bind(value.to_string()).bind(now)).await?;
    Ok(())
}

/// Writes the same secret in another form, where the setting still has the value that was read; whether it had. Nobody changed
/// its meaning, so the time of its last change stays.
pub async fn swap(db: &mut impl Source, key: &str, before: &Value, after: &Value) -> Result<bool> {
    let sql = Sql::new("UPDATE settings SET value = ? WHERE key = ? AND value = ?");
    let sql = sql.bind(after.to_string()).bind(key).bind(before.to_string());
    Ok(db.exec(sql).await? == 1)
}

/// Removes one setting where it has this value; whether it had.
pub async fn take(db: &mut impl Source, key: &str, value: &Value) -> Result<bool> {
    let sql = Sql::new("DELETE FROM settings WHERE key = ? AND value = ?");
    Ok(db.exec(sql.bind(key).bind(value.to_string())).await? == 1)
}

/// All declared settings, read at once.
#[derive(Debug, Clone, Default)]
pub struct Known(BTreeMap<String, (Value, Stamp)>);

impl Known {
    /// What a setting is: stored, or its default.
    #[must_use]
    pub fn value(&self, key: &str) -> Value {
        match self.0.get(key) {
            Some((value, _)) => value.clone(),
            None => Setting::find(key).map_or(Value::Null, Setting::fallback),
        }
    }

    /// With a value that is kept elsewhere.
    #[must_use]
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.0.insert(key.to_owned(), (value, Stamp(0)));
        self
    }

    /// When a setting last changed.
    #[must_use]
    pub fn stamp_of(&self, key: &str) -> Stamp {
        self.0.get(key).map_or(Stamp(0), |(_, stamp)| *stamp)
    }

    /// When any of them last changed.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        self.0.values().map(|(_, stamp)| *stamp).max().unwrap_or(Stamp(0))
    }
}

/// Reads all of them.
pub async fn all(db: &mut impl Source) -> Result<Known> {
    let rows: Vec<(String, String, Stamp)> =
        db.all(Sql::new("SELECT key, value, updated_at FROM settings")).await?;
    let declared = rows.into_iter().filter(|row| Setting::find(&row.0).is_some());
    Ok(Known(
        declared
            .filter_map(|(key, value, at)| Some((key, (serde_json::from_str(&value).ok()?, at))))
            .collect(),
    ))
}

/// Holds all settings until the work ends.
pub async fn hold(work: &mut Work) -> Result<()> {
    let sql = Sql::new("SELECT key FROM settings WHERE key = 'settings_editor'").for_update();
    work.one::<(String,)>(sql).await?;
    Ok(())
}

/// Which of the records that a setting names are not there, or archived.
pub async fn unknown<I: Id>(db: &mut impl Source, key: &str, ids: &[I]) -> Result<Vec<I>> {
    let sql = match key {
        "service_types" => "SELECT id FROM service_types WHERE id IN ",
        _ => "SELECT id FROM external_panels WHERE NOT is_archived AND id IN ",
    };
    let found: Vec<I> = db.ids_of(Sql::new(sql).ids(ids)).await?;
    Ok(ids.iter().copied().filter(|id| !found.contains(id)).collect())
}

/// A secret as it is stored.
pub fn sealed(secrets: &Secrets, random: &Random, key: &str, secret: &str) -> Result<Value, String> {
    Ok(json!(STANDARD.encode(secrets.seal(random, secret.as_bytes(), &place(key))?)))
}

/// A stored secret, opened.
pub fn opened(secrets: &Secrets, key: &str, stored: &Value) -> Result<String, String> {
    let sealed = sealed_bytes(stored).ok_or_else(|| format!("the setting {key} is not sealed"))?;
    String::from_utf8(secrets.open(&sealed, &place(key))?).map_err(|error| error.to_string())
}

/// The sealed bytes of a stored secret.
#[must_use]
pub fn sealed_bytes(stored: &Value) -> Option<Vec<u8>> {
    STANDARD.decode(stored.as_str()?).ok()
}

/// A secret, opened; for those who call out with it.
pub async fn secret(platform: &Platform, db: &mut impl Source, key: &str) -> Result<Option<String>> {
    match get(db, key).await? {
        Some(stored @ Value::String(_)) => {
            opened(&platform.secrets, key, &stored).map(Some).map_err(Error::Fault)
        }
        _ => Ok(None),
    }
}

/// The settings that are stored sealed: those that staff declare as secrets, and what the panel made for itself.
pub fn sealed_keys() -> impl Iterator<Item = &'static str> {
    let declared = SETTINGS.iter().filter(|setting| setting.kind == SettingKind::Secret);
    declared.map(|setting| setting.key).chain([REALTIME_SECRET, AUDIT_KEYS])
}

fn place(key: &str) -> String {
    format!("settings|{key}|0")
}

/// What a declared setting is: stored, or its default.
pub async fn value(db: &mut impl Source, key: &str) -> Result<Value> {
    Ok(get(db, key).await?.unwrap_or_else(|| fallback(key)))
}

fn fallback(key: &str) -> Value {
    Setting::find(key).map_or(Value::Null, Setting::fallback)
}

/// The same of what a statement read together with something else.
#[must_use]
pub fn stored(key: &str, text: Option<&str>) -> Value {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| fallback(key))
}

/// Decimals, as a value says them.
#[must_use]
pub fn precision_of(value: &Value) -> u8 {
    value.as_u64().and_then(|value| u8::try_from(value).ok()).filter(|value| *value <= 6).unwrap_or(2)
}

/// An amount, as a value says it.
#[must_use]
pub fn money_of(value: &Value) -> Option<Money> {
    value.as_str().and_then(|text| text.parse().ok())
}

/// A setting that is a text.
pub async fn text(db: &mut impl Source, key: &str) -> Result<Option<String>> {
    Ok(value(db, key).await?.as_str().map(str::to_owned))
}

/// A setting that is a share; none counts as nothing.
pub async fn share(db: &mut impl Source, key: &str) -> Result<Fraction> {
    Ok(text(db, key).await?.and_then(|text| text.parse().ok()).unwrap_or_default())
}

/// A setting that is on or off.
pub async fn flag(db: &mut impl Source, key: &str) -> Result<bool> {
    Ok(value(db, key).await?.as_bool().unwrap_or(false))
}

/// Refuses what a setting has switched off; `what` is it, such as "Free trials".
pub async fn unless_off(db: &mut impl Source, key: &str, code: &'static str, what: &str) -> Result<()> {
    if flag(db, key).await? {
        return Ok(());
    }
    let message = format!("{what} are switched off in the panel settings ({key}); switch them on first.");
    Err(Error::conflict(code, message))
}

/// Decimals that charges and refunds are rounded to; 2 by default.
pub async fn rounding_precision(db: &mut impl Source) -> Result<u8> {
    Ok(precision_of(&value(db, ROUNDING_PRECISION).await?))
}

/// The currency of all amounts; US dollars by default.
pub async fn currency(db: &mut impl Source) -> Result<String> {
    Ok(text(db, CURRENCY).await?.unwrap_or_else(|| "USD".into()))
}

/// The cost above which an order waits for moderation; none by default.
pub async fn maximal_cost_without_approval(db: &mut impl Source) -> Result<Option<Money>> {
    Ok(money_of(&value(db, MAXIMAL_COST_WITHOUT_APPROVAL).await?))
}

/// How much one staff member may credit by hand on one day; no cap by default, nor where it is 0.
pub async fn manual_credit_limit(db: &mut impl Source) -> Result<Option<Money>> {
    Ok(money_of(&value(db, MANUAL_CREDIT_LIMIT).await?).filter(|limit| *limit > Money::ZERO))
}

/// Above which amount a manual credit asks for a confirmation; 100 by default.
pub async fn credit_confirmation(db: &mut impl Source) -> Result<Option<Money>> {
    Ok(money_of(&value(db, CREDIT_CONFIRMATION).await?))
}

/// Hours that a provider has to answer a cancel request; 24 by default.
pub async fn cancel_request_hours(db: &mut impl Source) -> Result<i64> {
    Ok(value(db, CANCEL_REQUEST_HOURS).await?.as_i64().unwrap_or(24))
}

/// What an order through a widget costs at least; no bound by default.
pub async fn minimum_on_widget(db: &mut impl Source) -> Result<Option<Money>> {
    Ok(money_of(&value(db, MINIMUM_ON_WIDGET).await?))
}

/// The least margin that services are sold with: 0 where none is set, so that nothing is sold below its cost; none where
/// the rule is switched off.
pub async fn min_margin(db: &mut impl Source) -> Result<Option<Fraction>> {
    let sql = Sql::new(
        "SELECT (SELECT value FROM settings WHERE key = ?), (SELECT value FROM settings WHERE key = ?)",
    );
    let kept: (Option<String>, Option<String>) = db.one(sql.bind(MIN_MARGIN).bind(MIN_MARGIN_ACTION)).await?;
    Ok(min_margin_of(kept.0.as_deref(), kept.1.as_deref()))
}

/// The same of what a statement read together with something else.
#[must_use]
pub fn min_margin_of(margin: Option<&str>, action: Option<&str>) -> Option<Fraction> {
    if stored(MIN_MARGIN_ACTION, action) == "off" {
        return None;
    }
    let margin = stored(MIN_MARGIN, margin);
    Some(margin.as_str().and_then(|text| text.parse().ok()).unwrap_or_default())
}
