//! `GET` and `POST settings`: everything follows from the declaration.

use panel_contract::endpoints::settings::{GetSettings, UpdateSettings};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::RecordId;
use panel_contract::moment::Stamp;
use panel_contract::settings::{
    SETTINGS, Setting, SettingField, SettingGroup, SettingKind, SettingsAnswer, SettingsTree,
};
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::auth::{captcha, confirmation};
use crate::configuration::menu::custom;
use crate::configuration::settings::currencies;
use crate::configuration::settings::rules::{self, Wanted, Wish};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_contract::dictionary::CURRENCIES;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::Source;
use panel_platform::outbound::secret_stays;
use panel_platform::settings::{self, CAPTCHA_IS_ENABLED, COUNTER_TOKEN, COUNTER_URL, Known};

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<GetSettings, _, _, _>(get).on::<UpdateSettings, _, _, _>(update)
}

async fn get(ctx: Ctx, _req: Req<GetSettings>) -> Result<SettingsAnswer> {
    answer(&mut ctx.db()).await
}

async fn update(ctx: Ctx, req: Req<UpdateSettings>) -> Result<SettingsAnswer> {
    let before = shown(&mut ctx.db()).await?;
    let wanted = rules::read(&req.body, |key| before.value(key))?;
    check(&ctx, &wanted).await?;
    if wanted.wishes.iter().any(|(setting, wish)| needs_confirmation(setting, wish, &before)) {
        confirmation::require_for(&ctx)?;
    }
    // Images are worked on before the writer is taken.
    let kept = kept(&ctx, &before, &wanted).await?;
    let mut work = ctx.begin().await?;
    settings::hold(&mut work).await?;
    let now = shown(&mut work).await?;
    currencies::check(&mut work, &now, &kept).await?;
    secrets_stay(&now, &kept)?;
    let mut changes = Vec::new();
    for (setting, value) in kept {
        let old = now.value(setting.key);
        if old == value {
            continue;
        }
        let read_at =
            if setting.kind == SettingKind::Picture { Some(before.stamp()) } else { wanted.read_at };
        unless_newer(setting, now.stamp_of(setting.key), read_at)?;
        settings::put(&mut work, setting.key, &value, ctx.now()).await?;
        changes.push(told(setting, old, value));
    }
    audit::record_all(&mut work, "setting.changed", "setting", changes).await?;
    let answer = answer(&mut work).await?;
    work.finish(answer).await
}

/// What each named setting is to hold.
async fn kept(ctx: &Ctx, before: &Known, wanted: &Wanted) -> Result<Vec<(&'static Setting, Value)>> {
    let mut kept = Vec::new();
    for (setting, wish) in &wanted.wishes {
        let value = match wish {
            Wish::Same => continue,
            Wish::Value(value) => value.clone(),
            Wish::Picture(picture) => {
                let now = before.value(setting.key);
                let (uploads, key, now) = (&ctx.app.uploads, setting.key, now.as_str());
                json!(match u32::try_from(setting.most) {
                    Ok(side) if side > 0 =>
                        uploads.picture_of(ctx.meta.dry_run, key, picture, now, (side, side)).await?,
                    _ => uploads.picture(ctx.meta.dry_run, key, picture, now).await?,
                })
            }
            Wish::Secret(None) => Value::Null,
            Wish::Secret(Some(secret)) => {
                let (secrets, random) = (&ctx.app.secrets, &ctx.app.random);
                settings::sealed(secrets, random, setting.key, secret).map_err(Error::Fault)?
            }
        };
        kept.push((*setting, value));
    }
    Ok(kept)
}

/// Whether a wish changes a secret, what guards the panel's money or its sessions, or what runs on the customers' site.
fn needs_confirmation(setting: &Setting, wish: &Wish, before: &Known) -> bool {
    let guards = matches!(setting.group, SettingGroup::Finances | SettingGroup::Security)
        || matches!(setting.kind, SettingKind::Html);
    match wish {
        Wish::Secret(_) => true,
        Wish::Value(value) => guards && *value != before.value(setting.key),
        Wish::Same | Wish::Picture(_) => false,
    }
}

/// Secrets, each with the setting of the address that it is sent to.
const SENT_TO: [(&str, &str); 1] = [(COUNTER_TOKEN, COUNTER_URL)];

