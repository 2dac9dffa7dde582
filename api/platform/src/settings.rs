//! The only module that reads and writes stored settings: one JSON value per key, declared in the contract.

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
use crate::work::UnitOfWork;

pub const PANEL_NAME: &str = "panel_name";
/// Whether sign-in requires a captcha.
pub const CAPTCHA_IS_ENABLED: &str = "captcha_is_enabled";
/// Whether each staff member must enroll a second factor before any other action, regardless of the roles.
pub const SECOND_FACTOR_FOR_ALL_STAFF: &str = "second_factor_for_all_staff";
/// Whether the two numbers of days or a stricter preset limit sessions.
pub const SESSION_PRESET: &str = "session_preset";
/// Days without use after which a session ends.
pub const SESSION_IDLE_DAYS: &str = "session_idle_days";
/// Days after the sign-in at which a session ends even in use.
pub const SESSION_ABSOLUTE_DAYS: &str = "session_absolute_days";
/// Days that verification documents are stored after their customer was deactivated; 0 for ever.
pub const DOCUMENTS_KEEP_DAYS: &str = "documents_keep_days";
/// Days that the change log is stored; 0 for ever.
pub const CHANGE_LOGS_KEEP_DAYS: &str = "change_logs_keep_days";
/// Decimals that charges and refunds are rounded to.
pub const ROUNDING_PRECISION: &str = "rounding_precision";
/// An order with a higher cost waits for moderation.
pub const MAXIMAL_COST_WITHOUT_APPROVAL: &str = "maximal_order_cost_without_approval_required";
/// The minimum margin of resold services.
pub const MIN_MARGIN: &str = "min_margin_percent";
/// Whether the server refuses a price below the minimum margin, accepts it once the caller confirms, or does not check it.
pub const MIN_MARGIN_ACTION: &str = "min_margin_action";
/// Hours that a provider has to answer a cancel request before staff decide.
pub const CANCEL_REQUEST_HOURS: &str = "cancel_request_hours";
/// Whether grades are enabled.
pub const GRADES_ENABLED: &str = "grades_enabled";
/// Whether a customer's spending raises the grade.
pub const AUTOMATIC_GRADES: &str = "automatic_grades_enabled";
/// Whether customers can earn money by tasks.
pub const ENABLE_TASKS: &str = "enable_tasks";
/// The currency of all amounts.
pub const CURRENCY: &str = "currencies.default";
/// How much of each other currency one unit of the panel's currency buys.
pub const EXCHANGE_RATES: &str = "currencies.exchange_rates";
/// The logo in emails.
pub const EMAIL_LOGO: &str = "email_logo";
/// The text alternative of the logo.
pub const LOGO_ALT: &str = "logo_alt";
/// The link of the logo: the address of the customers' site.
pub const LOGO_DESTINATION: &str = "logo_destination_url";
/// The minimum amount of an order through a widget.
pub const MINIMUM_ON_WIDGET: &str = "minimum_purchase_amount_on_widget";
/// The percentage that the speed-up adds to an order's price.
pub const SPEEDUP_CHARGE: &str = "speedup_charge_percent";
/// The percentage that a guarantee adds to an order's price.
pub const GUARANTEE_CHARGE: &str = "guarantee_charge_percent";
/// The address of a channel's feed; the server replaces `{url}` by the channel and `{type}` by its network.
pub const CONTENT_FEED: &str = "content_feed_url";
/// The prefix of invoice numbers.
pub const INVOICE_PREFIX: &str = "invoice_prefix";
/// The share of affiliates without a share of their own.
pub const DEFAULT_REFERRAL: &str = "default_referral_program_percent";
/// How much one staff member may credit by hand on one day.
pub const MANUAL_CREDIT_LIMIT: &str = "manual_credit_daily_limit";
/// Manual credits above this amount need a confirmation.
pub const CREDIT_CONFIRMATION: &str = "manual_credit_confirmation_above";
/// Whether the staff member who approved a withdrawal may not mark it as paid.
pub const FOUR_EYES: &str = "withdrawals_four_eyes";
/// Whether free trials are enabled.
pub const FREE_TRIALS: &str = "free_trials_is_enabled";
/// The address of the counter service, with placeholders for the order's address and kind.
pub const COUNTER_URL: &str = "integrations.counter_url";
/// The token of calls to the counter service; sealed.
pub const COUNTER_TOKEN: &str = "integrations.counter_token";
/// Hash of the one-time setup token of an empty panel.
pub const SETUP_TOKEN: &str = "setup_token_hash";
/// Secret that signs live subscriptions; sealed.
pub const REALTIME_SECRET: &str = "realtime_secret";
/// MAC keys of the audit trail that `secrets rotate` retired; sealed.
pub const AUDIT_KEYS: &str = "audit_keys";
/// Fingerprint of the key that secrets are sealed with: a hash that does not reveal the key.
pub const SECRET_KEY_FINGERPRINT: &str = "secret_key_mark";

