//! Validates payment methods. Reads and writes no data.

use std::collections::BTreeSet;

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::PaymentMethodId;
use panel_contract::payment_methods::{
    ChargeType, PaymentMethodInput, PaymentMethodType, PaymentStrategy, PublicFields, WithdrawalOptions,
};
use panel_kernel::rejection::Rejection;
use serde_json::{Value, json};

use crate::records::texts::{self, TextField, TextFields};
use panel_contract::dictionary::CURRENCIES;
use panel_domain::fields::check_text;

const MAX_TEXT_CHARS: usize = 5_000;

pub const TEXT_FIELDS: TextFields = TextFields {
    owner_type: "payment_method",
    fields: &[
        TextField { field: "name", max_chars: 100 },
        TextField { field: "description", max_chars: MAX_TEXT_CHARS },
        TextField { field: "withdrawal_description", max_chars: MAX_TEXT_CHARS },
        TextField { field: "additional_information", max_chars: MAX_TEXT_CHARS },
    ],
};

/// The fields of a payment method, without its position, its secrets, and whether it is enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentMethodFields {
    pub kind: PaymentMethodType,
    pub icon: Option<String>,
    /// The texts by language; English is always present.
    pub translations: Translations,
    /// Whether new customers can use the payment method.
    pub is_allowed_for_new_users: bool,
    /// Fee as a fraction of each payment.
    pub fee_fraction: Fraction,
    pub min_amount: Money,
    pub max_amount: Option<Money>,
    /// One of [`CURRENCIES`].
    pub currency: String,
    pub charge_type: ChargeType,
    /// Whether staff confirm payments manually, or a payment gateway does.
    pub strategy: PaymentStrategy,
    pub allow_qr_code: bool,
    pub qr_code: Option<String>,
    /// Whether customers can withdraw money with this payment method, and the limits of withdrawals.
    pub withdrawal: WithdrawalOptions,
    /// Fields that customers see and fill in.
    pub public_fields: PublicFields,
}

impl PaymentMethodFields {
    /// The fields of a new payment method, and the field errors.
    pub fn from_input(input: &PaymentMethodInput) -> (Self, FieldErrors) {
        let defaults = Self {
            kind: input.kind.unwrap_or(PaymentMethodType::ALL[0]),
            icon: None,
            translations: Translations::default(),
            is_allowed_for_new_users: true,
            fee_fraction: Fraction(0),
            min_amount: Money::ZERO,
            max_amount: None,
            currency: CURRENCIES[0].to_owned(),
            charge_type: ChargeType::OnTop,
            strategy: PaymentStrategy::Manual,
            allow_qr_code: false,
            qr_code: None,
            withdrawal: WithdrawalOptions::default(),
            public_fields: PublicFields::default(),
        };
        let (fields, mut errors) = defaults.apply_input(input);
        if input.kind.is_none() {
            errors.add("type", "Choose a type.");
        }
        (fields, errors)
    }

    /// Merges the fields with an input except for its images, and validates the result.
    pub fn apply_input(mut self, input: &PaymentMethodInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        self.kind = input.kind.unwrap_or(self.kind);
        self.merge_texts(input, &mut errors);
        self.is_allowed_for_new_users =
            input.is_allowed_for_new_user.unwrap_or(self.is_allowed_for_new_users);
        self.fee_fraction = input.fee_fraction.unwrap_or(self.fee_fraction);
        check_fee("fee_fraction", self.fee_fraction, &mut errors);
        self.min_amount = input.min_amount.unwrap_or(self.min_amount);
        if let Some(max_amount) = input.max_amount.as_update() {
            self.max_amount = max_amount.copied();
        }
        check_range("", self.min_amount, self.max_amount, &mut errors);
        if let Some(currency) = &input.charge_currency {
            self.currency = currency.trim().to_uppercase();
            if !CURRENCIES.contains(&self.currency.as_str()) {
                errors.add("charge_currency", "Choose one of the listed currencies.");
            }
        }
        self.charge_type = input.charge_type.unwrap_or(self.charge_type);
        self.strategy = input.strategy.unwrap_or(self.strategy);
        self.allow_qr_code = input.allow_qr_code.unwrap_or(self.allow_qr_code);
        if let Some(options) = &input.withdrawal_options {
            check_withdrawal(options, &mut errors);
            self.withdrawal = options.clone();
        }
        self.public_fields = input.public_fields.unwrap_or(self.public_fields);
        (self, errors)
    }

