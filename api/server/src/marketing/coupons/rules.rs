//! Validates coupons, determines when a coupon can be used, and calculates its bonus. Errors name fields as in the request.

use panel_contract::amount::{Fraction, Money, Overflow};
use panel_contract::common::{Patch, Translations};
use panel_contract::coupons::{BonusCalculation, CouponBonusType, CouponInput, CouponPaymentType};
use panel_contract::discounts::PromotionStatus;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_kernel::rejection::Rejection;
use serde::Serialize;

use crate::pricing::quote::PriceChange;
use crate::records::texts::{self, TextField, TextFields};
use panel_domain::fields;

/// The translated fields of a coupon.
pub(super) const TEXTS: TextFields = TextFields {
    owner_type: "coupon",
    fields: &[
        TextField { field: "name", max_chars: 100 },
        TextField { field: "description", max_chars: 1_000 },
    ],
};

/// One hundredth in parts per million, because bonus fractions have at most two decimals.
const HUNDREDTH_PPM: i64 = 10_000;
/// The fraction 1 in parts per million.
const ONE_PPM: i64 = 1_000_000;
/// Maximum amount, in millionths of the currency.
const MAX_AMOUNT_MICROS: i64 = 1_000_000_000_000;
/// Maximum usage limit of a coupon.
const MAX_USAGES: i64 = 1_000_000_000;

/// Rejects changes of an archived coupon.
pub(super) fn check_editable(is_archived: bool) -> Result<(), Rejection> {
    match is_archived {
        true => Err(Rejection::conflict("coupon_archived", "This coupon is archived. Restore it first.")),
        false => Ok(()),
    }
}

/// The fields of a coupon that staff edit, as recorded in the change log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(super) struct CouponDraft {
    pub(super) name: String,
    pub(super) code: String,
    pub(super) displayable: bool,
    pub(super) payment_type: Option<CouponPaymentType>,
    pub(super) affiliate_id: Option<UserId>,
    pub(super) min_amount: Money,
    pub(super) valid_from: Option<Time>,
    pub(super) valid_to: Option<Time>,
    pub(super) bonus_type: Option<CouponBonusType>,
    pub(super) bonus_amount_calculation_type: Option<BonusCalculation>,
    pub(super) bonus_fraction: Option<Fraction>,
    pub(super) bonus_amount: Option<Money>,
    pub(super) usage_limit: Option<i64>,
    pub(super) works_with_service_discount: bool,
    pub(super) works_with_user_custom_price: bool,
    pub(super) use_with_only_unpaid_orders: bool,
    pub(super) works_with_balance: Option<bool>,
    pub(super) translations: Translations,
}

fn apply_patch<T: Copy>(value: &mut Option<T>, patch: &Patch<T>) {
    if let Some(change) = patch.as_update() {
        *value = change.copied();
    }
}

impl CouponDraft {
    /// Applies an input and returns the errors of all fields.
    pub(super) fn apply_input(mut self, input: &CouponInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        if let Some(code) = &input.code {
            self.code = code.trim().to_ascii_uppercase();
        }
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !(3..=40).contains(&self.code.len()) || !self.code.bytes().all(is_allowed) {
            errors.add("code", "Enter a code of 3 to 40 letters, digits, hyphens and underscores.");
        }
        apply_patch(&mut self.affiliate_id, &input.affiliate_id);
        self.apply_period(&mut errors, input);
        self.apply_flags(input);
        self.apply_bonus(&mut errors, input);
        self.apply_limits(&mut errors, input);
        (self, errors)
    }

    fn apply_period(&mut self, errors: &mut FieldErrors, input: &CouponInput) {
        self.valid_from = input.valid_from.or(self.valid_from);
        apply_patch(&mut self.valid_to, &input.valid_to);
        match (self.valid_from, self.valid_to) {
            (None, _) => errors.add("valid_from", "Enter the start of the coupon's validity."),
            (Some(from), Some(to)) if to <= from => {
                errors.add("valid_to", "The end must be after the start.");
            }
            _ => {}
        }
    }

