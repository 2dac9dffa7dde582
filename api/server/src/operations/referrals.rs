//! Loads referral statistics: one statement sums sign-ups, orders and commissions. Writes nothing.
//!
//! Later changes of an affiliate do not change past numbers: an order counts for the affiliate who was active when it was placed, a
//! sign-up for the customer's first affiliate, a commission for the user whom the ledger credited. Earnings of order widgets are
//! included.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::common::Data;
use panel_contract::endpoints::referrals::GetReferralStatistics;
use panel_contract::ids::UserId;
use panel_contract::moment::Day;
use panel_contract::orders::GroupBy;
use panel_contract::payments::UserSummary;
use panel_contract::referrals::{
    ReferralGroup, ReferralQuery, ReferralRow, ReferralStatistics, ReferralSums,
};
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_domain::statistics_range::{parse_day_range, parse_ids, period_start};
use panel_platform::db::{Sql, SqlExecutor};

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<GetReferralStatistics, _, _, _>(load_statistics)
}

async fn load_statistics(ctx: Ctx, req: Req<GetReferralStatistics>) -> Result<Data<ReferralStatistics>> {
    let today = ctx.now().day();
    let filter = ReferralFilter::parse(&req.query, today)?;
    let sums = load_sums(&mut ctx.db(), &filter).await?;
    let data = match filter.period() {
        Some(period) => build_rows_by_period(&filter, period, &sums)?,
        None => build_rows_by_user(&mut ctx.db(), &filter, sums).await?,
    };
    Ok(Data { data })
}

// Rules

/// Maximum number of rows of affiliates or referrals.
const MAX_ROWS: usize = 1_000;

struct ReferralFilter {
    group: ReferralGroup,
    first_day: Day,
    last_day: Day,
    affiliates: Option<Vec<UserId>>,
    referrals: Option<Vec<UserId>>,
}

impl ReferralFilter {
    fn parse(query: &ReferralQuery, today: Day) -> Result<Self> {
        let (first_day, last_day) = parse_day_range(query.start_date, query.end_date, today, "start_date")?;
        let parse_list = |text: &Option<String>, field| match text.as_deref().map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => parse_ids(text, field).map(Some),
        };
        Ok(Self {
            group: query.group_by.unwrap_or(ReferralGroup::Day),
            first_day,
            last_day,
            affiliates: parse_list(&query.affiliates, "affiliates")?,
            referrals: parse_list(&query.referrals, "referrals")?,
        })
    }

    fn period(&self) -> Option<GroupBy> {
        match self.group {
            ReferralGroup::Day => Some(GroupBy::Day),
            ReferralGroup::Week => Some(GroupBy::Week),
            ReferralGroup::Month => Some(GroupBy::Month),
            ReferralGroup::Affiliate | ReferralGroup::Referral => None,
        }
    }
}

/// A row for each period, also for periods without data.
fn build_rows_by_period(
    filter: &ReferralFilter,
    period: GroupBy,
    sums: &[GroupSums],
) -> Result<ReferralStatistics> {
    let mut rows: BTreeMap<Day, ReferralSums> = BTreeMap::new();
    let mut day = filter.first_day;
    while day <= filter.last_day {
        rows.entry(period_start(day, period)).or_default();
        day.0 += 1;
    }
    let mut totals = ReferralSums::default();
    for sum in sums {
        add_sums(rows.entry(period_start(Day(sum.key), period)).or_default(), sum)?;
        add_sums(&mut totals, sum)?;
    }
    let to_row = |(date, sums)| ReferralRow { date: Some(date), affiliate: None, referral: None, sums };
    Ok(ReferralStatistics { rows: rows.into_iter().map(to_row).collect(), totals, is_truncated: false })
}

fn add_sums(total: &mut ReferralSums, sum: &GroupSums) -> Result<()> {
    total.referrals += sum.referrals;
    total.orders += sum.orders;
    total.cost = total.cost.plus(sum.cost)?;
    total.refunded = total.refunded.plus(sum.refunded)?;
    total.commission = total.commission.plus(sum.commission)?;
    Ok(())
}

async fn build_rows_by_user(
    db: &mut impl SqlExecutor,
    filter: &ReferralFilter,
    sums: Vec<GroupSums>,
) -> Result<ReferralStatistics> {
    let mut totals = ReferralSums::default();
    for sum in &sums {
        add_sums(&mut totals, sum)?;
    }
    let is_truncated = sums.len() > MAX_ROWS;
    let first_rows: Vec<GroupSums> = sums.into_iter().take(MAX_ROWS).collect();
    let users =
        load_users(db, &first_rows.iter().map(|sum| UserId::new(sum.key)).collect::<Vec<_>>()).await?;
    let mut rows = Vec::with_capacity(first_rows.len());
    for sum in first_rows {
        let mut row_sums = ReferralSums::default();
        add_sums(&mut row_sums, &sum)?;
        let Some(user) = users.get(&UserId::new(sum.key)) else { continue };
        let (affiliate, referral) = match filter.group {
            ReferralGroup::Referral => (user.affiliate(), Some(user.to_user())),
            _ => (Some(user.to_user()), None),
        };
        rows.push(ReferralRow { date: None, affiliate, referral, sums: row_sums });
    }
    Ok(ReferralStatistics { rows, totals, is_truncated })
}

