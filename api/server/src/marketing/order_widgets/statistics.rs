//! Statistics of order widgets. The database returns one row per widget and day; this module sums them.

use std::collections::BTreeMap;

use panel_contract::amount::{Money, Overflow};
use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoints::order_widgets::GetOrderWidgetStatistics;
use panel_contract::ids::{OrderWidgetId, UserId};
use panel_contract::moment::Day;
use panel_contract::order_widgets::{
    OrderWidgetDay, OrderWidgetStatistics, OrderWidgetStatisticsRow, OrderWidgetSums,
};
use panel_contract::payments::UserSummary;
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use panel_domain::statistics_range::{parse_day_range, parse_ids};
use panel_platform::db::{Sql, SqlExecutor};

// Routes

pub(super) async fn get_statistics(
    ctx: Ctx,
    req: Req<GetOrderWidgetStatistics>,
) -> Result<Data<OrderWidgetStatistics>> {
    let query = &req.query;
    let (first, last) = parse_day_range(query.start_date, query.end_date, ctx.now().day(), "start_date")?;
    let widget_ids = match query.order_widgets.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => Some(parse_ids(text, "order_widgets")?),
        None => None,
    };
    let db = &mut ctx.db();
    let sums = load_sums(db, (first, last), widget_ids.as_deref()).await?;
    let widgets = load_widgets(db, &sums).await?;
    Ok(Data { data: build_response((first, last), &sums, widgets)? })
}

// Rules

/// The orders, amounts and rewards of one widget on one day.
#[derive(Debug, Clone, sqlx::FromRow)]
struct WidgetDaySum {
    order_widget_id: OrderWidgetId,
    day: Day,
    orders: i64,
    spent: Money,
    reward: Money,
}

fn add_sum(total: &mut OrderWidgetSums, sum: &WidgetDaySum) -> Result<(), Overflow> {
    total.orders += sum.orders;
    total.spent = total.spent.plus(sum.spent)?;
    total.reward = total.reward.plus(sum.reward)?;
    Ok(())
}

fn build_response(
    (first, last): (Day, Day),
    sums: &[WidgetDaySum],
    widget_names: Vec<(OrderWidgetId, String, UserSummary)>,
) -> Result<OrderWidgetStatistics> {
    let mut totals = OrderWidgetSums::default();
    let mut sums_by_day: BTreeMap<i64, OrderWidgetSums> =
        (first.0..=last.0).map(|day| (day, OrderWidgetSums::default())).collect();
    let mut sums_by_widget: BTreeMap<OrderWidgetId, OrderWidgetSums> = BTreeMap::new();
    for sum in sums {
        add_sum(&mut totals, sum)?;
        add_sum(sums_by_day.entry(sum.day.0).or_default(), sum)?;
        add_sum(sums_by_widget.entry(sum.order_widget_id).or_default(), sum)?;
    }
    let to_row = |(id, name, user): (OrderWidgetId, String, UserSummary)| OrderWidgetStatisticsRow {
        sums: sums_by_widget.get(&id).copied().unwrap_or_default(),
        order_widget: NamedRef { id, name },
        user,
    };
    let mut rows: Vec<_> = widget_names.into_iter().map(to_row).collect();
    rows.sort_by_key(|row| (-row.sums.spent.0, row.order_widget.id));
    let days = sums_by_day.into_iter().map(|(day, sums)| OrderWidgetDay { date: Day(day), sums }).collect();
    Ok(OrderWidgetStatistics { rows, days, totals })
}

// Store

/// Loads the sums by widget and day. A reward counts on the day of its order.
async fn load_sums(
    db: &mut impl SqlExecutor,
    (first, last): (Day, Day),
    widget_ids: Option<&[OrderWidgetId]>,
) -> Result<Vec<WidgetDaySum>> {
    let sql = Sql::new(
        "SELECT o.order_widget_id, o.created_at / 86400000000 AS day, count(*) AS orders,
           CAST(sum(CASE WHEN o.is_paid THEN o.cost - o.refunded ELSE 0 END) AS BIGINT) AS spent,
           CAST(sum(COALESCE((SELECT sum(e.amount) FROM ledger_entries e WHERE e.order_id = o.id AND e.user_id = w.user_id AND e.account = 'referral'
             AND e.type = 'referral'), 0)) AS BIGINT) AS reward
         FROM orders o JOIN order_widgets w ON w.id = o.order_widget_id WHERE o.order_widget_id IS NOT NULL AND o.created_at >= ? AND o.created_at < ?",
    );
    let mut sql = sql.bind(first.start()).bind(Day(last.0 + 1).start());
    if let Some(ids) = widget_ids {
        sql = sql.push(" AND o.order_widget_id IN ").ids(ids);
    }
    Ok(db.fetch_all(sql.push(" GROUP BY 1, 2")).await?)
}

async fn load_widgets(
    db: &mut impl SqlExecutor,
    sums: &[WidgetDaySum],
) -> Result<Vec<(OrderWidgetId, String, UserSummary)>> {
    let mut ids: Vec<OrderWidgetId> = sums.iter().map(|sum| sum.order_widget_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let sql = Sql::new(
        "SELECT w.id, w.name, u.id, u.name, u.email FROM order_widgets w JOIN users u ON u.id = w.user_id WHERE w.id IN ",
    );
    let rows: Vec<(OrderWidgetId, String, UserId, String, String)> = db.fetch_all(sql.ids(&ids)).await?;
    let to_widget =
        |(id, widget_name, user_id, name, email)| (id, widget_name, UserSummary { id: user_id, name, email });
    Ok(rows.into_iter().map(to_widget).collect())
}
