//! Validates external panels and decides which actions are allowed. Errors name the fields as in the request. Pure.

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

/// Longest name, in characters.
const MAX_NAME_CHARS: usize = 255;
/// Longest endpoint, in bytes.
const MAX_ENDPOINT_BYTES: usize = 2_000;
/// Longest token, in bytes.
const MAX_TOKEN_BYTES: usize = 500;
/// Largest resale margin and price jump, in parts per million: ten times the price.
const MAX_FRACTION_PPM: i64 = 10_000_000;
/// Minimum length of a token whose last four characters staff may see.
const MIN_HINTED_TOKEN_CHARS: usize = 16;
/// The usual path of the reseller API.
const DEFAULT_PATH: &str = "/api/v2";

/// An action of staff on an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PanelAction {
    Edit,
    Archive,
    Unarchive,
}

/// Checks that the action is allowed. The archive action has already rejected a panel in use, with a message that names its uses.
pub(super) fn check_action(is_archived: bool, is_used: bool, action: PanelAction) -> Result<(), Rejection> {
    match (action, is_archived) {
        (PanelAction::Unarchive, _) => EXTERNAL_PANEL.check_transition(is_archived, false),
        (PanelAction::Archive, true) => EXTERNAL_PANEL.check_transition(is_archived, true),
        (PanelAction::Edit, true) => {
            Err(Rejection::conflict("external_panel_archived", "This panel is archived. Restore it first."))
        }
        (PanelAction::Archive, false) if is_used => {
            Err(Rejection::conflict("external_panel_in_use", "This panel is in use."))
        }
        _ => Ok(()),
    }
}

/// Which amounts are stored in the currency of a panel. Prices are not among them, because they have their own currency.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CurrencyUsage {
    pub(super) has_open_orders: bool,
    pub(super) has_charges: bool,
    pub(super) has_payments: bool,
}

/// Rejects a currency change if amounts are stored in the current currency.
pub(super) fn check_currency_change(current: &str, usage: CurrencyUsage) -> Result<(), Rejection> {
    let possible_uses = [
        (usage.has_open_orders, "orders placed with it"),
        (usage.has_charges, "charges of orders"),
        (usage.has_payments, "payments in its billing"),
    ];
    let found_uses: Vec<&str> = possible_uses
        .into_iter()
        .filter(|(is_used, _)| *is_used)
        .map(|(_, description)| description)
        .collect();
    if found_uses.is_empty() {
        return Ok(());
    }
    let message = format!(
        "This panel has {} in {current}, so its currency cannot be changed. Connect another panel for another currency.",
        found_uses.join(", ")
    );
    Err(Rejection::conflict("external_panel_currency_in_use", message))
}

/// The status of a panel as lists show it.
pub(super) fn displayed_status(is_archived: bool, stored: PanelStatus) -> PanelStatus {
    if is_archived { PanelStatus::Archived } else { stored }
}

/// The address of a panel's icon: `/favicon.ico` on the host of its API.
pub(super) fn favicon_url(endpoint: &str) -> Option<String> {
    let url = Url::parse(endpoint).ok()?;
    url.join("/favicon.ico").ok().map(String::from)
}

