//! What is quoted is what is charged: random prices, grades, own prices, discounts, coupons and quantities, asked of the dry
//! run, the reseller API's price list and the price preview, and then charged. The price modifications of every order explain
//! its cost.

use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::intake::{call, key, shop};
use crate::model::below;
use crate::panel::Panel;
use crate::shop::PLAIN;

both! {
    every_quote_is_the_charge;
}

const ORDERS: &str = "/api/v1/admin/orders";
/// Pays prices of their own, with discounts.
const OWN: i64 = 1;
/// Pays what their grade pays.
const GRADED: i64 = 2;

struct Draw {
    random: Random,
}

impl Draw {
    fn up_to(&self, most: i64) -> i64 {
        below(&self.random, most + 1)
    }

    /// A share in whole thousandths, often none.
    fn share(&self) -> i64 {
        if self.up_to(2) == 0 { 0 } else { self.up_to(900) * 1_000 }
    }

    /// A price for `per` units in millionths, at most 20 for 1,000; a third of them small.
    fn price(&self, per: i64) -> i64 {
        let most = if self.up_to(2) == 0 { 1_000 } else { 20_000 * per };
        self.up_to(most)
    }
}

async fn every_quote_is_the_charge(dialect: Dialect) {
    let panel = shop(dialect).await;
    for sql in [
        "INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (71, 'Gold', 0, 0, 1, 1)",
        "UPDATE users SET grade_id = 71, grade_is_manual = TRUE WHERE id IN (1, 2)",
        "INSERT INTO user_discounts (user_id, kind, percent_ppm, updated_at) VALUES (1, 'all', 0, 1)",
        "INSERT INTO user_services (user_id, service_id, created_at, updated_at) VALUES (1, 1, 1, 1)",
        "INSERT INTO discounts (id, name, valid_from, created_at, updated_at) VALUES (71, 'Sale', 1, 1, 1)",
        "INSERT INTO discount_services (discount_id, service_id, percent_ppm) VALUES (71, 1, 1000)",
        "INSERT INTO settings (key, value, updated_at) VALUES ('speedup_charge_percent', '\"0\"', 1), ('guarantee_charge_percent', '\"0\"', 1)",
        "UPDATE services SET can_speedup = TRUE, has_refill = FALSE",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    let keys = [key(&panel, OWN).await, key(&panel, GRADED).await];
    let draw = Draw { random: Random::seeded(71) };
    for round in 0..100 {
        panel.clock.advance_secs(60);
        change(&panel, &draw).await;
        let quantity = 100 + draw.up_to(2_900);
        for (user, key) in [OWN, GRADED].into_iter().zip(&keys) {
            let rate = call(&panel, key, "action=services").await[0]["rate"].as_str().unwrap().to_owned();
            let charged = charge(&panel, (user, quantity), json!({})).await;
            assert_eq!(
                charged,
                worked_out(&rate, quantity),
                "round {round}: {quantity} at {rate} for user {user}"
            );
            charge(&panel, (user, quantity), json!({ "coupon": coupon(&panel, &draw).await })).await;
            let extras = json!({ "coupon": coupon(&panel, &draw).await, "speedup": true, "guarantee": true });
            charge(&panel, (user, quantity), extras).await;
            if user == GRADED {
                assert_eq!(
                    previewed(&panel, quantity).await,
                    charged,
                    "round {round}: the preview of the grade"
                );
            }
        }
    }
    panel.assert_healthy().await;
}

/// Draws everything anew that decides a price.
async fn change(panel: &Panel, draw: &Draw) {
    let per = [1_000, 1_000, 100, 1][usize::try_from(draw.up_to(3)).unwrap()];
    let price = draw.price(per);
    let sql = Sql::new("UPDATE services SET default_price = ?, min_price = ?, pricing_per = ? WHERE id = 1");
    panel.exec(sql.bind(price).bind(draw.up_to(price)).bind(per)).await;
    let own = (draw.up_to(1) == 0).then(|| draw.price(per));
    let sql = Sql::new("UPDATE user_services SET default_price = ?, min_price = ? WHERE user_id = 1");
    panel.exec(sql.bind(own).bind(own.map(|own| draw.up_to(own)))).await;
    for sql in [
        "UPDATE grades SET discount_ppm = ? WHERE id = 71",
        "UPDATE user_discounts SET percent_ppm = ?",
        "UPDATE discount_services SET percent_ppm = ? + 1000",
        "UPDATE settings SET value = '\"0.' || CAST(100000 + ? / 2 AS TEXT) || '\"' WHERE key IN ('speedup_charge_percent', 'guarantee_charge_percent')",
        // What the provider asks: often more than what is left of the price.
        "UPDATE providers SET source_price = ? * 5 WHERE id = 1",
    ] {
        panel.exec(Sql::new(sql).bind(draw.share())).await;
    }
}

/// The code of a coupon for one order, as each customer uses a coupon once.
async fn coupon(panel: &Panel, draw: &Draw) -> String {
    let number = panel.number(Sql::new("SELECT count(*) FROM coupons")).await;
    let code = format!("AUTUMN-{number}");
    let sql = Sql::new(
        "INSERT INTO coupons (id, name, code, payment_type, valid_from, bonus_type, bonus_amount_calculation_type, bonus_ppm, works_with_service_discount,
           works_with_user_custom_price, created_at, updated_at)
         VALUES (?, 'Autumn', ?, 'order', 1, 'discount', 'percent', ?, TRUE, TRUE, 1, 1)",
    );
    panel.exec(sql.bind(1_000 + number).bind(&*code).bind(draw.share() + 1_000)).await;
    code
}

