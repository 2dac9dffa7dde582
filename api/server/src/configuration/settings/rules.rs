//! What a setting may be: one judgement for every kind, from the declaration. Pure.

use panel_contract::amount::{Fraction, Money};
use panel_contract::fields::FieldErrors;
use panel_contract::moment::Stamp;
use panel_contract::settings::{SETTINGS, Setting, SettingKind, SettingsTree};
use panel_contract::upload::Picture;
use serde_json::{Map, Value, json};

use crate::auth::setup::is_address as is_email;
use panel_contract::dictionary::CURRENCIES;
use panel_domain::fields::{fits, is_address};
use panel_platform::settings::DEFAULT_REFERRAL;

/// What an editor wants a setting to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// This value, as it is stored.
    Value(Value),
    /// This image.
    Picture(Picture),
    /// This secret, or none.
    Secret(Option<String>),
    /// As it is.
    Same,
}

/// Every setting that an input names, with its wish; and when the editor read them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// In the order of the input.
    pub wishes: Vec<(&'static Setting, Wish)>,
    /// `updated_at` as it was sent.
    pub read_at: Option<Stamp>,
}

/// Understands an input; each wrong field is named by its place. `shown` is what those that cannot be set are.
pub fn read(input: &SettingsTree, shown: impl Fn(&str) -> Value) -> Result<Wanted, FieldErrors> {
    let (mut errors, mut wanted) = (FieldErrors::default(), Wanted::default());
    let mut leaves = Vec::new();
    for (name, value) in &input.0 {
        if name == "updated_at" {
            match serde_json::from_value::<Stamp>(value.clone()) {
                Ok(stamp) => wanted.read_at = Some(stamp),
                Err(_) if value.is_null() => {}
                Err(_) => errors.add("updated_at", "Send it as it was read."),
            }
            continue;
        }
        leaves_of(&mut errors, name, value, &mut leaves);
    }
    for (setting, value) in leaves {
        let wish = match setting.kind {
            SettingKind::Shown if *value == shown(setting.key) => Wish::Same,
            SettingKind::Shown => {
                errors.add(setting.key, "This cannot be set here; leave it out.");
                continue;
            }
            _ => judge(&mut errors, setting, value),
        };
        if wish != Wish::Same {
            wanted.wishes.push((setting, wish));
        }
    }
    errors.or(wanted)
}

/// The settings below a place.
fn leaves_of<'v>(
    errors: &mut FieldErrors,
    place: &str,
    value: &'v Value,
    leaves: &mut Vec<(&'static Setting, &'v Value)>,
) {
    if let Some(setting) = Setting::find(place) {
        leaves.push((setting, value));
        return;
    }
    let inside = format!("{place}.");
    match value {
        Value::Object(group) if SETTINGS.iter().any(|setting| setting.key.starts_with(&inside)) => {
            for (name, value) in group {
                leaves_of(errors, &format!("{inside}{name}"), value, leaves);
            }
        }
        _ => errors.add(place.chars().take(100).collect::<String>(), "There is no such setting."),
    }
}

/// One setting's wish; what is wrong stands at its place.
fn judge(errors: &mut FieldErrors, setting: &Setting, value: &Value) -> Wish {
    let is_empty = value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    let wish = match setting.kind {
        SettingKind::Picture => picture(value).map(Wish::Picture),
        SettingKind::Secret => secret(setting, value),
        SettingKind::MetaTags => return tags(errors, setting, value),
        SettingKind::Rates => return rates(errors, setting, value),
        SettingKind::Flag => flag(value).map(Wish::Value),
        SettingKind::Ids => ids(setting, value).map(Wish::Value),
        _ if is_empty && setting.may_be_empty() => Ok(Wish::Value(Value::Null)),
        // A share that is emptied is what the panel began with.
        SettingKind::Share if is_empty => {
            serde_json::from_str(setting.default).map(Wish::Value).map_err(|error| error.to_string())
        }
        _ if is_empty => Err("This cannot be empty.".to_owned()),
        _ => plain(setting, value).map(Wish::Value),
    };
    wish.unwrap_or_else(|message| {
        errors.add(setting.key, message);
        Wish::Same
    })
}

const fn is_number(kind: SettingKind) -> bool {
    matches!(kind, SettingKind::Whole | SettingKind::Id | SettingKind::Money | SettingKind::Share)
}

