//! Marketing records: discounts, coupons with their usages, special offers, auto-promotions, order widgets. Runs after the invoices
//! exist.

use super::plan::{DAY_MICROS, DemoPlan};
use panel_platform::db::sql::Val;
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Tx};
use panel_platform::sql;

struct Discount {
    name: &'static str,
    /// In days from now.
    first_day: i64,
    /// In days from now; `None` for no end.
    last_day: Option<i64>,
    has_countdown: bool,
    /// JSON array of country codes; empty means all countries.
    countries: &'static str,
    discount_ppm: i64,
    /// The discount applies to one of this many services.
    service_step: i64,
    /// `completed`, `archived`, or `None` for a discount that staff did not end.
    end_state: Option<&'static str>,
}

/// `days` are the first and the last day, in days from now.
const fn discount(
    name: &'static str,
    days: (i64, Option<i64>),
    discount_ppm: i64,
    service_step: i64,
) -> Discount {
    let (first_day, last_day) = days;
    Discount {
        name,
        first_day,
        last_day,
        has_countdown: false,
        countries: "[]",
        discount_ppm,
        service_step,
        end_state: None,
    }
}

const DISCOUNTS: [Discount; 7] = [
    Discount { has_countdown: true, ..discount("Black Friday", (-2, Some(5)), 200_000, 6) },
    Discount { has_countdown: true, ..discount("Telegram week", (-4, Some(3)), 100_000, 17) },
    Discount { has_countdown: true, ..discount("Cyber Monday", (1, Some(3)), 250_000, 4) },
    Discount { countries: "[\"AT\",\"CH\",\"DE\"]", ..discount("Germany launch", (-20, None), 75_000, 11) },
    discount("Summer sale", (-140, Some(-110)), 150_000, 5),
    Discount {
        has_countdown: true,
        end_state: Some("completed"),
        ..discount("Flash sale", (-30, Some(30)), 300_000, 23)
    },
    Discount { end_state: Some("archived"), ..discount("Test of discounts", (-60, Some(300)), 500_000, 90) },
];

struct Coupon {
    name: &'static str,
    code: &'static str,
    /// `deposit` or `order`.
    payment_type: &'static str,
    /// The bonus in millionths of the payment; `None` if the bonus is `amount`.
    bonus_ppm: Option<i64>,
    /// The bonus, or the maximum bonus if `bonus_ppm` is set, in millionths of a dollar.
    amount: Option<i64>,
    /// Minimum payment, in millionths of a dollar.
    min_amount: i64,
    /// First and last day of validity, in days from now; `None` for no end.
    valid_days: (i64, Option<i64>),
    usage_limit: Option<i64>,
    is_displayable: bool,
    is_archived: bool,
}

const fn coupon(
    name: &'static str,
    code: &'static str,
    bonus_ppm: Option<i64>,
    amount: Option<i64>,
) -> Coupon {
    Coupon {
        name,
        code,
        payment_type: "deposit",
        bonus_ppm,
        amount,
        min_amount: 10_000_000,
        valid_days: (-90, None),
        usage_limit: None,
        is_displayable: false,
        is_archived: false,
    }
}

const COUPONS: [Coupon; 8] = [
    Coupon { is_displayable: true, ..coupon("Welcome bonus", "WELCOME10", Some(100_000), Some(50_000_000)) },
    Coupon { usage_limit: Some(300), ..coupon("Newsletter November", "NOVEMBER", Some(50_000), None) },
    Coupon { min_amount: 100_000_000, ..coupon("Bloggers of Marta", "MARTA", Some(70_000), None) },
    Coupon { valid_days: (-120, Some(-30)), ..coupon("Autumn top-up", "AUTUMN26", None, Some(5_000_000)) },
    Coupon {
        payment_type: "order",
        is_displayable: true,
        valid_days: (-10, Some(20)),
        ..coupon("Five off your first order", "FIRST5", None, Some(5_000_000))
    },
    Coupon {
        valid_days: (9, Some(40)),
        is_displayable: true,
        ..coupon("Advent", "ADVENT", Some(120_000), None)
    },
    Coupon { usage_limit: Some(0), ..coupon("Partner reserve", "PARTNER", Some(150_000), None) },
    Coupon { is_archived: true, ..coupon("Old partner code", "OLDTIMES", Some(200_000), None) },
];

