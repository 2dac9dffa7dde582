//! Orders for tests in the format of the API.

use panel_contract::orders::{Order, OrderRow, RefillStatistic};
use panel_tui::model::orders::{self, to_row};
use panel_tui::model::row::RecordRow;
use serde_json::{Value, json};

use crate::harness::NOW;
use panel_contract::moment::Time;

/// An order in moderation, as JSON.
pub(crate) fn order_json(
    id: i64,
    hours: i64,
    service: &str,
    (quantity, cost): (i64, &str),
    user: &str,
) -> Value {
    json!({
        "id": id, "name": service, "url": format!("https://video.example/watch?v={id}"),
        "status": "in_moderation", "approval": "pending", "source": "cabinet",
        "cost": cost, "refunded": "0", "price": "2.5", "quantity": quantity, "current_quantity": 0,
        "percent_of_current_fill": "0", "margin_percent": null,
        "created_at": Time(NOW.0 - hours * 3_600_000_000).to_string(), "completed_at": null,
        "updated_at": NOW.to_string(), "is_paid": true, "has_refill": false, "auto_refill_is_allowed": false,
        "has_no_active_providers": false, "comment": null, "subscription_id": null, "drip_feed_id": null,
        "combo_order_id": null, "service": {"id": 7, "name": service},
        "user": {"id": 31, "name": "Anna Kowalski", "email": user, "balance": "80.25", "spent": "1240",
                 "telegram_username": "annak"},
        "actions": {"activable": false, "approvable": true, "cancelable": true, "completable": false,
                    "editable": true, "pausable": false, "provider_changeable": false, "rejectable": true}
    })
}

pub(crate) fn order_row(order: Value) -> RecordRow {
    to_row(&serde_json::from_value::<OrderRow>(order).unwrap())
}

/// Five orders in moderation.
pub(crate) fn queue_rows() -> Vec<RecordRow> {
    [
        order_json(981_204, 4, "YouTube views HQ", (50_000, "125"), "anna@ex.com"),
        order_json(981_207, 4, "Instagram followers", (10_000, "87.5"), "anna@ex.com"),
        order_json(981_311, 3, "TikTok likes", (5_000, "12.5"), "bo@ex.com"),
        order_json(981_350, 3, "YouTube views HQ", (80_000, "200"), "li@ex.com"),
        order_json(981_352, 3, "鈴木さん Instagram reels", (1_000, "2.1"), "suzuki@ex.jp"),
    ]
    .map(order_row)
    .to_vec()
}

/// `count` orders in moderation.
pub(crate) fn order_rows(count: i64) -> Vec<RecordRow> {
    (0..count)
        .map(|index| order_row(order_json(981_000 + index, 2, "TikTok likes", (1_000, "2.5"), "bo@ex.com")))
        .collect()
}

/// Orders with hostile or very long texts.
pub(crate) fn hostile_rows() -> Vec<RecordRow> {
    let long_name = "a very long name that no service should have, although a service can have it ".repeat(4);
    let mut escape_order = order_json(
        981_400,
        1,
        "\u{1b}[2J\u{1b}]0;owned\u{7}red\u{202e}txt.exe",
        (1, "0.000001"),
        "e\u{200b}v\u{1b}[31mil@ex.com",
    );
    escape_order["comment"] = json!("line\nbreak\ttab");
    let mut wide_order = order_json(
        981_401,
        30,
        "👨‍👩‍👧 🇩🇪 Ｗｉｄｅ",
        (9_223_372_036_854_775_807, "9223372036854.775807"),
        &format!("{long_name}@ex.com"),
    );
    wide_order["user"]["name"] = json!("Z̸̡̢̧a̵͓͔͕l̶̛̯̰g̷̠̟̞o̴͇͈͉");
    [order_json(981_402, 24 * 400, &long_name, (10, "1"), "short@ex.com"), escape_order, wide_order]
        .map(order_row)
        .to_vec()
}

