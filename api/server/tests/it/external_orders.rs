//! External orders: which of them are stuck, and how staff place the undelivered quantity again.

use futures_util::future::join;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_platform::sql;
use panel_server::supply::late_thresholds;
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{NOW, Panel};
use crate::providers::insert_external_panel;

both! {
    the_undelivered_quantity_is_placed_again;
    placing_an_unknown_attempt_again_marks_it_as_not_accepted;
    parallel_requests_create_one_attempt;
    attempts_that_are_late_or_have_an_alert_are_stuck;
    a_search_finds_attempts_by_related_records;
}

const ATTEMPTS: &str = "/api/v1/admin/external-panel-orders";
const HOUR_MICROS: i64 = 3_600_000_000;

/// Inserts an attempt of an order at provider 1 with 200 units.
async fn insert_attempt(
    panel: &Panel,
    order: i64,
    status: &str,
    remains: Option<i64>,
    external_id: Option<&str>,
    sent_hours_ago: Option<i64>,
    alert_hours_ago: Option<i64>,
) -> i64 {
    let ago = |hours: Option<i64>| hours.map(|hours| NOW - hours * HOUR_MICROS);
    let ended_at = matches!(status, "Completed" | "Partial" | "Canceled").then_some(NOW - HOUR_MICROS);
    let sql = sql!(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, initial_quantity, remains, \
           external_order_id, sent_at, alert_at, ended_at,
           last_error, last_request, last_answer, created_at, updated_at)
         VALUES (@order, 1, 1, @status, 200, @remains, @external_order_id, @sent_at, @alert_at, @ended_at, 'neworder.error', \
           '{\"action\":\"add\"}', '<html>', @created_at, 1)",
        {
            order,
            status,
            remains,
            external_order_id: external_id,
            sent_at: ago(sent_hours_ago),
            alert_at: ago(alert_hours_ago),
            ended_at,
            created_at: NOW - 2 * HOUR_MICROS,
        },
    );
    panel.execute(sql).await;
    panel.number(Sql::new("SELECT max(id) FROM external_panel_orders")).await
}

async fn attempt_row(panel: &Panel, id: i64) -> Value {
    panel.get_data(&format!("{ATTEMPTS}?columns[0][data]=id&columns[0][search][value]={id}")).await[0].clone()
}

async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 3, 10).await;
    insert_external_panel(&panel).await;
    panel
}

async fn the_undelivered_quantity_is_placed_again(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 50 WHERE id = 1")).await;
    let id = insert_attempt(&panel, 1, "Canceled", Some(180), Some("x1"), Some(5), Some(1)).await;
    let attempt = attempt_row(&panel, id).await;
    assert_eq!((&attempt["actions"]["recreatable"], &attempt["is_stuck"]), (&json!(true), &json!(true)));
    assert_eq!((&attempt["order"]["id"], &attempt["provider"]["name"]), (&json!(1), &json!("Provider 1")));
    assert_eq!(
        (&attempt["external_panel_order_id"], &attempt["last_answer"]),
        (&json!("x1"), &json!("<html>"))
    );
    let path = format!("{ATTEMPTS}/{id}/recreate");
    let dry_run = panel.post(&format!("{path}?dry_run=1"), &json!({})).await;
    assert_eq!((dry_run.status.as_u16(), &dry_run.json()["data"]["initial_quantity"]), (200, &json!(150)));
    assert_eq!(
        panel.number(Sql::new("SELECT count(*) FROM external_panel_orders")).await,
        1,
        "a dry run creates nothing"
    );
    let created = panel.send("owner", "POST", &path, &json!({}), Some("key-1")).await;
    assert_eq!(created.status, 200, "{}", created.text);
    let repeated = panel.send("owner", "POST", &path, &json!({}), Some("key-1")).await;
    assert_eq!(repeated.json(), created.json(), "the same key returns the same answer");
    let created = created.json()["data"].clone();
    assert_eq!(
        (&created["status"], &created["initial_quantity"], &created["sent_at"]),
        (&json!("Creating"), &json!(150), &Value::Null),
        "the missing quantity of the order, which is less than the attempt's remains"
    );
    assert_eq!(created["actions"]["recreatable"], false, "the new attempt waits to be sent");
    let due = Sql::new("SELECT count(*) FROM external_panel_orders WHERE due_at = ? AND status = 'Creating'");
    assert_eq!(panel.number(due.bind(NOW)).await, 1);
    assert_eq!(
        panel.post(&path, &json!({})).await.status_and_code(),
        (409, "external_panel_order_not_recreatable".into()),
        "the order has a live attempt"
    );
    let old = attempt_row(&panel, id).await;
    assert_eq!(
        (&old["is_stuck"], &old["status"]),
        (&json!(false), &json!("Canceled")),
        "placing it again resolves the alert"
    );
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'order.attempt_recreated' AND auditable_id = 1");
    assert_eq!(panel.number(audits).await, 1);
    let order = panel.order(1).await;
    let attempts = order["external_panel_orders"].as_array().unwrap();
    assert_eq!((attempts.len(), &attempts[1]["last_request"]), (2, &json!("{\"action\":\"add\"}")));
    let list = panel
        .get(&format!("{ATTEMPTS}?columns[0][data]=status&columns[0][search][value]=Canceled"))
        .await
        .json();
    assert_eq!((&list["recordsTotal"], &list["recordsFiltered"]), (&json!(2), &json!(1)));
    panel.assert_healthy().await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    assert_eq!(panel.get_as("reader", ATTEMPTS, "*/*").await.status, 403);
    assert_eq!(panel.post(&format!("{ATTEMPTS}/99/recreate"), &json!({})).await.status, 404);
}

