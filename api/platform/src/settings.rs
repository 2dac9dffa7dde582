//! The only module that reads and writes stored settings: one JSON value per key, declared in the contract.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::Id;
use panel_contract::moment::{Time, Timestamp};
use panel_contract::settings::{SETTINGS, Setting, SettingKind};
use panel_kernel::error::{Error, Result};
use panel_kernel::random::Random;
use serde_json::{Value, json};

use crate::db::{DbResult, Sql, SqlExecutor};
use crate::platform::Platform;
use crate::secrets::Secrets;
use crate::work::UnitOfWork;

pub const PANEL_NAME: &str = "panel_name";
/// Whether sign-in requires a captcha.
pub const CAPTCHA_IS_ENABLED: &str = "captcha_is_enabled";
/// Whether each staff member must enroll a second factor before any other action, regardless of the roles.
pub const SECOND_FACTOR_FOR_ALL_STAFF: &str = "second_factor_for_all_staff";
/// `custom`: [`SESSION_IDLE_DAYS`] and [`SESSION_ABSOLUTE_DAYS`] limit sessions; `strict`: shorter, fixed limits apply.
pub const SESSION_PRESET: &str = "session_preset";
/// Days without use after which a session ends.
pub const SESSION_IDLE_DAYS: &str = "session_idle_days";
/// Days after the sign-in after which a session ends, even if it is used.
pub const SESSION_ABSOLUTE_DAYS: &str = "session_absolute_days";
/// Days that verification documents are stored after their customer was deactivated; 0 for ever.
pub const DOCUMENTS_RETENTION_DAYS: &str = "documents_keep_days";
/// Days that the change log is stored; 0 for ever.
pub const CHANGE_LOGS_RETENTION_DAYS: &str = "change_logs_keep_days";
/// Decimals that charges and refunds are rounded to.
pub const ROUNDING_PRECISION: &str = "rounding_precision";
/// An order with a higher cost waits for moderation.
pub const MAX_COST_WITHOUT_APPROVAL: &str = "maximal_order_cost_without_approval_required";
/// The lowest margin at which a resold service may be sold, as a fraction.
pub const MIN_MARGIN: &str = "min_margin_fraction";
/// Whether the server rejects a price below the minimum margin, accepts it once the caller confirms, or does not check it.
pub const MIN_MARGIN_ACTION: &str = "min_margin_action";
/// Hours that a provider has to answer a cancel request before staff decide.
pub const CANCEL_REQUEST_HOURS: &str = "cancel_request_hours";
pub const GRADES_ENABLED: &str = "grades_enabled";
/// Whether a customer's spending raises the grade.
pub const AUTOMATIC_GRADES: &str = "automatic_grades_enabled";
/// Whether customers can earn money by tasks.
pub const TASKS_ENABLED: &str = "enable_tasks";
/// Code of the currency of all amounts, such as `USD`.
pub const CURRENCY: &str = "currencies.default";
/// How much of each other currency one unit of the panel's currency buys.
pub const EXCHANGE_RATES: &str = "currencies.exchange_rates";
/// Address of the logo in emails.
pub const EMAIL_LOGO: &str = "email_logo";
/// The text alternative of the logo.
pub const LOGO_ALT: &str = "logo_alt";
/// The link of the logo: the address of the customers' site.
pub const LOGO_DESTINATION: &str = "logo_destination_url";
/// The minimum amount of an order through a widget.
pub const MIN_WIDGET_ORDER_AMOUNT: &str = "minimum_purchase_amount_on_widget";
/// The fraction of an order's price that the speed-up costs.
pub const SPEEDUP_CHARGE_FRACTION: &str = "speedup_charge_fraction";
/// The fraction of an order's price that a guarantee costs.
pub const GUARANTEE_CHARGE_FRACTION: &str = "guarantee_charge_fraction";
/// Address of the feed of a social media channel; the server replaces `{url}` by the channel and `{type}` by its network.
pub const CONTENT_FEED: &str = "content_feed_url";
pub const INVOICE_PREFIX: &str = "invoice_prefix";
/// The commission of affiliates who have no commission of their own.
pub const DEFAULT_REFERRAL_FRACTION: &str = "default_referral_program_fraction";
/// How much one staff member may credit by hand on one day.
pub const MANUAL_CREDIT_LIMIT: &str = "manual_credit_daily_limit";
/// Manual credits above this amount need a confirmation.
pub const CREDIT_CONFIRMATION_THRESHOLD: &str = "manual_credit_confirmation_above";
/// Whether the staff member who approved a withdrawal may not mark it as paid.
pub const FOUR_EYES_ON_WITHDRAWALS: &str = "withdrawals_four_eyes";
pub const FREE_TRIALS_ENABLED: &str = "free_trials_is_enabled";
/// The address of the counter service, with placeholders for the order's address and kind.
pub const COUNTER_URL: &str = "integrations.counter_url";
/// The token of calls to the counter service; sealed.
pub const COUNTER_TOKEN: &str = "integrations.counter_token";
/// Hash of the one-time setup token of an empty panel.
pub const SETUP_TOKEN: &str = "setup_token_hash";
/// Secret that signs the tokens of real-time channels; sealed.
pub const REALTIME_SECRET: &str = "realtime_secret";
/// MAC keys of the audit trail that `secrets rotate` retired; sealed.
pub const AUDIT_KEYS: &str = "audit_keys";
/// Fingerprint of the key that secrets are sealed with: a hash that does not reveal the key.
pub const SECRET_KEY_FINGERPRINT: &str = "secret_key_fingerprint";

