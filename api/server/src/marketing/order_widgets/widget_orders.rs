//! Orders through a widget: their minimum cost, the default quantity, and the reward of the widget's owner. The reward is a
//! commission: it is posted to the referral balance with the charge, and a refund of the order reverses its part
//! (`operations::orders::apply`).

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{OrderId, OrderWidgetId, PaymentMethodId, ServiceId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::error::{Error, Result};

use panel_domain::commission::calculate_commission;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::ledger::{Account, Posting, PostingCause};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// The fields of a widget that an order needs.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct OrderWidgetTerms {
    pub id: OrderWidgetId,
    pub name: String,
    /// The owner of the widget, who gets the reward.
    pub user_id: UserId,
    minimum_purchase_amount: Option<Money>,
    payment_methods: String,
}

const SELECT_WIDGET: &str =
    "SELECT id, name, user_id, minimum_purchase_amount, payment_methods FROM order_widgets";

/// Loads the widget with this token, if any.
pub async fn load_by_token(db: &mut impl SqlExecutor, token: &str) -> Result<Option<OrderWidgetTerms>> {
    Ok(db.fetch_optional(Sql::new(SELECT_WIDGET).push(" WHERE api_token = ?").bind(token)).await?)
}

/// Loads the widget of an order; 404 if there is none.
pub async fn load(db: &mut impl SqlExecutor, id: OrderWidgetId) -> Result<OrderWidgetTerms> {
    let widget: Option<OrderWidgetTerms> =
        db.fetch_optional(Sql::new(SELECT_WIDGET).push(" WHERE id = ?").bind(id)).await?;
    widget.ok_or_else(|| Error::not_found("order widget", id))
}

/// Loads the enabled payment methods of a widget, in the widget's order.
pub async fn load_payment_methods(
    db: &mut impl SqlExecutor,
    widget: &OrderWidgetTerms,
) -> Result<Vec<(PaymentMethodId, String)>> {
    let ids: Vec<PaymentMethodId> = serde_json::from_str(&widget.payment_methods).unwrap_or_default();
    let sql = Sql::new("SELECT id, name FROM payment_methods WHERE is_enabled AND id IN ").ids(&ids);
    let mut methods: Vec<(PaymentMethodId, String)> = db.fetch_all(sql).await?;
    methods.sort_by_key(|(id, _)| ids.iter().position(|widget_method| widget_method == id));
    Ok(methods)
}

/// Loads the default quantity of a service for orders through widgets.
pub async fn load_default_quantity(db: &mut impl SqlExecutor, service: ServiceId) -> Result<Option<i64>> {
    let sql = Sql::new("SELECT default_quantity_for_order_widget FROM services WHERE id = ?").bind(service);
    let row: Option<(Option<i64>,)> = db.fetch_optional(sql).await?;
    Ok(row.and_then(|(quantity,)| quantity))
}

/// Computes the minimum cost of an order: the higher of the widget's amount and the panel's.
pub async fn minimum_cost(db: &mut impl SqlExecutor, widget: &OrderWidgetTerms) -> Result<Money> {
    let panel_minimum = settings::read_min_widget_order_amount(db).await?.unwrap_or(Money::ZERO);
    Ok(widget.minimum_purchase_amount.unwrap_or(Money::ZERO).max(panel_minimum))
}

/// Rejects an order below the minimum cost.
pub async fn check_cost(work: &mut UnitOfWork, widget: &OrderWidgetTerms, cost: Money) -> Result<()> {
    let minimum_cost = minimum_cost(work, widget).await?;
    if cost >= minimum_cost {
        return Ok(());
    }
    let message = format!(
        "This order costs {cost}, and an order through this widget must cost at least {minimum_cost}. Enter a higher quantity."
    );
    Err(Error::invalid("quantity", "below_widget_minimum", message))
}

/// A charged order with the reward of its widget.
#[derive(Debug, sqlx::FromRow)]
struct ChargedOrder {
    id: OrderId,
    refund_seq: i64,
    cost: Money,
    rounding_precision: i64,
    user_id: UserId,
    reward_ppm: Fraction,
}

/// Builds the reward postings of these orders, which are charged in this transaction. An owner gets no reward for their own
/// orders, and a deactivated owner gets none.
pub async fn build_reward_postings(work: &mut UnitOfWork, orders: &[OrderId]) -> Result<Vec<Posting>> {
    let sql = Sql::new(
        "SELECT o.id, o.refund_seq, o.cost, o.rounding_precision, w.user_id, w.reward_ppm FROM orders o JOIN order_widgets w ON w.id = o.order_widget_id
         JOIN users u ON u.id = w.user_id WHERE w.reward_ppm > 0 AND w.user_id <> o.user_id AND u.status <> 'deactivated' AND o.id IN ",
    );
    let charged_orders: Vec<ChargedOrder> = work.fetch_all(sql.ids(orders).push(" ORDER BY o.id")).await?;
    Ok(charged_orders.iter().map(reward_posting).collect())
}

/// Loads the owners of these orders' widgets. The caller must lock them together with the customers.
pub async fn load_widget_owners(work: &mut UnitOfWork, orders: &[OrderId]) -> Result<Vec<UserId>> {
    let sql = Sql::new(
        "SELECT DISTINCT w.user_id FROM orders o JOIN order_widgets w ON w.id = o.order_widget_id WHERE o.id IN ",
    );
    let owners: Vec<(UserId,)> = work.fetch_all(sql.ids(orders)).await?;
    Ok(owners.into_iter().map(|(id,)| id).collect())
}

fn reward_posting(order: &ChargedOrder) -> Posting {
    let reward = calculate_commission(
        order.cost,
        order.reward_ppm,
        u8::try_from(order.rounding_precision).unwrap_or(6),
    );
    Posting {
        cause: PostingCause {
            kind: "order_widget_reward",
            ref_type: "order",
            ref_id: order.id.as_record_id(),
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
        spent_change: None,
        cap_at_balance: false,
    }
}
