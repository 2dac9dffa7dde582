//! Panel-wide settings: one JSON value per key, read where they rule. The settings screen comes with its own issue.

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Data;
use panel_contract::endpoints::session::GetPublicSettings;
use panel_contract::moment::Time;
use panel_contract::session::{PublicSettings, Realtime};
use serde_json::Value;

use crate::auth;
use crate::db::{Source, Sql};
use crate::http::api::Api;
use crate::http::error::Result;
use crate::http::{Ctx, Req};

/// The panel's name.
pub const PANEL_NAME: &str = "panel_name";
/// Whether sign-in wants a captcha.
pub const CAPTCHA_IS_ENABLED: &str = "captcha_is_enabled";
/// Decimals that charges and refunds are rounded to.
pub const ROUNDING_PRECISION: &str = "rounding_precision";
/// A dearer order waits for moderation.
pub const MAXIMAL_COST_WITHOUT_APPROVAL: &str = "maximal_order_cost_without_approval_required";
/// Referral share by default.
pub const DEFAULT_REFERRAL: &str = "default_referral_program_percent";
/// Currency sign.
pub const CURRENCY_SYMBOL: &str = "currency_symbol";
/// Currency code.
pub const CURRENCY: &str = "currency";
/// Hash of the one-time set-up token of an empty panel.
pub const SETUP_TOKEN: &str = "setup_token_hash";
/// Secret that signs live subscriptions.
pub const REALTIME_SECRET: &str = "realtime_secret";

/// Knows the key that secrets are sealed with without telling it.
pub const SECRET_KEY_MARK: &str = "secret_key_mark";

/// Adds the endpoint of public settings.
pub fn routes(api: Api) -> Api {
    api.on::<GetPublicSettings, _, _, _>(public)
}

/// One setting.
pub async fn get(db: &mut impl Source, key: &str) -> Result<Option<Value>> {
    let row: Option<(String,)> =
        db.opt(Sql::new("SELECT value FROM settings WHERE key = ?").bind(key)).await?;
    Ok(row.and_then(|row| serde_json::from_str(&row.0).ok()))
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

/// Removes one setting where it has this value; whether it had.
pub async fn take(db: &mut impl Source, key: &str, value: &Value) -> Result<bool> {
    let sql = Sql::new("DELETE FROM settings WHERE key = ? AND value = ?");
    Ok(db.exec(sql.bind(key).bind(value.to_string())).await? == 1)
}

/// A setting that is on or off; off by default.
pub async fn flag(db: &mut impl Source, key: &str) -> Result<bool> {
    Ok(get(db, key).await?.and_then(|value| value.as_bool()).unwrap_or(false))
}

/// Decimals that charges and refunds are rounded to; 2 by default.
pub async fn rounding_precision(db: &mut impl Source) -> Result<u8> {
    let value = get(db, ROUNDING_PRECISION).await?.and_then(|value| value.as_u64());
    Ok(value.and_then(|value| u8::try_from(value).ok()).filter(|value| *value <= 6).unwrap_or(2))
}

/// The currency of all amounts; US dollars by default.
pub async fn currency(db: &mut impl Source) -> Result<String> {
    let value = get(db, CURRENCY).await?;
    Ok(value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_else(|| "USD".into()))
}

/// The cost above which an order waits for moderation; none by default.
pub async fn maximal_cost_without_approval(db: &mut impl Source) -> Result<Option<Money>> {
    let value = get(db, MAXIMAL_COST_WITHOUT_APPROVAL).await?;
    Ok(value.and_then(|value| value.as_str().and_then(|text| text.parse().ok())))
}

async fn public(ctx: Ctx, _req: Req<GetPublicSettings>) -> Result<Data<PublicSettings>> {
    let rows: Vec<(String, String)> =
        (&mut ctx.db()).all(Sql::new("SELECT key, value FROM settings")).await?;
    let value = |key: &str| {
        rows.iter().find(|row| row.0 == key).and_then(|row| serde_json::from_str::<Value>(&row.1).ok())
    };
    let text = |key: &str| value(key).and_then(|value| value.as_str().map(str::to_owned));
    let config = &ctx.app.config;
    let needs_setup = value(SETUP_TOKEN).is_some() && !auth::store::has_users(&mut ctx.db()).await?;
    Ok(Data {
        data: PublicSettings {
            inhouse: false,
            favicon: text("favicon"),
            panel_name: text(PANEL_NAME).unwrap_or_else(|| "Panel".into()),
            is_child: value("is_child").and_then(|value| value.as_bool()).unwrap_or(false),
            light_logo: text("light_logo"),
            dark_logo: text("dark_logo"),
            mobile_logo: text("mobile_logo"),
            panel_id: 1,
            captcha_is_enabled: value(CAPTCHA_IS_ENABLED).and_then(|value| value.as_bool()).unwrap_or(false),
            captcha_site_key: config.captcha.site_key.clone(),
            logo_destination_url: text("logo_destination_url"),
            logo_alt: text("logo_alt"),
            default_referral_program_percent: text(DEFAULT_REFERRAL)
                .and_then(|text| text.parse().ok())
                .unwrap_or(Fraction(50_000)),
            currency_symbol: text(CURRENCY_SYMBOL).unwrap_or_else(|| "$".into()),
            needs_setup,
            realtime: Realtime { key: config.realtime_key.clone(), path: "/ws".into() },
        },
    })
}
