//! Changing who a user is and who looks after them: what was sent is judged field by field, and becomes fields to set.

use panel_contract::amount::Fraction;
use panel_contract::common::Patch;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::UserId;
use panel_contract::users::{Messenger, SellerInput, UserInput};
use serde_json::{Value, json};

use crate::operations::users::change::Set;

/// Longest name, address and the like, in characters.
const LONG: usize = 255;
/// Longest text of several lines.
const LONGEST: usize = 2_000;
/// Most messengers.
const MESSENGERS: usize = 10;
/// One hundredth, in parts per million: referral percents have two decimals.
const HUNDREDTH: i64 = 10_000;

/// The fields that `input` sets; errors by field.
pub fn profile(input: &UserInput) -> Result<Vec<Set>, FieldErrors> {
    let mut read = Reading { errors: FieldErrors::default(), sets: Vec::new() };
    read.required("name", "name = ?", input.name.as_deref(), 100);
    read.email(input.email.as_deref());
    read.telegram(&input.telegram_username);
    read.messengers(input.messengers.as_deref());
    read.text("company_name", "company_name = ?", &input.company_name, LONG);
    read.text("company_address", "company_address = ?", &input.company_address, LONGEST);
    read.site(&input.company_site);
    read.text("vat", "vat = ?", &input.vat, LONG);
    read.text("additional_info", "additional_info = ?", &input.additional_info, LONGEST);
    read.code(&input.affiliate_code);
    read.text("marketing_subid", "marketing_subid = ?", &input.marketing_subid, LONG);
    for (name, write, flag) in [
        ("notify_orders", "notify_orders = ?", input.notify_orders),
        ("notify_payments", "notify_payments = ?", input.notify_payments),
    ] {
        read.sets.extend(flag.map(|flag| Set::new(name, write, flag, flag)));
    }
    read.referral(&input.referral_program_percent);
    read.errors.or(read.sets)
}

/// The fields that `input` sets; whether the manager is one is the database's to say.
#[must_use]
pub fn seller(input: &SellerInput) -> Vec<Set> {
    let mut sets = Vec::new();
    if let Some(status) = input.seller_status.wish() {
        let word = status.map(|status| status.as_str());
        sets.push(Set::new("seller_status", "seller_status = ?", word, word));
    }
    sets.extend(manager(&input.seller_id));
    sets.extend(contact_step(&input.contact_step));
    sets
}

/// Another manager.
#[must_use]
pub fn manager(wish: &Patch<UserId>) -> Option<Set> {
    wish.wish().map(|id| Set::new("seller_id", "seller_id = ?", id.copied(), json!(id)))
}

/// Another step of the talk.
#[must_use]
pub fn contact_step(wish: &Patch<panel_contract::users::ContactStep>) -> Option<Set> {
    let word = wish.wish()?.map(|step| step.as_str());
    Some(Set::new("contact_step", "contact_step = ?", word, word))
}

/// Another referral percent.
pub fn referral(wish: &Patch<Fraction>) -> Result<Option<Set>, FieldErrors> {
    let mut read = Reading { errors: FieldErrors::default(), sets: Vec::new() };
    read.referral(wish);
    read.errors.or(read.sets.pop())
}

struct Reading {
    errors: FieldErrors,
    sets: Vec<Set>,
}

impl Reading {
    fn set(&mut self, name: &'static str, write: &'static str, text: Option<&str>) {
        self.sets.push(Set::new(name, write, text, text));
    }

    /// Whether a text is of a fit length and has no control characters but line ends.
    fn fits(&mut self, name: &'static str, text: &str, most: usize) -> bool {
        let plain = !text.chars().any(|letter| letter.is_control() && letter != '\n');
        let fits = plain && text.chars().count() <= most;
        if !fits {
            self.errors.add(name, format!("Write at most {most} characters, without control characters."));
        }
        fits
    }

    fn required(&mut self, name: &'static str, write: &'static str, text: Option<&str>, most: usize) {
        let Some(text) = text.map(str::trim) else { return };
        if text.is_empty() {
            self.errors.add(name, format!("Give a {name} of 1 to {most} characters."));
        } else if self.fits(name, text, most) {
            self.set(name, write, Some(text));
        }
    }

    fn text(&mut self, name: &'static str, write: &'static str, wish: &Patch<String>, most: usize) {
        let Some(text) = trimmed(wish) else { return };
        if text.is_none_or(|text| self.fits(name, text, most)) {
            self.set(name, write, text);
        }
    }

