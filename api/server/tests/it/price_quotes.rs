//! Price quotes with random prices, grades, personal prices, discounts, coupons and quantities: the dry run, the price list of the
//! reseller API and the price preview all equal the later charge, and the price modifications of each order add up to the cost.

use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::model::random_below;
use crate::panel::Panel;
use crate::placing_orders::{create_api_key, send_reseller_request, start_shop};
use crate::shop::PLAIN_SERVICE;

test_both_databases! {
    each_quoted_price_equals_the_charge;
}

const ORDERS_PATH: &str = "/api/v1/admin/orders";
/// A customer with personal prices and a personal discount.
const PERSONAL_PRICE_USER: i64 = 1;
/// A customer who pays the prices of a grade.
const GRADE_PRICE_USER: i64 = 2;

struct RandomPrices {
    random: Random,
}

impl RandomPrices {
    fn random_up_to(&self, max: i64) -> i64 {
        random_below(&self.random, max + 1)
    }

    /// A fraction in ppm, a multiple of 0.001. One third of the values are 0.
    fn random_ppm(&self) -> i64 {
        if self.random_up_to(2) == 0 { 0 } else { self.random_up_to(900) * 1_000 }
    }

    /// A price for `pricing_per` units in millionths, at most 20 per 1,000 units. One third of the prices are at most 0.001.
    fn random_price(&self, pricing_per: i64) -> i64 {
        let max = if self.random_up_to(2) == 0 { 1_000 } else { 20_000 * pricing_per };
        self.random_up_to(max)
    }
}

async fn each_quoted_price_equals_the_charge(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    for sql in [
        "INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (71, 'Gold', 0, 0, 1, 1)",
        "UPDATE users SET grade_id = 71, grade_is_manual = TRUE WHERE id IN (1, 2)",
        "INSERT INTO user_discounts (user_id, kind, discount_ppm, updated_at) VALUES (1, 'all', 0, 1)",
        "INSERT INTO user_services (user_id, service_id, created_at, updated_at) VALUES (1, 1, 1, 1)",
        "INSERT INTO discounts (id, name, valid_from, created_at, updated_at) VALUES (71, 'Sale', 1, 1, 1)",
        "INSERT INTO discount_services (discount_id, service_id, discount_ppm) VALUES (71, 1, 1000)",
        "INSERT INTO settings (key, value, updated_at) VALUES ('speedup_charge_fraction', '\"0\"', 1), ('guarantee_charge_fraction', '\"0\"', 1)",
        "UPDATE services SET can_speedup = TRUE, has_refill = FALSE",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let keys =
        [create_api_key(&panel, PERSONAL_PRICE_USER).await, create_api_key(&panel, GRADE_PRICE_USER).await];
    let random_prices = RandomPrices { random: Random::seeded(71) };
    for round in 0..100 {
        panel.clock.advance_secs(60);
        randomize_prices(&panel, &random_prices).await;
        let quantity = 100 + random_prices.random_up_to(2_900);
        for (user_id, key) in [PERSONAL_PRICE_USER, GRADE_PRICE_USER].into_iter().zip(&keys) {
            let rate = send_reseller_request(&panel, key, "action=services").await[0]["rate"]
                .as_str()
                .unwrap()
                .to_owned();
            let charged = quote_and_charge(&panel, (user_id, quantity), json!({})).await;
            assert_eq!(
                charged,
                cost_at_rate(&rate, quantity),
                "round {round}: {quantity} at {rate} for user {user_id}"
            );
            quote_and_charge(
                &panel,
                (user_id, quantity),
                json!({ "coupon": insert_coupon(&panel, &random_prices).await }),
            )
            .await;
            let body_with_extras = json!({ "coupon": insert_coupon(&panel, &random_prices).await, "speedup": true, "guarantee": true });
            quote_and_charge(&panel, (user_id, quantity), body_with_extras).await;
            if user_id == GRADE_PRICE_USER {
                assert_eq!(
                    preview_cost(&panel, quantity).await,
                    charged,
                    "round {round}: the preview must show the charge of the grade"
                );
            }
        }
    }
    panel.assert_healthy().await;
}

/// Sets every price, discount and charge to a random value.
async fn randomize_prices(panel: &Panel, random_prices: &RandomPrices) {
    let pricing_per = [1_000, 1_000, 100, 1][usize::try_from(random_prices.random_up_to(3)).unwrap()];
    let price = random_prices.random_price(pricing_per);
    let sql = Sql::new("UPDATE services SET default_price = ?, min_price = ?, pricing_per = ? WHERE id = 1");
    panel.execute(sql.bind(price).bind(random_prices.random_up_to(price)).bind(pricing_per)).await;
    let personal_price =
        (random_prices.random_up_to(1) == 0).then(|| random_prices.random_price(pricing_per));
    let sql = Sql::new("UPDATE user_services SET default_price = ?, min_price = ? WHERE user_id = 1");
    panel
        .execute(sql.bind(personal_price).bind(personal_price.map(|price| random_prices.random_up_to(price))))
        .await;
    for sql in [
        "UPDATE grades SET discount_ppm = ? WHERE id = 71",
        "UPDATE user_discounts SET discount_ppm = ?",
        "UPDATE discount_services SET discount_ppm = ? + 1000",
        "UPDATE settings SET value = '\"0.' || CAST(100000 + ? / 2 AS TEXT) || '\"' WHERE key IN ('speedup_charge_fraction', 'guarantee_charge_fraction')",
        // The provider's price is often above the reduced price of the service.
        "UPDATE providers SET source_price = ? * 5 WHERE id = 1",
    ] {
        panel.execute(Sql::new(sql).bind(random_prices.random_ppm())).await;
    }
}

/// Inserts a new coupon, because each customer may use a coupon only once. Returns the code.
async fn insert_coupon(panel: &Panel, random_prices: &RandomPrices) -> String {
    let number = panel.fetch_number(Sql::new("SELECT count(*) FROM coupons")).await;
    let code = format!("AUTUMN-{number}");
    let sql = Sql::new(
        "INSERT INTO coupons (id, name, code, payment_type, valid_from, bonus_type, bonus_amount_calculation_type, bonus_ppm, works_with_service_discount,
           works_with_user_custom_price, created_at, updated_at)
         VALUES (?, 'Autumn', ?, 'order', 1, 'discount', 'percent', ?, TRUE, TRUE, 1, 1)",
    );
    panel.execute(sql.bind(1_000 + number).bind(&*code).bind(random_prices.random_ppm() + 1_000)).await;
    code
}

