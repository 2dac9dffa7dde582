//! Workers that lose their claim to another worker while they wait for an external panel. They must not overwrite the other worker's
//! results, and a metric counts the results that they drop.

use panel_demo::panel::FakeBehavior;
use panel_demo::panel::state::{CancelBehavior, OrderBehavior};
use panel_platform::db::{Dialect, Sql};
use panel_platform::settings;
use panel_server::backup::schedule;
use panel_server::stores::backups;
use panel_server::supply::dispatch;
use serde_json::json;

use crate::cancel_requests;
use crate::panel::Panel;
use crate::shop_with_panels::ShopWithPanels;

test_both_databases! {
    a_worker_that_lost_its_claim_does_not_overwrite_a_refill;
    an_accepted_refill_is_recorded_even_after_the_claim_is_lost;
    a_worker_that_lost_its_claim_does_not_overwrite_a_cancel_request;
    counts_an_acceptance_for_an_attempt_that_already_has_an_external_order;
    a_backup_without_its_lease_stores_no_result;
}

/// Creates a trigger that simulates another worker: if an update of `table` meets `condition` (about the rows `old` and `new`),
/// the trigger sets `column` to `value`, for example to a later claim when a worker starts a request.
async fn create_concurrent_change_trigger(
    panel: &Panel,
    table: &'static str,
    condition: &'static str,
    (column, value): (&'static str, &'static str),
) {
    if panel.app.db.dialect() == Dialect::Sqlite {
        let sql =
            Sql::new("CREATE TRIGGER meanwhile AFTER UPDATE ON ").push(table).push(" WHEN ").push(condition);
        let sql = sql.push(" BEGIN UPDATE ").push(table).push(" SET ").push(column).push(" = ").push(value);
        panel.execute(sql.push(" WHERE id = new.id; END")).await;
        return;
    }
    let sql = Sql::new("CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF ")
        .push(condition);
    let sql = sql.push(" THEN new.").push(column).push(" = ").push(value);
    panel.execute(sql.push("; END IF; RETURN new; END $$")).await;
    let sql = Sql::new("CREATE TRIGGER meanwhile BEFORE UPDATE ON ").push(table);
    panel.execute(sql.push(" FOR EACH ROW EXECUTE FUNCTION meanwhile()")).await;
}

/// The number of dropped results of the poller. Other tests of the same process increase it too.
fn fetch_superseded_count(panel: &Panel, poller: &str) -> u64 {
    let metric_prefix = format!("panel_external_panel_results_superseded_total{{poller=\"{poller}\"}} ");
    let metrics_text = panel.app.metrics_handle.render();
    metrics_text.lines().find_map(|line| line.strip_prefix(metric_prefix.as_str())).unwrap().parse().unwrap()
}

fn request_count(shop: &ShopWithPanels, action: &str) -> usize {
    shop.fake_panels[0].requests().iter().filter(|request| request["action"] == action).count()
}