/// The display name of a panel type.
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
    /// A new panel syncs prices. Staff must approve a price that changes by 20 % or more.
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
    /// Applies an input; returns the new draft and the field errors.
    pub(super) fn apply_input(mut self, input: &ExternalPanelInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            name.trim().clone_into(&mut self.name);
        }
        if self.name.is_empty() {
            errors.add("name", "Give a name.");
        } else if let Err(message) = fields::check_text(&self.name, MAX_NAME_CHARS) {
            errors.add("name", message);
        }
        let was_this_product = self.kind == PanelType::Socpanel;
        self.kind = input.kind.unwrap_or(self.kind);
        match input.endpoint.as_deref().map(normalize_endpoint) {
            Some(Ok(address)) => self.endpoint = address,
            Some(Err(message)) => errors.add("endpoint", message),
            None if self.endpoint.is_empty() => errors.add("endpoint", "Give the address of its API."),
            None => {}
        }
        if let Some(currency) = &input.currency {
            let code = currency.trim().to_ascii_uppercase();
            match CURRENCIES.contains(&code.as_str()) {
                true => self.currency = code,
                false => errors.add("currency", format!("Choose one of {}.", CURRENCIES.join(", "))),
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
            // After a change from a panel of this product, services are synced only if the input enables it.
            self.sync.sync_services &= !was_this_product || input.sync_services == Some(true);
            reject_syncs_of_this_product(&mut errors, input);
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
            Some(jump) if !(0..=MAX_FRACTION_PPM).contains(&jump.0) => {
                errors.add(
                    "price_jump_fraction",
                    format!("Give a fraction from 0 to {}.", Fraction(MAX_FRACTION_PPM)),
                );
            }
            Some(jump) => self.price_jump_fraction = jump,
            None => {}
        }
        match input.low_balance.as_update() {
            Some(Some(threshold)) if *threshold <= Money::ZERO => {
                errors.add("low_balance", "Give an amount above 0, or none.");
            }
            Some(threshold) => self.low_balance = threshold.copied(),
            None => {}
        }
    }
}

/// Rejects sync options that only a panel of this product supports.
fn reject_syncs_of_this_product(errors: &mut FieldErrors, input: &ExternalPanelInput) {
    for (field, content, requested) in [
        ("sync_packages", "packages", input.sync_packages),
        ("sync_labels", "labels", input.sync_labels),
        ("sync_meta", "texts for search engines", input.sync_meta),
        ("sync_short_description", "short descriptions", input.sync_short_description),
        ("sync_reviews", "reviews", input.sync_reviews),
    ] {
        if requested == Some(true) {
            let message = format!("Only a panel of this product sends {content}. Turn this off.");
            errors.add(field, message);
        }
    }
}

/// The sync options after an input. Only panels of this product send packages, labels and some texts, because the usual reseller
/// API has no fields for them.
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
    let is_this_product = kind == PanelType::Socpanel;
    PanelSync {
        sync_packages: sync.sync_packages && is_this_product,
        sync_labels: sync.sync_labels && is_this_product,
        sync_meta: sync.sync_meta && is_this_product,
        sync_short_description: sync.sync_short_description && is_this_product,
        sync_reviews: sync.sync_reviews && is_this_product,
        ..sync
    }
}

/// Normalizes the URL of an API: https if it has no scheme, and the usual path if it has none.
pub(super) fn normalize_endpoint(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("Give the address of its API.".into());
    }
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let invalid_address = || "Give an address such as https://panel.example/api/v2.".to_owned();
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

/// Validates a token; an empty one is `None`.
pub(super) fn validate_token(input: Option<&str>) -> Result<Option<String>, FieldErrors> {
    let Some(text) = input.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.len() > MAX_TOKEN_BYTES || text.chars().any(|char| char.is_control() || char.is_whitespace()) {
        let message = format!("A token has at most {MAX_TOKEN_BYTES} characters and no spaces.");
        return Err(FieldErrors::single("api_token", message));
    }
    Ok(Some(text.to_owned()))
}

/// The last four characters of a token, so that staff can recognise it; `None` if the token is too short to reveal them.
pub(super) fn token_hint(token: &str) -> Option<String> {
    let chars: Vec<char> = token.chars().collect();
    (chars.len() >= MIN_HINTED_TOKEN_CHARS).then(|| chars[chars.len() - 4..].iter().collect())
}

