//! Validates the input of external panels and decides which actions are allowed, without the database. Errors have the field names
//! of the request.

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_panels::{ExternalPanelInput, PanelStatus, PanelSync, PanelType, StatisticType};
use panel_contract::fields::FieldErrors;
use panel_contract::rejections::RejectionMessage;
use panel_kernel::rejection::Rejection;
use serde::Serialize;
use url::Url;

use crate::records::archivable_kinds::EXTERNAL_PANEL;
use panel_contract::dictionary::CURRENCIES;
use panel_domain::fields;
use panel_domain::reseller_protocol::rejection_messages;
use panel_platform::outbound::may_keep_secret;

const MAX_NAME_CHARS: usize = 255;
const MAX_ENDPOINT_BYTES: usize = 2_000;
const MAX_TOKEN_BYTES: usize = 500;
/// Maximum resale margin and maximum price jump: ten times the price.
const MAX_FRACTION_PPM: i64 = 10_000_000;
/// Minimum length of a token whose last four characters staff may see.
const MIN_HINTED_TOKEN_CHARS: usize = 16;
/// Path of the reseller API at most external panels.
const DEFAULT_PATH: &str = "/api/v2";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PanelAction {
    Edit,
    Archive,
    Unarchive,
}

/// Checks that the action is allowed. The archive endpoint rejects a panel in use earlier, with a message that lists the uses.
pub(super) fn check_action(is_archived: bool, is_used: bool, action: PanelAction) -> Result<(), Rejection> {
    match (action, is_archived) {
        (PanelAction::Unarchive, _) => EXTERNAL_PANEL.check_transition(is_archived, false),
        (PanelAction::Archive, true) => EXTERNAL_PANEL.check_transition(is_archived, true),
        (PanelAction::Edit, true) => Err(Rejection::conflict(
            "external_panel_archived",
            "This external panel is archived. Restore it first.",
        )),
        (PanelAction::Archive, false) if is_used => {
            Err(Rejection::conflict("external_panel_in_use", "This external panel is in use."))
        }
        _ => Ok(()),
    }
}

/// Which amounts are stored in the currency of an external panel. Prices of providers are not included, because each price has its
/// own currency.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CurrencyUsage {
    pub(super) has_open_orders: bool,
    pub(super) has_charges: bool,
    pub(super) has_payments: bool,
}

/// Rejects a currency change if amounts are stored in the current currency.
pub(super) fn check_currency_change(old_currency: &str, usage: CurrencyUsage) -> Result<(), Rejection> {
    let possible_uses = [
        (usage.has_open_orders, "open orders"),
        (usage.has_charges, "charges of orders"),
        (usage.has_payments, "payments in its billing"),
    ];
    let uses: Vec<&str> = possible_uses
        .into_iter()
        .filter(|(is_used, _)| *is_used)
        .map(|(_, description)| description)
        .collect();
    if uses.is_empty() {
        return Ok(());
    }
    let message = format!(
        "This external panel has {} in {old_currency}, so its currency cannot change. Connect another external panel for another currency.",
        uses.join(", ")
    );
    Err(Rejection::conflict("external_panel_currency_in_use", message))
}

pub(super) fn displayed_status(is_archived: bool, stored: PanelStatus) -> PanelStatus {
    if is_archived { PanelStatus::Archived } else { stored }
}

/// The URL of an external panel's icon: `/favicon.ico` on the host of its API.
pub(super) fn favicon_url(endpoint: &str) -> Option<String> {
    let url = Url::parse(endpoint).ok()?;
    url.join("/favicon.ico").ok().map(String::from)
}

pub(super) const fn type_label(kind: PanelType) -> &'static str {
    match kind {
        PanelType::PerfectPanel => "Perfect Panel",
        PanelType::Socpanel => "Panvy",
    }
}

/// The editable fields of an external panel, without its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ExternalPanelDraft {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: PanelType,
    pub(super) endpoint: String,
    pub(super) currency: String,
    pub(super) statistic_type: StatisticType,
    #[serde(flatten)]
    pub(super) sync: PanelSync,
    pub(super) resale_margin_fraction: Option<Fraction>,
    pub(super) price_jump_fraction: Fraction,
    pub(super) low_balance: Option<Money>,
    pub(super) auto_recreate_orders_is_allowed: bool,
    pub(super) rejection_messages: Vec<RejectionMessage>,
}

