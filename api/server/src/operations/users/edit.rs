//! Validates the profile and the account manager of a user field by field, and converts the input to field updates.

use panel_contract::amount::Fraction;
use panel_contract::common::Patch;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::UserId;
use panel_contract::users::{Messenger, SellerInput, UserInput};
use serde_json::{Value, json};

use crate::operations::users::change::FieldUpdate;

/// Maximum length of a single-line text, in characters.
const MAX_LINE_CHARS: usize = 255;
/// Maximum length of a multi-line text, in characters.
const MAX_TEXT_CHARS: usize = 2_000;
const MAX_MESSENGERS: usize = 10;
/// One hundredth in parts per million, because referral fractions have at most two decimals.
const HUNDREDTH_PPM: i64 = 10_000;

/// Builds the updates for the fields that `input` sets. Returns the errors of all invalid fields.
pub fn profile_updates(input: &UserInput) -> Result<Vec<FieldUpdate>, FieldErrors> {
    let mut profile = ProfileUpdates { errors: FieldErrors::default(), updates: Vec::new() };
    profile.add_required_text("name", "name = ?", input.name.as_deref(), 100);
    profile.add_email(input.email.as_deref());
    profile.add_telegram_username(&input.telegram_username);
    profile.add_messengers(input.messengers.as_deref());
    profile.add_text("company_name", "company_name = ?", &input.company_name, MAX_LINE_CHARS);
    profile.add_text("company_address", "company_address = ?", &input.company_address, MAX_TEXT_CHARS);
    profile.add_company_site(&input.company_site);
    profile.add_text("vat", "vat = ?", &input.vat, MAX_LINE_CHARS);
    profile.add_text("additional_info", "additional_info = ?", &input.additional_info, MAX_TEXT_CHARS);
    profile.add_affiliate_code(&input.affiliate_code);
    profile.add_text("marketing_subid", "marketing_subid = ?", &input.marketing_subid, MAX_LINE_CHARS);
    for (name, assignment, flag) in [
        ("notify_orders", "notify_orders = ?", input.notify_orders),
        ("notify_payments", "notify_payments = ?", input.notify_payments),
    ] {
        profile.updates.extend(flag.map(|flag| FieldUpdate::new(name, assignment, flag, flag)));
    }
    profile.add_referral_fraction(&input.referral_program_fraction);
    profile.errors.into_result(profile.updates)
}

/// Builds the updates for the fields that `input` sets. The caller must check that the account manager is a staff member.
#[must_use]
pub fn seller_updates(input: &SellerInput) -> Vec<FieldUpdate> {
    let mut updates = Vec::new();
    if let Some(status) = input.seller_status.as_update() {
        let value = status.map(|status| status.as_str());
        updates.push(FieldUpdate::new("seller_status", "seller_status = ?", value, value));
    }
    updates.extend(manager_update(&input.seller_id));
    updates.extend(contact_step_update(&input.contact_step));
    updates
}

#[must_use]
pub fn manager_update(patch: &Patch<UserId>) -> Option<FieldUpdate> {
    patch.as_update().map(|id| FieldUpdate::new("seller_id", "seller_id = ?", id.copied(), json!(id)))
}

#[must_use]
pub fn contact_step_update(patch: &Patch<panel_contract::users::ContactStep>) -> Option<FieldUpdate> {
    let value = patch.as_update()?.map(|step| step.as_str());
    Some(FieldUpdate::new("contact_step", "contact_step = ?", value, value))
}

pub fn referral_update(patch: &Patch<Fraction>) -> Result<Option<FieldUpdate>, FieldErrors> {
    let mut profile = ProfileUpdates { errors: FieldErrors::default(), updates: Vec::new() };
    profile.add_referral_fraction(patch);
    profile.errors.into_result(profile.updates.pop())
}

struct ProfileUpdates {
    errors: FieldErrors,
    updates: Vec<FieldUpdate>,
}

impl ProfileUpdates {
    fn push_update(&mut self, name: &'static str, assignment: &'static str, text: Option<&str>) {
        self.updates.push(FieldUpdate::new(name, assignment, text, text));
    }

    /// Checks the length, and that the text contains no control characters except line breaks. If not, adds a field error and
    /// returns false.
    fn check_length(&mut self, name: &'static str, text: &str, max_chars: usize) -> bool {
        let has_no_control_characters =
            !text.chars().any(|character| character.is_control() && character != '\n');
        let is_valid = has_no_control_characters && text.chars().count() <= max_chars;
        if !is_valid {
            self.errors
                .add(name, format!("Enter at most {max_chars} characters, without control characters."));
        }
        is_valid
    }

    fn add_required_text(
        &mut self,
        name: &'static str,
        assignment: &'static str,
        text: Option<&str>,
        max_chars: usize,
    ) {
        let Some(text) = text.map(str::trim) else { return };
        if text.is_empty() {
            self.errors.add(name, format!("Enter a {name} of 1 to {max_chars} characters."));
        } else if self.check_length(name, text, max_chars) {
            self.push_update(name, assignment, Some(text));
        }
    }