/// Reads the stored value of a setting; `None` if it is not set. It never returns the default.
pub async fn read_stored(db: &mut impl SqlExecutor, key: &str) -> Result<Option<Value>> {
    Ok(read_stored_text(db, key).await?.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Reads the stored value of a setting as JSON text.
pub async fn read_stored_text(db: &mut impl SqlExecutor, key: &str) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT value FROM settings WHERE key = ?").bind(key);
    Ok(db.fetch_optional::<(String,)>(sql).await?.map(|row| row.0))
}

/// Like [`read_stored_text`], and locks the setting until the transaction ends.
pub async fn lock_stored_text(db: &mut impl SqlExecutor, key: &str) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT value FROM settings WHERE key = ?").bind(key).for_update();
    Ok(db.fetch_optional::<(String,)>(sql).await?.map(|row| row.0))
}

/// Reads the stored values of two settings by one statement, so that both are of the same moment.
pub async fn read_stored_pair(db: &mut impl SqlExecutor, keys: [&str; 2]) -> Result<[Option<Value>; 2]> {
    let sql = Sql::new(
        "SELECT (SELECT value FROM settings WHERE key = ?), (SELECT value FROM settings WHERE key = ?)",
    );
    let row: (Option<String>, Option<String>) = db.fetch_one(sql.bind(keys[0]).bind(keys[1])).await?;
    let parse = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    Ok([parse(row.0), parse(row.1)])
}

pub async fn put(db: &mut impl SqlExecutor, key: &str, value: &Value, now: Time) -> Result<()> {
    let sql = Sql::new(
        "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
    );
    db.execute(sql.bind(key).bind(value.to_string()).bind(now)).await?;
    Ok(())
}

pub async fn insert_if_missing(db: &mut impl SqlExecutor, key: &str, value: &Value, now: Time) -> Result<()> {
    let sql = Sql::new(
        "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
    );
    db.execute(sql.bind(key).bind(value.to_string()).bind(now)).await?;
    Ok(())
}

/// Replaces the sealed value `expected` by `resealed`, the same secret under another key. Returns false if another write has
/// changed the setting. The secret itself is unchanged, so the time of the last change is not updated.
pub async fn replace_if_equal(
    db: &mut impl SqlExecutor,
    key: &str,
    expected: &Value,
    resealed: &Value,
) -> Result<bool> {
    let sql = Sql::new("UPDATE settings SET value = ? WHERE key = ? AND value = ?");
    let sql = sql.bind(resealed.to_string()).bind(key).bind(expected.to_string());
    Ok(db.execute(sql).await? == 1)
}

/// Deletes a setting if it still has this value; returns whether it was deleted.
pub async fn delete_if_equal(db: &mut impl SqlExecutor, key: &str, value: &Value) -> Result<bool> {
    let sql = Sql::new("DELETE FROM settings WHERE key = ? AND value = ?");
    Ok(db.execute(sql.bind(key).bind(value.to_string())).await? == 1)
}

/// The stored values of all declared settings, each with the time of its last change.
#[derive(Debug, Clone, Default)]
pub struct SettingValues(BTreeMap<String, (Value, Timestamp)>);

impl SettingValues {
    /// The stored value of a setting, or its default.
    #[must_use]
    pub fn value(&self, key: &str) -> Value {
        match self.0.get(key) {
            Some((value, _)) => value.clone(),
            None => Setting::find(key).map_or(Value::Null, Setting::default_value),
        }
    }

    /// Adds a value that another table stores.
    #[must_use]
    pub fn with_value(mut self, key: &str, value: Value) -> Self {
        self.0.insert(key.to_owned(), (value, Timestamp(0)));
        self
    }

    /// The time of the last change of one setting; 0 if it is not set.
    #[must_use]
    pub fn changed_at(&self, key: &str) -> Timestamp {
        self.0.get(key).map_or(Timestamp(0), |(_, updated_at)| *updated_at)
    }