    fn apply_flags(&mut self, input: &CouponInput) {
        self.displayable = input.displayable.unwrap_or(self.displayable);
        self.works_with_service_discount =
            input.works_with_service_discount.unwrap_or(self.works_with_service_discount);
        self.works_with_user_custom_price =
            input.works_with_user_custom_price.unwrap_or(self.works_with_user_custom_price);
        self.use_with_only_unpaid_orders =
            input.use_with_only_unpaid_orders.unwrap_or(self.use_with_only_unpaid_orders);
        self.works_with_balance = input.works_with_balance.or(self.works_with_balance).or(Some(true));
    }

    /// The payment type determines the allowed bonus type.
    fn apply_bonus(&mut self, errors: &mut FieldErrors, input: &CouponInput) {
        self.payment_type = input.payment_type.or(self.payment_type);
        let default_bonus_type = self.payment_type.map(|kind| match kind {
            CouponPaymentType::Deposit => CouponBonusType::Balance,
            CouponPaymentType::Order => CouponBonusType::Discount,
        });
        self.bonus_type = input.bonus_type.or(if input.payment_type.is_some() {
            default_bonus_type
        } else {
            self.bonus_type
        });
        match (self.payment_type, self.bonus_type) {
            (None, _) => errors.add("payment_type", "Choose what the coupon is for: deposit or order."),
            (Some(CouponPaymentType::Deposit), Some(CouponBonusType::Discount)) => errors.add(
                "bonus_type",
                "A coupon for deposits cannot give a discount. Choose a bonus to the balance.",
            ),
            (Some(CouponPaymentType::Order), Some(CouponBonusType::Balance)) => {
                errors.add(
                    "bonus_type",
                    "A coupon for orders cannot give a bonus to the balance. Choose a discount.",
                );
            }
            _ => {}
        }
        self.bonus_amount_calculation_type =
            input.bonus_amount_calculation_type.or(self.bonus_amount_calculation_type);
        apply_patch(&mut self.bonus_fraction, &input.bonus_fraction);
        apply_patch(&mut self.bonus_amount, &input.bonus_amount);
        if self.bonus_amount_calculation_type == Some(BonusCalculation::Fixed) {
            self.bonus_fraction = None;
        }
        let is_valid = |fraction: Fraction| {
            (HUNDREDTH_PPM..=ONE_PPM).contains(&fraction.0) && fraction.0 % HUNDREDTH_PPM == 0
        };
        match (self.bonus_amount_calculation_type, self.bonus_fraction, self.bonus_amount) {
            (None, ..) => errors.add(
                "bonus_amount_calculation_type",
                "Choose how the bonus is calculated: percent or fixed.",
            ),
            (Some(BonusCalculation::Percent), fraction, _) if !fraction.is_some_and(is_valid) => errors.add(
                "bonus_fraction",
                "Enter a fraction from 0.01 to 1 with at most two decimals, such as 0.15.",
            ),
            (Some(BonusCalculation::Fixed), _, None) => errors.add("bonus_amount", "Enter the amount."),
            _ => {}
        }
        if self.bonus_amount.is_some_and(|amount| !(1..=MAX_AMOUNT_MICROS).contains(&amount.0)) {
            errors.add("bonus_amount", "Enter an amount above zero and at most 1,000,000.");
        }
    }

    fn apply_limits(&mut self, errors: &mut FieldErrors, input: &CouponInput) {
        self.min_amount = input.min_amount.unwrap_or(self.min_amount);
        if !(0..=MAX_AMOUNT_MICROS).contains(&self.min_amount.0) {
            errors.add("min_amount", "Enter an amount from 0 to 1,000,000.");
        }
        fields::apply_optional_integer(
            errors,
            "usage_limit",
            &input.usage_limit,
            &mut self.usage_limit,
            0..=MAX_USAGES,
        );
    }
}