/// Usages of the first four coupons with paid invoices.
const INSERT_COUPON_USAGES: &str = "INSERT INTO coupon_usages (coupon_id, user_id, invoice_id, received, spent, created_at)
  SELECT coupon_id, user_id, id, paid_amount, CASE WHEN cap > 0 AND given > cap THEN cap ELSE given END, paid_at FROM (
    SELECT i.id, i.user_id, i.paid_amount, i.paid_at, c.id AS coupon_id, CASE WHEN c.bonus_ppm > 0 THEN i.paid_amount * c.bonus_ppm / 1000000 ELSE c.bonus_amount END AS given,
      CASE WHEN c.bonus_ppm > 0 THEN COALESCE(c.bonus_amount, 0) ELSE 0 END AS cap, row_number() OVER (PARTITION BY c.id, i.user_id ORDER BY i.id) AS nth
    FROM invoices i JOIN coupons c ON c.id = 1 + i.id % 4 WHERE i.status = 'paid' AND i.id % 3 > 0 AND i.paid_amount >= c.min_amount
      AND i.paid_at >= c.valid_from AND (c.valid_to IS NULL OR i.paid_at < c.valid_to)) AS used WHERE nth = 1 ORDER BY paid_at, id";

/// Sets the totals of the coupons, and posts the bonuses to the ledger.
const POST_COUPON_BONUSES: [&str; 5] = [
    "UPDATE invoices SET coupon_id = (SELECT u.coupon_id FROM coupon_usages u WHERE u.invoice_id = invoices.id) WHERE EXISTS
       (SELECT 1 FROM coupon_usages u WHERE u.invoice_id = invoices.id)",
    "UPDATE coupons SET usages = (SELECT count(*) FROM coupon_usages u WHERE u.coupon_id = coupons.id),
       received = (SELECT CAST(COALESCE(sum(u.received), 0) AS BIGINT) FROM coupon_usages u WHERE u.coupon_id = coupons.id),
       spent = (SELECT CAST(COALESCE(sum(u.spent), 0) AS BIGINT) FROM coupon_usages u WHERE u.coupon_id = coupons.id)",
    "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, seq, created_at, comment)
     SELECT last.id + row_number() OVER (ORDER BY u.id), 'invoice_coupon', 'invoice', u.invoice_id, 0, u.created_at, 'Invoice ' || i.short_name
     FROM coupon_usages u JOIN invoices i ON i.id = u.invoice_id CROSS JOIN (SELECT COALESCE(max(id), 0) AS id FROM ledger_txns) AS last WHERE u.spent > 0",
    "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, payment_method_id, created_at)
     WITH legs AS (
       SELECT t.id AS txn_id, 'main' AS account, u.user_id, u.spent AS amount, i.payment_method_id, t.created_at FROM ledger_txns t
         JOIN coupon_usages u ON u.invoice_id = t.ref_id JOIN invoices i ON i.id = t.ref_id WHERE t.kind = 'invoice_coupon'
       UNION ALL SELECT t.id, 'bonus', NULL, -u.spent, i.payment_method_id, t.created_at FROM ledger_txns t
         JOIN coupon_usages u ON u.invoice_id = t.ref_id JOIN invoices i ON i.id = t.ref_id WHERE t.kind = 'invoice_coupon')
     SELECT txn_id, account, user_id, amount, CASE WHEN user_id IS NOT NULL THEN (SELECT u.balance_main FROM users u WHERE u.id = legs.user_id)
         + CAST(sum(amount) OVER (PARTITION BY user_id, account ORDER BY txn_id) AS BIGINT) END,
       'bonus', CASE WHEN amount > 0 THEN 'income' ELSE 'outcome' END, payment_method_id, created_at FROM legs ORDER BY txn_id, user_id IS NULL",
    "UPDATE users SET balance_main = balance_main + s.main
     FROM (SELECT user_id, CAST(sum(spent) AS BIGINT) AS main FROM coupon_usages WHERE invoice_id IS NOT NULL GROUP BY user_id) AS s WHERE users.id = s.user_id",
];