async fn placing_an_unknown_attempt_again_marks_it_as_not_accepted(dialect: Dialect) {
    let panel = shop(dialect).await;
    let leased = insert_attempt(&panel, 2, "Creating", None, None, Some(1), None).await;
    // The process that sends it holds the lease until then.
    let lease = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ?")
        .bind(NOW + HOUR_MICROS)
        .bind(leased);
    panel.execute(lease).await;
    assert_eq!(attempt_row(&panel, leased).await["actions"]["recreatable"], false, "a process is sending it");
    let id = insert_attempt(&panel, 1, "Creating", None, None, Some(5), Some(1)).await;
    let attempt = attempt_row(&panel, id).await;
    assert_eq!((&attempt["is_unknown"], &attempt["actions"]["recreatable"]), (&json!(true), &json!(true)));
    assert_eq!(panel.order(1).await["external_panel_orders"][0]["is_unknown"], true);
    let created = panel.post_data(&format!("{ATTEMPTS}/{id}/recreate"), json!({})).await;
    assert_eq!((&created["status"], &created["initial_quantity"]), (&json!("Creating"), &json!(200)));
    let old = attempt_row(&panel, id).await;
    assert_eq!((&old["status"], &old["is_unknown"]), (&json!("Canceled"), &json!(false)));
    assert!(
        old["ended_at"].is_string()
            && old["last_error"].as_str().unwrap().contains("did not accept this order"),
        "{old}"
    );
    // Attempts of paused orders cannot be placed again.
    let stopped = insert_attempt(&panel, 3, "Canceled", None, Some("x3"), Some(5), None).await;
    panel.execute(Sql::new("UPDATE orders SET status = 'stopped' WHERE id = 3")).await;
    assert_eq!(attempt_row(&panel, stopped).await["actions"]["recreatable"], false);
    assert_eq!(panel.post(&format!("{ATTEMPTS}/{stopped}/recreate"), &json!({})).await.status, 409);
    // Nor can attempts at a provider that accepts no orders.
    panel.execute(Sql::new("UPDATE orders SET status = 'in_processing' WHERE id = 3")).await;
    panel.execute(Sql::new("UPDATE external_panels SET is_archived = TRUE")).await;
    assert_eq!(
        attempt_row(&panel, stopped).await["actions"]["recreatable"],
        true,
        "the provider has no panel"
    );
    panel.execute(Sql::new("UPDATE providers SET external_panel_id = 1 WHERE id = 1")).await;
    assert_eq!(attempt_row(&panel, stopped).await["actions"]["recreatable"], false);
}