    /// The time of the last change of any setting.
    #[must_use]
    pub fn last_changed_at(&self) -> Timestamp {
        self.0.values().map(|(_, updated_at)| *updated_at).max().unwrap_or(Timestamp(0))
    }
}

pub async fn load_all(db: &mut impl SqlExecutor) -> Result<SettingValues> {
    let rows: Vec<(String, String, Timestamp)> =
        db.fetch_all(Sql::new("SELECT key, value, updated_at FROM settings")).await?;
    let declared = rows.into_iter().filter(|row| Setting::find(&row.0).is_some());
    Ok(SettingValues(
        declared
            .filter_map(|(key, value, updated_at)| {
                Some((key, (serde_json::from_str(&value).ok()?, updated_at)))
            })
            .collect(),
    ))
}

/// Lets one transaction at a time edit settings: locks the row `settings_editor` until the transaction ends.
pub async fn lock_editor(work: &mut UnitOfWork) -> Result<()> {
    let sql = Sql::new("SELECT key FROM settings WHERE key = 'settings_editor'").for_update();
    work.fetch_one::<(String,)>(sql).await?;
    Ok(())
}

/// Returns the ids in `ids` to which the setting `key` must not refer: of missing service types for `service_types`, and of
/// missing or archived external panels for any other setting.
pub async fn missing_ids<I: Id>(db: &mut impl SqlExecutor, key: &str, ids: &[I]) -> Result<Vec<I>> {
    let sql = match key {
        "service_types" => "SELECT id FROM service_types WHERE id IN ",
        _ => "SELECT id FROM external_panels WHERE NOT is_archived AND id IN ",
    };
    let existing: Vec<I> = db.fetch_ids(Sql::new(sql).ids(ids)).await?;
    Ok(ids.iter().copied().filter(|id| !existing.contains(id)).collect())
}

/// Encrypts a secret into the value that the settings table stores.
pub fn seal_value(secrets: &Secrets, random: &Random, key: &str, secret: &str) -> Result<Value, String> {
    Ok(json!(STANDARD.encode(secrets.seal(random, secret.as_bytes(), &associated_data(key))?)))
}

/// Decrypts a stored secret.
pub fn open_value(secrets: &Secrets, key: &str, stored: &Value) -> Result<String, String> {
    let sealed = sealed_bytes(stored).ok_or_else(|| format!("the setting {key} is not sealed"))?;
    String::from_utf8(secrets.open(&sealed, &associated_data(key))?).map_err(|error| error.to_string())
}

#[must_use]
pub fn sealed_bytes(stored: &Value) -> Option<Vec<u8>> {
    STANDARD.decode(stored.as_str()?).ok()
}

/// Reads and decrypts a secret, for a call to another machine; `None` if it is not set.
pub async fn read_secret(
    platform: &Platform,
    db: &mut impl SqlExecutor,
    key: &str,
) -> Result<Option<String>> {
    match read_stored(db, key).await? {
        Some(stored @ Value::String(_)) => {
            open_value(&platform.secrets, key, &stored).map(Some).map_err(Error::Internal)
        }
        _ => Ok(None),
    }
}

/// The keys of the settings that are stored sealed: those declared as secrets, and the panel's generated ones.
pub fn sealed_keys() -> impl Iterator<Item = &'static str> {
    let declared = SETTINGS.iter().filter(|setting| setting.kind == SettingKind::Secret);
    declared.map(|setting| setting.key).chain([REALTIME_SECRET, AUDIT_KEYS])
}

/// Binds a sealed value to its setting, so that it cannot be decrypted as the value of another one.
fn associated_data(key: &str) -> String {
    format!("settings|{key}|0")
}

/// Reads the stored value of a declared setting; its default if it is not set.
pub async fn read_or_default(db: &mut impl SqlExecutor, key: &str) -> Result<Value> {
    Ok(read_stored(db, key).await?.unwrap_or_else(|| default_value(key)))
}

fn default_value(key: &str) -> Value {
    Setting::find(key).map_or(Value::Null, Setting::default_value)
}

/// Parses the stored text of a setting, for callers that have read it already; `None` gives the default of `key`.
#[must_use]
pub fn parse_stored(key: &str, text: Option<&str>) -> Value {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| default_value(key))
}

/// Parses a number of decimals from a setting's value: 0 to 6; 2 for any other value.
#[must_use]
pub fn parse_precision(value: &Value) -> u8 {
    value.as_u64().and_then(|value| u8::try_from(value).ok()).filter(|value| *value <= 6).unwrap_or(2)
}

