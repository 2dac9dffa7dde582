//! Statistics of coupons by coupon and by date: the database sums their usages.

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
use panel_domain::statistics_range::parse_day_range;
use panel_platform::db::{Sql, SqlExecutor};

/// `POST coupons/statistics`.
pub(super) async fn get_by_coupon(ctx: Ctx, req: Req<CouponStatisticsByCoupon>) -> Result<CouponStatistics> {
    let request = StatisticsRequest::parse(&req.body, ctx.now().day(), CouponSort::Name)?;
    let days = load_days(&mut ctx.db(), &request).await?;
    let (count, data) = load_rows(&mut ctx.db(), &request, false).await?;
    request.build_response(&days, count, data)
}

/// `POST coupons/statistic-by-date`.
pub(super) async fn get_by_date(ctx: Ctx, req: Req<CouponStatisticsByDate>) -> Result<CouponStatistics> {
    let request = StatisticsRequest::parse(&req.body, ctx.now().day(), CouponSort::Date)?;
    let days = load_days(&mut ctx.db(), &request).await?;
    let (count, data) = match req.body.grouping {
        Some(CouponGrouping::Coupon) => load_rows(&mut ctx.db(), &request, true).await?,
        _ => request.page_of_days(&days),
    };
    request.build_response(&days, count, data)
}

// Rules

/// Default number of rows per page.
const DEFAULT_PAGE_SIZE: i64 = 30;
/// Maximum number of rows per page, and of ids in a filter.
const MAX_PAGE_SIZE: i64 = 1_000;

struct StatisticsRequest<'a> {
    first: Day,
    last: Day,
    coupons: Option<&'a [CouponId]>,
    affiliates: Option<&'a [UserId]>,
    sort: CouponSort,
    descending: bool,
    start: i64,
    length: i64,
}

/// Day, received amount, spent amount and number of usages.
type DayTotals = (Day, Money, Money, i64);

impl<'a> StatisticsRequest<'a> {
    fn parse(input: &'a CouponStatisticsInput, today: Day, default_sort: CouponSort) -> Result<Self> {
        let (first, last) = parse_day_range(input.start_date, input.end_date, today, "start_date")?;
        let mut errors = FieldErrors::default();
        let (start, length) = (input.start.unwrap_or(0), input.length.unwrap_or(DEFAULT_PAGE_SIZE));
        if start < 0 {
            errors.add("start", "Send 0 or more.");
        }
        if !(1..=MAX_PAGE_SIZE).contains(&length) {
            errors.add("length", format!("Request 1 to {MAX_PAGE_SIZE} rows."));
        }
        let counts = (input.coupons.as_ref().map(Vec::len), input.affiliates.as_ref().map(Vec::len));
        for (field, count) in [("coupons", counts.0), ("affiliates", counts.1)] {
            if count.is_some_and(|count| i64::try_from(count).is_ok_and(|count| count > MAX_PAGE_SIZE)) {
                errors.add(field, format!("Send at most {MAX_PAGE_SIZE} ids."));
            }
        }
        let sort = input.sort.unwrap_or(default_sort);
        errors.into_result(())?;
        Ok(Self {
            first,
            last,
            coupons: input.coupons.as_deref(),
            affiliates: input.affiliates.as_deref(),
            sort,
            descending: input.descending.unwrap_or(default_sort == CouponSort::Date),
            start,
            length,
        })
    }

    /// Returns a page of days with usages as rows, and the number of such days.
    fn page_of_days(&self, days: &[DayTotals]) -> (i64, Vec<CouponStatisticsRow>) {
        let mut sorted_days: Vec<DayTotals> = days.to_vec();
        sorted_days.sort_by_key(|(day, received, spent, usages)| match self.sort {
            CouponSort::Received => (received.0, day.0),
            CouponSort::Spent => (spent.0, day.0),
            CouponSort::Usages => (*usages, day.0),
            CouponSort::Date | CouponSort::Name => (day.0, day.0),
        });
        if self.descending {
            sorted_days.reverse();
        }
        let to_usize = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let to_row = |(date, received, spent, usages)| CouponStatisticsRow {
            date: Some(date),
            coupon_id: None,
            name: None,
            code: None,
            referral_manager: None,
            sums: CouponSums { received, spent, usages },
        };
        let page = sorted_days.into_iter().skip(to_usize(self.start)).take(to_usize(self.length)).map(to_row);
        (i64::try_from(days.len()).unwrap_or(i64::MAX), page.collect())
    }

