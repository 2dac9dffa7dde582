//! What coupons came to, by coupon and by date: sums over their usages, made by the database.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::coupons::{
    CouponDay, CouponGrouping, CouponSort, CouponStatistics, CouponStatisticsInput, CouponStatisticsRow,
    CouponSums, ReferralManager,
};
use panel_contract::endpoints::coupons::{CouponStatisticsByCoupon, CouponStatisticsByDate};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{CouponId, UserId};
use panel_contract::moment::Day;
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use panel_domain::statistics_range::range;
use panel_platform::db::{Source, Sql};

/// `POST coupons/statistics`.
pub(super) async fn by_coupon(ctx: Ctx, req: Req<CouponStatisticsByCoupon>) -> Result<CouponStatistics> {
    let asked = Asked::read(&req.body, ctx.now().day(), CouponSort::Name)?;
    let days = days(&mut ctx.db(), &asked).await?;
    let (count, data) = rows(&mut ctx.db(), &asked, false).await?;
    asked.answer(&days, count, data)
}

/// `POST coupons/statistic-by-date`.
pub(super) async fn by_date(ctx: Ctx, req: Req<CouponStatisticsByDate>) -> Result<CouponStatistics> {
    let asked = Asked::read(&req.body, ctx.now().day(), CouponSort::Date)?;
    let days = days(&mut ctx.db(), &asked).await?;
    let (count, data) = match req.body.grouping {
        Some(CouponGrouping::Coupon) => rows(&mut ctx.db(), &asked, true).await?,
        _ => asked.page(&days),
    };
    asked.answer(&days, count, data)
}

// Rules

/// Rows of a page when nothing is said.
const USUAL: i64 = 30;
/// Most rows of a page, and most ids.
const MOST: i64 = 1_000;

/// What is asked for.
struct Asked<'a> {
    first: Day,
    last: Day,
    coupons: Option<&'a [CouponId]>,
    affiliates: Option<&'a [UserId]>,
    sort: CouponSort,
    descending: bool,
    start: i64,
    length: i64,
}

type Sums = (Day, Money, Money, i64);

impl<'a> Asked<'a> {
    fn read(input: &'a CouponStatisticsInput, today: Day, usual: CouponSort) -> Result<Self> {
        let (first, last) = range(input.start_date, input.end_date, today, "start_date")?;
        let mut errors = FieldErrors::default();
        let (start, length) = (input.start.unwrap_or(0), input.length.unwrap_or(USUAL));
        if start < 0 {
            errors.add("start", "Give 0 or more.");
        }
        if !(1..=MOST).contains(&length) {
            errors.add("length", format!("Ask for 1 to {MOST} rows."));
        }
        let counts = (input.coupons.as_ref().map(Vec::len), input.affiliates.as_ref().map(Vec::len));
        for (field, count) in [("coupons", counts.0), ("affiliates", counts.1)] {
            if count.is_some_and(|count| i64::try_from(count).is_ok_and(|count| count > MOST)) {
                errors.add(field, format!("Give at most {MOST} ids."));
            }
        }
        let sort = input.sort.unwrap_or(usual);
        errors.or(())?;
        Ok(Self {
            first,
            last,
            coupons: input.coupons.as_deref(),
            affiliates: input.affiliates.as_deref(),
            sort,
            descending: input.descending.unwrap_or(usual == CouponSort::Date),
            start,
            length,
        })
    }

    /// The days themselves as rows: those on which a coupon was used.
    fn page(&self, days: &[Sums]) -> (i64, Vec<CouponStatisticsRow>) {
        let mut all: Vec<Sums> = days.to_vec();
        all.sort_by_key(|(day, received, spent, usages)| match self.sort {
            CouponSort::Received => (received.0, day.0),
            CouponSort::Spent => (spent.0, day.0),
            CouponSort::Usages => (*usages, day.0),
            CouponSort::Date | CouponSort::Name => (day.0, day.0),
        });
        if self.descending {
            all.reverse();
        }
        let bound = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let row = |(date, received, spent, usages)| CouponStatisticsRow {
            date: Some(date),
            coupon_id: None,
            name: None,
            code: None,
            referral_manager: None,
            sums: CouponSums { received, spent, usages },
        };
        let page = all.into_iter().skip(bound(self.start)).take(bound(self.length)).map(row);
        (i64::try_from(days.len()).unwrap_or(i64::MAX), page.collect())
    }

