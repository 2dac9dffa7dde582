//! Tests external orders: which of them count as stuck, and how staff place the undelivered quantity again.

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

test_both_databases! {
    staff_place_the_undelivered_quantity_again;
    placing_an_unknown_attempt_again_marks_it_as_not_accepted;
    parallel_requests_create_one_attempt;
    attempts_that_are_late_or_have_an_alert_are_stuck;
    a_search_finds_attempts_by_related_records;
}

const ATTEMPTS: &str = "/api/v1/admin/external-panel-orders";
const HOUR_MICROS: i64 = 3_600_000_000;

/// An attempt to place 200 units of an order at provider 1.
#[derive(Default)]
struct NewAttempt {
    order: i64,
    status: &'static str,
    remains: Option<i64>,
    external_id: Option<&'static str>,
    sent_hours_ago: Option<i64>,
    alert_hours_ago: Option<i64>,
}

async fn insert_attempt(panel: &Panel, new_attempt: NewAttempt) -> i64 {
    let NewAttempt { order, status, remains, external_id, sent_hours_ago, alert_hours_ago } = new_attempt;
    let time_before = |hours: Option<i64>| hours.map(|hours| NOW - hours * HOUR_MICROS);
    let ended_at = matches!(status, "Completed" | "Partial" | "Canceled").then_some(NOW - HOUR_MICROS);
    let sql = sql!(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, initial_quantity, remains, \
           external_order_id, sent_at, alert_at, ended_at,
           last_error, last_request, last_response, created_at, updated_at)
         VALUES (@order, 1, 1, @status, 200, @remains, @external_order_id, @sent_at, @alert_at, @ended_at, 'neworder.error', \
           '{\"action\":\"add\"}', '<html>', @created_at, 1)",
        {
            order,
            status,
            remains,
            external_order_id: external_id,
            sent_at: time_before(sent_hours_ago),
            alert_at: time_before(alert_hours_ago),
            ended_at,
            created_at: NOW - 2 * HOUR_MICROS,
        },
    );
    panel.execute(sql).await;
    panel.fetch_number(Sql::new("SELECT max(id) FROM external_panel_orders")).await
}

async fn fetch_attempt(panel: &Panel, id: i64) -> Value {
    panel.get_data(&format!("{ATTEMPTS}?columns[0][data]=id&columns[0][search][value]={id}")).await[0].clone()
}

async fn start_shop(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 3, 10).await;
    insert_external_panel(&panel).await;
    panel
}

