//! What a payment method may be: pure.

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

use crate::records::texts::{self, Text, Texts};
use panel_contract::dictionary::CURRENCIES;
use panel_domain::fields::fits;

const LONGEST_TEXT: usize = 5_000;

/// What customers read of it.
pub const TEXTS: Texts = Texts {
    owner: "payment_method",
    fields: &[
        Text { field: "name", most: 100 },
        Text { field: "description", most: LONGEST_TEXT },
        Text { field: "withdrawal_description", most: LONGEST_TEXT },
        Text { field: "additional_information", most: LONGEST_TEXT },
    ],
};

/// What can be changed of a payment method, but for its place, its switch and its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// What it is.
    pub kind: PaymentMethodType,
    /// Address.
    pub icon: Option<String>,
    /// By language, English always.
    pub translations: Translations,
    /// Whether new customers are offered it.
    pub for_new_users: bool,
    /// Of each payment.
    pub fee: Fraction,
    /// Smallest payment.
    pub min_amount: Money,
    /// Largest payment.
    pub max_amount: Option<Money>,
    /// One of [`CURRENCIES`].
    pub currency: String,
    /// Who carries the fee.
    pub charge_type: ChargeType,
    /// How money is noticed.
    pub strategy: PaymentStrategy,
    /// Whether it may have a QR code.
    pub allow_qr_code: bool,
    /// Address.
    pub qr_code: Option<String>,
    /// When customers are paid by it.
    pub withdrawal: WithdrawalOptions,
    /// What customers see and fill in.
    pub public_fields: PublicFields,
}

