//! Places an order: computes its price, charges the customer and sets its initial status. All order requests use this module.
//!
//! If the customer's balance is too low, the order is stored as unpaid. When staff activate an unpaid order, the server charges the
//! customer and checks whether the order needs moderation.

mod answers;
mod new_order;
mod terms;

pub use crate::stores::orders::insert::OrderParent;
pub use new_order::NewOrder;

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::coupons::CouponPaymentType;
use panel_contract::ids::{OrderId, UserId};
use panel_contract::orders::{Approval, OrderStatus};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_domain::users;
use panel_kernel::error::Result;
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::json;

use crate::marketing::coupons::redeem::{self, CouponPurchase, CouponUsage, PaidItem, RedeemableCoupon};
use crate::marketing::order_widgets::widget_orders::{self, OrderWidgetTerms};
use crate::operations::orders::commission::{self, Affiliate, OwedCommission};
use crate::operations::orders::place::terms::{OrderTerms, check_allowed, first_status, load_terms};
use crate::operations::orders::{edit, extras, same_url, store, webhook_events};
use crate::pricing::quote::terms::{self as quote_terms, Buyer};
use crate::pricing::quote::{PriceChange, PriceQuote, PriceTerms};
use crate::stores::orders::insert::{NewOrderRow, insert};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::ledger::{self, Account, Balances, Posting, PostingCause};
use panel_platform::work::UnitOfWork;

pub use answers::load_target_countries;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedOrder {
    pub id: OrderId,
    pub status: OrderStatus,
    pub cost: Money,
}

/// Places an order in the caller's transaction.
pub async fn place(work: &mut UnitOfWork, new: &NewOrder) -> Result<PlacedOrder> {
    place_with_errors(work, new, FieldErrorCollector::default()).await
}

/// Places an order unless `field_errors` already holds errors of the caller's checks. The returned error contains these errors and
/// the errors of this function. The checks that need the cost (coupon, balance) run only if all other fields are valid.
pub async fn place_with_errors(
    work: &mut UnitOfWork,
    new: &NewOrder,
    mut field_errors: FieldErrorCollector,
) -> Result<PlacedOrder> {
    let terms = match load_terms(work, new).await {
        Ok(terms) => terms,
        Err(error) => {
            // The service is unknown, so its rules for the URL are unknown too. But a string that is not a URL is always invalid.
            if !new.url.trim().is_empty() {
                field_errors.collect(edit::check_url(&new.url))?;
            }
            return Err(field_errors.finish_with(error));
        }
    };
    field_errors.collect(check_allowed(new, &terms))?;
    let widget = match new.widget {
        Some(id) => field_errors.collect(widget_orders::load(work, id).await)?,
        None => None,
    };
    let affiliate = terms.affiliate().filter(|_| !new.is_free);
    let (balances, affiliate) = lock_users(work, new, widget.as_ref(), affiliate).await?;
    if terms.forbids_orders_with_same_url {
        field_errors.collect(same_url::check(work, new).await)?;
    }
    let answers = field_errors.collect(answers::validate_answers(work, new).await)?.unwrap_or_default();
    if let Some(code) = new.coupon.as_deref().filter(|_| !field_errors.is_empty()) {
        field_errors.collect(redeem::check_exists(work, code).await)?;
    }
    field_errors.into_result(())?;
    let (decimals, moderation_limit) = (terms.settings.decimals(), terms.settings.moderation_limit());
    let price = if new.is_free { Money::ZERO } else { terms.price };
    let mut price_terms =
        load_price_terms(work, new, PriceTerms::without_modifiers(price, terms.pricing_per)).await?;
    let mut quote = price_terms.quote(new.quantity, decimals)?;
    let split_payment = |cost| {
        balances
            .get(&new.user_id)
            .and_then(|user_balances| split_cost(cost, &new.paying_balances, user_balances))
    };
    let coupon = lock_coupon(work, new, &price_terms, quote.cost, decimals).await?;
    if let Some(coupon) = &coupon {
        price_terms.modifiers.push(coupon.modifier());
        quote = price_terms.quote(new.quantity, decimals)?;
        coupon.check_payment(split_payment(quote.cost).is_some())?;
    }
    if let Some(widget) = &widget {
        widget_orders::check_cost(work, widget, quote.cost).await?;
    }
    let payment = match &new.prepaid {
        Some(amounts) => {
            price_terms
                .apply_prepaid_cost(&mut quote, Money::sum(amounts.iter().map(|(_, amount)| *amount))?);
            Some(amounts.clone())
        }
        None => split_payment(quote.cost),
    };
    let needs_moderation = new.is_moderated
        || terms.moderation_is_enabled
        || moderation_limit.is_some_and(|limit| quote.cost > limit);
    let (status, approval) = first_status(payment.is_some(), needs_moderation);
    let order = PricedOrder { terms: &terms, price, quote: &quote, decimals, status, approval };
    let id = insert_order(work, new, &order).await?;
    quote_terms::record_modifiers(work, id, &price_terms.modifiers, &quote).await?;
    answers::write_fields(work, id, new, &answers).await?;
    answers::write_answers(work, id, answers).await?;
    store::record_balance_payments(work, id, payment.as_deref().unwrap_or_default()).await?;
    if let Some(coupon) = coupon {
        record_coupon_usage(work, id, &coupon, &quote, payment.is_some()).await?;
    }
    if let Some(payment) = payment {
        let owed_commission =
            affiliate.map(|affiliate| OwedCommission::new(id, quote.cost, decimals, affiliate));
        charge(work, new, id, payment, owed_commission.as_slice(), balances).await?;
    }
    let placed_order = PlacedOrder { id, status, cost: quote.cost };
    record_and_publish(work, new.user_id, &placed_order, terms.has_active_providers).await?;
    Ok(placed_order)
}