async fn parallel_requests_create_one_attempt(dialect: Dialect) {
    let panel = shop(dialect).await;
    let first = insert_attempt(&panel, 1, "Canceled", None, Some("x1"), Some(5), None).await;
    let second = insert_attempt(&panel, 1, "Partial", Some(20), Some("x2"), Some(5), None).await;
    let (first, second) = (format!("{ATTEMPTS}/{first}/recreate"), format!("{ATTEMPTS}/{second}/recreate"));
    let body = json!({});
    let answers = join(panel.post(&first, &body), panel.post(&second, &body)).await;
    let mut statuses = [answers.0.status.as_u16(), answers.1.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", answers.0.text, answers.1.text);
    let live = "SELECT count(*) FROM external_panel_orders WHERE status = 'Creating' AND order_id = 1";
    assert_eq!(panel.number(Sql::new(live)).await, 1);
    panel.assert_healthy().await;
}

async fn attempts_that_are_late_or_have_an_alert_are_stuck(dialect: Dialect) {
    let panel = shop(dialect).await;
    let fresh_attempt = insert_attempt(&panel, 1, "In progress", None, Some("a"), Some(20), None).await;
    let late_attempt = insert_attempt(&panel, 2, "Pending", None, Some("b"), Some(73), None).await;
    let alerted_attempt = insert_attempt(&panel, 3, "Canceled", None, Some("c"), Some(1), Some(1)).await;
    let completed_attempt = insert_attempt(&panel, 4, "Completed", None, Some("d"), Some(80), None).await;
    let attempt_of_30_hours = insert_attempt(&panel, 5, "Processing", None, Some("e"), Some(30), None).await;
    let stuck = async || ids(&panel.get_data(&format!("{ATTEMPTS}?stuck=1")).await);
    assert_eq!(stuck().await, [alerted_attempt, late_attempt]);
    assert_eq!(
        ids(&panel.get_data(&format!("{ATTEMPTS}?stuck=0")).await),
        [attempt_of_30_hours, completed_attempt, fresh_attempt]
    );
    for id in [fresh_attempt, late_attempt, alerted_attempt, completed_attempt, attempt_of_30_hours] {
        assert_eq!(
            attempt_row(&panel, id).await["is_stuck"] == true,
            [alerted_attempt, late_attempt].contains(&id),
            "{id}"
        );
    }
    // Recent attempts complete within two hours, but the threshold for late attempts is at least one day.
    panel
        .execute(
            Sql::new("UPDATE external_panel_orders SET sent_at = ended_at - ? WHERE status = 'Completed'")
                .bind(2 * HOUR_MICROS),
        )
        .await;
    late_thresholds::refresh(&panel.app.db, Time(NOW)).await.unwrap();
    assert_eq!(stuck().await, [attempt_of_30_hours, alerted_attempt, late_attempt]);
    assert_eq!(attempt_row(&panel, attempt_of_30_hours).await["is_stuck"], true);
    // Recent attempts complete within thirty hours, so the threshold is ninety hours.
    panel
        .execute(
            Sql::new("UPDATE external_panel_orders SET sent_at = ended_at - ? WHERE status = 'Completed'")
                .bind(30 * HOUR_MICROS),
        )
        .await;
    late_thresholds::refresh(&panel.app.db, Time(NOW)).await.unwrap();
    assert_eq!(stuck().await, [alerted_attempt]);
    let of_order_2 = panel.get(&format!("{ATTEMPTS}?order_id=2")).await.json();
    assert_eq!((ids(&of_order_2["data"]), &of_order_2["recordsTotal"]), (vec![late_attempt], &json!(1)));
}

/// The search finds an attempt by its external id, provider and panel, and by the URL and the service of its order.
async fn a_search_finds_attempts_by_related_records(dialect: Dialect) {
    let panel = shop(dialect).await;
    let first = insert_attempt(&panel, 1, "Completed", None, Some("A-4711"), Some(3), None).await;
    let second = insert_attempt(&panel, 2, "Completed", None, None, Some(3), None).await;
    panel
        .execute(
            Sql::new("UPDATE external_panel_orders SET external_order_id = 'B-0815' WHERE id = ?")
                .bind(second),
        )
        .await;
    panel.execute(Sql::new("UPDATE orders SET url = 'https://zebra.example/1' WHERE id = 1")).await;
    panel.execute(Sql::new("INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, updated_at)
        SELECT 900, service_type_id, 'Giraffe likes', 1, 1000, 1, 1, 1, 1 FROM services WHERE id = (SELECT min(id) FROM services)")).await;
    panel.execute(Sql::new("UPDATE orders SET service_id = 900 WHERE id = 2")).await;
    panel.execute(Sql::new("UPDATE providers SET name = 'Okapi supply' WHERE id = 1")).await;
    panel.execute(Sql::new("UPDATE external_panels SET name = 'Tapir panel' WHERE id = 1")).await;
    for (text, expected) in [
        ("a-47", vec![first]),
        ("0815", vec![second]),
        ("zebra", vec![first]),
        ("giraffe", vec![second]),
        ("okapi", vec![second, first]),
        ("tapir", vec![second, first]),
        ("okapi+giraffe", vec![second]),
        ("nothing", vec![]),
    ] {
        let page = panel.get(&format!("{ATTEMPTS}?search[value]={text}")).await.json();
        assert_eq!(ids(&page["data"]), expected, "{text}: {page}");
    }
}