/// A stored token is sent only to the server that it was entered for: another scheme, host or port requires the token again.
pub(super) fn check_token_resubmitted(
    old_endpoint: &str,
    new_endpoint: &str,
    is_set: bool,
    has_new_token: bool,
) -> Result<(), Rejection> {
    if may_keep_secret(Some(old_endpoint), Some(new_endpoint), is_set, has_new_token) {
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
        for (input, expected) in [
            (" panel.example ", "https://panel.example/api/v2"),
            ("panel.example/", "https://panel.example/api/v2"),
            ("https://Panel.Example:443/api/v2/", "https://panel.example/api/v2"),
            ("http://panel.example:8080/adminapi/v1", "http://panel.example:8080/adminapi/v1"),
        ] {
            assert_eq!(normalize_endpoint(input).as_deref(), Ok(expected));
            assert_eq!(normalize_endpoint(expected).as_deref(), Ok(expected), "already normalized");
        }
        for invalid in [
            "",
            "  ",
            "ftp://panel.example",
            "https://",
            "not an address",
            "https://a.example/?key=1",
            "a.example/#x",
        ] {
            assert!(normalize_endpoint(invalid).is_err(), "{invalid}");
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
    fn only_a_panel_of_this_product_syncs_packages() {
        let draft_of = |body: &str| {
            ExternalPanelDraft::default().apply_input(&FieldErrors::from_json(body.as_bytes()).unwrap()).0
        };
        let body_template = r#"{"name":"Up","endpoint":"up.example","sync_services":true,"sync_packages":true,"sync_name":true,"type":"KIND"}"#;
        let other_panel = draft_of(&body_template.replace("KIND", "perfect_panel"));
        assert!(
            other_panel.sync.sync_services && !other_panel.sync.sync_packages && other_panel.sync.sync_name
        );
        let this_product_panel = draft_of(&body_template.replace("KIND", "socpanel"));
        assert!(this_product_panel.sync.sync_services && this_product_panel.sync.sync_packages);
        let errors_of = |body: &str| {
            ExternalPanelDraft::default().apply_input(&FieldErrors::from_json(body.as_bytes()).unwrap()).1
        };
        let text_syncs = r#"{"name":"Up","endpoint":"up.example","type":"KIND","sync_labels":true,"sync_meta":true,"sync_packages":true,
            "sync_reviews":true,"sync_short_description":true,"sync_description":true}"#;
        let errors = errors_of(&text_syncs.replace("KIND", "perfect_panel"));
        let fields = ["sync_labels", "sync_meta", "sync_packages", "sync_reviews", "sync_short_description"];
        assert_eq!(errors.0.keys().collect::<Vec<_>>(), fields);
        assert!(errors_of(&text_syncs.replace("KIND", "socpanel")).0.is_empty());
        assert!(
            errors_of(&text_syncs.replace("KIND", "perfect_panel").replace("true", "false")).0.is_empty()
        );
        let type_change = FieldErrors::from_json(br#"{"type":"perfect_panel"}"#).unwrap();
        assert!(
            !this_product_panel.apply_input(&type_change).0.sync.sync_services,
            "disabled by the change of type"
        );
        assert!(other_panel.apply_input(&type_change).0.sync.sync_services, "the type did not change");
    }

    #[test]
    fn names_each_invalid_field() {
        let body = br#"{"name":" ","endpoint":"ftp://x","currency":"XXX","price_jump_fraction":"11","low_balance":"0","resale_margin_fraction":"-0.1"}"#;
        let (_, errors) = ExternalPanelDraft::default().apply_input(&FieldErrors::from_json(body).unwrap());
        let expected =
            ["currency", "endpoint", "low_balance", "name", "price_jump_fraction", "resale_margin_fraction"];
        assert_eq!(errors.0.keys().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn refuses_to_change_a_currency_with_stored_amounts() {
        assert!(check_currency_change("USD", CurrencyUsage::default()).is_ok());
        let usage = CurrencyUsage { has_open_orders: true, has_payments: true, ..CurrencyUsage::default() };
        let rejection = check_currency_change("USD", usage).unwrap_err();
        assert_eq!(rejection.code, "external_panel_currency_in_use");
        let expected = "This panel has orders placed with it, payments in its billing in USD";
        assert!(rejection.message.starts_with(expected), "{}", rejection.message);
    }

    #[test]
    fn refuses_to_archive_a_panel_in_use() {
        assert!(check_action(false, false, PanelAction::Archive).is_ok());
        assert_eq!(
            check_action(false, true, PanelAction::Archive).unwrap_err().code,
            "external_panel_in_use"
        );
        assert!(check_action(true, false, PanelAction::Edit).is_err());
        assert!(check_action(true, true, PanelAction::Unarchive).is_ok());
    }
}
