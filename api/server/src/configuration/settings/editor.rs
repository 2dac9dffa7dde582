//! `GET` and `POST settings`. The declaration of each setting determines how it is read, checked and shown.

use panel_contract::endpoints::settings::{GetSettings, UpdateSettings};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::RecordId;
use panel_contract::moment::Timestamp;
use panel_contract::settings::{
    SETTINGS, Setting, SettingField, SettingGroup, SettingKind, SettingsResponse, SettingsTree,
};
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::auth::{captcha, confirmation};
use crate::configuration::menu::custom;
use crate::configuration::settings::currencies;
use crate::configuration::settings::rules::{self, ParsedSettings, SettingChange};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_contract::dictionary::CURRENCIES;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::SqlExecutor;
use panel_platform::outbound::may_keep_secret;
use panel_platform::settings::{self, CAPTCHA_IS_ENABLED, COUNTER_TOKEN, COUNTER_URL, SettingValues};

pub fn routes(api: Api) -> Api {
    api.route::<GetSettings, _, _, _>(get_settings).route::<UpdateSettings, _, _, _>(update_settings)
}

async fn get_settings(ctx: Ctx, _req: Req<GetSettings>) -> Result<SettingsResponse> {
    load_response(&mut ctx.db()).await
}

async fn update_settings(ctx: Ctx, req: Req<UpdateSettings>) -> Result<SettingsResponse> {
    let loaded_values = load_all_values(&mut ctx.db()).await?;
    let parsed = rules::parse(&req.body, |key| loaded_values.value(key))?;
    check_references(&ctx, &parsed).await?;
    if parsed.changes.iter().any(|(setting, change)| needs_confirmation(setting, change, &loaded_values)) {
        confirmation::require_unless_dry_run(&ctx)?;
    }
    // Images are processed before the transaction, which holds the only writer of SQLite.
    let new_values = resolve_new_values(&ctx, &loaded_values, &parsed).await?;
    let mut work = ctx.begin().await?;
    settings::lock_editor(&mut work).await?;
    let current_values = load_all_values(&mut work).await?;
    currencies::check_currency_changes(&mut work, &current_values, &new_values).await?;
    check_secrets(&current_values, &new_values)?;
    let mut changes = Vec::new();
    for (setting, value) in new_values {
        let old_value = current_values.value(setting.key);
        if old_value == value {
            continue;
        }
        let expected_updated_at = if setting.kind == SettingKind::Image {
            Some(loaded_values.last_changed_at())
        } else {
            parsed.expected_updated_at
        };
        check_not_changed(setting, current_values.changed_at(setting.key), expected_updated_at)?;
        settings::put(&mut work, setting.key, &value, ctx.now()).await?;
        changes.push(build_audit_change(setting, old_value, value));
    }
    audit::record_all(&mut work, "setting.changed", "setting", changes).await?;
    let response = load_response(&mut work).await?;
    work.finish(response).await
}

/// Computes the new value of each setting in the input.
async fn resolve_new_values(
    ctx: &Ctx,
    loaded_values: &SettingValues,
    parsed: &ParsedSettings,
) -> Result<Vec<(&'static Setting, Value)>> {
    let mut new_values = Vec::new();
    for (setting, change) in &parsed.changes {
        let value = match change {
            SettingChange::Unchanged => continue,
            SettingChange::Value(value) => value.clone(),
            SettingChange::Image(image) => {
                let current_image = loaded_values.value(setting.key);
                let (uploads, key, current_image) = (&ctx.app.uploads, setting.key, current_image.as_str());
                json!(match u32::try_from(setting.max) {
                    Ok(side_length) if side_length > 0 =>
                        uploads
                            .store_image_of_size(
                                ctx.meta.dry_run,
                                key,
                                image,
                                current_image,
                                (side_length, side_length)
                            )
                            .await?,
                    _ => uploads.store_image(ctx.meta.dry_run, key, image, current_image).await?,
                })
            }
            SettingChange::Secret(None) => Value::Null,
            SettingChange::Secret(Some(secret)) => {
                let (secrets, random) = (&ctx.app.secrets, &ctx.app.random);
                settings::seal_value(secrets, random, setting.key, secret).map_err(Error::Internal)?
            }
        };
        new_values.push((*setting, value));
    }
    Ok(new_values)
}

/// Whether a change is sensitive: it changes a secret, protects money or sessions, or adds code to the customers' site.
fn needs_confirmation(setting: &Setting, change: &SettingChange, loaded_values: &SettingValues) -> bool {
    let is_sensitive = matches!(setting.group, SettingGroup::Finances | SettingGroup::Security)
        || matches!(setting.kind, SettingKind::Html);
    match change {
        SettingChange::Secret(_) => true,
        SettingChange::Value(value) => is_sensitive && *value != loaded_values.value(setting.key),
        SettingChange::Unchanged | SettingChange::Image(_) => false,
    }
}

