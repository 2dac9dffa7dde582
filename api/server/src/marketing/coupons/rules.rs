//! What a coupon may be, when it can be used, and what it gives then: pure. Each wrong field is named as in the request.

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
use crate::records::texts::{self, Text, Texts};
use panel_domain::fields;

/// What a coupon has in every language.
pub(super) const TEXTS: Texts = Texts {
    owner: "coupon",
    fields: &[Text { field: "name", most: 100 }, Text { field: "description", most: 1_000 }],
};

/// Two decimals, in parts per million.
const HUNDREDTH: i64 = 10_000;
/// One, in parts per million.
const ONE: i64 = 1_000_000;
/// Largest amount, in millionths.
const MOST: i64 = 1_000_000_000_000;
/// Most usages.
const USAGES: i64 = 1_000_000_000;

/// Whether it can be changed.
pub(super) fn judge_edit(is_archived: bool) -> Result<(), Rejection> {
    match is_archived {
        true => Err(Rejection::conflict("coupon_archived", "This coupon is archived; unarchive it first.")),
        false => Ok(()),
    }
}

/// A coupon as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(super) struct Draft {
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
    pub(super) bonus_percentage: Option<Fraction>,
    pub(super) bonus_amount: Option<Money>,
    pub(super) usage_limit: Option<i64>,
    pub(super) works_with_service_discount: bool,
    pub(super) works_with_user_custom_price: bool,
    pub(super) use_with_only_unpaid_orders: bool,
    pub(super) works_with_balance: Option<bool>,
    pub(super) translations: Translations,
}

fn settled<T: Copy>(slot: &mut Option<T>, wish: &Patch<T>) {
    if let Some(wish) = wish.wish() {
        *slot = wish.copied();
    }
}

