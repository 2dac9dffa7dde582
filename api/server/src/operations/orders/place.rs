//! Places an order: price, payment and first state. Every intake uses this module.
//!
//! If the customer's balance is too low, the order is unpaid. Activating it charges it and checks whether it needs moderation.

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
use panel_kernel::wrong_fields::WrongFields;
use serde_json::json;

use crate::marketing::coupons::redeem::{self, CouponPurchase, CouponUsage, PaidItem, RedeemableCoupon};
use crate::marketing::order_widgets::intake::{self, OrderWidgetTerms};
use crate::operations::orders::commission::{self, Affiliate, OwedCommission};
use crate::operations::orders::place::terms::{OrderTerms, check, first_status, terms};
use crate::operations::orders::{edit, extras, same_url, store, webhook_events};
use crate::pricing::quote::terms::{self as price_terms, Buyer};
use crate::pricing::quote::{PriceChange, PriceQuote, PriceTerms};
use crate::stores::orders::insert::{NewOrderRow, insert};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::ledger::{self, Account, Balances, Cause, Posting};
use panel_platform::work::UnitOfWork;

pub use answers::countries_of;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedOrder {
    pub id: OrderId,
    pub status: OrderStatus,
    pub cost: Money,
}

/// Places an order in the caller's transaction.
pub async fn place(work: &mut UnitOfWork, new: &NewOrder) -> Result<PlacedOrder> {
    place_with_errors(work, new, WrongFields::default()).await
}

/// Places an order unless the caller's checks found wrong fields; the error names those together with the ones found here.
/// Checks that need the cost (coupon, balance) run only if all other fields are valid.
pub async fn place_with_errors(
    work: &mut UnitOfWork,
    new: &NewOrder,
    mut wrong: WrongFields,
) -> Result<PlacedOrder> {
    let terms = match terms(work, new).await {
        Ok(terms) => terms,
        Err(error) => {
            // Without the service its address rules are unknown, but a text that is no address is wrong for every service.
            if !new.url.trim().is_empty() {
                wrong.record(edit::check_url(&new.url))?;
            }
            return Err(wrong.finish_with(error));
        }
    };
    wrong.record(check(new, &terms))?;
    let widget = match new.widget {
        Some(id) => wrong.record(intake::find(work, id).await)?,
        None => None,
    };
    let affiliate = terms.affiliate().filter(|_| !new.is_free);
    let (balances, affiliate) = lock_users(work, new, widget.as_ref(), affiliate).await?;
    if terms.forbids_orders_with_same_url {
        wrong.record(same_url::check(work, new).await)?;
    }
    let answers = wrong.record(answers::validate_answers(work, new).await)?.unwrap_or_default();
    if let Some(code) = new.coupon.as_deref().filter(|_| !wrong.is_empty()) {
        wrong.record(redeem::check_exists(work, code).await)?;
    }
    wrong.or(())?;
    let (places, limit) = (terms.settings.places(), terms.settings.limit());
    let price = if new.is_free { Money::ZERO } else { terms.price };
    let mut prices = prices(work, new, PriceTerms::plain(price, terms.pricing_per)).await?;
    let mut quote = prices.quote(new.quantity, places)?;
    let pays = |cost| balances.get(&new.user_id).and_then(|user| pay(cost, &new.pays, user));
    let coupon = coupon(work, new, &prices, quote.cost, places).await?;
    if let Some(coupon) = &coupon {
        prices.modifiers.push(coupon.modifier());
        quote = prices.quote(new.quantity, places)?;
        coupon.check_payment(pays(quote.cost).is_some())?;
    }
    if let Some(widget) = &widget {
        intake::check_cost(work, widget, quote.cost).await?;
    }
    let payment = match &new.prepaid {
        Some(parts) => {
            prices.set_prepaid(&mut quote, Money::sum(parts.iter().map(|part| part.1))?);
            Some(parts.clone())
        }
        None => pays(quote.cost),
    };
    let needs_moderation =
        new.is_moderated || terms.moderation_is_enabled || limit.is_some_and(|limit| quote.cost > limit);
    let (status, approval) = first_status(payment.is_some(), needs_moderation);
    let order = PricedOrder { terms: &terms, price, quote: &quote, places, status, approval };
    let id = write(work, new, &order).await?;
    price_terms::write(work, id, &prices.modifiers, &quote).await?;
    answers::write_fields(work, id, new, &answers).await?;
    answers::write_answers(work, id, answers).await?;
    store::record_payment_parts(work, id, payment.as_deref().unwrap_or_default()).await?;
    if let Some(coupon) = coupon {
        record_coupon_usage(work, id, &coupon, &quote, payment.is_some()).await?;
    }
    if let Some(payment) = payment {
        let owed = affiliate.map(|affiliate| OwedCommission::new(id, quote.cost, places, affiliate));
        charge(work, new, id, payment, owed.as_slice(), balances).await?;
    }
    let placed = PlacedOrder { id, status, cost: quote.cost };
    announce(work, new.user_id, &placed, terms.has_active_providers).await?;
    Ok(placed)
}