impl Default for ExternalPanelDraft {
    /// A new external panel syncs prices, and staff must approve a price change of 20 % or more.
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: PanelType::PerfectPanel,
            endpoint: String::new(),
            currency: "USD".into(),
            statistic_type: StatisticType::Remains,
            sync: PanelSync { sync_prices: true, ..PanelSync::default() },
            resale_margin_fraction: None,
            price_jump_fraction: Fraction(200_000),
            low_balance: None,
            auto_recreate_orders_is_allowed: false,
            rejection_messages: Vec::new(),
        }
    }
}

impl ExternalPanelDraft {
    /// Returns the draft with the changes of an input, and the field errors.
    pub(super) fn apply_input(mut self, input: &ExternalPanelInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            name.trim().clone_into(&mut self.name);
        }
        if self.name.is_empty() {
            errors.add("name", "Enter a name.");
        } else if let Err(message) = fields::check_text(&self.name, MAX_NAME_CHARS) {
            errors.add("name", message);
        }
        let was_same_product = self.kind == PanelType::Socpanel;
        self.kind = input.kind.unwrap_or(self.kind);
        match input.endpoint.as_deref().map(normalize_endpoint) {
            Some(Ok(address)) => self.endpoint = address,
            Some(Err(message)) => errors.add("endpoint", message),
            None if self.endpoint.is_empty() => {
                errors.add("endpoint", "Enter the address of the external panel's API.")
            }
            None => {}
        }
        if let Some(currency) = &input.currency {
            let code = currency.trim().to_ascii_uppercase();
            match CURRENCIES.contains(&code.as_str()) {
                true => self.currency = code,
                false => errors
                    .add("currency", format!("Choose one of these currencies: {}.", CURRENCIES.join(", "))),
            }
        }
        self.statistic_type = input.statistic_type.unwrap_or(self.statistic_type);
        self.auto_recreate_orders_is_allowed =
            input.auto_recreate_orders_is_allowed.unwrap_or(self.auto_recreate_orders_is_allowed);
        self.apply_amounts(&mut errors, input);
        if let Some(messages) = &input.rejection_messages {
            self.rejection_messages = rejection_messages::validate_messages(&mut errors, messages);
        }
        self.sync = apply_sync(self.sync, input, self.kind);
        if self.kind != PanelType::Socpanel {
            // After a change of the type from the same product, the server syncs services only if the input enables this sync.
            self.sync.sync_services &= !was_same_product || input.sync_services == Some(true);
            reject_syncs_of_same_product_only(&mut errors, input);
        }
        (self, errors)
    }

    fn apply_amounts(&mut self, errors: &mut FieldErrors, input: &ExternalPanelInput) {
        let margin = &input.resale_margin_fraction;
        fields::apply_optional_fraction(
            errors,
            "resale_margin_fraction",
            margin,
            &mut self.resale_margin_fraction,
            MAX_FRACTION_PPM,
        );
        match input.price_jump_fraction {
            Some(price_jump) if !(0..=MAX_FRACTION_PPM).contains(&price_jump.0) => {
                errors.add(
                    "price_jump_fraction",
                    format!("Enter a fraction from 0 to {}.", Fraction(MAX_FRACTION_PPM)),
                );
            }
            Some(price_jump) => self.price_jump_fraction = price_jump,
            None => {}
        }
        match input.low_balance.as_update() {
            Some(Some(threshold)) if *threshold <= Money::ZERO => {
                errors.add("low_balance", "Enter an amount above 0, or leave the field empty.");
            }
            Some(threshold) => self.low_balance = threshold.copied(),
            None => {}
        }
    }
}

/// Rejects sync options that work only with external panels that run the same product.
fn reject_syncs_of_same_product_only(errors: &mut FieldErrors, input: &ExternalPanelInput) {
    for (field, content, requested) in [
        ("sync_packages", "packages", input.sync_packages),
        ("sync_labels", "labels", input.sync_labels),
        ("sync_meta", "texts for search engines", input.sync_meta),
        ("sync_short_description", "short descriptions", input.sync_short_description),
        ("sync_reviews", "reviews", input.sync_reviews),
    ] {
        if requested == Some(true) {
            let message =
                format!("External panels of this type do not send {content}. Turn this option off.");
            errors.add(field, message);
        }
    }
}

