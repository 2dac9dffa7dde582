//! Validates the fields of a quest. Reads and writes no data: the caller checks images and services.

use panel_contract::amount::Money;
use panel_contract::common::{Patch, Translations};
use panel_contract::fields::FieldErrors;
use panel_contract::free_trials::QuestInput;
use panel_contract::ids::ServiceId;
use panel_contract::moment::Time;
use serde_json::{Value, json};

use crate::records::texts::{self, TextField, TextFields};

pub(super) const TEXT_FIELDS: TextFields =
    TextFields { owner_type: "free_trial_quest", fields: &[TextField { field: "name", max_chars: 200 }] };
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
    pub(super) auto_approve_is_allowed: bool,
    pub(super) min_amount_for_auto_approve: Option<Money>,
    pub(super) requires_min_spend: bool,
    pub(super) min_user_spend_amount: Option<Money>,
}

/// Returns the value of a field after a patch: an omitted field keeps the current value, and null clears it.
fn merge_patch<T: Copy>(patch: &Patch<T>, current: Option<T>) -> Option<T> {
    patch.as_update().map_or(current, |update| update.copied())
}

impl QuestFields {
    /// Merges the fields with an input, and validates the result without the images.
    pub(super) fn apply_input(mut self, input: &QuestInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        self.translations =
            texts::merge_texts(&mut errors, &TEXT_FIELDS, &self.translations, input.translations.as_ref());
        self.service_id = input.service_id.or(self.service_id).filter(|id| id.get() != 0);
        self.quantity = input.quantity.unwrap_or(self.quantity);
        self.deadline = merge_patch(&input.deadline, self.deadline);
        self.is_enabled = input.is_enabled.unwrap_or(self.is_enabled);
        self.is_repeatable = input.is_repeatable.unwrap_or(self.is_repeatable);
        self.repeats_count = merge_patch(&input.repeats_count, self.repeats_count);
        self.allow_proof_url = input.allow_proof_url.unwrap_or(self.allow_proof_url);
        self.auto_approve_is_allowed = input.auto_approve_is_allowed.unwrap_or(self.auto_approve_is_allowed);
        self.min_amount_for_auto_approve =
            merge_patch(&input.min_amount_for_auto_approve, self.min_amount_for_auto_approve);
        self.requires_min_spend = input.is_allowed_with_spend_above.unwrap_or(self.requires_min_spend);
        self.min_user_spend_amount = merge_patch(&input.min_user_spend_amount, self.min_user_spend_amount);
        self.validate(&mut errors);
        (self, errors)
    }

    fn validate(&self, errors: &mut FieldErrors) {
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
            ("min_amount_for_auto_approve", self.auto_approve_is_allowed, self.min_amount_for_auto_approve),
            ("min_user_spend_amount", self.requires_min_spend, self.min_user_spend_amount),
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
            "auto_approve_is_allowed": self.auto_approve_is_allowed,
            "min_amount_for_auto_approve": self.min_amount_for_auto_approve,
            "is_allowed_with_spend_above": self.requires_min_spend,
            "min_user_spend_amount": self.min_user_spend_amount,
        })
    }
}

/// Rejects a new deadline in the past. An unchanged deadline may be in the past.
pub(super) fn check_deadline(
    input: &QuestInput,
    current: Option<Time>,
    now: Time,
) -> Result<(), FieldErrors> {
    match input.deadline {
        Patch::Set(deadline) if deadline <= now && current != Some(deadline) => {
            Err(FieldErrors::single("deadline", "Enter a time in the future, or leave it empty."))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply_to_default(json: Value) -> Result<QuestFields, FieldErrors> {
        let (fields, errors) = QuestFields::default().apply_input(&serde_json::from_value(json).unwrap());
        errors.into_result(fields)
    }

    fn invalid_fields(json: Value) -> Vec<String> {
        apply_to_default(json).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn an_update_changes_only_its_fields() {
        let quest = json!({ "translations": { "en": { "name": " Post " }, "de": { "name": " " } }, "service_id": 1, "quantity": 10, "repeats_count": 3 });
        let quest = apply_to_default(quest).unwrap();
        assert_eq!(
            (quest.name(), quest.translations.0.len(), quest.repeats_count),
            ("Post".to_owned(), 1, Some(3))
        );
        let input = serde_json::from_value(json!({ "repeats_count": null, "is_repeatable": true })).unwrap();
        let (updated, _) = quest.apply_input(&input);
        assert_eq!((updated.repeats_count, updated.is_repeatable, updated.quantity), (None, true, 10));
    }

    #[test]
    fn reports_each_invalid_field() {
        assert_eq!(invalid_fields(json!({})), ["quantity", "service_id", "translations.en.name"]);
        let invalid_with = |changes: Value| {
            let mut quest =
                json!({ "translations": { "en": { "name": "Post" } }, "service_id": 1, "quantity": 10 });
            for (name, value) in changes.as_object().unwrap() {
                quest[name] = value.clone();
            }
            invalid_fields(quest)
        };
        assert_eq!(invalid_with(json!({ "repeats_count": 0 })), ["repeats_count"]);
        assert_eq!(invalid_with(json!({ "auto_approve_is_allowed": true })), ["min_amount_for_auto_approve"]);
        assert_eq!(
            invalid_with(json!({ "is_allowed_with_spend_above": true, "min_user_spend_amount": "-1" })),
            ["min_user_spend_amount"]
        );
    }
}
