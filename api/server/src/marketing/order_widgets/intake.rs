//! An order that comes in through a widget: what it has to cost, how much is ordered where nothing is said, and what the
//! widget's owner gets for it. The reward is a commission: it goes to the referral balance with the charge, and what is
//! returned of the order takes its share back (`operations::orders::apply`).

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{OrderId, OrderWidgetId, PaymentMethodId, ServiceId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::{Error, Result};

use panel_domain::commission_share::commission_share;
use panel_platform::db::{Source, Sql};
use panel_platform::ledger::{Account, Cause, Posting};
use panel_platform::settings;
use panel_platform::work::Work;

/// A widget as an order needs it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Widget {
    /// Its id.
    pub id: OrderWidgetId,
    /// What its owner calls it.
    pub name: String,
    /// Its owner.
    pub user_id: UserId,
    minimum_purchase_amount: Option<Money>,
    payment_methods: String,
}

const WIDGET: &str = "SELECT id, name, user_id, minimum_purchase_amount, payment_methods FROM order_widgets";

/// The widget with this token.
pub async fn of_token(db: &mut impl Source, token: &str) -> Result<Option<Widget>> {
    Ok(db.opt(Sql::new(WIDGET).push(" WHERE api_token = ?").bind(token)).await?)
}

/// The widget that an order says it comes through.
pub async fn find(db: &mut impl Source, id: OrderWidgetId) -> Result<Widget> {
    let widget: Option<Widget> = db.opt(Sql::new(WIDGET).push(" WHERE id = ?").bind(id)).await?;
    widget.ok_or_else(|| Error::not_found("order widget", id))
}

/// Payment methods that it offers, in its order: those that are enabled.
pub async fn payment_methods(
    db: &mut impl Source,
    widget: &Widget,
) -> Result<Vec<(PaymentMethodId, String)>> {
    let ids: Vec<PaymentMethodId> = serde_json::from_str(&widget.payment_methods).unwrap_or_default();
    let sql = Sql::new("SELECT id, name FROM payment_methods WHERE is_enabled AND id IN ").ids(&ids);
    let mut known: Vec<(PaymentMethodId, String)> = db.all(sql).await?;
    known.sort_by_key(|(id, _)| ids.iter().position(|at| at == id));
    Ok(known)
}

/// How much of a service is ordered through widgets where nothing is said.
pub async fn usual_quantity(db: &mut impl Source, service: ServiceId) -> Result<Option<i64>> {
    let sql = Sql::new("SELECT default_quantity_for_order_widget FROM services WHERE id = ?").bind(service);
    let found: Option<(Option<i64>,)> = db.opt(sql).await?;
    Ok(found.and_then(|(quantity,)| quantity))
}

/// What an order has to cost: the widget's own amount or the panel's, whichever is higher.
pub async fn least(db: &mut impl Source, widget: &Widget) -> Result<Money> {
    let everywhere = settings::minimum_on_widget(db).await?.unwrap_or(Money::ZERO);
    Ok(widget.minimum_purchase_amount.unwrap_or(Money::ZERO).max(everywhere))
}

/// Refuses an order that costs less.
pub async fn check_cost(work: &mut Work, widget: &Widget, cost: Money) -> Result<()> {
    let least = least(work, widget).await?;
    if cost >= least {
        return Ok(());
    }
    let message =
        format!("This order costs {cost}; through this widget one costs at least {least}. Order more.");
    Err(Error::invalid("quantity", "below_widget_minimum", message))
}

/// A charged order with what its widget promises.
#[derive(Debug, sqlx::FromRow)]
struct Charged {
    id: OrderId,
    refund_seq: i64,
    cost: Money,
    rounding_precision: i64,
    user_id: UserId,
    reward_ppm: Fraction,
}

/// What the owners get for these orders, which are charged in this work. Nobody is rewarded for orders of their own, and
/// who is deactivated for none.
pub async fn rewards(work: &mut Work, orders: &[OrderId]) -> Result<Vec<Posting>> {
    let sql = Sql::new(
        "SELECT o.id, o.refund_seq, o.cost, o.rounding_precision, w.user_id, w.reward_ppm FROM orders o JOIN order_widgets w ON w.id = o.order_widget_id
         JOIN users u ON u.id = w.user_id WHERE w.reward_ppm > 0 AND w.user_id <> o.user_id AND u.status <> 'deactivated' AND o.id IN ",
    );
    let charged: Vec<Charged> = work.all(sql.ids(orders).push(" ORDER BY o.id")).await?;
    Ok(charged.iter().map(posting).collect())
}

/// Owners of the widgets of these orders: they are locked together with the customers.
pub async fn owners(work: &mut Work, orders: &[OrderId]) -> Result<Vec<UserId>> {
    let sql = Sql::new(
        "SELECT DISTINCT w.user_id FROM orders o JOIN order_widgets w ON w.id = o.order_widget_id WHERE o.id IN ",
    );
    let owners: Vec<(UserId,)> = work.all(sql.ids(orders)).await?;
    Ok(owners.into_iter().map(|(id,)| id).collect())
}

fn posting(order: &Charged) -> Posting {
    let reward =
        commission_share(order.cost, order.reward_ppm, u8::try_from(order.rounding_precision).unwrap_or(6));
    Posting {
        cause: Cause {
            kind: "order_widget_reward",
            ref_type: "order",
            ref_id: order.id.record(),
            seq: order.refund_seq,
        },
        kind: PaymentType::Referral,
        order_id: Some(order.id),
        payment_method_id: None,
        comment: None,
        legs: vec![
            (Account::User(order.user_id, BalanceType::Referral), reward),
            (Account::ReferralExpense, Money(-reward.0)),
        ],
        spent: None,
        at_most: false,
    }
}
