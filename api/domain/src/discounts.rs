//! Rules of discounts: validation of the input and allowed actions. Pure. Errors name the fields of the request.

use std::collections::BTreeSet;

use isocountry::CountryCode;
use panel_contract::amount::Fraction;
use panel_contract::change_logs::ChangeAction;
use panel_contract::discounts::{DiscountInput, PromotionStatus};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::ServiceId;
use panel_contract::moment::Time;
use panel_kernel::rejection::Rejection;
use serde::Serialize;

use crate::fields;

/// Longest name, in characters.
const MAX_NAME_CHARS: usize = 255;
/// Largest number of services of a discount.
const MAX_SERVICES: usize = 10_000;
/// One, in parts per million.
const ONE: i64 = 1_000_000;
/// Three decimals.
const THOUSANDTH: i64 = 1_000;

/// The ISO 3166 alpha-2 codes of the countries that a discount can be limited to.
pub fn country_codes() -> Vec<&'static str> {
    CountryCode::iter().map(CountryCode::alpha2).collect()
}

/// An action of staff on a discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountAction {
    Edit,
    Complete,
    Archive,
    Unarchive,
}

impl DiscountAction {
    /// The action in the change log.
    pub fn change_action(self) -> ChangeAction {
        match self {
            Self::Edit => ChangeAction::Updated,
            Self::Complete => ChangeAction::Completed,
            Self::Archive => ChangeAction::Archived,
            Self::Unarchive => ChangeAction::Unarchived,
        }
    }
}

/// Checks that the action applies to the discount. An expired discount may get another end; one that staff completed (`by_hand`)
/// stays completed.
pub fn judge(status: PromotionStatus, by_hand: bool, action: DiscountAction) -> Result<(), Rejection> {
    let refused = |code, message: &str| Err(Rejection::conflict(code, message));
    match (action, status) {
        (DiscountAction::Unarchive, PromotionStatus::Archived) => Ok(()),
        (DiscountAction::Unarchive, _) => refused("discount_not_archived", "This discount is not archived."),
        (DiscountAction::Archive, PromotionStatus::Archived) => {
            refused("discount_archived", "This discount is archived already.")
        }
        (_, PromotionStatus::Archived) => {
            refused("discount_archived", "This discount is archived. Restore it first.")
        }
        (DiscountAction::Edit, _) if by_hand => refused(
            "discount_completed",
            "This discount was completed and cannot be changed. Create a new one.",
        ),
        (DiscountAction::Complete, PromotionStatus::Completed) => {
            refused("discount_completed", "This discount is completed already.")
        }
        _ => Ok(()),
    }
}

/// A service with its discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DiscountLine {
    pub id: ServiceId,
    #[serde(rename = "discount_percent")]
    pub percent_ppm: Fraction,
}

/// The validated fields of a discount, as they are stored and recorded in the audit trail.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DiscountDraft {
    pub name: String,
    pub valid_from: Option<Time>,
    pub valid_to: Option<Time>,
    pub is_countdown_enabled: bool,
    pub countries: BTreeSet<String>,
    /// Sorted by id; during validation in the order of the input, so that errors name the position there.
    pub services: Vec<DiscountLine>,
}