/// Returns the sync options with the changes of an input. Only external panels that run the same product send packages, labels and
/// some texts, because the usual reseller API has no fields for them.
fn apply_sync(mut sync: PanelSync, input: &ExternalPanelInput, kind: PanelType) -> PanelSync {
    for (current, requested) in [
        (&mut sync.sync_services, input.sync_services),
        (&mut sync.sync_packages, input.sync_packages),
        (&mut sync.sync_prices, input.sync_prices),
        (&mut sync.sync_labels, input.sync_labels),
        (&mut sync.sync_name, input.sync_name),
        (&mut sync.sync_meta, input.sync_meta),
        (&mut sync.sync_service_details, input.sync_service_details),
        (&mut sync.sync_description, input.sync_description),
        (&mut sync.sync_short_description, input.sync_short_description),
        (&mut sync.sync_reviews, input.sync_reviews),
        (&mut sync.sync_params, input.sync_params),
    ] {
        *current = requested.unwrap_or(*current);
    }
    let is_same_product = kind == PanelType::Socpanel;
    PanelSync {
        sync_packages: sync.sync_packages && is_same_product,
        sync_labels: sync.sync_labels && is_same_product,
        sync_meta: sync.sync_meta && is_same_product,
        sync_short_description: sync.sync_short_description && is_same_product,
        sync_reviews: sync.sync_reviews && is_same_product,
        ..sync
    }
}

