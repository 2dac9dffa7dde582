//! What a special offer may be, and what may be done with it: pure. Each wrong field is named as in the request.

use std::collections::BTreeSet;

use panel_contract::change_logs::ChangeAction;
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, NetworkId, ServiceId, ServiceTypeId};
use panel_contract::special_offers::{OfferPlace, OfferPosition, SpecialOfferInput};
use panel_kernel::rejection::Rejection;
use serde::Serialize;

use crate::records::texts::{self, Text, Texts};

/// What a special offer has in every language.
pub(super) const TEXTS: Texts =
    Texts { owner: "special_offer", fields: &[Text { field: "name", most: 100 }] };

/// Most services, and most service types, of an offer.
const MOST: usize = 500;

/// What staff do with a special offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Edit,
    Enable,
    Disable,
    Archive,
    Unarchive,
    Delete,
}

impl Move {
    /// As the change log says it.
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

    /// The field that it sets, and to what.
    pub(super) fn sets(self) -> (&'static str, bool) {
        match self {
            Self::Archive => ("is_archived", true),
            Self::Unarchive => ("is_archived", false),
            Self::Enable => ("is_enabled", true),
            Self::Disable | Self::Edit | Self::Delete => ("is_enabled", false),
        }
    }
}

/// Whether it may be done. Only what is archived is deleted: two steps, so that no slip deletes what customers see.
pub(super) fn judge(is_enabled: bool, is_archived: bool, action: Move) -> Result<(), Rejection> {
    let refused = |code, message: &str| Err(Rejection::conflict(code, message));
    match (action, is_archived) {
        (Move::Unarchive | Move::Delete, true) => Ok(()),
        (Move::Unarchive, false) => refused("special_offer_not_archived", "This offer is not archived."),
        (Move::Delete, false) => refused(
            "special_offer_not_archived",
            "Archive this offer first; only an archived one is deleted.",
        ),
        (Move::Archive, true) => refused("special_offer_archived", "This offer is archived already."),
        (_, true) => refused("special_offer_archived", "This offer is archived; unarchive it first."),
        (Move::Enable, false) if is_enabled => {
            refused("special_offer_enabled", "This offer is enabled already.")
        }
        (Move::Disable, false) if !is_enabled => {
            refused("special_offer_disabled", "This offer is disabled already.")
        }
        _ => Ok(()),
    }
}

/// A special offer as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) network_id: Option<NetworkId>,
    pub(super) place: Option<OfferPlace>,
    pub(super) position: Option<OfferPosition>,
    pub(super) is_enabled: bool,
    /// In order.
    pub(super) services: Vec<ServiceId>,
    /// In order.
    pub(super) service_types: Vec<ServiceTypeId>,
    pub(super) translations: Translations,
}

impl Draft {
    /// After an input.
    pub(super) fn with(mut self, input: &SpecialOfferInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::settle(&mut errors, &TEXTS, &self.translations, name, given);
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
                let known: Vec<&str> = place.positions().iter().map(|word| word.as_str()).collect();
                errors.add("position", format!("At {place} choose one of: {}.", known.join(", ")));
            }
            _ => {}
        }
        choose(&mut errors, "services", input.services.as_deref(), &mut self.services);
        choose(&mut errors, "service_types", input.service_types.as_deref(), &mut self.service_types);
        if self.services.is_empty() && self.service_types.is_empty() {
            errors.add("services", "Choose at least one service or service type.");
        }
        (self, errors)
    }
}

/// What is chosen of one kind, in order: each once.
fn choose<I: Id>(errors: &mut FieldErrors, field: &str, given: Option<&[I]>, kept: &mut Vec<I>) {
    let Some(ids) = given else { return };
    let mut seen = BTreeSet::new();
    for (at, id) in ids.iter().enumerate().filter(|(_, id)| !seen.insert(**id)) {
        errors.add(format!("{field}.{at}"), format!("{id} stands here twice; name it once."));
    }
    if ids.len() > MOST {
        errors.add(field, format!("Choose at most {MOST}."));
    }
    *kept = ids.to_vec();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(body: &str) -> Vec<String> {
        let input: SpecialOfferInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = Draft::default().with(&input);
        let judged = errors.or(draft);
        judged.map(|_| ()).map_err(|errors| errors.0.into_keys().collect()).unwrap_err()
    }

    #[test]
    fn each_wrong_field_is_named() {
        assert_eq!(wrong("{}"), ["name", "network_id", "place", "services"]);
        let body = r#"{"name":"Hot","network_id":1,"place":"home_page","position":"top","services":[4,4]}"#;
        assert_eq!(wrong(body), ["position", "services.1"]);
        let body = r#"{"name":"Hot","network_id":1,"place":"orders","service_types":[4]}"#;
        assert_eq!(wrong(body), ["position"]);
    }

    #[test]
    fn what_may_be_done() {
        let all = [Move::Edit, Move::Enable, Move::Disable, Move::Archive, Move::Unarchive, Move::Delete];
        let may = |is_enabled, is_archived| all.map(|action| judge(is_enabled, is_archived, action).is_ok());
        assert_eq!(may(true, false), [true, false, true, true, false, false]);
        assert_eq!(may(false, false), [true, true, false, true, false, false]);
        assert_eq!(may(true, true), [false, false, false, false, true, true]);
    }
}
