//! Rules of discounts: validation of the input, and the actions that a status allows. Pure functions. Errors have the field names
//! of the request.

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

const MAX_NAME_CHARS: usize = 255;
const MAX_SERVICES: usize = 10_000;
/// 100 % in parts per million.
const ONE_PPM: i64 = 1_000_000;
/// Discounts are multiples of this step, because they have at most three decimals.
const DISCOUNT_STEP_PPM: i64 = 1_000;

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

/// Checks that staff can do the action. Staff can give an expired discount a later end, but cannot change a discount that staff
/// have completed.
pub fn check_action(
    status: PromotionStatus,
    is_completed_by_staff: bool,
    action: DiscountAction,
) -> Result<(), Rejection> {
    let conflict = |code, message: &str| Err(Rejection::conflict(code, message));
    match (action, status) {
        (DiscountAction::Unarchive, PromotionStatus::Archived) => Ok(()),
        (DiscountAction::Unarchive, _) => conflict("discount_not_archived", "This discount is not archived."),
        (DiscountAction::Archive, PromotionStatus::Archived) => {
            conflict("discount_archived", "This discount is archived already.")
        }
        (_, PromotionStatus::Archived) => {
            conflict("discount_archived", "This discount is archived. Restore it first.")
        }
        (DiscountAction::Edit, _) if is_completed_by_staff => conflict(
            "discount_completed",
            "This discount was completed and cannot be changed. Create a new discount.",
        ),
        (DiscountAction::Complete, PromotionStatus::Completed) => {
            conflict("discount_completed", "This discount is completed already.")
        }
        _ => Ok(()),
    }
}

/// A service with its discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DiscountLine {
    pub id: ServiceId,
    #[serde(rename = "discount_fraction")]
    pub discount_ppm: Fraction,
}

/// The validated fields of a discount, as stored in the database and in the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DiscountDraft {
    pub name: String,
    pub valid_from: Option<Time>,
    pub valid_to: Option<Time>,
    pub is_countdown_enabled: bool,
    pub countries: BTreeSet<String>,
    /// Sorted by id when stored. During validation in the order of the input, so that errors contain the position in the input.
    pub services: Vec<DiscountLine>,
}