async fn staff_place_the_undelivered_quantity_again(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 50 WHERE id = 1")).await;
    let id = insert_attempt(
        &panel,
        NewAttempt {
            order: 1,
            status: "Canceled",
            remains: Some(180),
            external_id: Some("x1"),
            sent_hours_ago: Some(5),
            alert_hours_ago: Some(1),
        },
    )
    .await;
    let attempt = fetch_attempt(&panel, id).await;
    assert_eq!((&attempt["actions"]["recreatable"], &attempt["is_stuck"]), (&json!(true), &json!(true)));
    assert_eq!((&attempt["order"]["id"], &attempt["provider"]["name"]), (&json!(1), &json!("Provider 1")));
    assert_eq!(
        (&attempt["external_panel_order_id"], &attempt["last_response"]),
        (&json!("x1"), &json!("<html>"))
    );
    let path = format!("{ATTEMPTS}/{id}/recreate");
    let dry_run = panel.post(&format!("{path}?dry_run=1"), &json!({})).await;
    assert_eq!((dry_run.status.as_u16(), &dry_run.json()["data"]["initial_quantity"]), (200, &json!(150)));
    assert_eq!(
        panel.fetch_number(Sql::new("SELECT count(*) FROM external_panel_orders")).await,
        1,
        "a dry run must not create an attempt"
    );
    let create_response = panel.send("owner", "POST", &path, &json!({}), Some("key-1")).await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    let repeated_response = panel.send("owner", "POST", &path, &json!({}), Some("key-1")).await;
    assert_eq!(
        repeated_response.json(),
        create_response.json(),
        "the same idempotency key must return the same response"
    );
    let new_attempt = create_response.json()["data"].clone();
    assert_eq!(
        (&new_attempt["status"], &new_attempt["initial_quantity"], &new_attempt["sent_at"]),
        (&json!("Creating"), &json!(150), &Value::Null),
        "the new attempt must have the missing quantity of the order, which is less than the remains of the old attempt"
    );
    assert_eq!(
        new_attempt["actions"]["recreatable"], false,
        "an attempt that waits to be sent must not be placed again"
    );
    let count_due_sql =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE due_at = ? AND status = 'Creating'");
    assert_eq!(panel.fetch_number(count_due_sql.bind(NOW)).await, 1);
    assert_eq!(
        panel.post(&path, &json!({})).await.status_and_code(),
        (409, "external_panel_order_not_recreatable".into()),
        "the order has an open attempt"
    );
    let old_attempt = fetch_attempt(&panel, id).await;
    assert_eq!(
        (&old_attempt["is_stuck"], &old_attempt["status"]),
        (&json!(false), &json!("Canceled")),
        "the new attempt must resolve the alert of the old one"
    );
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'order.attempt_recreated' AND auditable_id = 1");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 1);
    let order = panel.fetch_order(1).await;
    let attempts = order["external_panel_orders"].as_array().unwrap();
    assert_eq!((attempts.len(), &attempts[1]["last_request"]), (2, &json!("{\"action\":\"add\"}")));
    let page = panel
        .get(&format!("{ATTEMPTS}?columns[0][data]=status&columns[0][search][value]=Canceled"))
        .await
        .json();
    assert_eq!((&page["recordsTotal"], &page["recordsFiltered"]), (&json!(2), &json!(1)));
    panel.assert_healthy().await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    assert_eq!(panel.get_as("reader", ATTEMPTS, "*/*").await.status, 403);
    assert_eq!(panel.post(&format!("{ATTEMPTS}/99/recreate"), &json!({})).await.status, 404);
}

async fn placing_an_unknown_attempt_again_marks_it_as_not_accepted(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let leased_attempt_id = insert_attempt(
        &panel,
        NewAttempt { order: 2, status: "Creating", sent_hours_ago: Some(1), ..NewAttempt::default() },
    )
    .await;
    // The process that sends the attempt holds the lease until `due_at`.
    let set_lease_sql = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ?")
        .bind(NOW + HOUR_MICROS)
        .bind(leased_attempt_id);
    panel.execute(set_lease_sql).await;
    assert_eq!(
        fetch_attempt(&panel, leased_attempt_id).await["actions"]["recreatable"],
        false,
        "an attempt that a process is sending must not be placed again"
    );
    let id = insert_attempt(
        &panel,
        NewAttempt {
            order: 1,
            status: "Creating",
            sent_hours_ago: Some(5),
            alert_hours_ago: Some(1),
            ..NewAttempt::default()
        },
    )
    .await;
    let attempt = fetch_attempt(&panel, id).await;
    assert_eq!((&attempt["is_unknown"], &attempt["actions"]["recreatable"]), (&json!(true), &json!(true)));
    assert_eq!(panel.fetch_order(1).await["external_panel_orders"][0]["is_unknown"], true);
    let new_attempt = panel.post_data(&format!("{ATTEMPTS}/{id}/recreate"), json!({})).await;
    assert_eq!((&new_attempt["status"], &new_attempt["initial_quantity"]), (&json!("Creating"), &json!(200)));
    let old_attempt = fetch_attempt(&panel, id).await;
    assert_eq!((&old_attempt["status"], &old_attempt["is_unknown"]), (&json!("Canceled"), &json!(false)));
    assert!(
        old_attempt["ended_at"].is_string()
            && old_attempt["last_error"].as_str().unwrap().contains("did not accept this order"),
        "{old_attempt}"
    );
    // Attempts of paused orders cannot be placed again.
    let paused_attempt_id = insert_attempt(
        &panel,
        NewAttempt {
            order: 3,
            status: "Canceled",
            external_id: Some("x3"),
            sent_hours_ago: Some(5),
            ..NewAttempt::default()
        },
    )
    .await;
    panel.execute(Sql::new("UPDATE orders SET status = 'stopped' WHERE id = 3")).await;
    assert_eq!(fetch_attempt(&panel, paused_attempt_id).await["actions"]["recreatable"], false);
    assert_eq!(panel.post(&format!("{ATTEMPTS}/{paused_attempt_id}/recreate"), &json!({})).await.status, 409);
    // Attempts at a provider that accepts no orders cannot be placed again either.
    panel.execute(Sql::new("UPDATE orders SET status = 'in_processing' WHERE id = 3")).await;
    panel.execute(Sql::new("UPDATE external_panels SET is_archived = TRUE")).await;
    assert_eq!(
        fetch_attempt(&panel, paused_attempt_id).await["actions"]["recreatable"],
        true,
        "a provider without an external panel accepts orders"
    );
    panel.execute(Sql::new("UPDATE providers SET external_panel_id = 1 WHERE id = 1")).await;
    assert_eq!(fetch_attempt(&panel, paused_attempt_id).await["actions"]["recreatable"], false);
}

