//! The editable fields of a provider, and the validation of an input. `store` loads and writes them, and the change log shows the
//! serialized draft.

mod store;

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::common::Patch;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, ServiceId};
use panel_contract::providers::{ProviderInput, ProviderStatus, ProviderType};
use panel_domain::fields;
use panel_domain::states::providers::is_settable;
use serde::Serialize;

/// Maximum length of a name or an event.
const MAX_TEXT_CHARS: usize = 255;
const MAX_SERVICES: usize = 1_000;
const MAX_PRICE: Money = Money(1_000_000_000_000);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub(super) struct ProviderDraft {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: ProviderType,
    pub(super) external_panel_id: Option<ExternalPanelId>,
    pub(super) external_panel_service_id: Option<String>,
    pub(super) source_price: Money,
    /// ISO code; an empty string until the currency is set.
    pub(super) source_currency: String,
    pub(super) source_pricing_per: i64,
    pub(super) status: ProviderStatus,
    pub(super) source_event: Option<String>,
    pub(super) target_event: Option<String>,
    pub(super) is_archived: bool,
    #[sqlx(skip)]
    pub(super) services: Vec<ServiceId>,
}

impl Default for ProviderDraft {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: ProviderType::ExternalPanel,
            external_panel_id: None,
            external_panel_service_id: None,
            source_price: Money::ZERO,
            source_currency: String::new(),
            source_pricing_per: 1_000,
            status: ProviderStatus::Active,
            source_event: None,
            target_event: None,
            is_archived: false,
            services: Vec::new(),
        }
    }
}

// Rules

impl ProviderDraft {
    /// Returns the draft with the changes of an input, and the field errors.
    pub(super) fn apply_input(mut self, input: &ProviderInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            self.name = name.trim().to_owned();
        }
        if self.name.is_empty() {
            errors.add("name", "The name field is required.");
        } else if let Err(message) = fields::check_text(&self.name, MAX_TEXT_CHARS) {
            errors.add("name", message);
        }
        self.apply_type_and_panel(&mut errors, input);
        self.apply_price(&mut errors, input);
        match input.status {
            None => {}
            Some(status) if status == self.status => {}
            Some(status) if is_settable(self.status, status) => self.status = status,
            Some(_) => errors
                .add("status", "Set active or disabled. To archive the provider, use the archive action."),
        }
        fields::apply_text(
            &mut errors,
            "source_event",
            &input.source_event,
            &mut self.source_event,
            MAX_TEXT_CHARS,
        );
        fields::apply_text(
            &mut errors,
            "target_event",
            &input.target_event,
            &mut self.target_event,
            MAX_TEXT_CHARS,
        );
        if let Some(services) = &input.services {
            let unique_services: BTreeSet<ServiceId> = services.iter().copied().collect();
            self.services = unique_services.into_iter().collect();
            if services.len() > MAX_SERVICES {
                errors.add("services", format!("Choose at most {MAX_SERVICES} services."));
            }
        }
        (self, errors)
    }

    /// Returns the changed field that can raise the costs of services. An error about these costs is added to this field.
    pub(super) fn field_that_changes_cost(&self, old_draft: &Self) -> &'static str {
        let price_of =
            |draft: &Self| (draft.source_price, draft.source_currency.clone(), draft.source_pricing_per);
        match (price_of(self) != price_of(old_draft), self.services != old_draft.services) {
            (true, _) => "source_price",
            (false, true) => "services",
            (false, false) => "status",
        }
    }

    /// Applies the type and the fields of the external panel, which only the type `external_panel` has.
    fn apply_type_and_panel(&mut self, errors: &mut FieldErrors, input: &ProviderInput) {
        let is_new = self.external_panel_id.is_none() && self.source_currency.is_empty();
        match input.kind {
            Some(kind) if kind != self.kind && !is_new => {
                errors.add("type", "The type of a provider cannot change. Create another provider instead.");
            }
            Some(kind) => self.kind = kind,
            None => {}
        }
        if self.kind != ProviderType::ExternalPanel {
            let message = "Only providers of the type external_panel have this field. Leave it out.";
            if matches!(input.external_panel_id, Patch::Set(_)) {
                errors.add("external_panel_id", message);
            }
            if matches!(input.external_panel_service_id, Patch::Set(_)) {
                errors.add("external_panel_service_id", message);
            }
            return;
        }
        let (panel_id, service_id) = (&input.external_panel_id, &input.external_panel_service_id);
        fields::apply_optional_id(errors, "external_panel_id", panel_id, &mut self.external_panel_id);
        fields::apply_text(
            errors,
            "external_panel_service_id",
            service_id,
            &mut self.external_panel_service_id,
            100,
        );
        if self.external_panel_id.is_none() {
            errors.add("external_panel_id", "Choose an external panel.");
        }
        if self.external_panel_service_id.is_none() {
            errors.add("external_panel_service_id", "Enter the id of the service at the external panel.");
        }
    }

    fn apply_price(&mut self, errors: &mut FieldErrors, input: &ProviderInput) {
        match input.source_price {
            Some(price) if price < Money::ZERO || price > MAX_PRICE => {
                errors.add("source_price", format!("Enter a price from 0 to {MAX_PRICE}."));
            }
            Some(price) => self.source_price = price,
            None => {}
        }
        if let Some(currency) = &input.source_currency {
            let currency = currency.trim();
            if currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
                currency.clone_into(&mut self.source_currency);
            } else {
                errors.add("source_currency", "Enter a currency as three capital letters, such as USD.");
            }
        }
        let pricing_per = input.source_pricing_per;
        fields::apply_integer(
            errors,
            "source_pricing_per",
            pricing_per,
            &mut self.source_pricing_per,
            1..=1_000_000,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_input(json: &str) -> ProviderInput {
        serde_json::from_str(json).unwrap()
    }

    fn invalid_fields(draft: ProviderDraft, json: &str) -> Vec<String> {
        draft.apply_input(&parse_input(json)).1.0.into_keys().collect()
    }

    #[test]
    fn each_type_accepts_only_its_fields() {
        let default_draft = ProviderDraft::default;
        assert_eq!(
            invalid_fields(default_draft(), "{}"),
            ["external_panel_id", "external_panel_service_id", "name"]
        );
        assert_eq!(invalid_fields(default_draft(), r#"{"name":"A","type":"manual"}"#), [""; 0]);
        assert_eq!(
            invalid_fields(
                default_draft(),
                r#"{"name":"A","type":"manual","external_panel_id":1,"external_panel_service_id":"7"}"#
            ),
            ["external_panel_id", "external_panel_service_id"]
        );
        let existing_draft = ProviderDraft {
            name: "A".into(),
            kind: ProviderType::Manual,
            source_currency: "USD".into(),
            ..default_draft()
        };
        assert_eq!(
            invalid_fields(existing_draft, r#"{"type":"external_panel"}"#),
            ["type"],
            "a change of the type must be rejected"
        );
    }

    #[test]
    fn names_each_invalid_field_of_a_provider() {
        let json = r#"{"name":"A","type":"manual","source_price":"-1","source_currency":"usd","source_pricing_per":0,"status":"error"}"#;
        assert_eq!(
            invalid_fields(ProviderDraft::default(), json),
            ["source_currency", "source_price", "source_pricing_per", "status"]
        );
        let draft_with_error = ProviderDraft { status: ProviderStatus::Error, ..ProviderDraft::default() };
        assert_eq!(
            invalid_fields(draft_with_error, r#"{"name":"A","type":"manual","status":"error"}"#),
            [""; 0],
            "an unchanged status must be accepted"
        );
    }
}