/// An order widget of an affiliate. It earns commissions from the customers that its owner referred.
struct Widget {
    name: &'static str,
    /// Index of the owner among the first customers, which include the demo's affiliates.
    owner_index: i64,
    /// Whether the widget is on an external site.
    is_outer: bool,
    /// Minimum cost of an order, in millionths of a dollar.
    min_amount: Option<i64>,
    /// Commission in millionths of the cost.
    reward_ppm: i64,
}

const fn widget(
    name: &'static str,
    owner_index: i64,
    is_outer: bool,
    min_amount: Option<i64>,
    reward_ppm: i64,
) -> Widget {
    Widget { name, owner_index, is_outer, min_amount, reward_ppm }
}

const WIDGETS: [Widget; 4] = [
    widget("Growth blog", 3, true, Some(5_000_000), 50_000),
    widget("Creators' forum", 7, true, None, 50_000),
    widget("Music agency", 12, true, Some(20_000_000), 50_000),
    widget("Landing page of the panel", 0, false, None, 0),
];

/// Assigns orders to widgets: orders of customers whom an owner referred to the owner's widget, all others to the panel's widget.
/// Binds: the id above which orders have details.
const ASSIGN_ORDERS_TO_WIDGETS: [&str; 2] = [
    "UPDATE orders SET source = 'order_widget', order_widget_id = (SELECT min(w.id) FROM order_widgets w JOIN users u ON u.affiliate_id = w.user_id
       WHERE u.id = orders.user_id AND w.is_outer) WHERE id > ? AND source IN ('cabinet', 'order_widget')
       AND user_id IN (SELECT u.id FROM users u JOIN order_widgets w ON w.user_id = u.affiliate_id WHERE w.is_outer)",
    "UPDATE orders SET order_widget_id = (SELECT max(id) FROM order_widgets) WHERE id > ? AND source = 'order_widget' AND order_widget_id IS NULL",
];

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    insert_discounts(tx, plan).await?;
    insert_coupons(tx, plan).await?;
    tx.execute(Sql::new(INSERT_COUPON_USAGES)).await?;
    for statement in POST_COUPON_BONUSES {
        tx.execute(Sql::new(statement)).await?;
    }
    insert_widgets(tx, plan).await?;
    insert_special_offers(tx, plan).await
}

async fn insert_widgets(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 120 * DAY_MICROS;
    let rows = WIDGETS.iter().zip(1_i64..).map(|(widget, id)| -> Vec<Val> {
        let token = format!("demo-widget-{id}-of-the-panel");
        vec![
            id.into(),
            widget.name.into(),
            (plan.first_customer_id + widget.owner_index % plan.size.users.max(1)).into(),
            widget.is_outer.into(),
            token.into(),
            widget.min_amount.into(),
            widget.reward_ppm.into(),
        ]
    });
    let sql = Sql::new(
        "INSERT INTO order_widgets (id, name, user_id, is_outer, api_token, minimum_purchase_amount, reward_ppm, payment_methods, created_at, updated_at)
         SELECT r.id, r.name, r.owner, r.is_outer, r.token, r.min_amount, r.reward, '[1,2]', ?, ? FROM ",
    );
    let columns = ["id", "name", "owner", "is_outer", "token", "min_amount", "reward"];
    tx.execute(sql.bind(created_at).bind(created_at).rows("r", &columns, rows.collect())).await?;
    for statement in ASSIGN_ORDERS_TO_WIDGETS {
        tx.execute(Sql::new(statement).bind(plan.last_order_id_without_details())).await?;
    }
    Ok(())
}