/// A setting that is one text or number.
fn plain(setting: &Setting, value: &Value) -> Result<Value, String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        // A fraction that is a number was a float somewhere.
        Value::Number(number) if number.is_i64() && is_number(setting.kind) => number.to_string(),
        _ if !is_number(setting.kind) => return Err("Give a text.".to_owned()),
        _ => return Err("Give one value, as a text or a whole number.".to_owned()),
    };
    let most = usize::try_from(setting.most).unwrap_or(usize::MAX);
    match setting.kind {
        SettingKind::Text if text.contains(['\n', '\r', '\t']) => Err("Write it on one line.".to_owned()),
        SettingKind::Text | SettingKind::Long | SettingKind::Html => fits(&text, most).map(|()| json!(text)),
        SettingKind::Email if is_email(&text) && text.len() <= most => Ok(json!(text)),
        SettingKind::Email => Err("Give an email address, such as help@example.com.".to_owned()),
        SettingKind::Template if is_address(&text) && !text.contains("{url}") => {
            Err("Write {url} where the address goes, such as https://tool.example/?url={url}.".to_owned())
        }
        SettingKind::Address | SettingKind::Template if is_address(&text) => Ok(json!(text)),
        SettingKind::Address | SettingKind::Template => {
            Err("Give an absolute address that begins with http:// or https://.".to_owned())
        }
        SettingKind::Whole => whole(&text, setting.least, setting.most),
        SettingKind::Id => whole(&text, 1, i64::MAX),
        SettingKind::Money => money(&text, setting),
        SettingKind::Share => share(&text, setting),
        SettingKind::Word => one_of(&text, setting.options),
        SettingKind::Currency => one_of(&text, &CURRENCIES),
        SettingKind::Color => color(&text),
        _ => Err("This cannot be set.".to_owned()),
    }
}

fn whole(text: &str, least: i64, most: i64) -> Result<Value, String> {
    match text.parse::<i64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(json!(number)),
        _ if most == i64::MAX => Err("Give a positive whole number.".to_owned()),
        _ => Err(format!("Give a whole number from {least} to {most}.")),
    }
}

fn money(text: &str, setting: &Setting) -> Result<Value, String> {
    let money = text.parse::<Money>().map_err(|error| format!("An amount {error}."))?;
    match (setting.least..=setting.most).contains(&money.0) {
        true => Ok(json!(money)),
        false => Err(format!("Give an amount from {} to {}.", Money(setting.least), Money(setting.most))),
    }
}

fn share(text: &str, setting: &Setting) -> Result<Value, String> {
    let share = text.parse::<Fraction>().map_err(|error| format!("A fraction {error}."))?;
    // Referral shares are whole percents everywhere, as customers' own are.
    let (step, decimals) = if setting.key == DEFAULT_REFERRAL { (10_000, "two") } else { (1_000, "three") };
    match (setting.least..=setting.most).contains(&share.0) && share.0 % step == 0 {
        true => Ok(json!(share)),
        false => Err(format!(
            "Give a fraction from {} to {} with at most {decimals} decimals, such as 0.05 for 5 %.",
            Fraction(setting.least),
            Fraction(setting.most)
        )),
    }
}

fn one_of(text: &str, words: &[&str]) -> Result<Value, String> {
    match words.contains(&text) {
        true => Ok(json!(text)),
        false => Err(format!("Choose one of {}.", words.join(", "))),
    }
}

fn color(text: &str) -> Result<Value, String> {
    let digits = text.strip_prefix('#').unwrap_or_default();
    match digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(json!(text.to_ascii_lowercase())),
        false => Err("Give a colour as # and six hexadecimal digits, such as #7c3aed.".to_owned()),
    }
}

fn flag(value: &Value) -> Result<Value, String> {
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::String(text) => match text.trim() {
            "1" | "true" | "on" => Ok(json!(true)),
            "0" | "false" | "off" | "" => Ok(json!(false)),
            _ => Err("Say true or false.".to_owned()),
        },
        _ => Err("Say true or false.".to_owned()),
    }
}

fn picture(value: &Value) -> Result<Picture, String> {
    match value {
        Value::Null => Ok(Picture::None),
        Value::String(text) => Picture::parse(text.trim()).map_err(|why| format!("The image {why}.")),
        _ => Err("Send an image, its address, or null.".to_owned()),
    }
}

