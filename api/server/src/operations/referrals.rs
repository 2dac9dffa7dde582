//! Referral statistics: one statement sums sign-ups, orders and commissions. Read-only.
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
use panel_contract::payments::PaymentUser;
use panel_contract::referrals::{
    ReferralGroup, ReferralQuery, ReferralRow, ReferralStatistics, ReferralSums,
};
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_domain::statistics_range::{ids, range, start_of};
use panel_platform::db::{Source, Sql};

// Routes

pub fn routes(api: Api) -> Api {
    api.on::<GetReferralStatistics, _, _, _>(statistics)
}

async fn statistics(ctx: Ctx, req: Req<GetReferralStatistics>) -> Result<Data<ReferralStatistics>> {
    let today = ctx.now().day();
    let filter = ReferralFilter::read(&req.query, today)?;
    let sums = sums(&mut ctx.db(), &filter).await?;
    let data = match filter.period() {
        Some(width) => by_period(&filter, width, &sums)?,
        None => by_person(&mut ctx.db(), &filter, sums).await?,
    };
    Ok(Data { data })
}

// Rules

/// Largest number of rows of affiliates or referrals.
const MAX_ROWS: usize = 1_000;

struct ReferralFilter {
    group: ReferralGroup,
    first: Day,
    last: Day,
    affiliates: Option<Vec<UserId>>,
    referrals: Option<Vec<UserId>>,
}