/// A shop with a refill request that another worker claims when the first worker starts to send it.
async fn shop_with_refill_claimed_twice(dialect: Dialect) -> ShopWithPanels {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let panel = &shop.panel;
    panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(300).await;
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    assert_eq!(panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    let request_starts = "old.sent_at IS NULL AND new.sent_at IS NOT NULL";
    create_concurrent_change_trigger(
        panel,
        "order_refill_requests",
        request_starts,
        ("due_at", "new.due_at + 1"),
    )
    .await;
    shop
}

async fn a_worker_that_lost_its_claim_does_not_overwrite_a_refill(dialect: Dialect) {
    let shop = shop_with_refill_claimed_twice(dialect).await;
    let panel = &shop.panel;
    let count_before = fetch_superseded_count(panel, "refill");
    shop.set_behavior(0, FakeBehavior::BadGateway);
    dispatch::process_refill_requests(&panel.app).await.unwrap();
    let count_unchanged_sql = "SELECT count(*) FROM order_refill_requests
      WHERE status = 'pending' AND external_refill_id IS NULL AND last_error IS NULL AND tries = 0";
    assert_eq!(
        panel.fetch_number(Sql::new(count_unchanged_sql)).await,
        1,
        "only the worker with the current claim may write"
    );
    assert!(fetch_superseded_count(panel, "refill") > count_before);
}

/// Only the worker that sent the request knows the id of the accepted refill, so this worker must record the id.
async fn an_accepted_refill_is_recorded_even_after_the_claim_is_lost(dialect: Dialect) {
    let shop = shop_with_refill_claimed_twice(dialect).await;
    let panel = &shop.panel;
    dispatch::process_refill_requests(&panel.app).await.unwrap();
    assert_eq!(request_count(&shop, "refill"), 1);
    let count_sent_refills_sql =
        "SELECT count(*) FROM order_refill_requests WHERE status = 'sent' AND external_refill_id IS NOT NULL";
    assert_eq!(panel.fetch_number(Sql::new(count_sent_refills_sql)).await, 1);
}

async fn a_worker_that_lost_its_claim_does_not_overwrite_a_cancel_request(dialect: Dialect) {
    for behavior in [CancelBehavior::Confirms, CancelBehavior::Rejects] {
        let (shop, key) = cancel_requests::start_shop(dialect, 1).await;
        let panel = &shop.panel;
        cancel_requests::set_cancel_behavior(&shop, 0, behavior);
        let order = cancel_requests::place_and_send(&shop, 1, 90).await;
        cancel_requests::request_cancel(&shop, &key, order).await;
        let request_starts = "new.tries > old.tries";
        create_concurrent_change_trigger(
            panel,
            "order_cancel_requests",
            request_starts,
            ("due_at", "new.due_at + 1"),
        )
        .await;
        let count_before = fetch_superseded_count(panel, "cancel_request");
        dispatch::process_cancel_requests(&panel.app).await.unwrap();
        assert_eq!(request_count(&shop, "cancel"), 1);
        let count_unchanged_sql = "SELECT count(*) FROM order_cancel_requests
          WHERE status = 'sent' AND acknowledged_at IS NULL AND escalated_at IS NULL AND provider_response IS NULL";
        assert_eq!(
            panel.fetch_number(Sql::new(count_unchanged_sql)).await,
            1,
            "only the worker with the current claim may write"
        );
        assert!(fetch_superseded_count(panel, "cancel_request") > count_before);
    }
}

async fn counts_an_acceptance_for_an_attempt_that_already_has_an_external_order(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck]).await;
    let panel = &shop.panel;
    let request_starts = "old.sent_at IS NULL AND new.sent_at IS NOT NULL";
    create_concurrent_change_trigger(
        panel,
        "external_panel_orders",
        request_starts,
        ("external_order_id", "'another'"),
    )
    .await;
    let count_before = fetch_superseded_count(panel, "external_order");
    shop.place_order(1).await;
    dispatch::process_all_queues(&panel.app).await.unwrap();
    let count_attempts_sql = "SELECT count(*) FROM external_panel_orders WHERE external_order_id = 'another'";
    assert_eq!((shop.order_counts(), panel.fetch_number(Sql::new(count_attempts_sql)).await), (vec![1], 1));
    assert!(fetch_superseded_count(panel, "external_order") > count_before);
}

async fn a_backup_without_its_lease_stores_no_result(dialect: Dialect) {
    let panel =
        Panel::with_config(dialect, |config| config.backup.folder = Some(config.data_dir.join("backups")))
            .await;
    // The trigger gives the lease to another process as soon as this one has acquired it.
    if dialect == Dialect::Sqlite {
        let create_trigger_sql =
            "CREATE TRIGGER meanwhile AFTER INSERT ON shared_schedules WHEN new.name = 'backup'
          BEGIN UPDATE shared_schedules SET leased_by = 'another' WHERE name = new.name; END";
        panel.execute(Sql::new(create_trigger_sql)).await;
    } else {
        let create_function_sql = "CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF new.name = 'backup' THEN new.leased_by = 'another'; END IF; RETURN new; END $$";
        panel.execute(Sql::new(create_function_sql)).await;
        let create_trigger_sql = "CREATE TRIGGER meanwhile BEFORE INSERT ON shared_schedules
          FOR EACH ROW EXECUTE FUNCTION meanwhile()";
        panel.execute(Sql::new(create_trigger_sql)).await;
    }
    assert!(
        !schedule::create_backup_if_due(&panel.app).await.unwrap(),
        "a backup without the lease must not count"
    );
    for name in ["backup_schedule", backups::LAST_BACKUP_SETTING] {
        assert_eq!(settings::read_stored(&mut &panel.app.db, name).await.unwrap(), None, "{name}");
    }
    let count_leases_sql =
        "SELECT count(*) FROM shared_schedules WHERE name = 'backup' AND leased_by = 'another'";
    assert_eq!(
        panel.fetch_number(Sql::new(count_leases_sql)).await,
        1,
        "the other process must keep its lease"
    );
}