/// Writes the audit entry and publishes the webhook event, in the transaction of the order.
async fn announce(
    work: &mut UnitOfWork,
    user_id: UserId,
    placed: &PlacedOrder,
    has_providers: bool,
) -> Result<()> {
    let mut new_values = json!({ "status": placed.status, "cost": placed.cost, "user_id": user_id });
    if placed.status == OrderStatus::InProcessing && !has_providers {
        new_values["has_no_active_providers"] = json!(true);
    }
    audit::record(
        work,
        "order.placed",
        "order",
        AuditChange { id: placed.id.record(), old: json!({}), new: new_values },
    )
    .await?;
    webhook_events::publish_placed(work, placed.id).await
}

/// Locks all users whose money the order moves, in the order of their ids, so that two transactions cannot deadlock. If the
/// customer was erased after the caller was authorized, nothing is placed. An erased affiliate earns nothing.
async fn lock_users(
    work: &mut UnitOfWork,
    new: &NewOrder,
    widget: Option<&OrderWidgetTerms>,
    affiliate: Option<Affiliate>,
) -> Result<(BTreeMap<UserId, Balances>, Option<Affiliate>)> {
    let others = widget.map(|widget| widget.user_id).into_iter();
    let others = others.chain(affiliate.map(|affiliate| affiliate.affiliate_id));
    let ids: Vec<UserId> = std::iter::once(new.user_id).chain(others).collect();
    let balances = ledger::balances(work, &ids).await?;
    let is_erased = |user| balances.get(&user).is_some_and(|user| user.is_erased);
    users::refuse_erased(is_erased(new.user_id))?;
    let affiliate = affiliate.filter(|affiliate| !is_erased(affiliate.affiliate_id));
    Ok((balances, affiliate))
}

/// A free or prepaid order already has its cost. An order of a package has the agreed price: the customer's discounts were
/// applied to the whole package.
async fn prices(work: &mut UnitOfWork, new: &NewOrder, plain: PriceTerms) -> Result<PriceTerms> {
    let mut terms = plain;
    let is_agreed = new.modifiers.iter().any(|modifier| matches!(modifier.change, PriceChange::To(_)));
    if !new.is_free && new.prepaid.is_none() && !is_agreed {
        let in_package = matches!(new.parent, Some(OrderParent::ComboOrder(_)));
        let (user_id, service_id, country) = (new.user_id, new.service_id, new.country.as_deref());
        terms = price_terms::of(work, Buyer { user_id, in_package, country }, service_id).await?;
    }
    terms.modifiers.extend(new.modifiers.iter().cloned());
    if !new.is_free && new.prepaid.is_none() {
        terms.modifiers.extend(extras::load_modifiers(work, new.speedup, new.guarantee).await?);
    }
    Ok(terms)
}

