//! Placing an order: what it costs, what pays for it, and where it stands then. Every intake comes through here.
//!
//! An order that its customer's balance cannot pay is unpaid; activating it charges it and asks for moderation then.

mod answers;
mod new_order;
mod terms;

pub use crate::stores::orders::insert::Parent;
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

use crate::marketing::coupons::redeem::{self, Occasion, Paid, Redeemed, Usage};
use crate::marketing::order_widgets::intake::{self, Widget};
use crate::operations::orders::commission::{self, Affiliate, Owed};
use crate::operations::orders::place::terms::{Terms, check, first_status, terms};
use crate::operations::orders::{edit, extras, same_url, store, tell};
use crate::pricing::quote::terms::{self as price_terms, Buyer};
use crate::pricing::quote::{PriceChange, PriceQuote, PriceTerms};
use crate::stores::orders::insert::{NewOrderRow, insert};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::ledger::{self, Account, Balances, Cause, Posting};
use panel_platform::work::Work;

pub use answers::countries_of;

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its id.
    pub id: OrderId,
    /// Where it stands.
    pub status: OrderStatus,
    /// What it costs.
    pub cost: Money,
}

/// Places it, in the caller's transaction.
pub async fn place(work: &mut Work, new: &NewOrder) -> Result<Placed> {
    place_after(work, new, WrongFields::default()).await
}

/// Places it unless the caller's checks noted wrong fields, which are named with those that are found here. What needs the
/// cost, the terms of a coupon and the balance, is judged once the order is right otherwise.
pub async fn place_after(work: &mut Work, new: &NewOrder, mut wrong: WrongFields) -> Result<Placed> {
    let terms = match terms(work, new).await {
        Ok(terms) => terms,
        Err(error) => {
            // Without its service nothing says which addresses it takes, but what is none is wrong for each.
            if !new.url.trim().is_empty() {
                wrong.note(edit::check_url(&new.url))?;
            }
            return Err(wrong.ending(error));
        }
    };
    wrong.note(check(new, &terms))?;
    let widget = match new.widget {
        Some(id) => wrong.note(intake::find(work, id).await)?,
        None => None,
    };
    let affiliate = terms.affiliate().filter(|_| !new.is_free);
    let (balances, affiliate) = lock_people(work, new, widget.as_ref(), affiliate).await?;
    if terms.forbids_orders_with_same_url {
        wrong.note(same_url::check(work, new).await)?;
    }
    let answers = wrong.note(answers::given(work, new).await)?.unwrap_or_default();
    if let Some(code) = new.coupon.as_deref().filter(|_| !wrong.is_empty()) {
        wrong.note(redeem::check_known(work, code).await)?;
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
            prices.pay_ahead(&mut quote, Money::sum(parts.iter().map(|part| part.1))?);
            Some(parts.clone())
        }
        None => pays(quote.cost),
    };
    let looks =
        new.is_moderated || terms.moderation_is_enabled || limit.is_some_and(|limit| quote.cost > limit);
    let (status, approval) = first_status(payment.is_some(), looks);
    let order = PricedOrder { terms: &terms, price, quote: &quote, places, status, approval };
    let id = write(work, new, &order).await?;
    price_terms::write(work, id, &prices.modifiers, &quote).await?;
    answers::write(work, id, new, &answers).await?;
    answers::write_answers(work, id, answers).await?;
    store::write_payment(work, id, payment.as_deref().unwrap_or_default()).await?;
    if let Some(coupon) = coupon {
        note_usage(work, id, &coupon, &quote, payment.is_some()).await?;
    }
    if let Some(payment) = payment {
        let owed = affiliate.map(|affiliate| Owed::new(id, quote.cost, places, affiliate));
        charge(work, new, id, payment, owed.as_slice(), balances).await?;
    }
    let placed = Placed { id, status, cost: quote.cost };
    announce(work, new.user_id, &placed, terms.has_active_providers).await?;
    Ok(placed)
}

/// The audit trail and the webhooks, in the transaction of the order.
async fn announce(work: &mut Work, user_id: UserId, placed: &Placed, has_providers: bool) -> Result<()> {
    let mut shown = json!({ "status": placed.status, "cost": placed.cost, "user_id": user_id });
    if placed.status == OrderStatus::InProcessing && !has_providers {
        shown["has_no_active_providers"] = json!(true);
    }
    audit::record(
        work,
        "order.placed",
        "order",
        Change { id: placed.id.record(), old: json!({}), new: shown },
    )
    .await?;
    tell::placed(work, placed.id).await
}

