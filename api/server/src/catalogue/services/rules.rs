//! Validates the input of a service without the database. Errors have the field names of the request.

use std::collections::BTreeSet;

use isocountry::CountryCode;
use panel_contract::fields::FieldErrors;
use panel_contract::services::ServiceInput;
use serde_json::json;

use crate::catalogue::services::draft::ServiceDraft;
use crate::catalogue::services::texts::TEXTS;
use crate::catalogue::targets::service_targets;
use crate::records::texts;
use panel_domain::fields;

const MAX_QUANTITY: i64 = 1_000_000_000;
/// 1,000,000 in the panel's currency, in millionths.
const MAX_PRICE_MICROS: i64 = 1_000_000_000_000;
/// Maximum number of units that a price covers.
const MAX_PRICING_PER: i64 = 1_000_000;
/// 1 in parts per million.
const ONE_PPM: i64 = 1_000_000;
const MAX_PROVIDERS: usize = 50;
const MAX_NOTE_CHARS: usize = 2_000;
const MAX_AUTO_REFILL_HOURS: i64 = 365 * 24;
const MAX_LIVE_STREAM_MINUTES: i64 = 7 * 24 * 60;
const MAX_NAME_CHARS: usize = 255;
const COPY_SUFFIX: &str = " (copy)";

impl ServiceDraft {
    /// Returns the draft with the changes of an input, and the errors of invalid fields. The caller must not store a draft with
    /// errors.
    pub fn apply(mut self, input: &ServiceInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let is_new = self.service_type_id.is_none();
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.service_type_id = input.service_type_id.or(self.service_type_id);
        if self.service_type_id.is_none_or(|id| id.get() == 0) {
            errors.add("service_type_id", "Choose a service type.");
        }
        self.switches.apply(input);
        self.panel_service_type = input.panel_service_type.unwrap_or(self.panel_service_type);
        if let Some(reason) = self.panel_service_type.reason_not_sellable() {
            let message = format!("The type {} cannot be sold: {reason}.", self.panel_service_type);
            errors.add("panel_service_type", message);
        }
        self.apply_quantities(&mut errors, input);
        self.apply_prices(&mut errors, input, is_new);
        self.apply_fractions(&mut errors, input);
        self.apply_details(&mut errors, input);
        self.apply_lists(&mut errors, input);
        self.targets = service_targets::apply(&mut errors, &self.targets, input);
        (self, errors)
    }