/// Locks and validates the coupon of an order; the customer is already locked.
async fn coupon(
    work: &mut UnitOfWork,
    new: &NewOrder,
    terms: &PriceTerms,
    cost: Money,
    places: u8,
) -> Result<Option<RedeemableCoupon>> {
    let Some(code) = new.coupon.as_deref().filter(|_| !new.is_free && new.prepaid.is_none()) else {
        return Ok(None);
    };
    let occasion = CouponPurchase {
        payment_type: CouponPaymentType::Order,
        amount: cost,
        has_discount: terms.has_discount(),
        has_own_price: terms.has_own_price,
    };
    redeem::lock_by_code(work, code, new.user_id, occasion, places).await.map(Some)
}

/// The part that each balance pays; `None` if the balances are too low.
fn pay(cost: Money, from: &[BalanceType], user: &Balances) -> Option<Vec<(BalanceType, Money)>> {
    let mut remaining = cost.0;
    let mut parts: Vec<(BalanceType, Money)> = Vec::new();
    for kind in from {
        let part = remaining.min(user.of(*kind).0);
        if part > 0 && parts.iter().all(|paid| paid.0 != *kind) {
            parts.push((*kind, Money(part)));
            remaining -= part;
        }
    }
    (remaining == 0).then_some(parts)
}

/// Computed values of an order that is inserted, beside its [`NewOrder`].
struct PricedOrder<'a> {
    terms: &'a OrderTerms,
    price: Money,
    quote: &'a PriceQuote,
    places: u8,
    status: OrderStatus,
    approval: Option<Approval>,
}

async fn write(work: &mut UnitOfWork, new: &NewOrder, order: &PricedOrder<'_>) -> Result<OrderId> {
    let (now, stamp) = (work.now, work.stamp());
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
        rounding_precision: order.places,
        quantity: new.quantity,
        has_refill: terms.has_refill || new.guarantee,
        auto_refill_is_allowed: terms.auto_refill_is_allowed,
        is_without_provider: !terms.has_active_providers,
        parent: new.parent,
        order_widget_id: new.widget,
        is_child_panel: terms.is_child_panel,
    };
    Ok(insert(work, &row, (now, stamp)).await?)
}

/// Records the use of the coupon. Its price change was the last one, so the last step is the amount that the coupon gave.
async fn record_coupon_usage(
    work: &mut UnitOfWork,
    id: OrderId,
    coupon: &RedeemableCoupon,
    quote: &PriceQuote,
    is_paid: bool,
) -> Result<()> {
    let spent = quote.steps.last().map_or(Ok(Money::ZERO), |step| step.0.minus(step.1))?;
    let received = if is_paid { quote.cost } else { Money::ZERO };
    redeem::record_usage(work, coupon, CouponUsage { item: PaidItem::Order(id), received, spent }).await
}

/// Charges the customer and pays the shares of the affiliate and of the widget's owner.
async fn charge(
    work: &mut UnitOfWork,
    new: &NewOrder,
    id: OrderId,
    payment: Vec<(BalanceType, Money)>,
    owed: &[OwedCommission],
    balances: BTreeMap<UserId, Balances>,
) -> Result<()> {
    let total = Money::sum(payment.iter().map(|part| part.1))?;
    let mut legs: Vec<(Account, Money)> =
        payment.into_iter().map(|(kind, part)| (Account::User(new.user_id, kind), Money(-part.0))).collect();
    legs.push((Account::Revenue, total));
    let posting = Posting {
        cause: Cause { kind: "order_charge", ref_type: "order", ref_id: id.record(), seq: 0 },
        kind: PaymentType::Order,
        order_id: Some(id),
        payment_method_id: None,
        comment: None,
        legs,
        spent: Some((new.user_id, total)),
        at_most: false,
    };
    let mut postings = vec![posting];
    postings.extend(commission::postings(work, owed).await?);
    if new.widget.is_some() {
        postings.extend(intake::rewards(work, &[id]).await?);
    }
    ledger::post_locked(work, postings, balances).await?;
    Ok(())
}