    fn merge_texts(&mut self, input: &PaymentMethodInput, errors: &mut FieldErrors) {
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(errors, &TEXT_FIELDS, &self.translations, name, translations);
        if let Some(text) = input.description.as_deref().map(str::trim) {
            if let Err(message) = check_text(text, MAX_TEXT_CHARS) {
                errors.add("description", message);
            }
            let english = self.translations.0.entry("en".to_owned()).or_default();
            match text {
                "" => drop(english.remove("description")),
                text => drop(english.insert("description".to_owned(), text.to_owned())),
            }
        }
    }

    #[must_use]
    pub fn name(&self) -> &str {
        self.translations.text("en", "name").unwrap_or_default()
    }

    /// The values for the audit trail.
    #[must_use]
    pub fn audit_values(&self) -> Value {
        json!({
            "type": self.kind,
            "icon": self.icon,
            "translations": self.translations,
            "is_allowed_for_new_user": self.is_allowed_for_new_users,
            "fee_fraction": self.fee_fraction,
            "min_amount": self.min_amount,
            "max_amount": self.max_amount,
            "charge_currency": self.currency,
            "charge_type": self.charge_type,
            "strategy": self.strategy,
            "allow_qr_code": self.allow_qr_code,
            "payment_qr_code": self.qr_code,
            "withdrawal_options": self.withdrawal,
            "public_fields": self.public_fields,
        })
    }
}

fn check_fee(field: &str, fee: Fraction, errors: &mut FieldErrors) {
    if !(0..=1_000_000).contains(&fee.0) || fee.0 % 1_000 != 0 {
        errors.add(field, "Enter a fraction from 0 to 1 with at most three decimals, such as 0.025.");
    }
}

/// Checks a minimum and a maximum amount. `prefix` is the prefix of their field names.
fn check_range(prefix: &str, min: Money, max: Option<Money>, errors: &mut FieldErrors) {
    if min < Money::ZERO {
        errors.add(format!("{prefix}min_amount"), "Enter an amount of zero or more.");
    }
    if max.is_some_and(|max| max < min || max <= Money::ZERO) {
        let message = "Enter an amount above zero and not below min_amount, or leave it empty.";
        errors.add(format!("{prefix}max_amount"), message);
    }
}

fn check_withdrawal(options: &WithdrawalOptions, errors: &mut FieldErrors) {
    check_range("withdrawal_options.", options.min_amount, options.max_amount, errors);
    check_fee("withdrawal_options.fee_fraction", options.fee_fraction, errors);
    if options.min_fee < Money::ZERO {
        errors.add("withdrawal_options.min_fee", "Enter an amount of zero or more.");
    }
}

/// Rejects `is_enabled` in an update, because other endpoints enable and disable a payment method, with audit events of their own.
pub fn reject_is_enabled(input: &PaymentMethodInput) -> Result<(), FieldErrors> {
    match input.is_enabled {
        Some(_) => Err(FieldErrors::single(
            "is_enabled",
            "Use the enable or disable endpoint, and leave this field out.",
        )),
        None => Ok(()),
    }
}

/// Rejects a request to enable an enabled payment method, or to disable a disabled payment method.
pub fn check_switch(is_enabled: bool, enable: bool) -> Result<(), Rejection> {
    match (is_enabled, enable) {
        (true, true) => {
            Err(Rejection::conflict("payment_method_enabled", "This payment method is already enabled."))
        }
        (false, false) => {
            Err(Rejection::conflict("payment_method_disabled", "This payment method is already disabled."))
        }
        _ => Ok(()),
    }
}

/// Returns the order after a payment method was moved to a position; the first position is 1.
pub fn order_after_move(
    order: &[PaymentMethodId],
    id: PaymentMethodId,
    position: i64,
) -> Result<Vec<PaymentMethodId>, FieldErrors> {
    let position = parse_position(order.len(), position)?;
    let mut new_order: Vec<PaymentMethodId> = order.iter().copied().filter(|other| *other != id).collect();
    new_order.insert(position - 1, id);
    Ok(new_order)
}

/// Validates a position among `count` payment methods; the first position is 1.
pub fn parse_position(count: usize, position: i64) -> Result<usize, FieldErrors> {
    let valid_position = usize::try_from(position).ok().filter(|position| (1..=count).contains(position));
    valid_position
        .ok_or_else(|| FieldErrors::single("position", format!("Enter a position from 1 to {count}.")))
}