/// Locks everybody whose money this moves at once, in the order of their ids, so that two never wait for each other. An erasure
/// may have ended the customer's account since the caller was let in: then nothing is placed. An affiliate who was erased earns
/// nothing.
async fn lock_people(
    work: &mut Work,
    new: &NewOrder,
    widget: Option<&Widget>,
    affiliate: Option<Affiliate>,
) -> Result<(BTreeMap<UserId, Balances>, Option<Affiliate>)> {
    let others = widget.map(|widget| widget.user_id).into_iter();
    let others = others.chain(affiliate.map(|affiliate| affiliate.affiliate_id));
    let ids: Vec<UserId> = std::iter::once(new.user_id).chain(others).collect();
    let balances = ledger::balances(work, &ids).await?;
    let is_erased = |user| balances.get(&user).is_some_and(|user| user.is_erased);
    users::unless_erased(is_erased(new.user_id))?;
    let affiliate = affiliate.filter(|affiliate| !is_erased(affiliate.affiliate_id));
    Ok((balances, affiliate))
}

/// What is free or was paid ahead has its cost already; what was agreed for a package is its cost, and whatever is taken off
/// for its customer was taken off the whole.
async fn prices(work: &mut Work, new: &NewOrder, plain: PriceTerms) -> Result<PriceTerms> {
    let mut terms = plain;
    let is_agreed = new.modifiers.iter().any(|modifier| matches!(modifier.change, PriceChange::To(_)));
    if !new.is_free && new.prepaid.is_none() && !is_agreed {
        let in_package = matches!(new.parent, Some(Parent::ComboOrder(_)));
        let (user_id, service_id, country) = (new.user_id, new.service_id, new.country.as_deref());
        terms = price_terms::of(work, Buyer { user_id, in_package, country }, service_id).await?;
    }
    terms.modifiers.extend(new.modifiers.iter().cloned());
    if !new.is_free && new.prepaid.is_none() {
        terms.modifiers.extend(extras::of(work, new.speedup, new.guarantee).await?);
    }
    Ok(terms)
}

/// The coupon of an order, as it can be used for it; the customer is locked already.
async fn coupon(
    work: &mut Work,
    new: &NewOrder,
    terms: &PriceTerms,
    cost: Money,
    places: u8,
) -> Result<Option<Redeemed>> {
    let Some(code) = new.coupon.as_deref().filter(|_| !new.is_free && new.prepaid.is_none()) else {
        return Ok(None);
    };
    let occasion = Occasion {
        payment_type: CouponPaymentType::Order,
        amount: cost,
        has_discount: terms.has_discount(),
        has_own_price: terms.has_own_price,
    };
    redeem::of_code(work, code, new.user_id, occasion, places).await.map(Some)
}

/// What each balance pays; none when they do not reach.
fn pay(cost: Money, from: &[BalanceType], user: &Balances) -> Option<Vec<(BalanceType, Money)>> {
    let mut rest = cost.0;
    let mut parts: Vec<(BalanceType, Money)> = Vec::new();
    for kind in from {
        let part = rest.min(user.of(*kind).0);
        if part > 0 && parts.iter().all(|paid| paid.0 != *kind) {
            parts.push((*kind, Money(part)));
            rest -= part;
        }
    }
    (rest == 0).then_some(parts)
}

/// What an order is written with beside its [`NewOrder`].
struct PricedOrder<'a> {
    terms: &'a Terms,
    price: Money,
    quote: &'a PriceQuote,
    places: u8,
    status: OrderStatus,
    approval: Option<Approval>,
}

async fn write(work: &mut Work, new: &NewOrder, order: &PricedOrder<'_>) -> Result<OrderId> {
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

/// The coupon's change was the last one: what it took off is what it gave.
async fn note_usage(
    work: &mut Work,
    id: OrderId,
    coupon: &Redeemed,
    quote: &PriceQuote,
    is_paid: bool,
) -> Result<()> {
    let spent = quote.steps.last().map_or(Ok(Money::ZERO), |step| step.0.minus(step.1))?;
    let received = if is_paid { quote.cost } else { Money::ZERO };
    redeem::write(work, coupon, Usage { paid: Paid::Order(id), received, spent }).await
}

/// Charges the customer; whoever brought them, or has the widget, gets their share with it.
async fn charge(
    work: &mut Work,
    new: &NewOrder,
    id: OrderId,
    payment: Vec<(BalanceType, Money)>,
    owed: &[Owed],
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
    ledger::post_held(work, postings, balances).await?;
    Ok(())
}