/// Normalizes the URL of an API: adds `https://` if the input has no scheme, and the usual path if it has no path.
pub(super) fn normalize_endpoint(input: &str) -> Result<String, String> {
    let input = input.trim();
    if input.is_empty() {
        return Err("Enter the address of the external panel's API.".into());
    }
    let with_scheme = if input.contains("://") { input.to_owned() } else { format!("https://{input}") };
    let invalid_address = || "Enter an address such as https://panel.example/api/v2.".to_owned();
    let mut url = Url::parse(&with_scheme).map_err(|_| invalid_address())?;
    if with_scheme.len() > MAX_ENDPOINT_BYTES || !matches!(url.scheme(), "http" | "https") || !url.has_host()
    {
        return Err(invalid_address());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("Remove everything after the path. Enter the token in its own field.".into());
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(if path.is_empty() { DEFAULT_PATH } else { &path });
    Ok(url.to_string())
}

/// Validates a token. Returns `None` for an empty string, which keeps the stored token.
pub(super) fn validate_token(input: Option<&str>) -> Result<Option<String>, FieldErrors> {
    let Some(token) = input.map(str::trim).filter(|token| !token.is_empty()) else { return Ok(None) };
    let has_invalid_char = |character: char| character.is_control() || character.is_whitespace();
    if token.len() > MAX_TOKEN_BYTES || token.chars().any(has_invalid_char) {
        let message = format!("A token has at most {MAX_TOKEN_BYTES} characters and no spaces.");
        return Err(FieldErrors::single("api_token", message));
    }
    Ok(Some(token.to_owned()))
}

/// The last four characters of a token, so that staff can recognize it; `None` if the token is too short to show a part of it.
pub(super) fn token_hint(token: &str) -> Option<String> {
    let chars: Vec<char> = token.chars().collect();
    (chars.len() >= MIN_HINTED_TOKEN_CHARS).then(|| chars[chars.len() - 4..].iter().collect())
}

/// Rejects a new endpoint with another scheme, host or port unless the input contains the token again, because the server must send
/// a stored token only to the host for which staff entered it.
pub(super) fn check_token_resubmitted(
    old_endpoint: &str,
    new_endpoint: &str,
    is_token_set: bool,
    has_new_token: bool,
) -> Result<(), Rejection> {
    if may_keep_secret(Some(old_endpoint), Some(new_endpoint), is_token_set, has_new_token) {
        return Ok(());
    }
    Err(Rejection::invalid(
        "api_token",
        "token_needed_again",
        "The new endpoint is on another server. Enter the token again.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_the_default_scheme_and_path() {
        for (input, expected_endpoint) in [
            (" panel.example ", "https://panel.example/api/v2"),
            ("panel.example/", "https://panel.example/api/v2"),
            ("https://Panel.Example:443/api/v2/", "https://panel.example/api/v2"),
            ("http://panel.example:8080/adminapi/v1", "http://panel.example:8080/adminapi/v1"),
        ] {
            assert_eq!(normalize_endpoint(input).as_deref(), Ok(expected_endpoint));
            assert_eq!(
                normalize_endpoint(expected_endpoint).as_deref(),
                Ok(expected_endpoint),
                "normalization must be idempotent"
            );
        }
        for invalid_input in [
            "",
            "  ",
            "ftp://panel.example",
            "https://",
            "not an address",
            "https://a.example/?key=1",
            "a.example/#x",
        ] {
            assert!(normalize_endpoint(invalid_input).is_err(), "{invalid_input}");
        }
    }

    #[test]
    fn a_short_token_has_no_hint() {
        assert_eq!(token_hint("0123456789abcdef").as_deref(), Some("cdef"));
        assert_eq!(token_hint("0123456789abcde"), None);
        assert_eq!(validate_token(Some("  ")), Ok(None));
        assert!(validate_token(Some("a b")).is_err() && validate_token(Some(&"x".repeat(501))).is_err());
    }

    #[test]
    fn only_a_panel_of_the_same_product_syncs_packages() {
        let apply_to_default = |body: &str| {
            ExternalPanelDraft::default().apply_input(&FieldErrors::from_json(body.as_bytes()).unwrap()).0
        };
        let body_template = r#"{"name":"Up","endpoint":"up.example","sync_services":true,"sync_packages":true,"sync_name":true,"type":"KIND"}"#;
        let other_panel = apply_to_default(&body_template.replace("KIND", "perfect_panel"));
        assert!(
            other_panel.sync.sync_services && !other_panel.sync.sync_packages && other_panel.sync.sync_name
        );
        let same_product_panel = apply_to_default(&body_template.replace("KIND", "socpanel"));
        assert!(same_product_panel.sync.sync_services && same_product_panel.sync.sync_packages);
        let errors_of = |body: &str| {
            ExternalPanelDraft::default().apply_input(&FieldErrors::from_json(body.as_bytes()).unwrap()).1
        };
        let body_with_text_syncs = r#"{"name":"Up","endpoint":"up.example","type":"KIND","sync_labels":true,"sync_meta":true,"sync_packages":true,
            "sync_reviews":true,"sync_short_description":true,"sync_description":true}"#;
        let errors = errors_of(&body_with_text_syncs.replace("KIND", "perfect_panel"));
        let expected_fields =
            ["sync_labels", "sync_meta", "sync_packages", "sync_reviews", "sync_short_description"];
        assert_eq!(errors.0.keys().collect::<Vec<_>>(), expected_fields);
        assert!(errors_of(&body_with_text_syncs.replace("KIND", "socpanel")).0.is_empty());
        assert!(
            errors_of(&body_with_text_syncs.replace("KIND", "perfect_panel").replace("true", "false"))
                .0
                .is_empty()
        );
        let type_change = FieldErrors::from_json(br#"{"type":"perfect_panel"}"#).unwrap();
        assert!(
            !same_product_panel.apply_input(&type_change).0.sync.sync_services,
            "the change of type must disable the sync"
        );
        assert!(
            other_panel.apply_input(&type_change).0.sync.sync_services,
            "an input with the same type must not disable the sync"
        );
    }

    #[test]
    fn names_each_invalid_field_of_an_external_panel() {
        let body = br#"{"name":" ","endpoint":"ftp://x","currency":"XXX","price_jump_fraction":"11","low_balance":"0","resale_margin_fraction":"-0.1"}"#;
        let (_, errors) = ExternalPanelDraft::default().apply_input(&FieldErrors::from_json(body).unwrap());
        let expected_fields =
            ["currency", "endpoint", "low_balance", "name", "price_jump_fraction", "resale_margin_fraction"];
        assert_eq!(errors.0.keys().collect::<Vec<_>>(), expected_fields);
    }

    #[test]
    fn rejects_a_change_of_a_currency_with_stored_amounts() {
        assert!(check_currency_change("USD", CurrencyUsage::default()).is_ok());
        let usage = CurrencyUsage { has_open_orders: true, has_payments: true, ..CurrencyUsage::default() };
        let rejection = check_currency_change("USD", usage).unwrap_err();
        assert_eq!(rejection.code, "external_panel_currency_in_use");
        let expected_start = "This external panel has open orders, payments in its billing in USD";
        assert!(rejection.message.starts_with(expected_start), "{}", rejection.message);
    }

    #[test]
    fn rejects_archiving_a_panel_in_use() {
        assert!(check_action(false, false, PanelAction::Archive).is_ok());
        assert_eq!(
            check_action(false, true, PanelAction::Archive).unwrap_err().code,
            "external_panel_in_use"
        );
        assert!(check_action(true, false, PanelAction::Edit).is_err());
        assert!(check_action(true, true, PanelAction::Unarchive).is_ok());
    }
}