/// The stored value of a setting; none where it is not set.
pub async fn get(db: &mut impl Source, key: &str) -> Result<Option<Value>> {
    Ok(stored_text(db, key).await?.and_then(|text| serde_json::from_str(&text).ok()))
}

/// The stored value of a setting, as JSON text.
pub async fn stored_text(db: &mut impl Source, key: &str) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT value FROM settings WHERE key = ?").bind(key);
    Ok(db.opt::<(String,)>(sql).await?.map(|row| row.0))
}

/// Like [`stored_text`], and locks the setting until the transaction ends.
pub async fn lock_stored_text(db: &mut impl Source, key: &str) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT value FROM settings WHERE key = ?").bind(key).for_update();
    Ok(db.opt::<(String,)>(sql).await?.map(|row| row.0))
}

/// The stored values of two settings, read by one statement.
pub async fn get_pair(db: &mut impl Source, keys: [&str; 2]) -> Result<[Option<Value>; 2]> {
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

/// Writes one setting unless it is stored already.
pub async fn insert_if_missing(db: &mut impl Source, key: &str, value: &Value, now: Time) -> Result<()> {
    let sql = Sql::new(
        "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
    );
    db.exec(sql.bind(key).bind(value.to_string()).bind(now)).await?;
    Ok(())
}

/// Replaces a sealed secret by the same secret sealed again, where the setting still has the value `before`; returns whether it
/// had. The secret itself is unchanged, so the time of the last change is not updated.
pub async fn replace_if_equal(
    db: &mut impl Source,
    key: &str,
    before: &Value,
    after: &Value,
) -> Result<bool> {
    let sql = Sql::new("UPDATE settings SET value = ? WHERE key = ? AND value = ?");
    let sql = sql.bind(after.to_string()).bind(key).bind(before.to_string());
    Ok(db.exec(sql).await? == 1)
}

/// Deletes one setting where it has this value; returns whether it had.
pub async fn delete_if_equal(db: &mut impl Source, key: &str, value: &Value) -> Result<bool> {
    let sql = Sql::new("DELETE FROM settings WHERE key = ? AND value = ?");
    Ok(db.exec(sql.bind(key).bind(value.to_string())).await? == 1)
}

/// All declared settings, read at once.
#[derive(Debug, Clone, Default)]
pub struct SettingValues(BTreeMap<String, (Value, Stamp)>);

impl SettingValues {
    /// The stored value of a setting, or its default.
    #[must_use]
    pub fn value(&self, key: &str) -> Value {
        match self.0.get(key) {
            Some((value, _)) => value.clone(),
            None => Setting::find(key).map_or(Value::Null, Setting::fallback),
        }
    }

    /// Adds a value that is stored outside of the settings table.
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

/// Reads all declared settings.
pub async fn load_all(db: &mut impl Source) -> Result<SettingValues> {
    let rows: Vec<(String, String, Stamp)> =
        db.all(Sql::new("SELECT key, value, updated_at FROM settings")).await?;
    let declared = rows.into_iter().filter(|row| Setting::find(&row.0).is_some());
    Ok(SettingValues(
        declared
            .filter_map(|(key, value, at)| Some((key, (serde_json::from_str(&value).ok()?, at))))
            .collect(),
    ))
}

/// Locks all settings until the transaction ends.
pub async fn lock(work: &mut UnitOfWork) -> Result<()> {
    let sql = Sql::new("SELECT key FROM settings WHERE key = 'settings_editor'").for_update();
    work.one::<(String,)>(sql).await?;
    Ok(())
}

/// The ids among `ids` whose records, of the kind that the setting names, do not exist or are archived.
pub async fn missing_ids<I: Id>(db: &mut impl Source, key: &str, ids: &[I]) -> Result<Vec<I>> {
    let sql = match key {
        "service_types" => "SELECT id FROM service_types WHERE id IN ",
        _ => "SELECT id FROM external_panels WHERE NOT is_archived AND id IN ",
    };
    let found: Vec<I> = db.ids_of(Sql::new(sql).ids(ids)).await?;
    Ok(ids.iter().copied().filter(|id| !found.contains(id)).collect())
}

/// Seals a secret into the value that is stored.
pub fn seal_value(secrets: &Secrets, random: &Random, key: &str, secret: &str) -> Result<Value, String> {
    Ok(json!(STANDARD.encode(secrets.seal(random, secret.as_bytes(), &place(key))?)))
}

/// Opens a stored secret.
pub fn open_value(secrets: &Secrets, key: &str, stored: &Value) -> Result<String, String> {
    let sealed = sealed_bytes(stored).ok_or_else(|| format!("the setting {key} is not sealed"))?;
    String::from_utf8(secrets.open(&sealed, &place(key))?).map_err(|error| error.to_string())
}

/// The sealed bytes of a stored secret.
#[must_use]
pub fn sealed_bytes(stored: &Value) -> Option<Vec<u8>> {
    STANDARD.decode(stored.as_str()?).ok()
}

/// Reads and opens a secret, for a call to another machine; none where it is not set.
pub async fn secret(platform: &Platform, db: &mut impl Source, key: &str) -> Result<Option<String>> {
    match get(db, key).await? {
        Some(stored @ Value::String(_)) => {
            open_value(&platform.secrets, key, &stored).map(Some).map_err(Error::Fault)
        }
        _ => Ok(None),
    }
}

/// The keys of the settings that are stored sealed: those declared as secrets, and the panel's generated ones.
pub fn sealed_keys() -> impl Iterator<Item = &'static str> {
    let declared = SETTINGS.iter().filter(|setting| setting.kind == SettingKind::Secret);
    declared.map(|setting| setting.key).chain([REALTIME_SECRET, AUDIT_KEYS])
}

fn place(key: &str) -> String {
    format!("settings|{key}|0")
}

/// The stored value of a declared setting, or its default.
pub async fn value(db: &mut impl Source, key: &str) -> Result<Value> {
    Ok(get(db, key).await?.unwrap_or_else(|| fallback(key)))
}

fn fallback(key: &str) -> Value {
    Setting::find(key).map_or(Value::Null, Setting::fallback)
}

/// Parses a stored text that another statement read, or returns the default of `key`.
#[must_use]
pub fn parse_stored(key: &str, text: Option<&str>) -> Value {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| fallback(key))
}