impl Draft {
    /// After an input.
    pub(super) fn with(mut self, input: &CouponInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::settle(&mut errors, &TEXTS, &self.translations, name, given);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        if let Some(code) = &input.code {
            self.code = code.trim().to_ascii_uppercase();
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !(3..=40).contains(&self.code.len()) || !self.code.bytes().all(plain) {
            errors.add("code", "Give 3 to 40 letters, digits, hyphens and underscores.");
        }
        settled(&mut self.affiliate_id, &input.affiliate_id);
        self.times(&mut errors, input);
        self.flags(input);
        self.bonus(&mut errors, input);
        self.limits(&mut errors, input);
        (self, errors)
    }

    fn times(&mut self, errors: &mut FieldErrors, input: &CouponInput) {
        self.valid_from = input.valid_from.or(self.valid_from);
        settled(&mut self.valid_to, &input.valid_to);
        match (self.valid_from, self.valid_to) {
            (None, _) => errors.add("valid_from", "Say from when the coupon can be used."),
            (Some(from), Some(to)) if to <= from => {
                errors.add("valid_to", "End the coupon after its beginning.");
            }
            _ => {}
        }
    }

    fn flags(&mut self, input: &CouponInput) {
        self.displayable = input.displayable.unwrap_or(self.displayable);
        self.works_with_service_discount =
            input.works_with_service_discount.unwrap_or(self.works_with_service_discount);
        self.works_with_user_custom_price =
            input.works_with_user_custom_price.unwrap_or(self.works_with_user_custom_price);
        self.use_with_only_unpaid_orders =
            input.use_with_only_unpaid_orders.unwrap_or(self.use_with_only_unpaid_orders);
        self.works_with_balance = input.works_with_balance.or(self.works_with_balance).or(Some(true));
    }

    /// What it is given with decides what it can give.
    fn bonus(&mut self, errors: &mut FieldErrors, input: &CouponInput) {
        self.payment_type = input.payment_type.or(self.payment_type);
        let fitting = self.payment_type.map(|kind| match kind {
            CouponPaymentType::Deposit => CouponBonusType::Balance,
            CouponPaymentType::Order => CouponBonusType::Discount,
        });
        self.bonus_type =
            input.bonus_type.or(if input.payment_type.is_some() { fitting } else { self.bonus_type });
        match (self.payment_type, self.bonus_type) {
            (None, _) => errors.add("payment_type", "Say what the coupon is given with: deposit or order."),
            (Some(CouponPaymentType::Deposit), Some(CouponBonusType::Discount)) => errors.add(
                "bonus_type",
                "A payment onto the balance has no cost to lower; choose money on the balance.",
            ),
            (Some(CouponPaymentType::Order), Some(CouponBonusType::Balance)) => {
                errors.add("bonus_type", "An order's coupon lowers its cost; choose the discount.");
            }
            _ => {}
        }
        self.bonus_amount_calculation_type =
            input.bonus_amount_calculation_type.or(self.bonus_amount_calculation_type);
        settled(&mut self.bonus_percentage, &input.bonus_percentage);
        settled(&mut self.bonus_amount, &input.bonus_amount);
        if self.bonus_amount_calculation_type == Some(BonusCalculation::Fixed) {
            self.bonus_percentage = None;
        }
        let fits = |share: Fraction| (HUNDREDTH..=ONE).contains(&share.0) && share.0 % HUNDREDTH == 0;
        match (self.bonus_amount_calculation_type, self.bonus_percentage, self.bonus_amount) {
            (None, ..) => {
                errors.add("bonus_amount_calculation_type", "Say how the bonus is defined: percent or fixed.")
            }
            (Some(BonusCalculation::Percent), share, _) if !share.is_some_and(fits) => errors.add(
                "bonus_percentage",
                "Give a fraction from 0.01 to 1 with at most two decimals, such as 0.15.",
            ),
            (Some(BonusCalculation::Fixed), _, None) => errors.add("bonus_amount", "Give the amount."),
            _ => {}
        }
        if self.bonus_amount.is_some_and(|amount| !(1..=MOST).contains(&amount.0)) {
            errors.add("bonus_amount", "Give an amount above zero, at most 1,000,000.");
        }
    }

    fn limits(&mut self, errors: &mut FieldErrors, input: &CouponInput) {
        self.min_amount = input.min_amount.unwrap_or(self.min_amount);
        if !(0..=MOST).contains(&self.min_amount.0) {
            errors.add("min_amount", "Give an amount from 0 to 1,000,000.");
        }
        fields::some_whole(errors, "usage_limit", &input.usage_limit, &mut self.usage_limit, 0..=USAGES);
    }
}

/// What is known of a coupon when somebody wants to use it.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) status: PromotionStatus,
    pub(super) payment_type: CouponPaymentType,
    pub(super) min_amount: Money,
    pub(super) calculation: BonusCalculation,
    pub(super) percentage: Option<Fraction>,
    pub(super) amount: Option<Money>,
    pub(super) works_with_service_discount: bool,
    pub(super) works_with_user_custom_price: bool,
    pub(super) use_with_only_unpaid_orders: bool,
    /// By this customer, before.
    pub(super) is_used: bool,
    /// This customer has an order that waits for its payment.
    pub(super) has_unpaid_orders: bool,
}

/// What it is to be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occasion {
    /// A payment onto the balance, or an order.
    pub payment_type: CouponPaymentType,
    /// What is paid, or what the order costs without it.
    pub amount: Money,
    /// The order's service has a discount now.
    pub has_discount: bool,
    /// The order's customer has a price of their own.
    pub has_own_price: bool,
}

impl Occasion {
    /// A payment onto the balance.
    #[must_use]
    pub fn deposit(amount: Money) -> Self {
        Self { payment_type: CouponPaymentType::Deposit, amount, has_discount: false, has_own_price: false }
    }
}

/// Whether it can be used for that, by this customer, now.
pub(super) fn judge(terms: &Terms, of: &Occasion) -> Result<(), Rejection> {
    let refused = |code, message: &str| Err(Rejection::invalid("coupon", code, message));
    let of_order = of.payment_type == CouponPaymentType::Order;
    if terms.status != PromotionStatus::Active {
        let message = format!("This coupon cannot be used now: it is {}.", terms.status);
        return refused("coupon_not_active", &message);
    }
    if terms.payment_type != of.payment_type {
        let for_what = if of_order { "payments onto the balance" } else { "orders" };
        return refused("coupon_unsuitable", &format!("This coupon is for {for_what}."));
    }
    if terms.is_used {
        return refused("coupon_used", "This customer has used the coupon before.");
    }
    if of.amount < terms.min_amount {
        let message = format!("This coupon goes with {} or more.", terms.min_amount);
        return refused("coupon_needs_more", &message);
    }
    if of.has_discount && !terms.works_with_service_discount {
        return refused("coupon_unsuitable", "This coupon does not go with the service's discount.");
    }
    if of.has_own_price && !terms.works_with_user_custom_price {
        return refused("coupon_unsuitable", "This coupon does not go with the customer's own price.");
    }
    if !of_order && terms.use_with_only_unpaid_orders && !terms.has_unpaid_orders {
        return refused(
            "coupon_unsuitable",
            "This coupon is for customers with an order that waits for its payment.",
        );
    }
    Ok(())
}