/// What was read (`{"is_set": true}`) may be sent back: it changes nothing.
fn secret(setting: &Setting, value: &Value) -> Result<Wish, String> {
    match value {
        Value::Null => Ok(Wish::Secret(None)),
        Value::Object(state) if state.len() == 1 && state.contains_key("is_set") => Ok(Wish::Same),
        // An empty field of a form says nothing about a secret.
        Value::String(text) if text.trim().is_empty() => Ok(Wish::Same),
        Value::String(text) if i64::try_from(text.len()).is_ok_and(|length| length <= setting.most) => {
            match text.chars().any(char::is_control) {
                true => Err("Remove the control characters.".to_owned()),
                false => Ok(Wish::Secret(Some(text.trim().to_owned()))),
            }
        }
        Value::String(_) => Err(format!("A secret has at most {} bytes.", setting.most)),
        _ => Err("Give a text to set it, or null to take it away.".to_owned()),
    }
}

/// A list, also as forms send it: `{"0": …, "1": …}`, or nothing.
fn list(value: &Value) -> Result<Vec<&Value>, String> {
    let wrong = || "Give a list.".to_owned();
    match value {
        Value::Array(list) => Ok(list.iter().collect()),
        Value::Null => Ok(Vec::new()),
        Value::String(text) if text.trim().is_empty() => Ok(Vec::new()),
        Value::Object(map) => {
            let mut places = Vec::new();
            for (place, value) in map {
                places.push((place.parse::<usize>().map_err(|_| wrong())?, value));
            }
            places.sort_unstable_by_key(|(place, _)| *place);
            Ok(places.into_iter().map(|(_, value)| value).collect())
        }
        _ => Err(wrong()),
    }
}