/// Rejects a new order that does not contain every payment method exactly once.
pub fn check_complete(order: &[PaymentMethodId], new_order: &[PaymentMethodId]) -> Result<(), Rejection> {
    let new_ids: BTreeSet<PaymentMethodId> = new_order.iter().copied().collect();
    if new_ids.len() != new_order.len() {
        let message = "The list contains an id twice. Send each id once.";
        return Err(Rejection::invalid("payment_methods", "id_twice", message));
    }
    if new_ids != order.iter().copied().collect() {
        let message = "Another request added or removed a payment method. Reload the list and sort again.";
        return Err(Rejection::conflict("list_changed", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_domain::difference::changed_fields;

    fn parse(json: Value) -> Result<PaymentMethodFields, FieldErrors> {
        let input: PaymentMethodInput = serde_json::from_value(json).unwrap();
        let (fields, errors) = PaymentMethodFields::from_input(&input);
        errors.into_result(fields)
    }

    fn invalid_fields(mut json: Value) -> Vec<String> {
        for (field, value) in [("name", "Card"), ("type", "card")] {
            if json.get(field).is_none() {
                json[field] = value.into();
            }
        }
        parse(json).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn an_update_changes_only_its_fields() {
        let old = parse(json!({"name": " Card ", "type": "card", "max_amount": "50", "translations": {"de": {"name": "Karte"}, "fr": {}}}))
            .unwrap();
        assert_eq!((old.name(), old.translations.0.len(), old.is_allowed_for_new_users), ("Card", 2, true));
        let input =
            serde_json::from_value(json!({"max_amount": null, "description": "Pay by card"})).unwrap();
        let (new, _) = old.clone().apply_input(&input);
        assert_eq!((new.name(), new.max_amount), ("Card", None));
        let (old_values, new_values) = changed_fields(&old.audit_values(), &new.audit_values());
        assert_eq!(
            old_values.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["max_amount", "translations"]
        );
        assert_eq!(new_values["max_amount"], Value::Null);
    }

    #[test]
    fn reports_each_invalid_field() {
        assert_eq!(invalid_fields(json!({"name": " "})), ["name"]);
        assert_eq!(invalid_fields(json!({"name": "", "translations": {"de": {"name": "Karte"}}})), ["name"]);
        assert_eq!(invalid_fields(json!({"fee_fraction": "0.0001"})), ["fee_fraction"]);
        assert_eq!(
            invalid_fields(json!({"fee_fraction": "1.5", "min_amount": "-1"})),
            ["fee_fraction", "min_amount"]
        );
        assert_eq!(invalid_fields(json!({"min_amount": "5", "max_amount": "4"})), ["max_amount"]);
        assert_eq!(invalid_fields(json!({"charge_currency": "XXX"})), ["charge_currency"]);
        assert_eq!(invalid_fields(json!({"name": "x".repeat(101)})), ["name"]);
        let options = json!({"min_amount": "5", "max_amount": "1", "min_fee": "-1", "fee_fraction": "2"});
        assert_eq!(
            invalid_fields(json!({ "withdrawal_options": options })),
            [
                "withdrawal_options.fee_fraction",
                "withdrawal_options.max_amount",
                "withdrawal_options.min_fee"
            ]
        );
        let without_type: PaymentMethodInput = serde_json::from_value(json!({"name": "Card"})).unwrap();
        assert_eq!(
            PaymentMethodFields::from_input(&without_type).1.0.into_keys().collect::<Vec<_>>(),
            ["type"]
        );
    }

    #[test]
    fn moves_payment_methods_and_rejects_incomplete_orders() {
        let to_ids = |numbers: &[i64]| numbers.iter().copied().map(PaymentMethodId::new).collect::<Vec<_>>();
        let order_after_move =
            |id, position| order_after_move(&to_ids(&[1, 2, 3]), PaymentMethodId::new(id), position);
        assert_eq!(order_after_move(3, 1).unwrap(), to_ids(&[3, 1, 2]));
        assert_eq!(order_after_move(1, 3).unwrap(), to_ids(&[2, 3, 1]));
        assert!(order_after_move(1, 4).is_err() && order_after_move(1, 0).is_err());
        assert!(check_complete(&to_ids(&[1, 2]), &to_ids(&[2, 1])).is_ok());
        for invalid in [&[1][..], &[1, 2, 3], &[1, 2, 2], &[]] {
            assert!(check_complete(&to_ids(&[1, 2]), &to_ids(invalid)).is_err(), "{invalid:?}");
        }
    }
}