/// The terms of a coupon, and the customer's state that determines whether the customer can use it.
#[derive(Debug, Clone)]
pub(super) struct CouponTerms {
    pub(super) status: PromotionStatus,
    pub(super) payment_type: CouponPaymentType,
    pub(super) min_amount: Money,
    pub(super) calculation: BonusCalculation,
    pub(super) fraction: Option<Fraction>,
    pub(super) amount: Option<Money>,
    pub(super) works_with_service_discount: bool,
    pub(super) works_with_user_custom_price: bool,
    pub(super) use_with_only_unpaid_orders: bool,
    /// Whether the customer has already used the coupon.
    pub(super) is_used: bool,
    /// Whether the customer has an unpaid order.
    pub(super) has_unpaid_orders: bool,
}

/// The purchase for which a coupon is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CouponPurchase {
    /// A payment to the balance, or an order.
    pub payment_type: CouponPaymentType,
    /// The payment, or the cost of the order without the coupon.
    pub amount: Money,
    /// Whether the order's service has a discount now.
    pub has_discount: bool,
    /// Whether the customer has a custom price for the service.
    pub has_custom_price: bool,
}

impl CouponPurchase {
    /// Creates the purchase of a payment to the balance.
    #[must_use]
    pub fn deposit(amount: Money) -> Self {
        Self {
            payment_type: CouponPaymentType::Deposit,
            amount,
            has_discount: false,
            has_custom_price: false,
        }
    }
}

/// Checks whether this customer can use the coupon for the purchase now.
pub(super) fn check_usable(terms: &CouponTerms, purchase: &CouponPurchase) -> Result<(), Rejection> {
    let reject = |code, message: &str| Err(Rejection::invalid("coupon", code, message));
    let is_order = purchase.payment_type == CouponPaymentType::Order;
    if terms.status != PromotionStatus::Active {
        let message = format!("This coupon cannot be used now because it is {}.", terms.status);
        return reject("coupon_not_active", &message);
    }
    if terms.payment_type != purchase.payment_type {
        let valid_for = if is_order { "payments to the balance" } else { "orders" };
        return reject("coupon_unsuitable", &format!("This coupon is for {valid_for} only."));
    }
    if terms.is_used {
        return reject("coupon_used", "This customer has already used this coupon.");
    }
    if purchase.amount < terms.min_amount {
        let message = format!("This coupon requires an amount of at least {}.", terms.min_amount);
        return reject("coupon_needs_more", &message);
    }
    if purchase.has_discount && !terms.works_with_service_discount {
        return reject(
            "coupon_unsuitable",
            "This coupon cannot be combined with the discount of the service.",
        );
    }
    if purchase.has_custom_price && !terms.works_with_user_custom_price {
        return reject(
            "coupon_unsuitable",
            "This coupon cannot be combined with the customer's custom price.",
        );
    }
    if !is_order && terms.use_with_only_unpaid_orders && !terms.has_unpaid_orders {
        return reject("coupon_unsuitable", "This coupon is for customers with an unpaid order only.");
    }
    Ok(())
}

/// Checks whether the coupon can be used for an order that the balance pays immediately.
pub(super) fn check_paid_by_balance(
    works_with_balance: bool,
    only_for_unpaid_orders: bool,
) -> Result<(), Rejection> {
    match works_with_balance && !only_for_unpaid_orders {
        true => Ok(()),
        false => Err(Rejection::invalid(
            "coupon",
            "coupon_unsuitable",
            "This coupon is for unpaid orders only, and the balance pays this order immediately.",
        )),
    }
}

/// Returns the coupon's change of an order's cost. The quote prevents a negative cost and rounds once.
pub(super) fn price_change(terms: &CouponTerms) -> PriceChange {
    let max_reduction = terms.amount;
    match terms.calculation {
        BonusCalculation::Percent => PriceChange::CappedReduction {
            fraction: terms.fraction.unwrap_or_default(),
            max: max_reduction.unwrap_or(Money(i64::MAX)),
        },
        BonusCalculation::Fixed => PriceChange::ByAmount(Money(-max_reduction.unwrap_or_default().0)),
    }
}