impl DiscountDraft {
    /// The changed field that lowers the prices of customers: a larger discount, a longer period or more countries; `None` if there
    /// is no such field.
    pub fn field_that_lowers_prices(&self, previous: &Self) -> Option<&'static str> {
        let is_not_larger = |line: &DiscountLine| {
            let previous_line = previous.services.iter().find(|other| other.id == line.id);
            previous_line.is_some_and(|other| other.discount_ppm >= line.discount_ppm)
        };
        let ends_later = match (self.valid_to, previous.valid_to) {
            (None, Some(_)) => true,
            (Some(end), Some(previous_end)) => end > previous_end,
            (_, None) => false,
        };
        let begins_earlier = match (self.valid_from, previous.valid_from) {
            (None, Some(_)) => true,
            (Some(start), Some(previous_start)) => start < previous_start,
            (_, None) => false,
        };
        // An empty set means every country.
        let has_more_countries = match (self.countries.is_empty(), previous.countries.is_empty()) {
            (_, true) => false,
            (true, false) => true,
            (false, false) => !self.countries.is_subset(&previous.countries),
        };
        let fields = [
            ("services", !self.services.iter().all(is_not_larger)),
            ("valid_to", ends_later),
            ("valid_from", begins_earlier),
            ("countries", has_more_countries),
        ];
        fields.into_iter().find(|(_, lowers_prices)| *lowers_prices).map(|(field, _)| field)
    }

    /// Applies an input to the draft. Returns the changed draft and the errors of invalid fields. The caller must not store a draft
    /// with errors.
    pub fn apply(mut self, input: &DiscountInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            name.trim().clone_into(&mut self.name);
        }
        if self.name.is_empty() {
            errors.add("name", "Enter a name.");
        } else if let Err(message) = fields::check_text(&self.name, MAX_NAME_CHARS) {
            errors.add("name", message);
        }
        self.apply_period(&mut errors, input);
        if let Some(countries) = &input.countries {
            for (index, code) in countries.iter().enumerate() {
                if CountryCode::for_alpha2(code).is_err() {
                    let message = "Enter the two capital letters of a country, such as DE.";
                    errors.add(format!("countries.{index}"), message);
                }
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
            (None, _) => errors.add("valid_from", "Enter the start of the discount."),
            (Some(from), Some(to)) if to <= from => {
                errors.add("valid_to", "Enter an end after the start.");
            }
            _ => {}
        }
        self.is_countdown_enabled = input.is_countdown_enabled.unwrap_or(self.is_countdown_enabled);
        if self.is_countdown_enabled && self.valid_to.is_none() {
            errors.add("valid_to", "A countdown requires an end. Enter an end, or turn off the countdown.");
        }
    }

    fn apply_services(&mut self, errors: &mut FieldErrors, input: &DiscountInput) {
        if let Some(services) = &input.services {
            let mut previous_ids = BTreeSet::new();
            for (index, line) in services.iter().enumerate() {
                if !previous_ids.insert(line.id) {
                    errors.add(
                        format!("services.{index}.id"),
                        "This service is in the list twice. Remove one of them.",
                    );
                }
                let ppm = line.discount_fraction.0;
                if !(1..=ONE_PPM).contains(&ppm) || ppm % DISCOUNT_STEP_PPM != 0 {
                    let message =
                        "Enter a fraction above 0 and up to 1 with at most three decimals, such as 0.15.";
                    errors.add(format!("services.{index}.discount_fraction"), message);
                }
            }
            self.services = services
                .iter()
                .map(|line| DiscountLine { id: line.id, discount_ppm: line.discount_fraction })
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

    fn apply_json(body: &str) -> Result<DiscountDraft, Vec<String>> {
        let input: DiscountInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = DiscountDraft::default().apply(&input);
        errors.into_result(draft).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn errors_name_each_invalid_field_of_a_discount() {
        assert_eq!(apply_json("{}").unwrap_err(), ["name", "services", "valid_from"]);
        let body = r#"{"name":"Sale","valid_from":"2026-11-20 10:00:00","valid_to":"2026-11-20 10:00:00","countries":["DE","xx"],
            "services":[{"id":1,"discount_fraction":"0.1"},{"id":1,"discount_fraction":"0.0001"},{"id":2,"discount_fraction":"1.001"},{"id":3,"discount_fraction":"0"}]}"#;
        assert_eq!(
            apply_json(body).unwrap_err(),
            [
                "countries.1",
                "services.1.discount_fraction",
                "services.1.id",
                "services.2.discount_fraction",
                "services.3.discount_fraction",
                "valid_to"
            ]
        );
    }

    #[test]
    fn a_countdown_requires_an_end() {
        let body = r#"{"name":"Sale","valid_from":"2026-11-20 10:00:00","is_countdown_enabled":true,"services":[{"id":1,"discount_fraction":"1"}]}"#;
        assert_eq!(apply_json(body).unwrap_err(), ["valid_to"]);
        let body = body.replace("true", "false");
        assert_eq!(apply_json(&body).unwrap().services[0].discount_ppm, Fraction(ONE_PPM));
    }

    #[test]
    fn each_status_allows_its_actions() {
        use PromotionStatus::*;
        let allowed_actions = |status, is_completed_by_staff| {
            [
                DiscountAction::Edit,
                DiscountAction::Complete,
                DiscountAction::Archive,
                DiscountAction::Unarchive,
            ]
            .map(|action| check_action(status, is_completed_by_staff, action).is_ok())
        };
        for status in [Active, Scheduled, Disabled] {
            assert_eq!(allowed_actions(status, false), [true, true, true, false], "{status}");
        }
        assert_eq!(allowed_actions(Completed, false), [true, false, true, false]);
        assert_eq!(allowed_actions(Completed, true), [false, false, true, false]);
        assert_eq!(allowed_actions(Archived, false), [false, false, false, true]);
    }
}