// Store

/// The sums of one group. `key` is a day number, or the id of an affiliate or of a referral.
#[derive(Debug, sqlx::FromRow)]
struct GroupSums {
    key: i64,
    referrals: i64,
    orders: i64,
    cost: Money,
    refunded: Money,
    commission: Money,
}

/// The SQL of the group's key in each of the three queries: sign-ups, orders, commissions.
const fn group_key_sql(group: ReferralGroup) -> [&'static str; 3] {
    match group {
        ReferralGroup::Affiliate => ["x.user_id", "x.user_id", "e.user_id"],
        ReferralGroup::Referral => ["u.id", "o.user_id", "o.user_id"],
        _ => ["u.created_at / 86400000000", "o.created_at / 86400000000", "e.created_at / 86400000000"],
    }
}

/// The sums of each group, sorted by the revenue from its referrals, the highest first.
async fn load_sums(db: &mut impl SqlExecutor, filter: &ReferralFilter) -> Result<Vec<GroupSums>> {
    let [sign_up_key, order_key, commission_key] = group_key_sql(filter.group);
    let (from, to) = (filter.first_day.start(), Day(filter.last_day.0 + 1).start());
    let group_query = |key, columns, from_clause, time_column, affiliate, referral| {
        let sql = Sql::new("SELECT ").push(key).push(" AS key, ").push(columns).push(from_clause);
        let sql = sql.push(time_column).push(" >= ? AND ").bind(from).push(time_column).push(" < ?").bind(to);
        let sql = filter_ids(sql, affiliate, filter.affiliates.as_deref());
        filter_ids(sql, referral, filter.referrals.as_deref()).push(" GROUP BY 1")
    };
    let sql = Sql::new(
        "SELECT key, CAST(sum(referrals) AS BIGINT) AS referrals, CAST(sum(orders) AS BIGINT) AS orders, CAST(sum(cost) AS BIGINT) AS cost,
           CAST(sum(refunded) AS BIGINT) AS refunded, CAST(sum(commission) AS BIGINT) AS commission FROM (",
    )
    .append(group_query(
        sign_up_key,
        "count(*) AS referrals, 0 AS orders, 0 AS cost, 0 AS refunded, 0 AS commission",
        " FROM users u JOIN user_affiliates x ON x.referral_id = u.id
           AND NOT EXISTS (SELECT 1 FROM user_affiliates y WHERE y.referral_id = u.id AND y.started_at < x.started_at) WHERE ",
        "u.created_at",
        "x.user_id",
        "u.id",
    ))
    .push(" UNION ALL ")
    .append(group_query(
        order_key,
        "0, count(*), sum(o.cost), sum(o.refunded), 0",
        " FROM orders o JOIN user_affiliates x ON x.referral_id = o.user_id AND x.started_at <= o.created_at
           AND (x.ended_at IS NULL OR x.ended_at > o.created_at) WHERE o.is_paid AND ",
        "o.created_at",
        "x.user_id",
        "o.user_id",
    ))
    .push(" UNION ALL ")
    .append(group_query(
        commission_key,
        "0, 0, 0, 0, sum(e.amount)",
        " FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id JOIN orders o ON o.id = e.order_id
           WHERE e.account = 'referral' AND e.type = 'referral' AND t.kind NOT LIKE 'order_widget_%' AND ",
        "e.created_at",
        "e.user_id",
        "o.user_id",
    ));
    Ok(db.fetch_all(sql.push(") AS sums GROUP BY key ORDER BY sum(cost) - sum(refunded) DESC, key")).await?)
}

fn filter_ids(sql: Sql, column: &'static str, ids: Option<&[UserId]>) -> Sql {
    match ids {
        Some(ids) => sql.push(" AND ").push(column).push(" IN ").ids(ids),
        None => sql,
    }
}

/// A user with their affiliate.
#[derive(Debug, sqlx::FromRow)]
struct UserWithAffiliate {
    id: UserId,
    name: String,
    email: String,
    affiliate_id: Option<UserId>,
    affiliate_name: Option<String>,
    affiliate_email: Option<String>,
}

impl UserWithAffiliate {
    fn to_user(&self) -> UserSummary {
        UserSummary { id: self.id, name: self.name.clone(), email: self.email.clone() }
    }

    fn affiliate(&self) -> Option<UserSummary> {
        let name_and_email = self.affiliate_name.clone().zip(self.affiliate_email.clone());
        self.affiliate_id.zip(name_and_email).map(|(id, (name, email))| UserSummary { id, name, email })
    }
}

async fn load_users(
    db: &mut impl SqlExecutor,
    ids: &[UserId],
) -> Result<BTreeMap<UserId, UserWithAffiliate>> {
    let sql = Sql::new(
        "SELECT u.id, u.name, u.email, a.id AS affiliate_id, a.name AS affiliate_name, a.email AS affiliate_email
         FROM users u LEFT JOIN users a ON a.id = u.affiliate_id WHERE u.id IN ",
    );
    let users: Vec<UserWithAffiliate> = db.fetch_all(sql.ids(ids)).await?;
    Ok(users.into_iter().map(|user| (user.id, user)).collect())
}