/// An order with all details.
pub(crate) fn full_order() -> Order {
    let mut order = order_json(981_204, 4, "YouTube views HQ", (50_000, "125"), "anna@ex.com");
    let detail_fields = json!({
        "comment": "The customer wrote twice on Telegram. Wait for the second link before you approve the order.",
        "revenue": "105", "provider_cost": "20", "pricing_per": 1000, "quantity_for_full_fill": null,
        "percent_of_external_statistics_fill": null, "external_order_start_count": 1200,
        "cancel_reason": null, "cancel_description": null, "child_id": null, "service_id": 7,
        "service_name": "YouTube views HQ", "countries": [], "seo_keyword": null, "keyword": null,
        "refill_quantity": null, "refund_amount": "112.5",
        "providers": [{"id": 3, "name": "Fast views", "status": "active", "cost": "20", "quantity": 8000}],
        "external_panel_orders": [{
            "id": 9, "external_panel_order_id": "77812", "provider": {"id": 3, "name": "Fast views"},
            "external_panel": {"id": 1, "name": "Panel of panels"}, "status": "Partial", "charge": "20",
            "initial_quantity": 50000, "remains": 42000, "start_count": 1200,
            "last_error": "Not enough funds on balance", "is_unknown": false, "cancel_requested_at": null,
            "created_at": "2026-11-20 08:10:00"
        }],
        "price_modifications": [{
            "id": 1, "modifier_id": 4, "name": "Autumn sale", "type": "discount", "cost_before": "150",
            "cost_after": "125", "cost_diff": "-25", "is_speedup": false, "has_countries": false
        }],
        "refund_payments": [{
            "id": 5, "admin": {"id": 2, "name": "Olga"}, "type": "main", "transaction_type": "income",
            "created_at": "2026-11-20 09:00:00", "amount": "12.5"
        }],
        "order_balance_payments": [
            {"amount": "100", "balance_type": "main"}, {"amount": "25", "balance_type": "task"}
        ],
        "targetable_values": [{"name": "Country", "value": "Poland"}],
        "promotable": {"embed_url": null, "region_restriction": null, "average_viewers": null,
            "first_statistic_viewers": null, "supported_at": null, "supported_until": null},
        "refill": {"first": null, "last": null}
    });
    for (name, value) in detail_fields.as_object().unwrap() {
        order[name] = value.clone();
    }
    serde_json::from_value(order).unwrap()
}

#[test]
fn a_record_shows_all_attributes_of_an_order() {
    let mut order = full_order();
    order.row.is_paid = false;
    order.keyword = Some("cats".to_owned());
    order.seo_keyword = Some("cheap dogs".to_owned());
    order.countries = vec!["DE".to_owned(), "FR".to_owned()];
    order.child_id = Some(7_701);
    order.quantity_for_full_fill = Some(66_000);
    order.refill_quantity = Some(500);
    order.refill.last = Some(RefillStatistic { date: order.row.created_at, quantity: 48_000 });
    order.promotable.average_viewers = Some(120);
    order.promotable.embed_url = Some("https://video.example/embed/1".to_owned());
    let detail = orders::to_detail(&order);
    let entries: Vec<(&str, &str)> = detail
        .sections
        .iter()
        .flat_map(|section| &section.entries)
        .map(|entry| (entry.label.as_str(), entry.text.as_str()))
        .collect();
    for expected in [
        ("Paid", "no"),
        ("Keyword", "cats"),
        ("SEO keyword", "cheap dogs"),
        ("Countries", "DE, FR"),
        ("Child id", "7701"),
        ("Embed URL", "https://video.example/embed/1"),
        ("Avg. viewers", "120"),
        ("Next refill", "500"),
    ] {
        assert!(entries.contains(&expected), "{expected:?}: {entries:?}");
    }
    assert!(entries.iter().any(|(label, text)| *label == "Last count" && text.contains("48")), "{entries:?}");
    let plain_detail = orders::to_detail(&full_order());
    assert!(plain_detail.sections.iter().all(|section| !["Refills", "Promotion"].contains(&section.title)));
}