    /// Returns the changed field that can lower the profit of an order: `default_price` for a change of price or providers, or
    /// `order_quantity_ratio` for a higher ratio. Returns `None` if no change can lower the profit.
    #[must_use]
    pub fn field_that_lowers_profit(&self, before: &Self) -> Option<&'static str> {
        let price_and_cost = |draft: &Self| (draft.default_price, draft.pricing_per, draft.providers.clone());
        if price_and_cost(self) != price_and_cost(before) {
            return Some("default_price");
        }
        let orders_more_units = self.order_quantity_ratio_ppm > before.order_quantity_ratio_ppm;
        orders_more_units.then_some("order_quantity_ratio")
    }

    fn apply_quantities(&mut self, errors: &mut FieldErrors, input: &ServiceInput) {
        for (field, requested, current) in [
            ("min_quantity", input.min_quantity, &mut self.min_quantity),
            ("max_quantity", input.max_quantity, &mut self.max_quantity),
            ("quantity_step", input.quantity_step, &mut self.quantity_step),
        ] {
            match requested {
                None if *current == 0 => errors.add(field, "Enter a quantity."),
                requested => fields::apply_integer(errors, field, requested, current, 1..=MAX_QUANTITY),
            }
        }
        if self.max_quantity < self.min_quantity && !errors.0.contains_key("max_quantity") {
            let message = format!("Enter at least the minimum quantity, {}.", self.min_quantity);
            errors.add("max_quantity", message);
        }
        let field = "default_quantity_for_order_widget";
        let (requested, current) =
            (&input.default_quantity_for_order_widget, &mut self.default_quantity_for_order_widget);
        fields::apply_optional_integer(errors, field, requested, current, 1..=MAX_QUANTITY);
        let (min, max, step) = (self.min_quantity, self.max_quantity, self.quantity_step);
        let can_be_ordered =
            |quantity: i64| (min..=max).contains(&quantity) && (quantity - min) % step.max(1) == 0;
        if self.default_quantity_for_order_widget.is_some_and(|quantity| !can_be_ordered(quantity)) {
            let message = format!("Enter {min} to {max} in steps of {step}, counted from {min}.");
            errors.add(field, message);
        }
    }

    fn apply_prices(&mut self, errors: &mut FieldErrors, input: &ServiceInput, is_new: bool) {
        for (field, requested, current) in [
            ("default_price", input.default_price, &mut self.default_price),
            ("min_price", input.min_price, &mut self.min_price),
        ] {
            match requested {
                Some(price) if (0..=MAX_PRICE_MICROS).contains(&price.0) => *current = price,
                Some(_) => errors.add(field, "Enter a price from 0 to 1,000,000."),
                None => {}
            }
        }
        if is_new && input.default_price.is_none() {
            errors.add("default_price", "Enter a price.");
        }
        if self.min_price > self.default_price && !errors.0.contains_key("default_price") {
            let message = format!("Enter at most the price, {}.", self.default_price);
            errors.add("min_price", message);
        }
        let (requested, current) = (input.pricing_per, &mut self.pricing_per);
        fields::apply_integer(errors, "pricing_per", requested, current, 1..=MAX_PRICING_PER);
    }

    fn apply_fractions(&mut self, errors: &mut FieldErrors, input: &ServiceInput) {
        for (field, requested, current, max_ppm) in [
            (
                "auto_refill_once_fill_fraction",
                &input.auto_refill_once_fill_fraction,
                &mut self.auto_refill_once_fill_ppm,
                ONE_PPM,
            ),
            (
                "auto_refill_min_drop_fraction",
                &input.auto_refill_min_drop_fraction,
                &mut self.auto_refill_min_drop_ppm,
                ONE_PPM,
            ),
            (
                "auto_refill_max_drop_fraction",
                &input.auto_refill_max_drop_fraction,
                &mut self.auto_refill_max_drop_ppm,
                ONE_PPM,
            ),
            (
                "auto_refill_max_total_refilled_fraction",
                &input.auto_refill_max_total_refilled_fraction,
                &mut self.auto_refill_max_total_refilled_ppm,
                ONE_PPM,
            ),
            (
                "resale_margin_fraction",
                &input.resale_margin_fraction,
                &mut self.resale_margin_ppm,
                10 * ONE_PPM,
            ),
            (
                "order_quantity_ratio",
                &input.order_quantity_ratio,
                &mut self.order_quantity_ratio_ppm,
                100 * ONE_PPM,
            ),
            ("budget_multiplier", &input.budget_multiplier, &mut self.budget_multiplier_ppm, 100 * ONE_PPM),
            (
                "live_stream_retention_quantity_multiplier",
                &input.live_stream_retention_quantity_multiplier,
                &mut self.live_stream_retention_quantity_multiplier_ppm,
                100 * ONE_PPM,
            ),
        ] {
            fields::apply_optional_fraction(errors, field, requested, current, max_ppm);
        }
        if self.order_quantity_ratio_ppm.is_some_and(|ratio| ratio.0 == 0) {
            errors.add("order_quantity_ratio", "Enter more than 0, or clear the field.");
        }
        let (min_drop, max_drop) = (self.auto_refill_min_drop_ppm, self.auto_refill_max_drop_ppm);
        if min_drop.zip(max_drop).is_some_and(|(min_drop, max_drop)| min_drop > max_drop) {
            errors.add("auto_refill_max_drop_fraction", "Enter at least the smallest loss that is refilled.");
        }
    }

    fn apply_details(&mut self, errors: &mut FieldErrors, input: &ServiceInput) {
        fields::apply_text(errors, "admin_note", &input.admin_note, &mut self.admin_note, MAX_NOTE_CHARS);
        fields::apply_slug(errors, "slug", &input.slug, &mut self.slug);
        fields::apply_http_url(errors, "buy_page_url", &input.buy_page_url, &mut self.buy_page_url);
        self.full_description_location =
            input.full_description_location.unwrap_or(self.full_description_location);
        for (field, requested, current, max) in [
            (
                "auto_refill_after_hours",
                &input.auto_refill_after_hours,
                &mut self.auto_refill_after_hours,
                MAX_AUTO_REFILL_HOURS,
            ),
            (
                "live_stream_support_minutes",
                &input.live_stream_support_minutes,
                &mut self.live_stream_support_minutes,
                MAX_LIVE_STREAM_MINUTES,
            ),
        ] {
            fields::apply_optional_integer(errors, field, requested, current, 1..=max);
        }
        fields::apply_optional_id(
            errors,
            "promotable_checker_group_id",
            &input.promotable_checker_group_id,
            &mut self.promotable_checker_group_id,
        );
    }

    fn apply_lists(&mut self, errors: &mut FieldErrors, input: &ServiceInput) {
        if let Some(labels) = &input.labels {
            self.labels = labels.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        }
        if let Some(providers) = &input.providers {
            let mut earlier_ids = BTreeSet::new();
            for (index, id) in providers.iter().enumerate().filter(|(_, id)| !earlier_ids.insert(**id)) {
                errors.add(format!("providers.{index}"), format!("Provider {id} is in the list twice."));
            }
            if providers.len() > MAX_PROVIDERS {
                errors.add("providers", format!("Choose at most {MAX_PROVIDERS} providers."));
            }
            self.providers.clone_from(providers);
        }
        if let Some(countries) = &input.countries {
            for (index, code) in countries.iter().enumerate() {
                if CountryCode::for_alpha2(code).is_err() {
                    let message = "Enter the two capital letters of a country, such as DE.";
                    errors.add(format!("countries.{index}"), message);
                }
            }
            let codes: BTreeSet<&String> = countries.iter().collect();
            self.countries = json!(codes).to_string();
        }
    }

    /// A copy that customers cannot order until staff enable it. It has no slug, because a slug belongs to one service.
    #[must_use]
    pub fn copy(mut self) -> Self {
        let max_chars = MAX_NAME_CHARS - COPY_SUFFIX.len();
        self.name = format!("{}{COPY_SUFFIX}", self.name.chars().take(max_chars).collect::<String>());
        let name = self.name.clone();
        self.translations.put("en", "name", &name);
        self.slug = None;
        self.switches.is_enabled = false;
        self
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::amount::{Fraction, Money};

    use super::*;

    fn validate(body: &str) -> Result<ServiceDraft, Vec<String>> {
        let input: ServiceInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = ServiceDraft::blank().apply(&input);
        errors.into_result(draft).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn a_new_service_has_required_fields_and_defaults() {
        let required_fields = ["default_price", "max_quantity", "min_quantity", "name", "service_type_id"];
        assert_eq!(validate("{}").unwrap_err(), required_fields);
        let body = r#"{"name":"Likes","service_type_id":1,"min_quantity":10,"max_quantity":100,"default_price":"2"}"#;
        let draft = validate(body).unwrap();
        assert!(draft.switches.is_enabled && draft.switches.api_access && draft.switches.url_is_required);
        assert_eq!((draft.quantity_step, draft.pricing_per, draft.min_price), (1, 1_000, Money::ZERO));
    }

    #[test]
    fn names_each_invalid_field_of_a_service() {
        let body = r#"{"name":"Likes","service_type_id":1,"min_quantity":10,"max_quantity":9,"quantity_step":0,"default_price":"2","min_price":"3",
            "pricing_per":0,"default_quantity_for_order_widget":12,"order_quantity_ratio":"0","auto_refill_min_drop_fraction":"0.5",
            "auto_refill_max_drop_fraction":"0.4","resale_margin_fraction":"10.5","slug":"A B","buy_page_url":"x","countries":["DE","XX"],
            "providers":[1,1],"auto_refill_after_hours":0}"#;
        assert_eq!(
            validate(body).unwrap_err(),
            [
                "auto_refill_after_hours",
                "auto_refill_max_drop_fraction",
                "buy_page_url",
                "countries.1",
                "default_quantity_for_order_widget",
                "max_quantity",
                "min_price",
                "order_quantity_ratio",
                "pricing_per",
                "providers.1",
                "quantity_step",
                "resale_margin_fraction",
                "slug"
            ]
        );
    }

    #[test]
    fn a_resale_margin_is_at_most_ten_times_the_cost() {
        let body = |margin: &str| {
            format!(
                r#"{{"name":"Likes","service_type_id":1,"min_quantity":10,"max_quantity":100,"default_price":"2","resale_margin_fraction":"{margin}"}}"#
            )
        };
        assert_eq!(validate(&body("10")).unwrap().resale_margin_ppm, Some(Fraction(10 * ONE_PPM)));
        assert_eq!(validate(&body("10.000001")).unwrap_err(), ["resale_margin_fraction"]);
    }

    #[test]
    fn a_copy_is_disabled_and_has_no_slug() {
        let body = r#"{"name":"Likes","service_type_id":1,"min_quantity":10,"max_quantity":100,"default_price":"2","slug":"likes"}"#;
        let copy = validate(body).unwrap().copy();
        assert_eq!((copy.name.as_str(), copy.slug, copy.switches.is_enabled), ("Likes (copy)", None, false));
        assert_eq!(copy.translations.text("en", "name"), Some("Likes (copy)"));
    }
}