/// The number of decimals in a setting's value: 0 to 6, else 2.
#[must_use]
pub fn precision_of(value: &Value) -> u8 {
    value.as_u64().and_then(|value| u8::try_from(value).ok()).filter(|value| *value <= 6).unwrap_or(2)
}

/// The amount in a setting's value.
#[must_use]
pub fn money_of(value: &Value) -> Option<Money> {
    value.as_str().and_then(|text| text.parse().ok())
}

/// The value of a text setting.
pub async fn text(db: &mut impl Source, key: &str) -> Result<Option<String>> {
    Ok(value(db, key).await?.as_str().map(str::to_owned))
}

/// The value of a setting that is a fraction; 0 where it is not set.
pub async fn share(db: &mut impl Source, key: &str) -> Result<Fraction> {
    Ok(text(db, key).await?.and_then(|text| text.parse().ok()).unwrap_or_default())
}

/// The value of a setting that is on or off.
pub async fn flag(db: &mut impl Source, key: &str) -> Result<bool> {
    Ok(value(db, key).await?.as_bool().unwrap_or(false))
}

/// Refuses the request where a setting has disabled a feature; `what` is its name, such as "Free trials".
pub async fn require_enabled(db: &mut impl Source, key: &str, code: &'static str, what: &str) -> Result<()> {
    if flag(db, key).await? {
        return Ok(());
    }
    let message = format!("{what} are disabled in the panel settings ({key}). Enable them first.");
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

/// The amount above which a manual credit needs a confirmation; 100 by default.
pub async fn credit_confirmation(db: &mut impl Source) -> Result<Option<Money>> {
    Ok(money_of(&value(db, CREDIT_CONFIRMATION).await?))
}

/// Hours that a provider has to answer a cancel request; 24 by default.
pub async fn cancel_request_hours(db: &mut impl Source) -> Result<i64> {
    Ok(value(db, CANCEL_REQUEST_HOURS).await?.as_i64().unwrap_or(24))
}

/// The minimum amount of an order through a widget; no bound by default.
pub async fn minimum_on_widget(db: &mut impl Source) -> Result<Option<Money>> {
    Ok(money_of(&value(db, MINIMUM_ON_WIDGET).await?))
}

/// The minimum margin of services: 0 where none is set, so that no service is sold below its cost; none where the rule is disabled.
pub async fn min_margin(db: &mut impl Source) -> Result<Option<Fraction>> {
    let sql = Sql::new(
        "SELECT (SELECT value FROM settings WHERE key = ?), (SELECT value FROM settings WHERE key = ?)",
    );
    let stored: (Option<String>, Option<String>) =
        db.one(sql.bind(MIN_MARGIN).bind(MIN_MARGIN_ACTION)).await?;
    Ok(min_margin_of(stored.0.as_deref(), stored.1.as_deref()))
}

/// The minimum margin by the stored texts of its two settings, where another statement read them.
#[must_use]
pub fn min_margin_of(margin: Option<&str>, action: Option<&str>) -> Option<Fraction> {
    if parse_stored(MIN_MARGIN_ACTION, action) == "off" {
        return None;
    }
    let margin = parse_stored(MIN_MARGIN, margin);
    Some(margin.as_str().and_then(|text| text.parse().ok()).unwrap_or_default())
}
