//! What a service may be: pure. Each wrong field is named as in the request.

use std::collections::BTreeSet;

use isocountry::CountryCode;
use panel_contract::fields::FieldErrors;
use panel_contract::services::ServiceInput;
use serde_json::json;

use crate::catalogue::services::TEXTS;
use crate::catalogue::services::draft::ServiceDraft;
use crate::catalogue::targets::asked;
use crate::records::texts;
use panel_domain::fields;

/// Largest quantity of an order.
const LARGEST: i64 = 1_000_000_000;
/// Largest price, in millionths.
const DEAREST: i64 = 1_000_000_000_000;
/// One, in parts per million.
const ONE: i64 = 1_000_000;
/// Most providers of a service.
const PROVIDERS: usize = 50;

impl ServiceDraft {
    /// After an input.
    pub fn with(mut self, input: &ServiceInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let is_new = self.service_type_id.is_none();
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, given);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.service_type_id = input.service_type_id.or(self.service_type_id);
        if self.service_type_id.is_none_or(|id| id.get() == 0) {
            errors.add("service_type_id", "Choose the service type that it belongs to.");
        }
        self.switches.with(input);
        self.panel_service_type = input.panel_service_type.unwrap_or(self.panel_service_type);
        if let Some(reason) = self.panel_service_type.refusal() {
            errors.add(
                "panel_service_type",
                format!("{} is not sold here: {reason}.", self.panel_service_type),
            );
        }
        self.quantities(&mut errors, input);
        self.prices(&mut errors, input, is_new);
        self.shares(&mut errors, input);
        self.words(&mut errors, input);
        self.lists(&mut errors, input);
        self.targets = asked::settle(&mut errors, &self.targets, input);
        (self, errors)
    }

    /// The field by which an order may earn less: the price, or who delivers how many of it.
    #[must_use]
    pub fn earns_less_by(&self, before: &Self) -> Option<&'static str> {
        let earnings = |of: &Self| (of.default_price, of.pricing_per, of.providers.clone());
        if earnings(self) != earnings(before) {
            return Some("default_price");
        }
        let is_dearer = self.order_quantity_ratio_ppm > before.order_quantity_ratio_ppm;
        is_dearer.then_some("order_quantity_ratio")
    }

    fn quantities(&mut self, errors: &mut FieldErrors, input: &ServiceInput) {
        for (field, wish, slot) in [
            ("min_quantity", input.min_quantity, &mut self.min_quantity),
            ("max_quantity", input.max_quantity, &mut self.max_quantity),
            ("quantity_step", input.quantity_step, &mut self.quantity_step),
        ] {
            match wish {
                None if *slot == 0 => errors.add(field, "Give a quantity."),
                wish => fields::whole(errors, field, wish, slot, 1..=LARGEST),
            }
        }
        if self.max_quantity < self.min_quantity && !errors.0.contains_key("max_quantity") {
            errors.add("max_quantity", format!("Give at least the smallest order, {}.", self.min_quantity));
        }
        let (field, slot) =
            ("default_quantity_for_order_widget", &mut self.default_quantity_for_order_widget);
        fields::some_whole(errors, field, &input.default_quantity_for_order_widget, slot, 1..=LARGEST);
        let (min, max, step) = (self.min_quantity, self.max_quantity, self.quantity_step);
        let fits = |quantity: &i64| (min..=max).contains(quantity) && (quantity - min) % step.max(1) == 0;
        if self.default_quantity_for_order_widget.as_ref().is_some_and(|quantity| !fits(quantity)) {
            let message = format!("Give {min} to {max} in steps of {step}, counted from {min}.");
            errors.add(field, message);
        }
    }

    fn prices(&mut self, errors: &mut FieldErrors, input: &ServiceInput, is_new: bool) {
        for (field, wish, slot) in [
            ("default_price", input.default_price, &mut self.default_price),
            ("min_price", input.min_price, &mut self.min_price),
        ] {
            match wish {
                Some(price) if (0..=DEAREST).contains(&price.0) => *slot = price,
                Some(_) => errors.add(field, "Give a price from 0 to 1,000,000."),
                None => {}
            }
        }
        if is_new && input.default_price.is_none() {
            errors.add("default_price", "Give a price.");
        }
        if self.min_price > self.default_price && !errors.0.contains_key("default_price") {
            let message = format!("The lowest price must not be above the price, {}.", self.default_price);
            errors.add("min_price", message);
        }
        fields::whole(errors, "pricing_per", input.pricing_per, &mut self.pricing_per, 1..=ONE);
    }

    fn shares(&mut self, errors: &mut FieldErrors, input: &ServiceInput) {
        for (field, wish, slot, most) in [
            (
                "auto_refill_once_fill_percent",
                &input.auto_refill_once_fill_percent,
                &mut self.auto_refill_once_fill_ppm,
                ONE,
            ),
            (
                "auto_refill_min_drop_percent",
                &input.auto_refill_min_drop_percent,
                &mut self.auto_refill_min_drop_ppm,
                ONE,
            ),
            (
                "auto_refill_max_drop_percent",
                &input.auto_refill_max_drop_percent,
                &mut self.auto_refill_max_drop_ppm,
                ONE,
            ),
            (
                "auto_refill_max_total_refilled_percent",
                &input.auto_refill_max_total_refilled_percent,
                &mut self.auto_refill_max_total_refilled_ppm,
                ONE,
            ),
            ("resale_margin_percent", &input.resale_margin_percent, &mut self.resale_margin_ppm, 10 * ONE),
            (
                "order_quantity_ratio",
                &input.order_quantity_ratio,
                &mut self.order_quantity_ratio_ppm,
                100 * ONE,
            ),
            ("budget_multiplier", &input.budget_multiplier, &mut self.budget_multiplier_ppm, 100 * ONE),
            (
                "live_stream_retention_quantity_multiplier",
                &input.live_stream_retention_quantity_multiplier,
                &mut self.live_stream_retention_quantity_multiplier_ppm,
                100 * ONE,
            ),
        ] {
            fields::share(errors, field, wish, slot, most);
        }
        if self.order_quantity_ratio_ppm.is_some_and(|ratio| ratio.0 == 0) {
            errors.add("order_quantity_ratio", "Give more than 0, or clear it.");
        }
        let (least, most) = (self.auto_refill_min_drop_ppm, self.auto_refill_max_drop_ppm);
        if least.zip(most).is_some_and(|(least, most)| least > most) {
            errors.add("auto_refill_max_drop_percent", "The largest loss must not be below the smallest.");
        }
    }

    fn words(&mut self, errors: &mut FieldErrors, input: &ServiceInput) {
        fields::text(errors, "admin_note", &input.admin_note, &mut self.admin_note, 2_000);
        fields::slug(errors, "slug", &input.slug, &mut self.slug);
        fields::address(errors, "buy_page_url", &input.buy_page_url, &mut self.buy_page_url);
        self.full_description_location =
            input.full_description_location.unwrap_or(self.full_description_location);
        for (field, wish, slot, most) in [
            (
                "auto_refill_after_hours",
                &input.auto_refill_after_hours,
                &mut self.auto_refill_after_hours,
                8_760,
            ),
            (
                "live_stream_support_minutes",
                &input.live_stream_support_minutes,
                &mut self.live_stream_support_minutes,
                10_080,
            ),
        ] {
            fields::some_whole(errors, field, wish, slot, 1..=most);
        }
        fields::some_id(
            errors,
            "promotable_checker_group_id",
            &input.promotable_checker_group_id,
            &mut self.promotable_checker_group_id,
        );
    }

    fn lists(&mut self, errors: &mut FieldErrors, input: &ServiceInput) {
        if let Some(labels) = &input.labels {
            self.labels = labels.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        }
        if let Some(providers) = &input.providers {
            let mut seen = BTreeSet::new();
            for (at, id) in providers.iter().enumerate().filter(|(_, id)| !seen.insert(**id)) {
                errors.add(format!("providers.{at}"), format!("Provider {id} is named twice."));
            }
            if providers.len() > PROVIDERS {
                errors.add("providers", format!("Choose at most {PROVIDERS} providers."));
            }
            self.providers.clone_from(providers);
        }
        if let Some(countries) = &input.countries {
            for (at, code) in countries.iter().enumerate() {
                if CountryCode::for_alpha2(code).is_err() {
                    let message = "Give a country by its two capital letters, such as DE.";
                    errors.add(format!("countries.{at}"), message);
                }
            }
            let codes: BTreeSet<&String> = countries.iter().collect();
            self.countries = json!(codes).to_string();
        }
    }

    /// Another one like it: not on sale, with an address of its own to be given.
    #[must_use]
    pub fn copied(mut self) -> Self {
        let most = 255 - " (copy)".len();
        self.name = format!("{} (copy)", self.name.chars().take(most).collect::<String>());
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

    fn judged(body: &str) -> Result<ServiceDraft, Vec<String>> {
        let input: ServiceInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = ServiceDraft::blank().with(&input);
        errors.or(draft).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn a_new_service_says_what_it_needs() {
        let needed = ["default_price", "max_quantity", "min_quantity", "name", "service_type_id"];
        assert_eq!(judged("{}").unwrap_err(), needed);
        let body = r#"{"name":"Likes","service_type_id":1,"min_quantity":10,"max_quantity":100,"default_price":"2"}"#;
        let draft = judged(body).unwrap();
        assert!(draft.switches.is_enabled && draft.switches.api_access && draft.switches.url_is_required);
        assert_eq!((draft.quantity_step, draft.pricing_per, draft.min_price), (1, 1_000, Money::ZERO));
    }

    #[test]
    fn each_wrong_field_is_named() {
        let body = r#"{"name":"Likes","service_type_id":1,"min_quantity":10,"max_quantity":9,"quantity_step":0,"default_price":"2","min_price":"3",
            "pricing_per":0,"default_quantity_for_order_widget":12,"order_quantity_ratio":"0","auto_refill_min_drop_percent":"0.5",
            "auto_refill_max_drop_percent":"0.4","resale_margin_percent":"10.5","slug":"A B","buy_page_url":"x","countries":["DE","XX"],
            "providers":[1,1],"auto_refill_after_hours":0}"#;
        assert_eq!(
            judged(body).unwrap_err(),
            [
                "auto_refill_after_hours",
                "auto_refill_max_drop_percent",
                "buy_page_url",
                "countries.1",
                "default_quantity_for_order_widget",
                "max_quantity",
                "min_price",
                "order_quantity_ratio",
                "pricing_per",
                "providers.1",
                "quantity_step",
                "resale_margin_percent",
                "slug"
            ]
        );
    }

    #[test]
    fn a_margin_is_up_to_ten_times_the_cost() {
        let body = |margin: &str| {
            format!(
                r#"{{"name":"Likes","service_type_id":1,"min_quantity":10,"max_quantity":100,"default_price":"2","resale_margin_percent":"{margin}"}}"#
            )
        };
        assert_eq!(judged(&body("10")).unwrap().resale_margin_ppm, Some(Fraction(10 * ONE)));
        assert_eq!(judged(&body("10.000001")).unwrap_err(), ["resale_margin_percent"]);
    }

    #[test]
    fn a_copy_is_off_sale_and_has_no_address_yet() {
        let body = r#"{"name":"Likes","service_type_id":1,"min_quantity":10,"max_quantity":100,"default_price":"2","slug":"likes"}"#;
        let copy = judged(body).unwrap().copied();
        assert_eq!((copy.name.as_str(), copy.slug, copy.switches.is_enabled), ("Likes (copy)", None, false));
        assert_eq!(copy.translations.text("en", "name"), Some("Likes (copy)"));
    }
}
