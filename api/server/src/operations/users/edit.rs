//! Validates a user's profile and manager field by field, and converts the input to field updates.

use panel_contract::amount::Fraction;
use panel_contract::common::Patch;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::UserId;
use panel_contract::users::{Messenger, SellerInput, UserInput};
use serde_json::{Value, json};

use crate::operations::users::change::FieldUpdate;

/// Maximum length of a text of one line, in characters.
const MAX_LINE_CHARS: usize = 255;
/// Maximum length of a text of several lines, in characters.
const MAX_TEXT_CHARS: usize = 2_000;
const MAX_MESSENGERS: usize = 10;
/// One hundredth, in parts per million: referral percentages have two decimals.
const HUNDREDTH: i64 = 10_000;

/// The updates for the given fields of `input`; errors by field.
pub fn profile(input: &UserInput) -> Result<Vec<FieldUpdate>, FieldErrors> {
    let mut update = ProfileUpdates { errors: FieldErrors::default(), updates: Vec::new() };
    update.required("name", "name = ?", input.name.as_deref(), 100);
    update.email(input.email.as_deref());
    update.telegram(&input.telegram_username);
    update.messengers(input.messengers.as_deref());
    update.text("company_name", "company_name = ?", &input.company_name, MAX_LINE_CHARS);
    update.text("company_address", "company_address = ?", &input.company_address, MAX_TEXT_CHARS);
    update.site(&input.company_site);
    update.text("vat", "vat = ?", &input.vat, MAX_LINE_CHARS);
    update.text("additional_info", "additional_info = ?", &input.additional_info, MAX_TEXT_CHARS);
    update.code(&input.affiliate_code);
    update.text("marketing_subid", "marketing_subid = ?", &input.marketing_subid, MAX_LINE_CHARS);
    for (name, write, flag) in [
        ("notify_orders", "notify_orders = ?", input.notify_orders),
        ("notify_payments", "notify_payments = ?", input.notify_payments),
    ] {
        update.updates.extend(flag.map(|flag| FieldUpdate::new(name, write, flag, flag)));
    }
    update.referral(&input.referral_program_percent);
    update.errors.or(update.updates)
}

/// The updates for the given fields of `input`. The caller checks in the database that the manager is a staff member.
#[must_use]
pub fn seller(input: &SellerInput) -> Vec<FieldUpdate> {
    let mut updates = Vec::new();
    if let Some(status) = input.seller_status.as_update() {
        let word = status.map(|status| status.as_str());
        updates.push(FieldUpdate::new("seller_status", "seller_status = ?", word, word));
    }
    updates.extend(manager(&input.seller_id));
    updates.extend(contact_step(&input.contact_step));
    updates
}

#[must_use]
pub fn manager(patch: &Patch<UserId>) -> Option<FieldUpdate> {
    patch.as_update().map(|id| FieldUpdate::new("seller_id", "seller_id = ?", id.copied(), json!(id)))
}

#[must_use]
pub fn contact_step(patch: &Patch<panel_contract::users::ContactStep>) -> Option<FieldUpdate> {
    let word = patch.as_update()?.map(|step| step.as_str());
    Some(FieldUpdate::new("contact_step", "contact_step = ?", word, word))
}

pub fn referral(patch: &Patch<Fraction>) -> Result<Option<FieldUpdate>, FieldErrors> {
    let mut update = ProfileUpdates { errors: FieldErrors::default(), updates: Vec::new() };
    update.referral(patch);
    update.errors.or(update.updates.pop())
}

struct ProfileUpdates {
    errors: FieldErrors,
    updates: Vec<FieldUpdate>,
}

impl ProfileUpdates {
    fn set(&mut self, name: &'static str, write: &'static str, text: Option<&str>) {
        self.updates.push(FieldUpdate::new(name, write, text, text));
    }

    /// Checks the length, and that line ends are the only control characters. Adds a field error otherwise.
    fn fits(&mut self, name: &'static str, text: &str, most: usize) -> bool {
        let plain = !text.chars().any(|character| character.is_control() && character != '\n');
        let fits = plain && text.chars().count() <= most;
        if !fits {
            self.errors.add(name, format!("Enter at most {most} characters, without control characters."));
        }
        fits
    }

    fn required(&mut self, name: &'static str, write: &'static str, text: Option<&str>, most: usize) {
        let Some(text) = text.map(str::trim) else { return };
        if text.is_empty() {
            self.errors.add(name, format!("Enter a {name} of 1 to {most} characters."));
        } else if self.fits(name, text, most) {
            self.set(name, write, Some(text));
        }
    }

    fn text(&mut self, name: &'static str, write: &'static str, patch: &Patch<String>, most: usize) {
        let Some(text) = trimmed(patch) else { return };
        if text.is_none_or(|text| self.fits(name, text, most)) {
            self.set(name, write, text);
        }
    }