    fn build_response(
        &self,
        days: &[DayTotals],
        count: i64,
        data: Vec<CouponStatisticsRow>,
    ) -> Result<CouponStatistics> {
        let mut totals = CouponSums::default();
        let mut sums_by_day: BTreeMap<Day, CouponSums> =
            (self.first.0..=self.last.0).map(|day| (Day(day), CouponSums::default())).collect();
        for (day, received, spent, usages) in days {
            totals.received = totals.received.plus(*received)?;
            totals.spent = totals.spent.plus(*spent)?;
            totals.usages += usages;
            sums_by_day.insert(*day, CouponSums { received: *received, spent: *spent, usages: *usages });
        }
        let days = sums_by_day.into_iter().map(|(date, sums)| CouponDay { date, sums }).collect();
        Ok(CouponStatistics { records_filtered: count, data, totals, days })
    }
}

// Store

/// Returns the SQL ` FROM … WHERE …` of the requested usages.
fn usages_clause(request: &StatisticsRequest<'_>) -> Sql {
    let sql = Sql::new(
        " FROM coupon_usages x JOIN coupons c ON c.id = x.coupon_id WHERE x.created_at >= ? AND x.created_at < ?",
    );
    let mut sql = sql.bind(request.first.start()).bind(Day(request.last.0 + 1).start());
    if let Some(ids) = request.coupons {
        sql = sql.push(" AND x.coupon_id IN ").ids(ids);
    }
    if let Some(ids) = request.affiliates {
        sql = sql.push(" AND c.affiliate_id IN ").ids(ids);
    }
    sql
}

/// Loads the totals of each day with usages, in order.
async fn load_days(db: &mut impl SqlExecutor, request: &StatisticsRequest<'_>) -> Result<Vec<DayTotals>> {
    let sql = Sql::new(
        "SELECT x.created_at / 86400000000 AS day, CAST(sum(x.received) AS BIGINT), CAST(sum(x.spent) AS BIGINT), count(*)",
    );
    Ok(db.fetch_all(sql.append(usages_clause(request)).push(" GROUP BY 1 ORDER BY 1")).await?)
}

#[derive(sqlx::FromRow)]
struct StatisticsRow {
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

/// Loads a page of rows by coupon, or by coupon and day, and the total number of rows.
async fn load_rows(
    db: &mut impl SqlExecutor,
    request: &StatisticsRequest<'_>,
    group_by_day: bool,
) -> Result<(i64, Vec<CouponStatisticsRow>)> {
    let grouped_usages = || {
        let day_sql = if group_by_day { "x.created_at / 86400000000" } else { "CAST(0 AS BIGINT)" };
        let sql = Sql::new("SELECT ").push(day_sql).push(" AS day, x.coupon_id, CAST(sum(x.received) AS BIGINT) AS received, CAST(sum(x.spent) AS BIGINT) AS spent, count(*) AS usages");
        let group_sql = if group_by_day { " GROUP BY 1, 2" } else { " GROUP BY x.coupon_id" };
        sql.append(usages_clause(request)).push(group_sql)
    };
    let sort_column = match request.sort {
        CouponSort::Name => "c.name",
        CouponSort::Date => "s.day",
        CouponSort::Received => "s.received",
        CouponSort::Spent => "s.spent",
        CouponSort::Usages => "s.usages",
    };
    let sql = Sql::new("SELECT s.day, s.coupon_id, c.name, c.code, c.affiliate_id, u.email AS affiliate_email, s.received, s.spent, s.usages,
        (SELECT count(*) FROM (")
        .append(grouped_usages())
        .push(") AS counted) AS rows_count FROM (")
        .append(grouped_usages())
        .push(") AS s JOIN coupons c ON c.id = s.coupon_id LEFT JOIN users u ON u.id = c.affiliate_id ORDER BY ")
        .push(sort_column)
        .push(if request.descending { " DESC" } else { "" })
        .push(", s.day DESC, c.name, c.id LIMIT ? OFFSET ?");
    let rows: Vec<StatisticsRow> = db.fetch_all(sql.bind(request.length).bind(request.start)).await?;
    let count = match rows.first() {
        Some(row) => row.rows_count,
        // A page past the end has no row with the count.
        None if request.start > 0 => {
            let sql = Sql::new("SELECT count(*) FROM (").append(grouped_usages()).push(") AS counted");
            db.fetch_one::<(i64,)>(sql).await?.0
        }
        None => 0,
    };
    let to_row = |row: StatisticsRow| CouponStatisticsRow {
        date: group_by_day.then_some(row.day),
        coupon_id: Some(row.coupon_id),
        name: Some(row.name),
        code: Some(row.code),
        referral_manager: row
            .affiliate_id
            .zip(row.affiliate_email)
            .map(|(id, email)| ReferralManager { id, email }),
        sums: CouponSums { received: row.received, spent: row.spent, usages: row.usages },
    };
    Ok((count, rows.into_iter().map(to_row).collect()))
}