/// An order that the balance pays at once.
pub(super) fn judge_paid(works_with_balance: bool, only_unpaid: bool) -> Result<(), Rejection> {
    match works_with_balance && !only_unpaid {
        true => Ok(()),
        false => Err(Rejection::invalid(
            "coupon",
            "coupon_unsuitable",
            "This coupon is for orders that wait for their payment; the balance pays this one at once.",
        )),
    }
}

/// How it changes the cost of an order; the order's quote keeps it from going below nothing, and rounds once.
pub(super) fn change(terms: &Terms) -> PriceChange {
    let most = terms.amount;
    match terms.calculation {
        BonusCalculation::Percent => PriceChange::Off {
            share: terms.percentage.unwrap_or_default(),
            most: most.unwrap_or(Money(i64::MAX)),
        },
        BonusCalculation::Fixed => PriceChange::Amount(Money(-most.unwrap_or_default().0)),
    }
}

/// What it gives with a payment onto the balance, rounded down: never more than was promised.
pub(super) fn bonus(terms: &Terms, of: &Occasion, places: u8) -> Result<Money, Overflow> {
    let given = match (terms.calculation, terms.percentage) {
        (BonusCalculation::Percent, share) => {
            let share = i128::from(share.unwrap_or(Fraction(0)).0);
            let exact = i128::from(of.amount.0) * share / i128::from(ONE);
            let exact = i64::try_from(exact).map_err(|_| Overflow)?;
            Money(exact).min(terms.amount.unwrap_or(Money(i64::MAX)))
        }
        (BonusCalculation::Fixed, _) => terms.amount.unwrap_or(Money::ZERO),
    };
    let most = if of.payment_type == CouponPaymentType::Order { of.amount } else { given };
    Ok(given.min(most).floored(places))
}