/// Secrets, each with the setting of the URL to which the panel sends it.
const SECRET_URLS: [(&str, &str); 1] = [(COUNTER_TOKEN, COUNTER_URL)];

/// Rejects sending a stored secret to another URL than the one for which it was entered.
fn check_secrets(loaded_values: &SettingValues, new_values: &[(&'static Setting, Value)]) -> Result<()> {
    let mut errors = FieldErrors::default();
    for (secret, url) in SECRET_URLS {
        let submitted_value =
            |key: &str| new_values.iter().find(|(setting, _)| setting.key == key).map(|(_, value)| value);
        let Some(new_url) = submitted_value(url) else { continue };
        let (is_set, is_submitted) =
            (!loaded_values.value(secret).is_null(), submitted_value(secret).is_some());
        if !may_keep_secret(loaded_values.value(url).as_str(), new_url.as_str(), is_set, is_submitted) {
            errors.add(secret, "Enter the token again because the URL has changed.");
        }
    }
    Ok(errors.into_result(())?)
}

/// Rejects overwriting a value that another staff member changed after the editor read it.
fn check_not_changed(
    setting: &Setting,
    changed_at: Timestamp,
    expected_updated_at: Option<Timestamp>,
) -> Result<()> {
    if expected_updated_at.is_none_or(|expected| changed_at <= expected) {
        return Ok(());
    }
    let key = setting.key;
    let message =
        format!("Another staff member changed {key} at {changed_at}. Reload the settings before you save.");
    Err(Error::conflict("changed_meanwhile", message))
}

/// Builds the audit change of one setting. For a secret it contains only whether the secret is set.
fn build_audit_change(setting: &Setting, old: Value, new: Value) -> AuditChange {
    let audit_value =
        |value: Value| if setting.kind == SettingKind::Secret { secret_state(&value) } else { value };
    AuditChange {
        id: RecordId::NONE,
        old: json!({ setting.key: audit_value(old) }),
        new: json!({ setting.key: audit_value(new) }),
    }
}

/// Returns the visible state of a secret.
fn secret_state(sealed: &Value) -> Value {
    json!({ "is_set": !sealed.is_null() })
}

/// Runs the checks that need the configuration or the database.
async fn check_references(ctx: &Ctx, parsed: &ParsedSettings) -> Result<()> {
    let mut errors = FieldErrors::default();
    for (setting, change) in &parsed.changes {
        let SettingChange::Value(value) = change else { continue };
        match setting.kind {
            // Without a captcha service no staff member could sign in, because its check fails closed.
            SettingKind::Flag
                if setting.key == CAPTCHA_IS_ENABLED
                    && *value == json!(true)
                    && !captcha::is_configured(&ctx.app.config.captcha) =>
            {
                let message = "Configure captcha.verify_url, captcha.secret and captcha.site_key on the server first; otherwise no staff member can sign in.";
                errors.add(setting.key, message);
            }
            SettingKind::Id | SettingKind::Ids => {
                let ids: Vec<RecordId> = match value {
                    Value::Array(ids) => ids.iter().filter_map(Value::as_i64).map(RecordId::new).collect(),
                    id => id.as_i64().map(RecordId::new).into_iter().collect(),
                };
                for id in settings::missing_ids(&mut ctx.db(), setting.key, &ids).await? {
                    errors.add(
                        setting.key,
                        format!("Record {id} does not exist or is archived. Choose another one."),
                    );
                }
            }
            _ => {}
        }
    }
    Ok(errors.into_result(())?)
}

/// Loads all settings, including the settings that are stored in their own tables.
async fn load_all_values(db: &mut impl SqlExecutor) -> Result<SettingValues> {
    let custom_items = custom::load_custom_items(db).await?;
    Ok(settings::load_all(db).await?.with_value("custom_menu_items", json!(custom_items)))
}

async fn load_response(db: &mut impl SqlExecutor) -> Result<SettingsResponse> {
    let values = load_all_values(db).await?;
    let mut data = SettingsTree::default();
    for setting in SETTINGS {
        let value = values.value(setting.key);
        data.put(setting.key, if setting.kind == SettingKind::Secret { secret_state(&value) } else { value });
    }
    data.put("updated_at", json!(values.last_changed_at()));
    Ok(SettingsResponse {
        data,
        fields: SETTINGS.iter().map(|setting| describe_setting(setting, &values)).collect(),
    })
}

fn describe_setting(setting: &Setting, values: &SettingValues) -> SettingField {
    let options: &[&str] = match setting.kind {
        SettingKind::Currency | SettingKind::ExchangeRates => &CURRENCIES,
        _ => setting.options,
    };
    SettingField {
        key: setting.key.to_owned(),
        group: setting.group,
        kind: setting.kind,
        minimum: setting.min,
        maximum: setting.max,
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        default: setting.default.to_owned(),
        may_be_empty: setting.may_be_empty(),
        is_public: setting.is_public,
        is_for_site: setting.is_for_site,
        is_default: values.value(setting.key) == setting.default_value(),
    }
}
