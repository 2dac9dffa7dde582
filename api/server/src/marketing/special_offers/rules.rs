//! Validates special offers and the actions on them. Errors name fields as in the request.

use std::collections::BTreeSet;

use panel_contract::change_logs::ChangeAction;
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, NetworkId, ServiceId, ServiceTypeId};
use panel_contract::special_offers::{OfferPlace, OfferPosition, SpecialOfferInput};
use panel_kernel::rejection::Rejection;
use serde::Serialize;

use crate::records::texts::{self, TextField, TextFields};

/// The translated fields of a special offer.
pub(super) const TEXTS: TextFields =
    TextFields { owner_type: "special_offer", fields: &[TextField { field: "name", max_chars: 100 }] };

/// Maximum number of services, and of service types, of an offer.
const MAX_IDS: usize = 500;

/// An action of staff on a special offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfferAction {
    Edit,
    Enable,
    Disable,
    Archive,
    Unarchive,
    Delete,
}

impl OfferAction {
    pub(super) fn change_action(self) -> ChangeAction {
        match self {
            Self::Edit => ChangeAction::Updated,
            Self::Enable => ChangeAction::Enabled,
            Self::Disable => ChangeAction::Disabled,
            Self::Archive => ChangeAction::Archived,
            Self::Unarchive => ChangeAction::Unarchived,
            Self::Delete => ChangeAction::Deleted,
        }
    }

    /// Returns the column that the action sets, and its new value.
    pub(super) fn column_and_value(self) -> (&'static str, bool) {
        match self {
            Self::Archive => ("is_archived", true),
            Self::Unarchive => ("is_archived", false),
            Self::Enable => ("is_enabled", true),
            Self::Disable | Self::Edit | Self::Delete => ("is_enabled", false),
        }
    }
}

/// Checks whether an action is allowed. Only an archived offer can be deleted, so that no single mistake deletes a visible offer.
pub(super) fn check_action(
    is_enabled: bool,
    is_archived: bool,
    action: OfferAction,
) -> Result<(), Rejection> {
    let reject = |code, message: &str| Err(Rejection::conflict(code, message));
    match (action, is_archived) {
        (OfferAction::Unarchive | OfferAction::Delete, true) => Ok(()),
        (OfferAction::Unarchive, false) => {
            reject("special_offer_not_archived", "This offer is not archived, so it cannot be restored.")
        }
        (OfferAction::Delete, false) => reject(
            "special_offer_not_archived",
            "Only an archived offer can be deleted. Archive this offer first.",
        ),
        (OfferAction::Archive, true) => reject("special_offer_archived", "This offer is already archived."),
        (_, true) => reject("special_offer_archived", "This offer is archived. Restore it first."),
        (OfferAction::Enable, false) if is_enabled => {
            reject("special_offer_enabled", "This offer is already enabled.")
        }
        (OfferAction::Disable, false) if !is_enabled => {
            reject("special_offer_disabled", "This offer is already disabled.")
        }
        _ => Ok(()),
    }
}

/// The fields of a special offer that staff edit, as recorded in the change log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(super) struct SpecialOfferDraft {
    pub(super) name: String,
    pub(super) network_id: Option<NetworkId>,
    pub(super) place: Option<OfferPlace>,
    pub(super) position: Option<OfferPosition>,
    pub(super) is_enabled: bool,
    pub(super) services: Vec<ServiceId>,
    pub(super) service_types: Vec<ServiceTypeId>,
    pub(super) translations: Translations,
}

impl SpecialOfferDraft {
    /// Applies an input and returns the errors of all fields.
    pub(super) fn apply_input(mut self, input: &SpecialOfferInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.network_id = input.network_id.or(self.network_id);
        if self.network_id.is_none() {
            errors.add("network_id", "Choose a network.");
        }
        self.place = input.place.or(self.place);
        self.position = input.position.or(self.position);
        self.is_enabled = input.is_enabled.unwrap_or(self.is_enabled);
        match (self.place, self.position) {
            (None, _) => errors.add("place", "Choose a place."),
            (Some(_), None) => errors.add("position", "Choose a position."),
            (Some(place), Some(position)) if !place.positions().contains(&position) => {
                let allowed_positions: Vec<&str> =
                    place.positions().iter().map(|position| position.as_str()).collect();
                errors.add(
                    "position",
                    format!(
                        "This position is not available at {place}. Choose one of: {}.",
                        allowed_positions.join(", ")
                    ),
                );
            }
            _ => {}
        }
        apply_ids(&mut errors, "services", input.services.as_deref(), &mut self.services);
        apply_ids(&mut errors, "service_types", input.service_types.as_deref(), &mut self.service_types);
        if self.services.is_empty() && self.service_types.is_empty() {
            errors.add("services", "Choose at least one service or service type.");
        }
        (self, errors)
    }
}

/// Applies the requested ids of services or of service types in their order. Each id may occur once.
fn apply_ids<I: Id>(errors: &mut FieldErrors, field: &str, requested: Option<&[I]>, target: &mut Vec<I>) {
    let Some(ids) = requested else { return };
    let mut seen_ids = BTreeSet::new();
    for (index, id) in ids.iter().enumerate().filter(|(_, id)| !seen_ids.insert(**id)) {
        errors.add(
            format!("{field}.{index}"),
            format!("The request has the id {id} twice. Remove one of them."),
        );
    }
    if ids.len() > MAX_IDS {
        errors.add(field, format!("Choose at most {MAX_IDS}."));
    }
    *target = ids.to_vec();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields_with_errors(body: &str) -> Vec<String> {
        let input: SpecialOfferInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = SpecialOfferDraft::default().apply_input(&input);
        let validated = errors.into_result(draft);
        validated.map(|_| ()).map_err(|errors| errors.0.into_keys().collect()).unwrap_err()
    }

    #[test]
    fn names_each_field_with_an_error() {
        assert_eq!(fields_with_errors("{}"), ["name", "network_id", "place", "services"]);
        let body = r#"{"name":"Hot","network_id":1,"place":"home_page","position":"top","services":[4,4]}"#;
        assert_eq!(fields_with_errors(body), ["position", "services.1"]);
        let body = r#"{"name":"Hot","network_id":1,"place":"orders","service_types":[4]}"#;
        assert_eq!(fields_with_errors(body), ["position"]);
    }

    #[test]
    fn the_state_of_an_offer_determines_the_allowed_actions() {
        let actions = [
            OfferAction::Edit,
            OfferAction::Enable,
            OfferAction::Disable,
            OfferAction::Archive,
            OfferAction::Unarchive,
            OfferAction::Delete,
        ];
        let allowed = |is_enabled, is_archived| {
            actions.map(|action| check_action(is_enabled, is_archived, action).is_ok())
        };
        assert_eq!(allowed(true, false), [true, false, true, true, false, false]);
        assert_eq!(allowed(false, false), [true, true, false, true, false, false]);
        assert_eq!(allowed(true, true), [false, false, false, false, true, true]);
    }
}