    fn answer(&self, days: &[Sums], count: i64, data: Vec<CouponStatisticsRow>) -> Result<CouponStatistics> {
        let mut totals = CouponSums::default();
        let mut all: BTreeMap<Day, CouponSums> =
            (self.first.0..=self.last.0).map(|day| (Day(day), CouponSums::default())).collect();
        for (day, received, spent, usages) in days {
            totals.received = totals.received.plus(*received)?;
            totals.spent = totals.spent.plus(*spent)?;
            totals.usages += usages;
            all.insert(*day, CouponSums { received: *received, spent: *spent, usages: *usages });
        }
        let days = all.into_iter().map(|(date, sums)| CouponDay { date, sums }).collect();
        Ok(CouponStatistics { records_filtered: count, data, totals, days })
    }
}

// Store

/// ` FROM … WHERE …` of the usages asked for.
fn usages(asked: &Asked<'_>) -> Sql {
    let sql = Sql::new(
        " FROM coupon_usages x JOIN coupons c ON c.id = x.coupon_id WHERE x.created_at >= ? AND x.created_at < ?",
    );
    let mut sql = sql.bind(asked.first.start()).bind(Day(asked.last.0 + 1).start());
    if let Some(ids) = asked.coupons {
        sql = sql.push(" AND x.coupon_id IN ").ids(ids);
    }
    if let Some(ids) = asked.affiliates {
        sql = sql.push(" AND c.affiliate_id IN ").ids(ids);
    }
    sql
}

/// Each day with its sums, in order; days without a usage are left out.
async fn days(db: &mut impl Source, asked: &Asked<'_>) -> Result<Vec<Sums>> {
    let sql = Sql::new(
        "SELECT x.created_at / 86400000000 AS day, CAST(sum(x.received) AS BIGINT), CAST(sum(x.spent) AS BIGINT), count(*)",
    );
    Ok(db.all(sql.append(usages(asked)).push(" GROUP BY 1 ORDER BY 1")).await?)
}

#[derive(sqlx::FromRow)]
struct Row {
    day: Day,
    coupon_id: CouponId,
    name: String,
    code: String,
    affiliate_id: Option<UserId>,
    affiliate_email: Option<String>,
    received: Money,
    spent: Money,
    usages: i64,
    rows_count: i64,
}

/// Rows of coupons, or of coupons on each day; how many there are in all.
async fn rows(
    db: &mut impl Source,
    asked: &Asked<'_>,
    by_day: bool,
) -> Result<(i64, Vec<CouponStatisticsRow>)> {
    let grouped = || {
        let day = if by_day { "x.created_at / 86400000000" } else { "CAST(0 AS BIGINT)" };
        let sql = Sql::new("SELECT ").push(day).push(" AS day, x.coupon_id, CAST(sum(x.received) AS BIGINT) AS received, CAST(sum(x.spent) AS BIGINT) AS spent, count(*) AS usages");
        let group = if by_day { " GROUP BY 1, 2" } else { " GROUP BY x.coupon_id" };
        sql.append(usages(asked)).push(group)
    };
    let column = match asked.sort {
        CouponSort::Name => "c.name",
        CouponSort::Date => "s.day",
        CouponSort::Received => "s.received",
        CouponSort::Spent => "s.spent",
        CouponSort::Usages => "s.usages",
    };
    let sql = Sql::new("SELECT s.day, s.coupon_id, c.name, c.code, c.affiliate_id, u.email AS affiliate_email, s.received, s.spent, s.usages,
        (SELECT count(*) FROM (")
        .append(grouped())
        .push(") AS counted) AS rows_count FROM (")
        .append(grouped())
        .push(") AS s JOIN coupons c ON c.id = s.coupon_id LEFT JOIN users u ON u.id = c.affiliate_id ORDER BY ")
        .push(column)
        .push(if asked.descending { " DESC" } else { "" })
        .push(", s.day DESC, c.name, c.id LIMIT ? OFFSET ?");
    let rows: Vec<Row> = db.all(sql.bind(asked.length).bind(asked.start)).await?;
    let count = match rows.first() {
        Some(row) => row.rows_count,
        // Past the end no row says how many there are.
        None if asked.start > 0 => {
            let sql = Sql::new("SELECT count(*) FROM (").append(grouped()).push(") AS counted");
            db.one::<(i64,)>(sql).await?.0
        }
        None => 0,
    };
    let shown = |row: Row| CouponStatisticsRow {
        date: by_day.then_some(row.day),
        coupon_id: Some(row.coupon_id),
        name: Some(row.name),
        code: Some(row.code),
        referral_manager: row
            .affiliate_id
            .zip(row.affiliate_email)
            .map(|(id, email)| ReferralManager { id, email }),
        sums: CouponSums { received: row.received, spent: row.spent, usages: row.usages },
    };
    Ok((count, rows.into_iter().map(shown).collect()))
}