#[must_use]
pub fn parse_money(value: &Value) -> Option<Money> {
    value.as_str().and_then(|text| text.parse().ok())
}

/// Reads a text setting, or its default; `None` if neither is a text.
pub async fn read_text(db: &mut impl SqlExecutor, key: &str) -> Result<Option<String>> {
    Ok(read_or_default(db, key).await?.as_str().map(str::to_owned))
}

/// Reads a setting that holds a fraction; 0 if neither a value nor a default is one.
pub async fn read_fraction(db: &mut impl SqlExecutor, key: &str) -> Result<Fraction> {
    Ok(read_text(db, key).await?.and_then(|text| text.parse().ok()).unwrap_or_default())
}

/// Reads a setting that is on or off, or its default; false if neither exists.
pub async fn read_bool(db: &mut impl SqlExecutor, key: &str) -> Result<bool> {
    Ok(read_or_default(db, key).await?.as_bool().unwrap_or(false))
}

/// Returns a 409 if the setting `key` disables a feature. The message begins with `feature_name`, such as "Free trials".
pub async fn require_enabled(
    db: &mut impl SqlExecutor,
    key: &str,
    code: &'static str,
    feature_name: &str,
) -> Result<()> {
    if read_bool(db, key).await? {
        return Ok(());
    }
    let message = format!("{feature_name} are disabled in the panel settings ({key}). Enable them first.");
    Err(Error::conflict(code, message))
}

/// Reads the number of decimals that charges and refunds are rounded to; 2 by default.
pub async fn read_rounding_precision(db: &mut impl SqlExecutor) -> Result<u8> {
    Ok(parse_precision(&read_or_default(db, ROUNDING_PRECISION).await?))
}

/// Reads the code of the currency of all amounts; `USD` by default.
pub async fn read_currency(db: &mut impl SqlExecutor) -> Result<String> {
    Ok(read_text(db, CURRENCY).await?.unwrap_or_else(|| "USD".into()))
}

/// Reads the cost above which an order waits for moderation; `None` (no limit) by default.
pub async fn read_max_cost_without_approval(db: &mut impl SqlExecutor) -> Result<Option<Money>> {
    Ok(parse_money(&read_or_default(db, MAX_COST_WITHOUT_APPROVAL).await?))
}

/// Reads how much one staff member may credit by hand on one day; `None` (no limit) if it is not set or 0.
pub async fn read_manual_credit_limit(db: &mut impl SqlExecutor) -> Result<Option<Money>> {
    Ok(parse_money(&read_or_default(db, MANUAL_CREDIT_LIMIT).await?).filter(|limit| *limit > Money::ZERO))
}

/// Reads the amount above which a manual credit needs a confirmation; 100 by default.
pub async fn read_credit_confirmation_threshold(db: &mut impl SqlExecutor) -> Result<Option<Money>> {
    Ok(parse_money(&read_or_default(db, CREDIT_CONFIRMATION_THRESHOLD).await?))
}

/// Reads the hours that a provider has to answer a cancel request; 24 by default.
pub async fn read_cancel_request_hours(db: &mut impl SqlExecutor) -> Result<i64> {
    Ok(read_or_default(db, CANCEL_REQUEST_HOURS).await?.as_i64().unwrap_or(24))
}

/// Reads the minimum amount of an order through a widget; `None` (no minimum) by default.
pub async fn read_min_widget_order_amount(db: &mut impl SqlExecutor) -> Result<Option<Money>> {
    Ok(parse_money(&read_or_default(db, MIN_WIDGET_ORDER_AMOUNT).await?))
}

/// Reads the minimum margin of services: 0 if it is not set, so that no service is sold below its cost; `None` if staff have
/// disabled the check.
pub async fn read_min_margin(db: &mut impl SqlExecutor) -> Result<Option<Fraction>> {
    let sql = Sql::new(
        "SELECT (SELECT value FROM settings WHERE key = ?), (SELECT value FROM settings WHERE key = ?)",
    );
    let stored: (Option<String>, Option<String>) =
        db.fetch_one(sql.bind(MIN_MARGIN).bind(MIN_MARGIN_ACTION)).await?;
    Ok(parse_min_margin(stored.0.as_deref(), stored.1.as_deref()))
}

/// Computes the minimum margin from the stored texts of its two settings, for callers that have read them already.
#[must_use]
pub fn parse_min_margin(margin: Option<&str>, action: Option<&str>) -> Option<Fraction> {
    if parse_stored(MIN_MARGIN_ACTION, action) == "off" {
        return None;
    }
    let margin = parse_stored(MIN_MARGIN, margin);
    Some(margin.as_str().and_then(|text| text.parse().ok()).unwrap_or_default())
}