    fn email(&mut self, email: Option<&str>) {
        let Some(email) = email.map(|email| email.trim().to_lowercase()) else { return };
        if email.chars().count() > LONG || !crate::auth::setup::is_address(&email) {
            self.errors.add("email", "Give an email address, such as anna@example.com.");
        } else {
            self.set("email", "email = ?", Some(&email));
        }
    }

    fn telegram(&mut self, wish: &Patch<String>) {
        let Some(name) = trimmed(wish) else { return };
        let name = name.map(|name| name.trim_start_matches('@'));
        let fits = |name: &str| {
            (5..=32).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if name.is_none_or(fits) {
            self.set("telegram_username", "telegram_username = ?", name);
        } else {
            self.errors.add("telegram_username", "Give 5 to 32 letters, digits and underscores.");
        }
    }

    fn code(&mut self, wish: &Patch<String>) {
        let Some(code) = trimmed(wish) else { return };
        let fits = |code: &str| {
            (3..=32).contains(&code.len())
                && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        if code.is_none_or(fits) {
            self.set("affiliate_code", "affiliate_code = ?", code);
        } else {
            self.errors.add("affiliate_code", "Give 3 to 32 letters, digits, hyphens and underscores.");
        }
    }

    fn site(&mut self, wish: &Patch<String>) {
        let Some(site) = trimmed(wish) else { return };
        let is_site = |site: &str| {
            url::Url::parse(site)
                .is_ok_and(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host())
        };
        if site.is_none_or(|site| self.fits("company_site", site, LONGEST) && is_site(site)) {
            self.set("company_site", "company_site = ?", site);
        } else {
            self.errors.add("company_site", "Give an absolute address that begins with http:// or https://.");
        }
    }

    fn messengers(&mut self, messengers: Option<&[Messenger]>) {
        let Some(messengers) = messengers else { return };
        if messengers.len() > MESSENGERS {
            self.errors.add("messengers", format!("Name at most {MESSENGERS} messengers."));
        }
        for (at, messenger) in messengers.iter().enumerate() {
            for (part, text) in [("name", &messenger.name), ("value", &messenger.value)] {
                let length = text.trim().chars().count();
                if length == 0 || length > LONG || text.chars().any(char::is_control) {
                    self.errors.add(
                        format!("messengers.{at}.{part}"),
                        format!("Give 1 to {LONG} characters, without control characters."),
                    );
                }
            }
        }
        // As it is kept: the audit trail compares texts.
        let text = json!(messengers).to_string();
        self.set("messengers", "messengers = ?", Some(&text));
    }

    fn referral(&mut self, wish: &Patch<Fraction>) {
        let Some(percent) = wish.wish() else { return };
        let fits = |percent: &Fraction| (0..=1_000_000).contains(&percent.0) && percent.0 % HUNDREDTH == 0;
        if percent.is_none_or(fits) {
            let shown: Value = json!(percent);
            self.sets.push(Set::new(
                "referral_program_percent",
                "referral_program_ppm = ?",
                percent.copied(),
                shown,
            ));
        } else {
            self.errors.add(
                "referral_program_percent",
                "Give a fraction from 0 to 1 with at most two decimals, such as 0.05 for 5 percent.",
            );
        }
    }
}

/// The text wished for, trimmed; an empty one clears.
fn trimmed(wish: &Patch<String>) -> Option<Option<&str>> {
    wish.wish().map(|text| text.map(|text| text.trim()).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(body: &str) -> Result<usize, Vec<String>> {
        let input: UserInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        profile(&input).map(|sets| sets.len()).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn what_is_left_out_stays_and_null_clears() {
        assert_eq!(sent("{}"), Ok(0));
        assert_eq!(sent(r#"{"vat":null,"company_name":"  ","notify_orders":false}"#), Ok(3));
    }

    #[test]
    fn each_wrong_field_is_named() {
        let body = r#"{"name":" ","email":"nobody","telegram_username":"@a b","affiliate_code":"x","company_site":"ftp://a",
            "referral_program_percent":"0.055","messengers":[{"name":"","value":"1"}],"vat":"a\u0007"}"#;
        assert_eq!(
            sent(body).unwrap_err(),
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
        assert_eq!(sent(r#"{"referral_program_percent":"1.01"}"#).unwrap_err(), ["referral_program_percent"]);
        assert_eq!(sent(r#"{"referral_program_percent":"1","telegram_username":"@anna_k"}"#), Ok(2));
    }
}