async fn insert_discounts(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    for (discount, id) in DISCOUNTS.iter().zip(1_i64..) {
        let time_of_day = |day: i64| plan.now + day * DAY_MICROS;
        let created_at = time_of_day(discount.first_day - 3).min(time_of_day(-1));
        let completed_at =
            discount.end_state.filter(|end_state| *end_state == "completed").map(|_| time_of_day(-20));
        let sql = sql!(
            "INSERT INTO discounts (id, name, valid_from, valid_to, is_countdown_enabled, countries, completed_at, \
               is_archived, created_at, updated_at)
             VALUES (@id, @name, @valid_from, @valid_to, @is_countdown_enabled, @countries, @completed_at, @is_archived, \
               @created_at, @created_at)",
            {
                id,
                name: discount.name,
                valid_from: time_of_day(discount.first_day),
                valid_to: discount.last_day.map(time_of_day),
                is_countdown_enabled: discount.has_countdown,
                countries: discount.countries,
                completed_at,
                is_archived: discount.end_state == Some("archived"),
                created_at,
            },
        );
        tx.execute(sql).await?;
        let insert_services_sql = Sql::new(
            "INSERT INTO discount_services (discount_id, service_id, discount_ppm) SELECT ?, id, ? FROM services WHERE id % ? = 1 AND id <= 300",
        );
        tx.execute(insert_services_sql.bind(id).bind(discount.discount_ppm).bind(discount.service_step))
            .await?;
    }
    Ok(())
}

async fn insert_coupons(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let time_of_day = |day: i64| plan.now + day * DAY_MICROS;
    let rows = COUPONS.iter().zip(1_i64..).map(|(coupon, id)| -> Vec<Val> {
        let is_for_orders = coupon.payment_type == "order";
        vec![
            id.into(),
            coupon.name.into(),
            coupon.code.into(),
            coupon.is_displayable.into(),
            coupon.payment_type.into(),
            (id == 3).then_some(plan.first_customer_id).into(),
            coupon.min_amount.into(),
            time_of_day(coupon.valid_days.0).into(),
            coupon.valid_days.1.map(time_of_day).into(),
            if is_for_orders { "discount" } else { "balance" }.into(),
            if coupon.bonus_ppm.is_some() { "percent" } else { "fixed" }.into(),
            coupon.bonus_ppm.into(),
            coupon.amount.into(),
            coupon.usage_limit.into(),
            coupon.is_archived.into(),
        ]
    });
    let columns = [
        "id",
        "name",
        "code",
        "shown",
        "payment_type",
        "affiliate",
        "min_amount",
        "valid_from",
        "valid_to",
        "bonus_type",
        "calculation",
        "ppm",
        "amount",
        "usage_limit",
        "archived",
    ];
    let sql = Sql::new(
        "INSERT INTO coupons (id, name, code, displayable, payment_type, affiliate_id, min_amount, valid_from, valid_to, bonus_type, bonus_amount_calculation_type,
           bonus_ppm, bonus_amount, usage_limit, is_archived, created_at, updated_at)
         SELECT r.id, r.name, r.code, r.shown, r.payment_type, u.id, r.min_amount, r.valid_from, r.valid_to, r.bonus_type, r.calculation,
           r.ppm, r.amount, r.usage_limit, r.archived, ?, ? FROM ",
    );
    let created_at = time_of_day(-130);
    let sql = sql.bind(created_at).bind(created_at).rows("r", &columns, rows.collect());
    tx.execute(sql.push(" LEFT JOIN users u ON u.id = r.affiliate")).await?;
    let insert_translations_sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value)
         SELECT 'coupon', id, 'en', 'name', name FROM coupons UNION ALL SELECT 'coupon', id, 'de', 'name', 'Willkommensbonus' FROM coupons WHERE id = 1
         UNION ALL SELECT 'coupon', id, 'en', 'description', 'Enter the code ' || code || ' with your next payment.' FROM coupons WHERE displayable",
    );
    tx.execute(insert_translations_sql).await?;
    Ok(())
}