/// A stored secret is not sent to an address that it was not entered for.
fn secrets_stay(before: &Known, kept: &[(&'static Setting, Value)]) -> Result<()> {
    let mut errors = FieldErrors::default();
    for (secret, address) in SENT_TO {
        let given = |key: &str| kept.iter().find(|(setting, _)| setting.key == key).map(|(_, value)| value);
        let Some(after) = given(address) else { continue };
        let (is_set, is_given) = (!before.value(secret).is_null(), given(secret).is_some());
        if !secret_stays(before.value(address).as_str(), after.as_str(), is_set, is_given) {
            errors.add(secret, "Enter the token again, because the address changed.");
        }
    }
    Ok(errors.or(())?)
}

/// Somebody else's newer value of the same setting is not written over unseen.
fn unless_newer(setting: &Setting, changed: Stamp, read: Option<Stamp>) -> Result<()> {
    if read.is_none_or(|read| changed <= read) {
        return Ok(());
    }
    let key = setting.key;
    let message = format!("Somebody changed {key} at {changed}. Load the newer settings before you save.");
    Err(Error::conflict("changed_meanwhile", message))
}

/// One change for the trail; a secret only as set or not.
fn told(setting: &Setting, old: Value, new: Value) -> Change {
    let shown = |value: Value| if setting.kind == SettingKind::Secret { state(&value) } else { value };
    Change {
        id: RecordId::NONE,
        old: json!({ setting.key: shown(old) }),
        new: json!({ setting.key: shown(new) }),
    }
}

/// What is told of a secret.
fn state(sealed: &Value) -> Value {
    json!({ "is_set": !sealed.is_null() })
}

/// What the declaration alone cannot judge.
async fn check(ctx: &Ctx, wanted: &Wanted) -> Result<()> {
    let mut errors = FieldErrors::default();
    for (setting, wish) in &wanted.wishes {
        let Wish::Value(value) = wish else { continue };
        match setting.kind {
            // Nobody could sign in: the check fails closed.
            SettingKind::Flag
                if setting.key == CAPTCHA_IS_ENABLED
                    && *value == json!(true)
                    && !captcha::is_configured(&ctx.app.config.captcha) =>
            {
                let message = "Configure captcha.verify_url, captcha.secret and captcha.site_key on the server first; otherwise no one can sign in.";
                errors.add(setting.key, message);
            }
            SettingKind::Id | SettingKind::Ids => {
                let ids: Vec<RecordId> = match value {
                    Value::Array(ids) => ids.iter().filter_map(Value::as_i64).map(RecordId::new).collect(),
                    one => one.as_i64().map(RecordId::new).into_iter().collect(),
                };
                for id in settings::unknown(&mut ctx.db(), setting.key, &ids).await? {
                    errors.add(
                        setting.key,
                        format!("There is no record {id}, or it is archived; choose another."),
                    );
                }
            }
            _ => {}
        }
    }
    Ok(errors.or(())?)
}

/// All of them, with those that are kept elsewhere.
async fn shown(db: &mut impl Source) -> Result<Known> {
    let added = custom::all(db).await?;
    Ok(settings::all(db).await?.with("custom_menu_items", json!(added)))
}

async fn answer(db: &mut impl Source) -> Result<SettingsAnswer> {
    let known = shown(db).await?;
    let mut data = SettingsTree::default();
    for setting in SETTINGS {
        let value = known.value(setting.key);
        data.put(setting.key, if setting.kind == SettingKind::Secret { state(&value) } else { value });
    }
    data.put("updated_at", json!(known.stamp()));
    Ok(SettingsAnswer { data, fields: SETTINGS.iter().map(|setting| field(setting, &known)).collect() })
}

fn field(setting: &Setting, known: &Known) -> SettingField {
    let options: &[&str] = match setting.kind {
        SettingKind::Currency | SettingKind::Rates => &CURRENCIES,
        _ => setting.options,
    };
    SettingField {
        key: setting.key.to_owned(),
        group: setting.group,
        kind: setting.kind,
        least: setting.least,
        most: setting.most,
        options: options.iter().map(|word| (*word).to_owned()).collect(),
        default: setting.default.to_owned(),
        may_be_empty: setting.may_be_empty(),
        is_public: setting.public,
        is_for_site: setting.for_site,
        is_default: known.value(setting.key) == setting.fallback(),
    }
}