/// What a coupon's usage received and spent once `returned` of its order went back to the customer; none where nothing is
/// left of the payment, so that the coupon was not used. The coupon gave what is left of its share, rounded up: what it
/// gave is never counted as less.
pub(super) fn after_refund(
    (received, spent): (Money, Money),
    returned: Money,
) -> Result<Option<(Money, Money)>, Overflow> {
    let left = received.minus(returned)?;
    if left <= Money::ZERO {
        return Ok(None);
    }
    Ok(Some((left, spent.scaled_up(left.0, received.0, 6)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(body: &str) -> Vec<String> {
        let input: CouponInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = Draft::default().with(&input);
        let judged = errors.or(draft);
        judged.map(|_| ()).map_err(|errors| errors.0.into_keys().collect()).unwrap_err()
    }

    #[test]
    fn each_wrong_field_is_named() {
        let needed = ["bonus_amount_calculation_type", "code", "name", "payment_type", "valid_from"];
        assert_eq!(wrong("{}"), needed);
        let body = r#"{"name":"A","code":"a b","payment_type":"deposit","bonus_type":"discount","bonus_amount_calculation_type":"percent",
            "bonus_percentage":"0.005","bonus_amount":"-1","min_amount":"-1","usage_limit":-1,
            "valid_from":"2026-11-20 10:00:00","valid_to":"2026-11-19 10:00:00","translations":{"en":{"title":"x"}}}"#;
        let all = [
            "bonus_amount",
            "bonus_percentage",
            "bonus_type",
            "code",
            "min_amount",
            "translations.en.title",
            "usage_limit",
            "valid_to",
        ];
        assert_eq!(wrong(body), all);
    }

    #[test]
    fn a_code_is_in_capitals_and_a_fixed_bonus_has_no_share() {
        let body = r#"{"name":"A","code":" spring-26 ","payment_type":"order","bonus_amount_calculation_type":"fixed",
            "bonus_percentage":"0.5","bonus_amount":"5","valid_from":"2026-11-20 10:00:00"}"#;
        let input: CouponInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = Draft::default().with(&input);
        assert!(errors.0.is_empty(), "{errors:?}");
        assert_eq!((draft.code.as_str(), draft.bonus_percentage), ("SPRING-26", None));
        assert_eq!(draft.bonus_type, Some(CouponBonusType::Discount));
        assert_eq!(draft.works_with_balance, Some(true));
    }

    fn terms() -> Terms {
        Terms {
            status: PromotionStatus::Active,
            payment_type: CouponPaymentType::Order,
            min_amount: Money(1_000_000),
            calculation: BonusCalculation::Percent,
            percentage: Some(Fraction(150_000)),
            amount: None,
            works_with_service_discount: false,
            works_with_user_custom_price: false,
            use_with_only_unpaid_orders: true,
            is_used: false,
            has_unpaid_orders: false,
        }
    }

    fn order(amount: i64) -> Occasion {
        Occasion { payment_type: CouponPaymentType::Order, ..Occasion::deposit(Money(amount)) }
    }

    #[test]
    fn when_a_coupon_can_be_used() {
        let says = |terms: Terms, of: Occasion| judge(&terms, &of).map_err(|refusal| refusal.code);
        let of = order(1_000_000);
        assert_eq!(says(terms(), of), Ok(()));
        for status in PromotionStatus::ALL.iter().filter(|status| **status != PromotionStatus::Active) {
            assert_eq!(says(Terms { status: *status, ..terms() }, of), Err("coupon_not_active"), "{status}");
        }
        assert_eq!(says(terms(), Occasion::deposit(Money(1_000_000))), Err("coupon_unsuitable"));
        assert_eq!(says(terms(), order(999_999)), Err("coupon_needs_more"));
        assert_eq!(says(Terms { is_used: true, ..terms() }, of), Err("coupon_used"));
        let sold = Occasion { has_discount: true, ..of };
        assert_eq!(says(terms(), sold), Err("coupon_unsuitable"));
        assert_eq!(says(Terms { works_with_service_discount: true, ..terms() }, sold), Ok(()));
        let own = Occasion { has_own_price: true, ..of };
        assert_eq!(says(terms(), own), Err("coupon_unsuitable"));
        assert_eq!(says(Terms { works_with_user_custom_price: true, ..terms() }, own), Ok(()));
        let deposit = Terms { payment_type: CouponPaymentType::Deposit, ..terms() };
        let of = Occasion::deposit(Money(1_000_000));
        assert_eq!(says(deposit.clone(), of), Err("coupon_unsuitable"), "nothing waits");
        assert_eq!(says(Terms { has_unpaid_orders: true, ..deposit }, of), Ok(()));
        assert!(judge_paid(true, false).is_ok() && judge_paid(false, false).is_err());
        assert!(judge_paid(true, true).is_err());
    }

    #[test]
    fn what_a_coupon_gives() {
        let of = |terms: Terms, amount| bonus(&terms, &order(amount), 2).map(|bonus| bonus.0);
        assert_eq!(of(terms(), 10_070_000), Ok(1_510_000), "15 % of 10.07, rounded down");
        assert_eq!(of(Terms { amount: Some(Money(1_000_000)), ..terms() }, 10_070_000), Ok(1_000_000));
        let fixed = Terms {
            calculation: BonusCalculation::Fixed,
            amount: Some(Money(5_000_000)),
            percentage: None,
            ..terms()
        };
        assert_eq!(of(fixed.clone(), 3_000_000), Ok(3_000_000), "never more than the order costs");
        let deposit = Occasion::deposit(Money(3_000_000));
        assert_eq!(bonus(&fixed, &deposit, 2), Ok(Money(5_000_000)));
        let all = Terms { percentage: Some(Fraction(ONE)), ..terms() };
        assert_eq!(bonus(&all, &Occasion::deposit(Money(i64::MAX)), 6), Ok(Money(i64::MAX)));
    }

    #[test]
    fn a_refund_takes_its_share_of_what_a_coupon_gave() {
        let after = |received, spent, returned| {
            after_refund((Money(received), Money(spent)), Money(returned)).unwrap()
        };
        assert_eq!(after(5_000_000, 2_000_000, 2_500_000), Some((Money(2_500_000), Money(1_000_000))));
        assert_eq!(after(3, 1, 1), Some((Money(2), Money(1))));
        assert_eq!(after(5_000_000, 2_000_000, 5_000_000), None);
    }
}