impl Fields {
    /// A new one by an input, and what is wrong with it.
    pub fn fresh(input: &PaymentMethodInput) -> (Self, FieldErrors) {
        let blank = Self {
            kind: input.kind.unwrap_or(PaymentMethodType::ALL[0]),
            icon: None,
            translations: Translations::default(),
            for_new_users: true,
            fee: Fraction(0),
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
        let (fields, mut errors) = blank.with(input);
        if input.kind.is_none() {
            errors.add("type", "Choose what it is.");
        }
        (fields, errors)
    }

    /// With what an input says but its images, or what is wrong with it.
    pub fn with(mut self, input: &PaymentMethodInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        self.kind = input.kind.unwrap_or(self.kind);
        self.take_texts(input, &mut errors);
        self.for_new_users = input.is_allowed_for_new_user.unwrap_or(self.for_new_users);
        self.fee = input.fee_percent.unwrap_or(self.fee);
        check_fee("fee_percent", self.fee, &mut errors);
        self.min_amount = input.min_amount.unwrap_or(self.min_amount);
        if let Some(wish) = input.max_amount.wish() {
            self.max_amount = wish.copied();
        }
        check_range("", self.min_amount, self.max_amount, &mut errors);
        if let Some(currency) = &input.charge_currency {
            self.currency = currency.trim().to_uppercase();
            if !CURRENCIES.contains(&self.currency.as_str()) {
                errors.add("charge_currency", "Choose one of the currencies of the collections.");
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

    fn take_texts(&mut self, input: &PaymentMethodInput, errors: &mut FieldErrors) {
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::settle(errors, &TEXTS, &self.translations, name, given);
        if let Some(text) = input.description.as_deref().map(str::trim) {
            if let Err(message) = fits(text, LONGEST_TEXT) {
                errors.add("description", message);
            }
            let english = self.translations.0.entry("en".to_owned()).or_default();
            match text {
                "" => drop(english.remove("description")),
                text => drop(english.insert("description".to_owned(), text.to_owned())),
            }
        }
    }

    /// The English name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.translations.text("en", "name").unwrap_or_default()
    }

    /// As the audit trail has it.
    #[must_use]
    pub fn audit_values(&self) -> Value {
        json!({
            "type": self.kind,
            "icon": self.icon,
            "translations": self.translations,
            "is_allowed_for_new_user": self.for_new_users,
            "fee_percent": self.fee,
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
        errors.add(field, "Give a fraction from 0 to 1 with at most three decimals, such as 0.025.");
    }
}

/// `place` stands before the fields' names.
fn check_range(place: &str, least: Money, most: Option<Money>, errors: &mut FieldErrors) {
    if least < Money::ZERO {
        errors.add(format!("{place}min_amount"), "Give an amount that is not below zero.");
    }
    if most.is_some_and(|most| most < least || most <= Money::ZERO) {
        let message = "Give an amount above zero that is not below the smallest, or nothing.";
        errors.add(format!("{place}max_amount"), message);
    }
}

fn check_withdrawal(options: &WithdrawalOptions, errors: &mut FieldErrors) {
    check_range("withdrawal_options.", options.min_amount, options.max_amount, errors);
    check_fee("withdrawal_options.fee_percent", options.fee_percent, errors);
    if options.min_fee < Money::ZERO {
        errors.add("withdrawal_options.min_fee", "Give an amount that is not below zero.");
    }
}

/// The switch has endpoints of its own, which say who used it.
pub fn not_switched(input: &PaymentMethodInput) -> Result<(), FieldErrors> {
    match input.is_enabled {
        Some(_) => Err(FieldErrors::one("is_enabled", "Use enable or disable for this; leave it out here.")),
        None => Ok(()),
    }
}

/// Whether it may be switched on, or off.
pub fn judge_switch(is_enabled: bool, on: bool) -> Result<(), Rejection> {
    match (is_enabled, on) {
        (true, true) => {
            Err(Rejection::conflict("payment_method_enabled", "This payment method is enabled already."))
        }
        (false, false) => {
            Err(Rejection::conflict("payment_method_disabled", "This payment method is disabled already."))
        }
        _ => Ok(()),
    }
}

/// The order after one method went to a place, from 1.
pub fn moved(
    order: &[PaymentMethodId],
    id: PaymentMethodId,
    position: i64,
) -> Result<Vec<PaymentMethodId>, FieldErrors> {
    let place = check_place(order.len(), position)?;
    let mut moved: Vec<PaymentMethodId> = order.iter().copied().filter(|other| *other != id).collect();
    moved.insert(place - 1, id);
    Ok(moved)
}

/// The place of one of `count` methods, from 1.
pub fn check_place(count: usize, position: i64) -> Result<usize, FieldErrors> {
    let place = usize::try_from(position).ok().filter(|place| (1..=count).contains(place));
    place.ok_or_else(|| FieldErrors::one("position", format!("Give a place from 1 to {count}.")))
}

/// A new order names every method once.
pub fn whole(order: &[PaymentMethodId], wanted: &[PaymentMethodId]) -> Result<(), Rejection> {
    let set: BTreeSet<PaymentMethodId> = wanted.iter().copied().collect();
    if set.len() != wanted.len() {
        let message = "An id stands in the list twice; name it once.";
        return Err(Rejection::invalid("payment_methods", "id_twice", message));
    }
    if set != order.iter().copied().collect() {
        let message = "The list of payment methods has changed meanwhile; reload it and sort again.";
        return Err(Rejection::conflict("list_changed", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_domain::difference::differing;

    fn made(json: Value) -> Result<Fields, FieldErrors> {
        let input: PaymentMethodInput = serde_json::from_value(json).unwrap();
        let (fields, errors) = Fields::fresh(&input);
        errors.or(fields)
    }

    fn wrong(mut json: Value) -> Vec<String> {
        for (field, value) in [("name", "Card"), ("type", "card")] {
            if json.get(field).is_none() {
                json[field] = value.into();
            }
        }
        made(json).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn only_what_is_given_changes() {
        let old = made(json!({"name": " Card ", "type": "card", "max_amount": "50", "translations": {"de": {"name": "Karte"}, "fr": {}}}))
            .unwrap();
        assert_eq!((old.name(), old.translations.0.len(), old.for_new_users), ("Card", 2, true));
        let input =
            serde_json::from_value(json!({"max_amount": null, "description": "Pay by card"})).unwrap();
        let (new, _) = old.clone().with(&input);
        assert_eq!((new.name(), new.max_amount), ("Card", None));
        let (was, is) = differing(&old.audit_values(), &new.audit_values());
        assert_eq!(was.as_object().unwrap().keys().collect::<Vec<_>>(), ["max_amount", "translations"]);
        assert_eq!(is["max_amount"], Value::Null);
    }

    #[test]
    fn each_wrong_field_is_named() {
        assert_eq!(wrong(json!({"name": " "})), ["name"]);
        assert_eq!(wrong(json!({"name": "", "translations": {"de": {"name": "Karte"}}})), ["name"]);
        assert_eq!(wrong(json!({"fee_percent": "0.0001"})), ["fee_percent"]);
        assert_eq!(wrong(json!({"fee_percent": "1.5", "min_amount": "-1"})), ["fee_percent", "min_amount"]);
        assert_eq!(wrong(json!({"min_amount": "5", "max_amount": "4"})), ["max_amount"]);
        assert_eq!(wrong(json!({"charge_currency": "XXX"})), ["charge_currency"]);
        assert_eq!(wrong(json!({"name": "x".repeat(101)})), ["name"]);
        let options = json!({"min_amount": "5", "max_amount": "1", "min_fee": "-1", "fee_percent": "2"});
        assert_eq!(
            wrong(json!({ "withdrawal_options": options })),
            ["withdrawal_options.fee_percent", "withdrawal_options.max_amount", "withdrawal_options.min_fee"]
        );
        let none: PaymentMethodInput = serde_json::from_value(json!({"name": "Card"})).unwrap();
        assert_eq!(Fields::fresh(&none).1.0.into_keys().collect::<Vec<_>>(), ["type"]);
    }

    #[test]
    fn places() {
        let ids = |raw: &[i64]| raw.iter().copied().map(PaymentMethodId::new).collect::<Vec<_>>();
        let moved = |id, place| moved(&ids(&[1, 2, 3]), PaymentMethodId::new(id), place);
        assert_eq!(moved(3, 1).unwrap(), ids(&[3, 1, 2]));
        assert_eq!(moved(1, 3).unwrap(), ids(&[2, 3, 1]));
        assert!(moved(1, 4).is_err() && moved(1, 0).is_err());
        assert!(whole(&ids(&[1, 2]), &ids(&[2, 1])).is_ok());
        for bad in [&[1][..], &[1, 2, 3], &[1, 2, 2], &[]] {
            assert!(whole(&ids(&[1, 2]), &ids(bad)).is_err(), "{bad:?}");
        }
    }
}