/// Calculates the bonus, rounded down so that it is never more than promised.
pub(super) fn calculate_bonus(
    terms: &CouponTerms,
    purchase: &CouponPurchase,
    decimals: u8,
) -> Result<Money, Overflow> {
    let bonus = match (terms.calculation, terms.fraction) {
        (BonusCalculation::Percent, fraction) => {
            let fraction_ppm = i128::from(fraction.unwrap_or(Fraction(0)).0);
            let exact_bonus = i128::from(purchase.amount.0) * fraction_ppm / i128::from(ONE_PPM);
            let exact_bonus = i64::try_from(exact_bonus).map_err(|_| Overflow)?;
            Money(exact_bonus).min(terms.amount.unwrap_or(Money(i64::MAX)))
        }
        (BonusCalculation::Fixed, _) => terms.amount.unwrap_or(Money::ZERO),
    };
    let max_bonus = if purchase.payment_type == CouponPaymentType::Order { purchase.amount } else { bonus };
    Ok(bonus.min(max_bonus).rounded_down(decimals))
}

/// The received and spent amounts of a usage after `refunded` of its order was refunded. `None` if nothing is left of the
/// payment, so that the coupon counts as unused. The spent amount shrinks proportionally and is rounded up, so that it is never
/// understated.
pub(super) fn reduce_usage(
    (received, spent): (Money, Money),
    refunded: Money,
) -> Result<Option<(Money, Money)>, Overflow> {
    let remaining = received.minus(refunded)?;
    if remaining <= Money::ZERO {
        return Ok(None);
    }
    Ok(Some((remaining, spent.scaled_rounded_up(remaining.0, received.0, 6)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields_with_errors(body: &str) -> Vec<String> {
        let input: CouponInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = CouponDraft::default().apply_input(&input);
        let validated = errors.into_result(draft);
        validated.map(|_| ()).map_err(|errors| errors.0.into_keys().collect()).unwrap_err()
    }

    #[test]
    fn names_each_field_with_an_error() {
        let required = ["bonus_amount_calculation_type", "code", "name", "payment_type", "valid_from"];
        assert_eq!(fields_with_errors("{}"), required);
        let body = r#"{"name":"A","code":"a b","payment_type":"deposit","bonus_type":"discount","bonus_amount_calculation_type":"percent",
            "bonus_fraction":"0.005","bonus_amount":"-1","min_amount":"-1","usage_limit":-1,
            "valid_from":"2026-11-20 10:00:00","valid_to":"2026-11-19 10:00:00","translations":{"en":{"title":"x"}}}"#;
        let all = [
            "bonus_amount",
            "bonus_fraction",
            "bonus_type",
            "code",
            "min_amount",
            "translations.en.title",
            "usage_limit",
            "valid_to",
        ];
        assert_eq!(fields_with_errors(body), all);
    }

    #[test]
    fn codes_are_upper_case_and_fixed_bonuses_have_no_fraction() {
        let body = r#"{"name":"A","code":" spring-26 ","payment_type":"order","bonus_amount_calculation_type":"fixed",
            "bonus_fraction":"0.5","bonus_amount":"5","valid_from":"2026-11-20 10:00:00"}"#;
        let input: CouponInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = CouponDraft::default().apply_input(&input);
        assert!(errors.0.is_empty(), "{errors:?}");
        assert_eq!((draft.code.as_str(), draft.bonus_fraction), ("SPRING-26", None));
        assert_eq!(draft.bonus_type, Some(CouponBonusType::Discount));
        assert_eq!(draft.works_with_balance, Some(true));
    }

    fn terms() -> CouponTerms {
        CouponTerms {
            status: PromotionStatus::Active,
            payment_type: CouponPaymentType::Order,
            min_amount: Money(1_000_000),
            calculation: BonusCalculation::Percent,
            fraction: Some(Fraction(150_000)),
            amount: None,
            works_with_service_discount: false,
            works_with_user_custom_price: false,
            use_with_only_unpaid_orders: true,
            is_used: false,
            has_unpaid_orders: false,
        }
    }

    fn order(amount: i64) -> CouponPurchase {
        CouponPurchase { payment_type: CouponPaymentType::Order, ..CouponPurchase::deposit(Money(amount)) }
    }

    #[test]
    fn rejects_a_coupon_that_does_not_apply() {
        let check_code = |terms: CouponTerms, purchase: CouponPurchase| {
            check_usable(&terms, &purchase).map_err(|rejection| rejection.code)
        };
        let purchase = order(1_000_000);
        assert_eq!(check_code(terms(), purchase), Ok(()));
        for status in PromotionStatus::ALL.iter().filter(|status| **status != PromotionStatus::Active) {
            assert_eq!(
                check_code(CouponTerms { status: *status, ..terms() }, purchase),
                Err("coupon_not_active"),
                "{status}"
            );
        }
        assert_eq!(check_code(terms(), CouponPurchase::deposit(Money(1_000_000))), Err("coupon_unsuitable"));
        assert_eq!(check_code(terms(), order(999_999)), Err("coupon_needs_more"));
        assert_eq!(check_code(CouponTerms { is_used: true, ..terms() }, purchase), Err("coupon_used"));
        let discounted_purchase = CouponPurchase { has_discount: true, ..purchase };
        assert_eq!(check_code(terms(), discounted_purchase), Err("coupon_unsuitable"));
        assert_eq!(
            check_code(CouponTerms { works_with_service_discount: true, ..terms() }, discounted_purchase),
            Ok(())
        );
        let custom_priced_purchase = CouponPurchase { has_custom_price: true, ..purchase };
        assert_eq!(check_code(terms(), custom_priced_purchase), Err("coupon_unsuitable"));
        assert_eq!(
            check_code(CouponTerms { works_with_user_custom_price: true, ..terms() }, custom_priced_purchase),
            Ok(())
        );
        let deposit_terms = CouponTerms { payment_type: CouponPaymentType::Deposit, ..terms() };
        let purchase = CouponPurchase::deposit(Money(1_000_000));
        assert_eq!(check_code(deposit_terms.clone(), purchase), Err("coupon_unsuitable"), "no unpaid order");
        assert_eq!(check_code(CouponTerms { has_unpaid_orders: true, ..deposit_terms }, purchase), Ok(()));
        assert!(check_paid_by_balance(true, false).is_ok() && check_paid_by_balance(false, false).is_err());
        assert!(check_paid_by_balance(true, true).is_err());
    }

    #[test]
    fn bonuses_are_rounded_down_and_capped() {
        let order_bonus =
            |terms: CouponTerms, amount| calculate_bonus(&terms, &order(amount), 2).map(|bonus| bonus.0);
        assert_eq!(order_bonus(terms(), 10_070_000), Ok(1_510_000), "15 % of 10.07, rounded down");
        assert_eq!(
            order_bonus(CouponTerms { amount: Some(Money(1_000_000)), ..terms() }, 10_070_000),
            Ok(1_000_000)
        );
        let fixed_terms = CouponTerms {
            calculation: BonusCalculation::Fixed,
            amount: Some(Money(5_000_000)),
            fraction: None,
            ..terms()
        };
        assert_eq!(
            order_bonus(fixed_terms.clone(), 3_000_000),
            Ok(3_000_000),
            "never more than the order costs"
        );
        let deposit = CouponPurchase::deposit(Money(3_000_000));
        assert_eq!(calculate_bonus(&fixed_terms, &deposit, 2), Ok(Money(5_000_000)));
        let full_bonus_terms = CouponTerms { fraction: Some(Fraction(ONE_PPM)), ..terms() };
        assert_eq!(
            calculate_bonus(&full_bonus_terms, &CouponPurchase::deposit(Money(i64::MAX)), 6),
            Ok(Money(i64::MAX))
        );
    }

    #[test]
    fn a_refund_reduces_the_usage_proportionally() {
        let usage_after_refund =
            |received, spent, refund| reduce_usage((Money(received), Money(spent)), Money(refund)).unwrap();
        assert_eq!(
            usage_after_refund(5_000_000, 2_000_000, 2_500_000),
            Some((Money(2_500_000), Money(1_000_000)))
        );
        assert_eq!(usage_after_refund(3, 1, 1), Some((Money(2), Money(1))));
        assert_eq!(usage_after_refund(5_000_000, 2_000_000, 5_000_000), None);
    }
}
