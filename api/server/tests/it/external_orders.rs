//! External panel orders: what is stuck, and placing once more what one left undelivered.

use futures_util::future::join;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_platform::sql;
use panel_server::supply::paces;
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::{NOW, Panel};
use crate::providers::upstream;

both! {
    what_is_undelivered_is_placed_again;
    what_nobody_knows_is_declared_not_taken;
    a_race_leaves_one_attempt;
    what_is_late_or_has_an_alert_is_stuck;
    an_attempt_is_found_by_what_it_belongs_to;
}

const ATTEMPTS: &str = "/api/v1/admin/external-panel-orders";
const HOUR_MICROS: i64 = 3_600_000_000;

/// An attempt of order 1 (200 units) at provider 1: status, remains, id there, sent and alert hours ago.
async fn attempt(
    panel: &Panel,
    order: i64,
    status: &str,
    remains: Option<i64>,
    there: Option<&str>,
    hours: (Option<i64>, Option<i64>),
) -> i64 {
    let ago = |hours: Option<i64>| hours.map(|hours| NOW - hours * HOUR_MICROS);
    let ended = matches!(status, "Completed" | "Partial" | "Canceled").then_some(NOW - HOUR_MICROS);
    let sql = sql!(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, initial_quantity, remains, \
           external_order_id, sent_at, alert_at, ended_at,
           last_error, last_request, last_answer, created_at, updated_at)
         VALUES (@order, 1, 1, @status, 200, @remains, @external_order_id, @sent_at, @alert_at, @ended, 'neworder.error', \
           '{\"action\":\"add\"}', '<html>', @created_at, 1)",
        {
            order,
            status,
            remains,
            external_order_id: there,
            sent_at: ago(hours.0),
            alert_at: ago(hours.1),
            ended,
            created_at: NOW - 2 * HOUR_MICROS,
        },
    );
    panel.exec(sql).await;
    panel.number(Sql::new("SELECT max(id) FROM external_panel_orders")).await
}

async fn row(panel: &Panel, id: i64) -> Value {
    panel.data(&format!("{ATTEMPTS}?columns[0][data]=id&columns[0][search][value]={id}")).await[0].clone()
}

async fn shop(dialect: Dialect) -> Panel {
    let panel = Panel::shop(dialect, 3, 10).await;
    upstream(&panel).await;
    panel
}