/// Writes the audit entry and publishes the webhook event, in the transaction of the order.
async fn record_and_publish(
    work: &mut UnitOfWork,
    user_id: UserId,
    placed_order: &PlacedOrder,
    has_providers: bool,
) -> Result<()> {
    let mut new_values =
        json!({ "status": placed_order.status, "cost": placed_order.cost, "user_id": user_id });
    if placed_order.status == OrderStatus::InProcessing && !has_providers {
        new_values["has_no_active_providers"] = json!(true);
    }
    audit::record(
        work,
        "order.placed",
        "order",
        AuditChange { id: placed_order.id.as_record_id(), old: json!({}), new: new_values },
    )
    .await?;
    webhook_events::publish_placed(work, placed_order.id).await
}

/// Locks all users whose balances the order changes, in the order of their ids, so that two transactions cannot deadlock. If the
/// customer was erased after the request was authorized, the order is rejected. An erased affiliate gets no commission.
async fn lock_users(
    work: &mut UnitOfWork,
    new: &NewOrder,
    widget: Option<&OrderWidgetTerms>,
    affiliate: Option<Affiliate>,
) -> Result<(BTreeMap<UserId, Balances>, Option<Affiliate>)> {
    let earner_ids = widget.map(|widget| widget.user_id).into_iter();
    let earner_ids = earner_ids.chain(affiliate.map(|affiliate| affiliate.affiliate_id));
    let ids: Vec<UserId> = std::iter::once(new.user_id).chain(earner_ids).collect();
    let balances = ledger::lock_balances(work, &ids).await?;
    let is_erased = |user_id| balances.get(&user_id).is_some_and(|user| user.erasure_is_requested);
    users::reject_erased_user(is_erased(new.user_id))?;
    let affiliate = affiliate.filter(|affiliate| !is_erased(affiliate.affiliate_id));
    Ok((balances, affiliate))
}

/// Loads the price of the service for the customer, and all price modifiers. The cost of a free or prepaid order is already known.
/// An order of a package has an agreed cost, because the discounts of the customer apply to the whole package.
async fn load_price_terms(
    work: &mut UnitOfWork,
    new: &NewOrder,
    terms_without_modifiers: PriceTerms,
) -> Result<PriceTerms> {
    let mut terms = terms_without_modifiers;
    let has_agreed_cost =
        new.modifiers.iter().any(|modifier| matches!(modifier.change, PriceChange::PrepaidCost(_)));
    if !new.is_free && new.prepaid.is_none() && !has_agreed_cost {
        let is_in_package = matches!(new.parent, Some(OrderParent::ComboOrder(_)));
        let (user_id, service_id, country) = (new.user_id, new.service_id, new.country.as_deref());
        terms = quote_terms::load(work, Buyer { user_id, is_in_package, country }, service_id).await?;
    }
    terms.modifiers.extend(new.modifiers.iter().cloned());
    if !new.is_free && new.prepaid.is_none() {
        terms.modifiers.extend(extras::load_modifiers(work, new.speedup, new.guarantee).await?);
    }
    Ok(terms)
}