impl DiscountDraft {
    /// The field that lets customers pay less than before, by the share, the period or the countries; none where no field does.
    pub fn cheaper_by(&self, before: &Self) -> Option<&'static str> {
        let held = |line: &DiscountLine| {
            let same = before.services.iter().find(|other| other.id == line.id);
            same.is_some_and(|other| other.percent_ppm >= line.percent_ppm)
        };
        let ends_later = match (self.valid_to, before.valid_to) {
            (None, Some(_)) => true,
            (Some(now), Some(then)) => now > then,
            (_, None) => false,
        };
        let begins_earlier = match (self.valid_from, before.valid_from) {
            (None, Some(_)) => true,
            (Some(now), Some(then)) => now < then,
            (_, None) => false,
        };
        // An empty set means every country.
        let is_wider = match (self.countries.is_empty(), before.countries.is_empty()) {
            (_, true) => false,
            (true, false) => true,
            (false, false) => !self.countries.is_subset(&before.countries),
        };
        let wider = [
            ("services", !self.services.iter().all(held)),
            ("valid_to", ends_later),
            ("valid_from", begins_earlier),
            ("countries", is_wider),
        ];
        wider.into_iter().find(|(_, is_wider)| *is_wider).map(|(field, _)| field)
    }

    /// Applies an input and validates the result.
    pub fn with(mut self, input: &DiscountInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            name.trim().clone_into(&mut self.name);
        }
        if self.name.is_empty() {
            errors.add("name", "Enter a name.");
        } else if let Err(message) = fields::fits(&self.name, MAX_NAME_CHARS) {
            errors.add("name", message);
        }
        self.apply_period(&mut errors, input);
        if let Some(countries) = &input.countries {
            for (at, _) in
                countries.iter().enumerate().filter(|(_, code)| CountryCode::for_alpha2(code).is_err())
            {
                let message = "Give a country by its two capital letters, such as DE.";
                errors.add(format!("countries.{at}"), message);
            }
            self.countries = countries.iter().cloned().collect();
        }
        self.apply_services(&mut errors, input);
        (self, errors)
    }

    fn apply_period(&mut self, errors: &mut FieldErrors, input: &DiscountInput) {
        self.valid_from = input.valid_from.or(self.valid_from);
        if let Some(end) = input.valid_to.as_update() {
            self.valid_to = end.copied();
        }
        match (self.valid_from, self.valid_to) {
            (None, _) => errors.add("valid_from", "Enter when the discount begins."),
            (Some(from), Some(to)) if to <= from => {
                errors.add("valid_to", "End the discount after its beginning.");
            }
            _ => {}
        }
        self.is_countdown_enabled = input.is_countdown_enabled.unwrap_or(self.is_countdown_enabled);
        if self.is_countdown_enabled && self.valid_to.is_none() {
            errors.add("valid_to", "A countdown needs an end; give one or switch the countdown off.");
        }
    }

    fn apply_services(&mut self, errors: &mut FieldErrors, input: &DiscountInput) {
        if let Some(services) = &input.services {
            let mut seen = BTreeSet::new();
            for (at, line) in services.iter().enumerate() {
                if !seen.insert(line.id) {
                    errors.add(
                        format!("services.{at}.id"),
                        "This service is listed twice. Remove one of them.",
                    );
                }
                let ppm = line.discount_percent.0;
                if !(1..=ONE).contains(&ppm) || ppm % THOUSANDTH != 0 {
                    let message =
                        "Give a fraction above 0 and up to 1 with at most three decimals, such as 0.15.";
                    errors.add(format!("services.{at}.discount_percent"), message);
                }
            }
            self.services = services
                .iter()
                .map(|line| DiscountLine { id: line.id, percent_ppm: line.discount_percent })
                .collect();
        }
        if self.services.is_empty() || self.services.len() > MAX_SERVICES {
            errors.add("services", format!("Choose 1 to {MAX_SERVICES} services."));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(body: &str) -> Result<DiscountDraft, Vec<String>> {
        let input: DiscountInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = DiscountDraft::default().with(&input);
        errors.or(draft).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn each_wrong_field_is_named() {
        assert_eq!(judged("{}").unwrap_err(), ["name", "services", "valid_from"]);
        let body = r#"{"name":"Sale","valid_from":"2026-11-20 10:00:00","valid_to":"2026-11-20 10:00:00","countries":["DE","xx"],
            "services":[{"id":1,"discount_percent":"0.1"},{"id":1,"discount_percent":"0.0001"},{"id":2,"discount_percent":"1.001"},{"id":3,"discount_percent":"0"}]}"#;
        assert_eq!(
            judged(body).unwrap_err(),
            [
                "countries.1",
                "services.1.discount_percent",
                "services.1.id",
                "services.2.discount_percent",
                "services.3.discount_percent",
                "valid_to"
            ]
        );
    }

    #[test]
    fn a_countdown_needs_an_end() {
        let body = r#"{"name":"Sale","valid_from":"2026-11-20 10:00:00","is_countdown_enabled":true,"services":[{"id":1,"discount_percent":"1"}]}"#;
        assert_eq!(judged(body).unwrap_err(), ["valid_to"]);
        let body = body.replace("true", "false");
        assert_eq!(judged(&body).unwrap().services[0].percent_ppm, Fraction(ONE));
    }

    #[test]
    fn allowed_actions_by_status() {
        use PromotionStatus::*;
        let may = |status, by_hand| {
            [
                DiscountAction::Edit,
                DiscountAction::Complete,
                DiscountAction::Archive,
                DiscountAction::Unarchive,
            ]
            .map(|action| judge(status, by_hand, action).is_ok())
        };
        for running in [Active, Scheduled, Disabled] {
            assert_eq!(may(running, false), [true, true, true, false], "{running}");
        }
        assert_eq!(may(Completed, false), [true, false, true, false]);
        assert_eq!(may(Completed, true), [false, false, true, false]);
        assert_eq!(may(Archived, false), [false, false, false, true]);
    }
}