/// Places an order after a dry run, and asserts that both return the same cost and that the customer paid it. Returns the charge in
/// millionths.
async fn quote_and_charge(panel: &Panel, (user_id, quantity): (i64, i64), extra_fields: Value) -> i64 {
    let mut body = json!({ "user_id": user_id, "service_id": PLAIN_SERVICE, "url": "https://video.example/1", "quantity": quantity });
    body.as_object_mut().unwrap().extend(extra_fields.as_object().unwrap().clone());
    let dry_run_cost =
        panel.post_data(&format!("{ORDERS_PATH}?dry_run=1"), body.clone()).await["cost"].clone();
    let balance_before = panel.fetch_main_balance(user_id).await;
    let placed_order = panel.post_data(ORDERS_PATH, body).await;
    assert_modifications_explain_cost(&panel.fetch_order(placed_order["id"].as_i64().unwrap()).await);
    let cost = placed_order["cost"].clone();
    assert_eq!(dry_run_cost, cost, "the dry run must return the cost of the order");
    let charged = balance_before - panel.fetch_main_balance(user_id).await;
    assert_eq!(charged, millionths(cost.as_str().unwrap()));
    charged
}

/// Each price modification starts at the cost after the previous modification, and the last one ends at the cost of the order.
fn assert_modifications_explain_cost(order: &Value) {
    let modifications = order["price_modifications"].as_array().unwrap();
    assert!(
        modifications.windows(2).all(|pair| pair[0]["cost_after"] == pair[1]["cost_before"]),
        "{modifications:?}"
    );
    assert!(modifications.last().is_none_or(|last| last["cost_after"] == order["cost"]), "{order}");
}

async fn preview_cost(panel: &Panel, quantity: i64) -> i64 {
    let service = panel.get_data(&format!("/api/v1/admin/services/{PLAIN_SERVICE}")).await;
    let body = json!({ "default_price": service["default_price"], "min_price": service["min_price"],
        "pricing_per": service["pricing_per"], "quantity": quantity, "service_id": PLAIN_SERVICE });
    let previews = panel.post_data("/api/v1/admin/services/price-preview", body).await;
    let grade_preview = previews.as_array().unwrap().iter().find(|line| line["grade"]["id"] == 71).unwrap();
    millionths(grade_preview["cost"].as_str().unwrap())
}

fn millionths(text: &str) -> i64 {
    let (units, decimals) = text.split_once('.').unwrap_or((text, ""));
    format!("{units}{decimals:0<6}").parse().unwrap()
}

/// The cost in millionths that a client calculates from the listed rate per 1,000: rounded up once, to cents.
fn cost_at_rate(rate: &str, quantity: i64) -> i64 {
    let (units, decimals) = rate.split_once('.').unwrap_or((rate, ""));
    let digits: i128 = format!("{units}{decimals}").parse().unwrap();
    let divisor = 10_i128.pow(u32::try_from(decimals.len()).unwrap()) * 1_000;
    let cents = (digits * i128::from(quantity) * 100 + divisor - 1) / divisor;
    i64::try_from(cents).unwrap() * 10_000
}