/// What an order costs, in millionths: tried first, then charged.
async fn charge(panel: &Panel, (user, quantity): (i64, i64), more: Value) -> i64 {
    let mut body = json!({ "user_id": user, "service_id": PLAIN, "url": "https://video.example/1", "quantity": quantity });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let tried = panel.made(&format!("{ORDERS}?dry_run=1"), body.clone()).await["cost"].clone();
    let before = panel.balances(user).await.0;
    let placed = panel.made(ORDERS, body).await;
    explained(&panel.order(placed["id"].as_i64().unwrap()).await);
    let placed = placed["cost"].clone();
    assert_eq!(tried, placed, "the dry run is the charge");
    let charged = before - panel.balances(user).await.0;
    assert_eq!(charged, millionths(placed.as_str().unwrap()));
    charged
}

/// The modifications of an order chain, and the last one leads to its cost.
fn explained(order: &Value) {
    let steps = order["price_modifications"].as_array().unwrap();
    assert!(steps.windows(2).all(|pair| pair[0]["cost_after"] == pair[1]["cost_before"]), "{steps:?}");
    assert!(steps.last().is_none_or(|last| last["cost_after"] == order["cost"]), "{order}");
}

async fn previewed(panel: &Panel, quantity: i64) -> i64 {
    let service = panel.data(&format!("/api/v1/admin/services/{PLAIN}")).await;
    let body = json!({ "default_price": service["default_price"], "min_price": service["min_price"],
        "pricing_per": service["pricing_per"], "quantity": quantity, "service_id": PLAIN });
    let all = panel.made("/api/v1/admin/services/price-preview", body).await;
    let of_grade = all.as_array().unwrap().iter().find(|line| line["grade"]["id"] == 71).unwrap();
    millionths(of_grade["cost"].as_str().unwrap())
}

fn millionths(text: &str) -> i64 {
    let (units, parts) = text.split_once('.').unwrap_or((text, ""));
    format!("{units}{parts:0<6}").parse().unwrap()
}

/// What a customer's program works out of the listed rate: rounded up once, to the cent.
fn worked_out(rate: &str, quantity: i64) -> i64 {
    let (units, parts) = rate.split_once('.').unwrap_or((rate, ""));
    let digits: i128 = format!("{units}{parts}").parse().unwrap();
    let whole = 10_i128.pow(u32::try_from(parts.len()).unwrap()) * 1_000;
    let cents = (digits * i128::from(quantity) * 100 + whole - 1) / whole;
    i64::try_from(cents).unwrap() * 10_000
}