    fn email(&mut self, email: Option<&str>) {
        let Some(email) = email.map(|email| email.trim().to_lowercase()) else { return };
        if email.chars().count() > MAX_LINE_CHARS || !crate::auth::setup::is_address(&email) {
            self.errors.add("email", "Enter an email address, such as anna@example.com.");
        } else {
            self.set("email", "email = ?", Some(&email));
        }
    }

    fn telegram(&mut self, patch: &Patch<String>) {
        let Some(name) = trimmed(patch) else { return };
        let name = name.map(|name| name.trim_start_matches('@'));
        let fits = |name: &str| {
            (5..=32).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if name.is_none_or(fits) {
            self.set("telegram_username", "telegram_username = ?", name);
        } else {
            self.errors.add("telegram_username", "Enter 5 to 32 letters, digits and underscores.");
        }
    }

    fn code(&mut self, patch: &Patch<String>) {
        let Some(code) = trimmed(patch) else { return };
        let fits = |code: &str| {
            (3..=32).contains(&code.len())
                && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        if code.is_none_or(fits) {
            self.set("affiliate_code", "affiliate_code = ?", code);
        } else {
            self.errors.add("affiliate_code", "Enter 3 to 32 letters, digits, hyphens and underscores.");
        }
    }

    fn site(&mut self, patch: &Patch<String>) {
        let Some(site) = trimmed(patch) else { return };
        let is_site = |site: &str| {
            url::Url::parse(site)
                .is_ok_and(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host())
        };
        if site.is_none_or(|site| self.fits("company_site", site, MAX_TEXT_CHARS) && is_site(site)) {
            self.set("company_site", "company_site = ?", site);
        } else {
            self.errors.add("company_site", "Enter a URL that starts with http:// or https://.");
        }
    }

    fn messengers(&mut self, messengers: Option<&[Messenger]>) {
        let Some(messengers) = messengers else { return };
        if messengers.len() > MAX_MESSENGERS {
            self.errors.add("messengers", format!("Enter at most {MAX_MESSENGERS} messengers."));
        }
        for (at, messenger) in messengers.iter().enumerate() {
            for (part, text) in [("name", &messenger.name), ("value", &messenger.value)] {
                let length = text.trim().chars().count();
                if length == 0 || length > MAX_LINE_CHARS || text.chars().any(char::is_control) {
                    self.errors.add(
                        format!("messengers.{at}.{part}"),
                        format!("Enter 1 to {MAX_LINE_CHARS} characters, without control characters."),
                    );
                }
            }
        }
        // The stored form, because the audit trail compares texts.
        let text = json!(messengers).to_string();
        self.set("messengers", "messengers = ?", Some(&text));
    }

    fn referral(&mut self, patch: &Patch<Fraction>) {
        let Some(percent) = patch.as_update() else { return };
        let fits = |percent: &Fraction| (0..=1_000_000).contains(&percent.0) && percent.0 % HUNDREDTH == 0;
        if percent.is_none_or(fits) {
            let audit_value: Value = json!(percent);
            self.updates.push(FieldUpdate::new(
                "referral_program_percent",
                "referral_program_ppm = ?",
                percent.copied(),
                audit_value,
            ));
        } else {
            self.errors.add(
                "referral_program_percent",
                "Enter a fraction from 0 to 1 with at most two decimals, such as 0.05 for 5 percent.",
            );
        }
    }
}

/// The new text, trimmed; an empty text clears the field.
fn trimmed(patch: &Patch<String>) -> Option<Option<&str>> {
    patch.as_update().map(|text| text.map(|text| text.trim()).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update_count(body: &str) -> Result<usize, Vec<String>> {
        let input: UserInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        profile(&input).map(|updates| updates.len()).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn omitted_fields_stay_and_null_clears() {
        assert_eq!(update_count("{}"), Ok(0));
        assert_eq!(update_count(r#"{"vat":null,"company_name":"  ","notify_orders":false}"#), Ok(3));
    }

    #[test]
    fn names_each_invalid_field() {
        let body = r#"{"name":" ","email":"nobody","telegram_username":"@a b","affiliate_code":"x","company_site":"ftp://a",
            "referral_program_percent":"0.055","messengers":[{"name":"","value":"1"}],"vat":"a\u0007"}"#;
        assert_eq!(
            update_count(body).unwrap_err(),
            [
                "affiliate_code",
                "company_site",
                "email",
                "messengers.0.name",
                "name",
                "referral_program_percent",
                "telegram_username",
                "vat"
            ]
        );
        assert_eq!(
            update_count(r#"{"referral_program_percent":"1.01"}"#).unwrap_err(),
            ["referral_program_percent"]
        );
        assert_eq!(update_count(r#"{"referral_program_percent":"1","telegram_username":"@anna_k"}"#), Ok(2));
    }
}