async fn insert_special_offers(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 45 * DAY_MICROS;
    let insert_offers_sql = Sql::new(
        "INSERT INTO special_offers (id, name, network_id, place, position, is_enabled, is_archived, created_at, updated_at)
         SELECT o.id, o.name, n.id, o.place, o.position, o.id <> 4, o.id = 5, ?, ? FROM (
           SELECT 1 AS id, 'Start on YouTube' AS name, 'home_page' AS place, 'first' AS position, 1 AS network
           UNION ALL SELECT 2, 'Instagram essentials', 'home_page', 'second', 2 UNION ALL SELECT 3, 'TikTok of the week', 'create_order', 'top', 3
           UNION ALL SELECT 4, 'Telegram for channels', 'services', 'middle', 4 UNION ALL SELECT 5, 'Last summer', 'orders', 'bottom', 2) AS o JOIN networks n ON n.id = o.network",
    );
    tx.execute(insert_offers_sql.bind(created_at).bind(created_at)).await?;
    for statement in [
        "INSERT INTO special_offer_services (offer_id, service_id, sorting) SELECT o.id, s.id, s.nth FROM special_offers o
         JOIN (SELECT s.id, t.network_id, row_number() OVER (PARTITION BY t.network_id ORDER BY s.id) AS nth FROM services s JOIN service_types t ON t.id = s.service_type_id
           WHERE s.is_enabled AND NOT s.is_archived) AS s ON s.network_id = o.network_id AND s.nth <= 4",
        "INSERT INTO special_offer_types (offer_id, service_type_id, sorting) SELECT o.id, min(t.id), 1 FROM special_offers o JOIN service_types t ON t.network_id = o.network_id
         WHERE o.id % 2 = 0 GROUP BY o.id",
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'special_offer', id, 'en', 'name', name FROM special_offers
         UNION ALL SELECT 'special_offer', id, 'de', 'name', 'Start auf YouTube' FROM special_offers WHERE id = 1",
    ] {
        tx.execute(Sql::new(statement)).await?;
    }
    let insert_promotions_sql = Sql::new(
        "INSERT INTO auto_promotions (service_id, is_enabled, resale_margin_ppm, created_at, updated_at)
         SELECT s.id, s.id % 5 <> 2, CASE WHEN s.id % 3 = 0 THEN 150000 END, ?, ? FROM services s JOIN service_types t ON t.id = s.service_type_id
         WHERE t.network_id <= 4 AND s.is_enabled AND NOT s.is_archived AND s.id <= 120 ORDER BY s.id",
    );
    tx.execute(insert_promotions_sql.bind(created_at).bind(created_at)).await?;
    tx.execute(Sql::new(
        "INSERT INTO auto_promotion_networks (network_id, is_enabled, sorting)
         SELECT n.id, n.id <> 4, row_number() OVER (ORDER BY n.sorting, n.id) FROM networks n WHERE EXISTS (SELECT 1 FROM auto_promotions a JOIN services s ON s.id = a.service_id
           JOIN service_types t ON t.id = s.service_type_id WHERE t.network_id = n.id)",
    ))
    .await?;
    tx.execute(Sql::new(
        "INSERT INTO auto_promotion_types (service_type_id, sorting)
         SELECT t.id, row_number() OVER (ORDER BY t.network_id, t.sorting, t.id) FROM service_types t
         WHERE EXISTS (SELECT 1 FROM auto_promotions a JOIN services s ON s.id = a.service_id WHERE s.service_type_id = t.id)",
    ))
    .await?;
    Ok(())
}