impl ReferralFilter {
    fn read(query: &ReferralQuery, today: Day) -> Result<Self> {
        let (first, last) = range(query.start_date, query.end_date, today, "start_date")?;
        let list = |text: &Option<String>, field| match text.as_deref().map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => ids(text, field).map(Some),
        };
        Ok(Self {
            group: query.group_by.unwrap_or(ReferralGroup::Day),
            first,
            last,
            affiliates: list(&query.affiliates, "affiliates")?,
            referrals: list(&query.referrals, "referrals")?,
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
fn by_period(filter: &ReferralFilter, width: GroupBy, sums: &[Sum]) -> Result<ReferralStatistics> {
    let mut rows: BTreeMap<Day, ReferralSums> = BTreeMap::new();
    let mut day = filter.first;
    while day <= filter.last {
        rows.entry(start_of(day, width)).or_default();
        day.0 += 1;
    }
    let mut totals = ReferralSums::default();
    for sum in sums {
        add(rows.entry(start_of(Day(sum.key), width)).or_default(), sum)?;
        add(&mut totals, sum)?;
    }
    let row = |(date, sums)| ReferralRow { date: Some(date), affiliate: None, referral: None, sums };
    Ok(ReferralStatistics { rows: rows.into_iter().map(row).collect(), totals, is_cut: false })
}

fn add(into: &mut ReferralSums, sum: &Sum) -> Result<()> {
    into.referrals += sum.referrals;
    into.orders += sum.orders;
    into.cost = into.cost.plus(sum.cost)?;
    into.refunded = into.refunded.plus(sum.refunded)?;
    into.commission = into.commission.plus(sum.commission)?;
    Ok(())
}

async fn by_person(
    db: &mut impl Source,
    filter: &ReferralFilter,
    sums: Vec<Sum>,
) -> Result<ReferralStatistics> {
    let mut totals = ReferralSums::default();
    for sum in &sums {
        add(&mut totals, sum)?;
    }
    let is_cut = sums.len() > MAX_ROWS;
    let top: Vec<Sum> = sums.into_iter().take(MAX_ROWS).collect();
    let people = people(db, &top.iter().map(|sum| UserId::new(sum.key)).collect::<Vec<_>>()).await?;
    let mut rows = Vec::with_capacity(top.len());
    for sum in top {
        let mut numbers = ReferralSums::default();
        add(&mut numbers, &sum)?;
        let Some(person) = people.get(&UserId::new(sum.key)) else { continue };
        let (affiliate, referral) = match filter.group {
            ReferralGroup::Referral => (person.affiliate(), Some(person.to_user())),
            _ => (Some(person.to_user()), None),
        };
        rows.push(ReferralRow { date: None, affiliate, referral, sums: numbers });
    }
    Ok(ReferralStatistics { rows, totals, is_cut })
}

// Store

/// The numbers of one key: a day, an affiliate or a referral.
#[derive(Debug, sqlx::FromRow)]
struct Sum {
    key: i64,
    referrals: i64,
    orders: i64,
    cost: Money,
    refunded: Money,
    commission: Money,
}

/// The key of a group in each of the three parts.
const fn keys(group: ReferralGroup) -> [&'static str; 3] {
    match group {
        ReferralGroup::Affiliate => ["x.user_id", "x.user_id", "e.user_id"],
        ReferralGroup::Referral => ["u.id", "o.user_id", "o.user_id"],
        _ => ["u.created_at / 86400000000", "o.created_at / 86400000000", "e.created_at / 86400000000"],
    }
}

/// Every key with its numbers, the highest revenue of referrals first.
async fn sums(db: &mut impl Source, filter: &ReferralFilter) -> Result<Vec<Sum>> {
    let [signed_up, bought, earned] = keys(filter.group);
    let (from, to) = (filter.first.start(), Day(filter.last.0 + 1).start());
    let part = |key, columns, rest, moment, affiliate, referral| {
        let sql = Sql::new("SELECT ").push(key).push(" AS key, ").push(columns).push(rest);
        let sql = sql.push(moment).push(" >= ? AND ").bind(from).push(moment).push(" < ?").bind(to);
        let sql = only(sql, affiliate, filter.affiliates.as_deref());
        only(sql, referral, filter.referrals.as_deref()).push(" GROUP BY 1")
    };
    let sql = Sql::new(
        "SELECT key, CAST(sum(referrals) AS BIGINT) AS referrals, CAST(sum(orders) AS BIGINT) AS orders, CAST(sum(cost) AS BIGINT) AS cost,
           CAST(sum(refunded) AS BIGINT) AS refunded, CAST(sum(commission) AS BIGINT) AS commission FROM (",
    )
    .append(part(
        signed_up,
        "count(*) AS referrals, 0 AS orders, 0 AS cost, 0 AS refunded, 0 AS commission",
        " FROM users u JOIN user_affiliates x ON x.referral_id = u.id
           AND NOT EXISTS (SELECT 1 FROM user_affiliates y WHERE y.referral_id = u.id AND y.started_at < x.started_at) WHERE ",
        "u.created_at",
        "x.user_id",
        "u.id",
    ))
    .push(" UNION ALL ")
    .append(part(
        bought,
        "0, count(*), sum(o.cost), sum(o.refunded), 0",
        " FROM orders o JOIN user_affiliates x ON x.referral_id = o.user_id AND x.started_at <= o.created_at
           AND (x.ended_at IS NULL OR x.ended_at > o.created_at) WHERE o.is_paid AND ",
        "o.created_at",
        "x.user_id",
        "o.user_id",
    ))
    .push(" UNION ALL ")
    .append(part(
        earned,
        "0, 0, 0, 0, sum(e.amount)",
        " FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id JOIN orders o ON o.id = e.order_id
           WHERE e.account = 'referral' AND e.type = 'referral' AND t.kind NOT LIKE 'order_widget_%' AND ",
        "e.created_at",
        "e.user_id",
        "o.user_id",
    ));
    Ok(db.all(sql.push(") AS parts GROUP BY key ORDER BY sum(cost) - sum(refunded) DESC, key")).await?)
}

fn only(sql: Sql, column: &'static str, ids: Option<&[UserId]>) -> Sql {
    match ids {
        Some(ids) => sql.push(" AND ").push(column).push(" IN ").ids(ids),
        None => sql,
    }
}

/// A user with their affiliate.
#[derive(Debug, sqlx::FromRow)]
struct Person {
    id: UserId,
    name: String,
    email: String,
    affiliate_id: Option<UserId>,
    affiliate_name: Option<String>,
    affiliate_email: Option<String>,
}

impl Person {
    fn to_user(&self) -> PaymentUser {
        PaymentUser { id: self.id, name: self.name.clone(), email: self.email.clone() }
    }

    fn affiliate(&self) -> Option<PaymentUser> {
        let named = self.affiliate_name.clone().zip(self.affiliate_email.clone());
        self.affiliate_id.zip(named).map(|(id, (name, email))| PaymentUser { id, name, email })
    }
}

async fn people(db: &mut impl Source, ids: &[UserId]) -> Result<BTreeMap<UserId, Person>> {
    let sql = Sql::new(
        "SELECT u.id, u.name, u.email, a.id AS affiliate_id, a.name AS affiliate_name, a.email AS affiliate_email
         FROM users u LEFT JOIN users a ON a.id = u.affiliate_id WHERE u.id IN ",
    );
    let people: Vec<Person> = db.all(sql.ids(ids)).await?;
    Ok(people.into_iter().map(|person| (person.id, person)).collect())
}