/// Locks and validates the coupon of an order. The caller has locked the customer.
async fn lock_coupon(
    work: &mut UnitOfWork,
    new: &NewOrder,
    terms: &PriceTerms,
    cost: Money,
    decimals: u8,
) -> Result<Option<RedeemableCoupon>> {
    let Some(code) = new.coupon.as_deref().filter(|_| !new.is_free && new.prepaid.is_none()) else {
        return Ok(None);
    };
    let purchase = CouponPurchase {
        payment_type: CouponPaymentType::Order,
        amount: cost,
        has_discount: terms.has_discount(),
        has_custom_price: terms.has_own_price,
    };
    redeem::lock_by_code(work, code, new.user_id, purchase, decimals).await.map(Some)
}

/// Splits the cost over the balances, in the order of `balance_types`. Returns `None` if the balances are too low.
fn split_cost(
    cost: Money,
    balance_types: &[BalanceType],
    user_balances: &Balances,
) -> Option<Vec<(BalanceType, Money)>> {
    let mut remaining = cost.0;
    let mut amounts: Vec<(BalanceType, Money)> = Vec::new();
    for balance_type in balance_types {
        let amount = remaining.min(user_balances.spendable(*balance_type).0);
        if amount > 0 && amounts.iter().all(|(paid_type, _)| paid_type != balance_type) {
            amounts.push((*balance_type, Money(amount)));
            remaining -= amount;
        }
    }
    (remaining == 0).then_some(amounts)
}

/// The computed values of a new order. [`NewOrder`] holds the requested values.
struct PricedOrder<'a> {
    terms: &'a OrderTerms,
    price: Money,
    quote: &'a PriceQuote,
    decimals: u8,
    status: OrderStatus,
    approval: Option<Approval>,
}

async fn insert_order(work: &mut UnitOfWork, new: &NewOrder, order: &PricedOrder<'_>) -> Result<OrderId> {
    let (now, timestamp) = (work.now, work.timestamp());
    let terms = order.terms;
    let row = NewOrderRow {
        name: &terms.name,
        url: new.url.trim(),
        status: order.status,
        approval: order.approval,
        source: new.source,
        user_id: new.user_id,
        service_id: new.service_id,
        cost: order.quote.cost,
        price: order.price,
        pricing_per: terms.pricing_per,
        rounding_precision: order.decimals,
        quantity: new.quantity,
        has_refill: terms.has_refill || new.guarantee,
        auto_refill_is_allowed: terms.auto_refill_is_allowed,
        is_without_provider: !terms.has_active_providers,
        parent: new.parent,
        order_widget_id: new.widget,
        is_child_panel: terms.is_child_panel,
    };
    Ok(insert(work, &row, (now, timestamp)).await?)
}

/// Records the use of the coupon. The coupon is the last price modifier, so the last step of the quote is its discount.
async fn record_coupon_usage(
    work: &mut UnitOfWork,
    id: OrderId,
    coupon: &RedeemableCoupon,
    quote: &PriceQuote,
    is_paid: bool,
) -> Result<()> {
    let discount =
        quote.steps.last().map_or(Ok(Money::ZERO), |step| step.cost_before.minus(step.cost_after))?;
    let received_amount = if is_paid { quote.cost } else { Money::ZERO };
    redeem::record_usage(
        work,
        coupon,
        CouponUsage { item: PaidItem::Order(id), received: received_amount, spent: discount },
    )
    .await
}

/// Charges the customer, and pays the commission of the affiliate and the reward of the widget's owner.
async fn charge(
    work: &mut UnitOfWork,
    new: &NewOrder,
    id: OrderId,
    payment: Vec<(BalanceType, Money)>,
    owed_commissions: &[OwedCommission],
    balances: BTreeMap<UserId, Balances>,
) -> Result<()> {
    let total = Money::sum(payment.iter().map(|(_, amount)| *amount))?;
    let mut legs: Vec<(Account, Money)> = payment
        .into_iter()
        .map(|(balance_type, amount)| (Account::User(new.user_id, balance_type), Money(-amount.0)))
        .collect();
    legs.push((Account::Revenue, total));
    let posting = Posting {
        cause: PostingCause { kind: "order_charge", ref_type: "order", ref_id: id.as_record_id(), seq: 0 },
        kind: PaymentType::Order,
        order_id: Some(id),
        payment_method_id: None,
        comment: None,
        legs,
        spent_change: Some((new.user_id, total)),
        cap_at_balance: false,
    };
    let mut postings = vec![posting];
    postings.extend(commission::build_postings(work, owed_commissions).await?);
    if new.widget.is_some() {
        postings.extend(widget_orders::build_reward_postings(work, &[id]).await?);
    }
    ledger::post_locked(work, postings, balances).await?;
    Ok(())
}
