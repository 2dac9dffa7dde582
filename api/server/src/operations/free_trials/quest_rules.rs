//! What a quest may say. Pure: images and services are looked at elsewhere.

use panel_contract::amount::Money;
use panel_contract::common::{Patch, Translations};
use panel_contract::fields::FieldErrors;
use panel_contract::free_trials::QuestInput;
use panel_contract::ids::ServiceId;
use panel_contract::moment::Time;
use serde_json::{Value, json};

use crate::records::texts::{self, Text, Texts};

/// What a quest is called.
pub(super) const TEXTS: Texts =
    Texts { owner: "free_trial_quest", fields: &[Text { field: "name", most: 200 }] };
/// Most repeats.
const MOST_REPEATS: i64 = 10_000;

/// What can be changed of a quest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Fields {
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

/// A field with what an input says of it.
fn patched<T: Copy>(patch: &Patch<T>, kept: Option<T>) -> Option<T> {
    patch.wish().map_or(kept, |wish| wish.copied())
}

impl Fields {
    /// With what an input says, or what is wrong with it. Images are not looked at here.
    pub(super) fn with(mut self, input: &QuestInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        self.translations =
            texts::settle_all(&mut errors, &TEXTS, &self.translations, input.translations.as_ref());
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
            errors.add("quantity", "Give a quantity above zero.");
        }
        if self.repeats_count.is_some_and(|count| !(1..=MOST_REPEATS).contains(&count)) {
            errors.add(
                "repeats_count",
                format!("Give 1 to {MOST_REPEATS}, or nothing for any number of times."),
            );
        }
        let amounts = [
            ("min_amount_for_auto_approve", self.auto_approve, self.auto_approve_from),
            ("min_user_spend_amount", self.asks_for_spending, self.spent_from),
        ];
        for (field, wanted, amount) in amounts {
            match amount {
                None if wanted => errors.add(field, "Give an amount."),
                Some(amount) if amount < Money::ZERO => {
                    errors.add(field, "Give an amount that is not below zero.");
                }
                _ => {}
            }
        }
    }

    /// The English name.
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

/// A new deadline lies ahead; an old one may stay in the past.
pub(super) fn check_fresh(input: &QuestInput, current: Option<Time>, now: Time) -> Result<(), FieldErrors> {
    match input.deadline {
        Patch::Set(deadline) if deadline <= now && current != Some(deadline) => {
            Err(FieldErrors::one("deadline", "Give a moment that is still to come, or nothing."))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(json: Value) -> Result<Fields, FieldErrors> {
        let (fields, errors) = Fields::default().with(&serde_json::from_value(json).unwrap());
        errors.or(fields)
    }

    fn wrong(json: Value) -> Vec<String> {
        with(json).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn only_what_is_given_changes() {
        let quest = json!({ "translations": { "en": { "name": " Post " }, "de": { "name": " " } }, "service_id": 1, "quantity": 10, "repeats_count": 3 });
        let made = with(quest).unwrap();
        assert_eq!(
            (made.name(), made.translations.0.len(), made.repeats_count),
            ("Post".to_owned(), 1, Some(3))
        );
        let change = serde_json::from_value(json!({ "repeats_count": null, "is_repeatable": true })).unwrap();
        let (changed, _) = made.with(&change);
        assert_eq!((changed.repeats_count, changed.is_repeatable, changed.quantity), (None, true, 10));
    }

    #[test]
    fn each_wrong_field_is_named() {
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