async fn parallel_requests_create_one_attempt(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let first_attempt_id = insert_attempt(
        &panel,
        NewAttempt {
            order: 1,
            status: "Canceled",
            external_id: Some("x1"),
            sent_hours_ago: Some(5),
            ..NewAttempt::default()
        },
    )
    .await;
    let second_attempt_id = insert_attempt(
        &panel,
        NewAttempt {
            order: 1,
            status: "Partial",
            remains: Some(20),
            external_id: Some("x2"),
            sent_hours_ago: Some(5),
            ..NewAttempt::default()
        },
    )
    .await;
    let (first_path, second_path) = (
        format!("{ATTEMPTS}/{first_attempt_id}/recreate"),
        format!("{ATTEMPTS}/{second_attempt_id}/recreate"),
    );
    let body = json!({});
    let responses = join(panel.post(&first_path, &body), panel.post(&second_path, &body)).await;
    let mut statuses = [responses.0.status.as_u16(), responses.1.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", responses.0.text, responses.1.text);
    let count_open_attempts_sql =
        "SELECT count(*) FROM external_panel_orders WHERE status = 'Creating' AND order_id = 1";
    assert_eq!(panel.fetch_number(Sql::new(count_open_attempts_sql)).await, 1);
    panel.assert_healthy().await;
}

async fn attempts_that_are_late_or_have_an_alert_are_stuck(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let recent_attempt = insert_attempt(
        &panel,
        NewAttempt {
            order: 1,
            status: "In progress",
            external_id: Some("a"),
            sent_hours_ago: Some(20),
            ..NewAttempt::default()
        },
    )
    .await;
    let late_attempt = insert_attempt(
        &panel,
        NewAttempt {
            order: 2,
            status: "Pending",
            external_id: Some("b"),
            sent_hours_ago: Some(73),
            ..NewAttempt::default()
        },
    )
    .await;
    let alerted_attempt = insert_attempt(
        &panel,
        NewAttempt {
            order: 3,
            status: "Canceled",
            external_id: Some("c"),
            sent_hours_ago: Some(1),
            alert_hours_ago: Some(1),
            ..NewAttempt::default()
        },
    )
    .await;
    let completed_attempt = insert_attempt(
        &panel,
        NewAttempt {
            order: 4,
            status: "Completed",
            external_id: Some("d"),
            sent_hours_ago: Some(80),
            ..NewAttempt::default()
        },
    )
    .await;
    let attempt_of_30_hours = insert_attempt(
        &panel,
        NewAttempt {
            order: 5,
            status: "Processing",
            external_id: Some("e"),
            sent_hours_ago: Some(30),
            ..NewAttempt::default()
        },
    )
    .await;
    let fetch_stuck_ids = async || ids(&panel.get_data(&format!("{ATTEMPTS}?stuck=1")).await);
    assert_eq!(fetch_stuck_ids().await, [alerted_attempt, late_attempt]);
    assert_eq!(
        ids(&panel.get_data(&format!("{ATTEMPTS}?stuck=0")).await),
        [attempt_of_30_hours, completed_attempt, recent_attempt]
    );
    for id in [recent_attempt, late_attempt, alerted_attempt, completed_attempt, attempt_of_30_hours] {
        assert_eq!(
            fetch_attempt(&panel, id).await["is_stuck"] == true,
            [alerted_attempt, late_attempt].contains(&id),
            "attempt {id}"
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
    assert_eq!(fetch_stuck_ids().await, [attempt_of_30_hours, alerted_attempt, late_attempt]);
    assert_eq!(fetch_attempt(&panel, attempt_of_30_hours).await["is_stuck"], true);
    // Recent attempts complete within thirty hours, so the threshold is ninety hours.
    panel
        .execute(
            Sql::new("UPDATE external_panel_orders SET sent_at = ended_at - ? WHERE status = 'Completed'")
                .bind(30 * HOUR_MICROS),
        )
        .await;
    late_thresholds::refresh(&panel.app.db, Time(NOW)).await.unwrap();
    assert_eq!(fetch_stuck_ids().await, [alerted_attempt]);
    let order_page = panel.get(&format!("{ATTEMPTS}?order_id=2")).await.json();
    assert_eq!((ids(&order_page["data"]), &order_page["recordsTotal"]), (vec![late_attempt], &json!(1)));
}

/// The search finds an attempt by its external id, provider and panel, and by the URL and the service of its order.
async fn a_search_finds_attempts_by_related_records(dialect: Dialect) {
    let panel = start_shop(dialect).await;
    let first_attempt_id = insert_attempt(
        &panel,
        NewAttempt {
            order: 1,
            status: "Completed",
            external_id: Some("A-4711"),
            sent_hours_ago: Some(3),
            ..NewAttempt::default()
        },
    )
    .await;
    let second_attempt_id = insert_attempt(
        &panel,
        NewAttempt { order: 2, status: "Completed", sent_hours_ago: Some(3), ..NewAttempt::default() },
    )
    .await;
    panel
        .execute(
            Sql::new("UPDATE external_panel_orders SET external_order_id = 'B-0815' WHERE id = ?")
                .bind(second_attempt_id),
        )
        .await;
    panel.execute(Sql::new("UPDATE orders SET url = 'https://zebra.example/1' WHERE id = 1")).await;
    panel.execute(Sql::new("INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, updated_at)
        SELECT 900, service_type_id, 'Giraffe likes', 1, 1000, 1, 1, 1, 1 FROM services WHERE id = (SELECT min(id) FROM services)")).await;
    panel.execute(Sql::new("UPDATE orders SET service_id = 900 WHERE id = 2")).await;
    panel.execute(Sql::new("UPDATE providers SET name = 'Okapi supply' WHERE id = 1")).await;
    panel.execute(Sql::new("UPDATE external_panels SET name = 'Tapir panel' WHERE id = 1")).await;
    for (search_text, expected_ids) in [
        ("a-47", vec![first_attempt_id]),
        ("0815", vec![second_attempt_id]),
        ("zebra", vec![first_attempt_id]),
        ("giraffe", vec![second_attempt_id]),
        ("okapi", vec![second_attempt_id, first_attempt_id]),
        ("tapir", vec![second_attempt_id, first_attempt_id]),
        ("okapi+giraffe", vec![second_attempt_id]),
        ("nothing", vec![]),
    ] {
        let page = panel.get(&format!("{ATTEMPTS}?search[value]={search_text}")).await.json();
        assert_eq!(ids(&page["data"]), expected_ids, "{search_text}: {page}");
    }
}