async fn what_is_undelivered_is_placed_again(dialect: Dialect) {
    let panel = shop(dialect).await;
    panel.exec(Sql::new("UPDATE orders SET current_quantity = 50 WHERE id = 1")).await;
    let id = attempt(&panel, 1, "Canceled", Some(180), Some("x1"), (Some(5), Some(1))).await;
    let shown = row(&panel, id).await;
    assert_eq!((&shown["actions"]["recreatable"], &shown["is_stuck"]), (&json!(true), &json!(true)));
    assert_eq!((&shown["order"]["id"], &shown["provider"]["name"]), (&json!(1), &json!("Provider 1")));
    assert_eq!((&shown["external_panel_order_id"], &shown["last_answer"]), (&json!("x1"), &json!("<html>")));
    let path = format!("{ATTEMPTS}/{id}/recreate");
    let tried = panel.post(&format!("{path}?dry_run=1"), &json!({})).await;
    assert_eq!((tried.status.as_u16(), &tried.json()["data"]["initial_quantity"]), (200, &json!(150)));
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM external_panel_orders")).await, 1, "only tried");
    let made = panel.send("owner", "POST", &path, &json!({}), Some("key-1")).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let again = panel.send("owner", "POST", &path, &json!({}), Some("key-1")).await;
    assert_eq!(again.json(), made.json(), "the same key, the same answer");
    let made = made.json()["data"].clone();
    assert_eq!(
        (&made["status"], &made["initial_quantity"], &made["sent_at"]),
        (&json!("Creating"), &json!(150), &Value::Null),
        "what the order lacks, as this is less than what this one left"
    );
    assert_eq!(made["actions"]["recreatable"], false, "it waits to be sent");
    let due = Sql::new("SELECT count(*) FROM external_panel_orders WHERE due_at = ? AND status = 'Creating'");
    assert_eq!(panel.number(due.bind(NOW)).await, 1);
    assert_eq!(
        panel.post(&path, &json!({})).await.says(),
        (409, "external_panel_order_not_recreatable".into()),
        "another one is under way"
    );
    let old = row(&panel, id).await;
    assert_eq!(
        (&old["is_stuck"], &old["status"]),
        (&json!(false), &json!("Canceled")),
        "a person looked at it"
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
    panel.staff("reader", &[Permission::ViewOrders]).await;
    assert_eq!(panel.get_as("reader", ATTEMPTS, "*/*").await.status, 403);
    assert_eq!(panel.post(&format!("{ATTEMPTS}/99/recreate"), &json!({})).await.status, 404);
}

async fn what_nobody_knows_is_declared_not_taken(dialect: Dialect) {
    let panel = shop(dialect).await;
    let waiting = attempt(&panel, 2, "Creating", None, None, (Some(1), None)).await;
    // Its sender holds it until then.
    let lease = Sql::new("UPDATE external_panel_orders SET due_at = ? WHERE id = ?")
        .bind(NOW + HOUR_MICROS)
        .bind(waiting);
    panel.exec(lease).await;
    assert_eq!(row(&panel, waiting).await["actions"]["recreatable"], false, "it is being sent");
    let id = attempt(&panel, 1, "Creating", None, None, (Some(5), Some(1))).await;
    let shown = row(&panel, id).await;
    assert_eq!((&shown["is_unknown"], &shown["actions"]["recreatable"]), (&json!(true), &json!(true)));
    assert_eq!(panel.order(1).await["external_panel_orders"][0]["is_unknown"], true);
    let made = panel.made(&format!("{ATTEMPTS}/{id}/recreate"), json!({})).await;
    assert_eq!((&made["status"], &made["initial_quantity"]), (&json!("Creating"), &json!(200)));
    let old = row(&panel, id).await;
    assert_eq!((&old["status"], &old["is_unknown"]), (&json!("Canceled"), &json!(false)));
    assert!(
        old["ended_at"].is_string()
            && old["last_error"].as_str().unwrap().contains("did not accept this order"),
        "{old}"
    );
    // Of orders that do not run, nothing is placed again.
    let stopped = attempt(&panel, 3, "Canceled", None, Some("x3"), (Some(5), None)).await;
    panel.exec(Sql::new("UPDATE orders SET status = 'stopped' WHERE id = 3")).await;
    assert_eq!(row(&panel, stopped).await["actions"]["recreatable"], false);
    assert_eq!(panel.post(&format!("{ATTEMPTS}/{stopped}/recreate"), &json!({})).await.status, 409);
    // Nor at a provider that takes none.
    panel.exec(Sql::new("UPDATE orders SET status = 'in_processing' WHERE id = 3")).await;
    panel.exec(Sql::new("UPDATE external_panels SET is_archived = TRUE")).await;
    assert_eq!(row(&panel, stopped).await["actions"]["recreatable"], true, "the provider has no panel");
    panel.exec(Sql::new("UPDATE providers SET external_panel_id = 1 WHERE id = 1")).await;
    assert_eq!(row(&panel, stopped).await["actions"]["recreatable"], false);
}

async fn a_race_leaves_one_attempt(dialect: Dialect) {
    let panel = shop(dialect).await;
    let one = attempt(&panel, 1, "Canceled", None, Some("x1"), (Some(5), None)).await;
    let other = attempt(&panel, 1, "Partial", Some(20), Some("x2"), (Some(5), None)).await;
    let (one, other) = (format!("{ATTEMPTS}/{one}/recreate"), format!("{ATTEMPTS}/{other}/recreate"));
    let body = json!({});
    let answers = join(panel.post(&one, &body), panel.post(&other, &body)).await;
    let mut said = [answers.0.status.as_u16(), answers.1.status.as_u16()];
    said.sort_unstable();
    assert_eq!(said, [200, 409], "{} {}", answers.0.text, answers.1.text);
    let live = "SELECT count(*) FROM external_panel_orders WHERE status = 'Creating' AND order_id = 1";
    assert_eq!(panel.number(Sql::new(live)).await, 1);
    panel.assert_healthy().await;
}

async fn what_is_late_or_has_an_alert_is_stuck(dialect: Dialect) {
    let panel = shop(dialect).await;
    let fresh = attempt(&panel, 1, "In progress", None, Some("a"), (Some(20), None)).await;
    let late = attempt(&panel, 2, "Pending", None, Some("b"), (Some(73), None)).await;
    let alert = attempt(&panel, 3, "Canceled", None, Some("c"), (Some(1), Some(1))).await;
    let done = attempt(&panel, 4, "Completed", None, Some("d"), (Some(80), None)).await;
    let day = attempt(&panel, 5, "Processing", None, Some("e"), (Some(30), None)).await;
    let stuck = async || ids(&panel.data(&format!("{ATTEMPTS}?stuck=1")).await);
    assert_eq!(stuck().await, [alert, late]);
    assert_eq!(ids(&panel.data(&format!("{ATTEMPTS}?stuck=0")).await), [day, done, fresh]);
    for id in [fresh, late, alert, done, day] {
        assert_eq!(row(&panel, id).await["is_stuck"] == true, [alert, late].contains(&id), "{id}");
    }
    // Done in two hours of late: a day is the least.
    panel
        .exec(
            Sql::new("UPDATE external_panel_orders SET sent_at = ended_at - ? WHERE status = 'Completed'")
                .bind(2 * HOUR_MICROS),
        )
        .await;
    paces::refresh(&panel.app.db, Time(NOW)).await.unwrap();
    assert_eq!(stuck().await, [day, alert, late]);
    assert_eq!(row(&panel, day).await["is_stuck"], true);
    // Done in thirty hours of late: ninety are the limit.
    panel
        .exec(
            Sql::new("UPDATE external_panel_orders SET sent_at = ended_at - ? WHERE status = 'Completed'")
                .bind(30 * HOUR_MICROS),
        )
        .await;
    paces::refresh(&panel.app.db, Time(NOW)).await.unwrap();
    assert_eq!(stuck().await, [alert]);
    let short = panel.get(&format!("{ATTEMPTS}?order_id=2")).await.json();
    assert_eq!((ids(&short["data"]), &short["recordsTotal"]), (vec![late], &json!(1)));
}

/// The search box finds an attempt by its id there, by its provider, its panel, the order's address and service.
async fn an_attempt_is_found_by_what_it_belongs_to(dialect: Dialect) {
    let panel = shop(dialect).await;
    let first = attempt(&panel, 1, "Completed", None, Some("A-4711"), (Some(3), None)).await;
    let second = attempt(&panel, 2, "Completed", None, None, (Some(3), None)).await;
    panel
        .exec(
            Sql::new("UPDATE external_panel_orders SET external_order_id = 'B-0815' WHERE id = ?")
                .bind(second),
        )
        .await;
    panel.exec(Sql::new("UPDATE orders SET url = 'https://zebra.example/1' WHERE id = 1")).await;
    panel.exec(Sql::new("INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, updated_at)
        SELECT 900, service_type_id, 'Giraffe likes', 1, 1000, 1, 1, 1, 1 FROM services WHERE id = (SELECT min(id) FROM services)")).await;
    panel.exec(Sql::new("UPDATE orders SET service_id = 900 WHERE id = 2")).await;
    panel.exec(Sql::new("UPDATE providers SET name = 'Okapi supply' WHERE id = 1")).await;
    panel.exec(Sql::new("UPDATE external_panels SET name = 'Tapir panel' WHERE id = 1")).await;
    for (text, found) in [
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
        assert_eq!(ids(&page["data"]), found, "{text}: {page}");
    }
}