    fn add_text(
        &mut self,
        name: &'static str,
        assignment: &'static str,
        patch: &Patch<String>,
        max_chars: usize,
    ) {
        let Some(text) = trimmed_text(patch) else { return };
        if text.is_none_or(|text| self.check_length(name, text, max_chars)) {
            self.push_update(name, assignment, text);
        }
    }

    fn add_email(&mut self, email: Option<&str>) {
        let Some(email) = email.map(|email| email.trim().to_lowercase()) else { return };
        if email.chars().count() > MAX_LINE_CHARS || !crate::auth::setup::is_email_address(&email) {
            self.errors.add("email", "Enter an email address, such as anna@example.com.");
        } else {
            self.push_update("email", "email = ?", Some(&email));
        }
    }

    fn add_telegram_username(&mut self, patch: &Patch<String>) {
        let Some(name) = trimmed_text(patch) else { return };
        let name = name.map(|name| name.trim_start_matches('@'));
        let is_username = |name: &str| {
            (5..=32).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if name.is_none_or(is_username) {
            self.push_update("telegram_username", "telegram_username = ?", name);
        } else {
            self.errors.add("telegram_username", "Enter 5 to 32 letters, digits and underscores.");
        }
    }

    fn add_affiliate_code(&mut self, patch: &Patch<String>) {
        let Some(code) = trimmed_text(patch) else { return };
        let is_code = |code: &str| {
            (3..=32).contains(&code.len())
                && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        if code.is_none_or(is_code) {
            self.push_update("affiliate_code", "affiliate_code = ?", code);
        } else {
            self.errors.add("affiliate_code", "Enter 3 to 32 letters, digits, hyphens and underscores.");
        }
    }

    fn add_company_site(&mut self, patch: &Patch<String>) {
        let Some(site) = trimmed_text(patch) else { return };
        let is_site = |site: &str| {
            url::Url::parse(site)
                .is_ok_and(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host())
        };
        if site.is_none_or(|site| self.check_length("company_site", site, MAX_TEXT_CHARS) && is_site(site)) {
            self.push_update("company_site", "company_site = ?", site);
        } else {
            self.errors.add("company_site", "Enter a URL that starts with http:// or https://.");
        }
    }

    fn add_messengers(&mut self, messengers: Option<&[Messenger]>) {
        let Some(messengers) = messengers else { return };
        if messengers.len() > MAX_MESSENGERS {
            self.errors.add("messengers", format!("Enter at most {MAX_MESSENGERS} messengers."));
        }
        for (index, messenger) in messengers.iter().enumerate() {
            for (field, text) in [("name", &messenger.name), ("value", &messenger.value)] {
                let length = text.trim().chars().count();
                if length == 0 || length > MAX_LINE_CHARS || text.chars().any(char::is_control) {
                    self.errors.add(
                        format!("messengers.{index}.{field}"),
                        format!("Enter 1 to {MAX_LINE_CHARS} characters, without control characters."),
                    );
                }
            }
        }
        // The update contains the JSON as text, because the audit trail compares it with the stored text.
        let text = json!(messengers).to_string();
        self.push_update("messengers", "messengers = ?", Some(&text));
    }

    fn add_referral_fraction(&mut self, patch: &Patch<Fraction>) {
        let Some(fraction) = patch.as_update() else { return };
        let is_valid =
            |fraction: &Fraction| (0..=1_000_000).contains(&fraction.0) && fraction.0 % HUNDREDTH_PPM == 0;
        if fraction.is_none_or(is_valid) {
            let audit_value: Value = json!(fraction);
            self.updates.push(FieldUpdate::new(
                "referral_program_fraction",
                "referral_program_ppm = ?",
                fraction.copied(),
                audit_value,
            ));
        } else {
            self.errors.add(
                "referral_program_fraction",
                "Enter a fraction from 0 to 1 with at most two decimals, such as 0.05 for 5 %.",
            );
        }
    }
}

/// Returns the new text without surrounding spaces; an empty text clears the field.
fn trimmed_text(patch: &Patch<String>) -> Option<Option<&str>> {
    patch.as_update().map(|text| text.map(|text| text.trim()).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update_count(body: &str) -> Result<usize, Vec<String>> {
        let input: UserInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        profile_updates(&input).map(|updates| updates.len()).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn omitted_fields_stay_unchanged_and_null_clears_a_field() {
        assert_eq!(update_count("{}"), Ok(0));
        assert_eq!(update_count(r#"{"vat":null,"company_name":"  ","notify_orders":false}"#), Ok(3));
    }

    #[test]
    fn reports_each_invalid_field() {
        let body = r#"{"name":" ","email":"nobody","telegram_username":"@a b","affiliate_code":"x","company_site":"ftp://a",
            "referral_program_fraction":"0.055","messengers":[{"name":"","value":"1"}],"vat":"a\u0007"}"#;
        assert_eq!(
            update_count(body).unwrap_err(),
            [
                "affiliate_code",
                "company_site",
                "email",
                "messengers.0.name",
                "name",
                "referral_program_fraction",
                "telegram_username",
                "vat"
            ]
        );
        assert_eq!(
            update_count(r#"{"referral_program_fraction":"1.01"}"#).unwrap_err(),
            ["referral_program_fraction"]
        );
        assert_eq!(update_count(r#"{"referral_program_fraction":"1","telegram_username":"@anna_k"}"#), Ok(2));
    }
}
