//! Validates the fields of a quest. Pure: the caller checks images and services.

use panel_contract::amount::Money;
use panel_contract::common::{Patch, Translations};
use panel_contract::fields::FieldErrors;
use panel_contract::free_trials::QuestInput;
use panel_contract::ids::ServiceId;
use panel_contract::moment::Time;
use serde_json::{Value, json};

use crate::records::texts::{self, Text, Texts};

pub(super) const TEXTS: Texts =
    Texts { owner: "free_trial_quest", fields: &[Text { field: "name", most: 200 }] };
const MAX_REPEATS: i64 = 10_000;

/// The editable fields of a quest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct QuestFields {
    pub(super) translations: Translations,
    pub(super) image: Option<String>,
    pub(super) icon: Option<String>,
    pub(super) service_id: Option<ServiceId>,
    pub(super) quantity: i64,
    pub(super) deadline: Option<Time>,
    pub(super) is_enabled: bool,
    pub(super) is_repeatable: bool,
    pub(super) repeats_count: Option<i64>,
    pub(super) allow_proof_url: bool,
    pub(super) auto_approve: bool,
    pub(super) auto_approve_from: Option<Money>,
    pub(super) asks_for_spending: bool,
    pub(super) spent_from: Option<Money>,
}

/// Merges a field with the input.
fn patched<T: Copy>(patch: &Patch<T>, current: Option<T>) -> Option<T> {
    patch.as_update().map_or(current, |update| update.copied())
}

impl QuestFields {
    /// The fields merged with an input, or its field errors. Images are not checked here.
    pub(super) fn with(mut self, input: &QuestInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        self.translations =
            texts::merge_texts(&mut errors, &TEXTS, &self.translations, input.translations.as_ref());
        self.service_id = input.service_id.or(self.service_id).filter(|id| id.get() != 0);
        self.quantity = input.quantity.unwrap_or(self.quantity);
        self.deadline = patched(&input.deadline, self.deadline);
        self.is_enabled = input.is_enabled.unwrap_or(self.is_enabled);
        self.is_repeatable = input.is_repeatable.unwrap_or(self.is_repeatable);
        self.repeats_count = patched(&input.repeats_count, self.repeats_count);
        self.allow_proof_url = input.allow_proof_url.unwrap_or(self.allow_proof_url);
        self.auto_approve = input.auto_approve_is_allowed.unwrap_or(self.auto_approve);
        self.auto_approve_from = patched(&input.min_amount_for_auto_approve, self.auto_approve_from);
        self.asks_for_spending = input.is_allowed_with_spend_above.unwrap_or(self.asks_for_spending);
        self.spent_from = patched(&input.min_user_spend_amount, self.spent_from);
        self.check(&mut errors);
        (self, errors)
    }

    fn check(&self, errors: &mut FieldErrors) {
        if self.service_id.is_none() {
            errors.add("service_id", "Choose a service.");
        }
        if self.quantity < 1 {
            errors.add("quantity", "Enter a quantity above zero.");
        }
        if self.repeats_count.is_some_and(|count| !(1..=MAX_REPEATS).contains(&count)) {
            errors.add("repeats_count", format!("Enter 1 to {MAX_REPEATS}, or leave it empty for no limit."));
        }
        let amounts = [
            ("min_amount_for_auto_approve", self.auto_approve, self.auto_approve_from),
            ("min_user_spend_amount", self.asks_for_spending, self.spent_from),
        ];
        for (field, is_required, amount) in amounts {
            match amount {
                None if is_required => errors.add(field, "Enter an amount."),
                Some(amount) if amount < Money::ZERO => {
                    errors.add(field, "Enter an amount of zero or more.");
                }
                _ => {}
            }
        }
    }

    pub(super) fn name(&self) -> String {
        self.translations.text("en", "name").unwrap_or_default().to_owned()
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "name": self.name(),
            "translations": self.translations,
            "image": self.image,
            "icon": self.icon,
            "service_id": self.service_id,
            "quantity": self.quantity,
            "deadline": self.deadline,
            "is_enabled": self.is_enabled,
            "is_repeatable": self.is_repeatable,
            "repeats_count": self.repeats_count,
            "allow_proof_url": self.allow_proof_url,
            "auto_approve_is_allowed": self.auto_approve,
            "min_amount_for_auto_approve": self.auto_approve_from,
            "is_allowed_with_spend_above": self.asks_for_spending,
            "min_user_spend_amount": self.spent_from,
        })
    }
}

/// A new deadline must be in the future; an unchanged one may be in the past.
pub(super) fn check_fresh(input: &QuestInput, current: Option<Time>, now: Time) -> Result<(), FieldErrors> {
    match input.deadline {
        Patch::Set(deadline) if deadline <= now && current != Some(deadline) => {
            Err(FieldErrors::one("deadline", "Enter a time in the future, or leave it empty."))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(json: Value) -> Result<QuestFields, FieldErrors> {
        let (fields, errors) = QuestFields::default().with(&serde_json::from_value(json).unwrap());
        errors.or(fields)
    }

    fn wrong(json: Value) -> Vec<String> {
        with(json).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn an_update_changes_only_its_fields() {
        let quest = json!({ "translations": { "en": { "name": " Post " }, "de": { "name": " " } }, "service_id": 1, "quantity": 10, "repeats_count": 3 });
        let quest = with(quest).unwrap();
        assert_eq!(
            (quest.name(), quest.translations.0.len(), quest.repeats_count),
            ("Post".to_owned(), 1, Some(3))
        );
        let change = serde_json::from_value(json!({ "repeats_count": null, "is_repeatable": true })).unwrap();
        let (changed, _) = quest.with(&change);
        assert_eq!((changed.repeats_count, changed.is_repeatable, changed.quantity), (None, true, 10));
    }

    #[test]
    fn names_each_invalid_field() {
        assert_eq!(wrong(json!({})), ["quantity", "service_id", "translations.en.name"]);
        let base = |more: Value| {
            let mut quest =
                json!({ "translations": { "en": { "name": "Post" } }, "service_id": 1, "quantity": 10 });
            for (name, value) in more.as_object().unwrap() {
                quest[name] = value.clone();
            }
            wrong(quest)
        };
        assert_eq!(base(json!({ "repeats_count": 0 })), ["repeats_count"]);
        assert_eq!(base(json!({ "auto_approve_is_allowed": true })), ["min_amount_for_auto_approve"]);
        assert_eq!(
            base(json!({ "is_allowed_with_spend_above": true, "min_user_spend_amount": "-1" })),
            ["min_user_spend_amount"]
        );
    }
}