fn ids(setting: &Setting, value: &Value) -> Result<Value, String> {
    let mut ids = Vec::new();
    for value in list(value)? {
        let id = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
        let id = id.filter(|id| *id > 0).ok_or("Give a list of ids.")?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    match i64::try_from(ids.len()).is_ok_and(|count| count <= setting.most) {
        true => Ok(json!(ids)),
        false => Err(format!("Choose at most {}.", setting.most)),
    }
}

fn tags(errors: &mut FieldErrors, setting: &Setting, value: &Value) -> Wish {
    let found = match list(value) {
        Ok(found) if i64::try_from(found.len()).is_ok_and(|count| count <= setting.most) => found,
        Ok(_) => {
            errors.add(setting.key, format!("Give at most {} tags.", setting.most));
            return Wish::Same;
        }
        Err(message) => {
            errors.add(setting.key, message);
            return Wish::Same;
        }
    };
    let mut tags = Vec::new();
    for (at, tag) in found.into_iter().enumerate() {
        let field = |name: &str| tag.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        let (name, content) = (field("name"), field("content"));
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_:.".contains(letter);
        if name.is_empty() || name.len() > 100 || !name.chars().all(plain) {
            let message = "Name the tag with letters, digits, -, _, : and ., such as description.";
            errors.add(format!("{}.{at}.name", setting.key), message);
        }
        if let Err(message) = fits(content, 1_000) {
            errors.add(format!("{}.{at}.content", setting.key), message);
        }
        for unknown in tag.as_object().into_iter().flatten().map(|(name, _)| name) {
            if unknown != "name" && unknown != "content" {
                errors.add(format!("{}.{at}.{unknown:.40}", setting.key), "There is no such field.");
            }
        }
        tags.push(json!({ "name": name, "content": content }));
    }
    Wish::Value(json!(tags))
}

fn rates(errors: &mut FieldErrors, setting: &Setting, value: &Value) -> Wish {
    let empty = Map::new();
    let given = match value {
        Value::Object(given) => given,
        Value::Null => &empty,
        Value::String(text) if text.trim().is_empty() => &empty,
        _ => {
            errors.add(setting.key, "Give rates by currency, such as {\"EUR\": \"0.92\"}.");
            return Wish::Same;
        }
    };
    let mut rates = Map::new();
    for (currency, rate) in given {
        let place = format!("{}.{currency:.10}", setting.key);
        if !CURRENCIES.contains(&currency.as_str()) {
            errors
                .add(place, format!("The panel does not know this currency; use {}.", CURRENCIES.join(", ")));
            continue;
        }
        if rate.is_null() || rate.as_str() == Some("") {
            continue;
        }
        match serde_json::from_value::<Fraction>(rate.clone()) {
            Ok(rate) if rate.0 > 0 => drop(rates.insert(currency.clone(), json!(rate))),
            _ => errors
                .add(place, "Give a rate above zero with at most six decimals, as a text such as \"0.92\"."),
        }
    }
    Wish::Value(Value::Object(rates))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understood(input: &Value) -> Result<Vec<(&'static str, Wish)>, Vec<String>> {
        let tree: SettingsTree = serde_json::from_value(input.clone()).unwrap();
        let wanted = read(&tree, |key| if key == "inhouse" { json!(false) } else { json!([]) });
        wanted
            .map(|wanted| wanted.wishes.into_iter().map(|(setting, wish)| (setting.key, wish)).collect())
            .map_err(|errors| errors.0.into_keys().collect())
    }

    fn value(input: &Value) -> Value {
        match understood(input).unwrap().pop() {
            Some((_, Wish::Value(value))) => value,
            other => panic!("{input}: {other:?}"),
        }
    }

    #[test]
    fn each_kind_is_stored_in_one_way() {
        assert_eq!(value(&json!({ "panel_name": "  Shop " })), "Shop");
        assert_eq!(value(&json!({ "colors": { "dark": { "primary": "#AABBCC" } } })), "#aabbcc");
        assert_eq!(value(&json!({ "colors.light.info": "#000000" })), "#000000");
        assert_eq!(value(&json!({ "rounding_precision": "3" })), 3);
        assert_eq!(value(&json!({ "min_margin_percent": "0.050" })), "0.05");
        assert_eq!(value(&json!({ "min_margin_percent": "" })), Value::Null);
        assert_eq!(value(&json!({ "child_panels_price": 10 })), "10");
        assert_eq!(value(&json!({ "captcha_is_enabled": "1" })), true);
        assert_eq!(value(&json!({ "service_types": { "1": "7", "0": "3" } })), json!([3, 7]));
        let rates = json!({ "currencies": { "exchange_rates": { "RUB": "92.50", "EUR": "" } } });
        assert_eq!(value(&rates), json!({ "RUB": "92.5" }));
        let tags = json!({ "meta_tags": [{ "name": "og:title", "content": " A <b> " }] });
        assert_eq!(value(&tags), json!([{ "name": "og:title", "content": "A <b>" }]));
    }

    #[test]
    fn what_is_wrong_is_named_by_its_place() {
        for (input, place) in [
            (json!({ "colour": 1 }), "colour"),
            (json!({ "colors": { "pink": {} } }), "colors.pink"),
            (json!({ "colors": 7 }), "colors"),
            (json!({ "panel_name": "" }), "panel_name"),
            (json!({ "panel_name": "a\nb" }), "panel_name"),
            (json!({ "panel_name": "x".repeat(61) }), "panel_name"),
            (json!({ "rounding_precision": 7 }), "rounding_precision"),
            (json!({ "min_margin_percent": "1.001" }), "min_margin_percent"),
            (json!({ "min_margin_percent": "0.0001" }), "min_margin_percent"),
            (json!({ "min_margin_percent": 0.05 }), "min_margin_percent"),
            (json!({ "child_panels_price": "-1" }), "child_panels_price"),
            (json!({ "support_email": "help" }), "support_email"),
            (json!({ "socials": { "telegram": "javascript:alert(1)" } }), "socials.telegram"),
            (json!({ "navigation": "nowhere" }), "navigation"),
            (json!({ "grades_enabled": 7 }), "grades_enabled"),
            (json!({ "currencies": { "default": "XXX" } }), "currencies.default"),
            (json!({ "currencies": { "exchange_rates": { "RUB": 92.5 } } }), "currencies.exchange_rates.RUB"),
            (json!({ "currencies": { "exchange_rates": { "RUB": "0" } } }), "currencies.exchange_rates.RUB"),
            (json!({ "meta_tags": [{ "name": "a b" }] }), "meta_tags.0.name"),
            (json!({ "inhouse": true }), "inhouse"),
            (json!({ "updated_at": "yesterday" }), "updated_at"),
        ] {
            assert_eq!(understood(&input).unwrap_err(), [place], "{input}");
        }
    }

    #[test]
    fn secrets_are_set_taken_away_or_left_alone() {
        let wish = |value: Value| {
            let input = json!({ "integrations": { "telegram_bot_token": value } });
            understood(&input).map(|wishes| wishes.into_iter().map(|(_, wish)| wish).next())
        };
        assert_eq!(wish(json!("a:b")), Ok(Some(Wish::Secret(Some("a:b".into())))));
        assert_eq!(wish(Value::Null), Ok(Some(Wish::Secret(None))));
        assert_eq!(wish(json!({ "is_set": true })), Ok(None));
        assert_eq!(wish(json!("")), Ok(None));
        assert!(wish(json!(7)).is_err() && wish(json!("a\u{7}")).is_err());
    }

    #[test]
    fn what_was_read_can_be_sent_back() {
        assert_eq!(understood(&json!({ "inhouse": false, "custom_menu_items": [] })), Ok(vec![]));
    }
}
