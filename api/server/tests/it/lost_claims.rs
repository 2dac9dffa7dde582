//! Workers that lose their claim to another worker while they wait for an external panel: they do not overwrite the other worker's
//! results, and a metric counts the dropped results.

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

both! {
    a_worker_that_lost_its_claim_does_not_overwrite_a_refill;
    an_accepted_refill_is_recorded_even_after_the_claim_is_lost;
    a_worker_that_lost_its_claim_does_not_overwrite_a_cancel_request;
    counts_an_acceptance_for_an_attempt_that_already_has_an_external_order;
    a_backup_that_lost_its_lease_stores_no_result;
}

/// Creates a trigger that simulates another worker: whenever an update of `table` fulfils the condition `when` (over `old` and
/// `new`), it sets `column` to the value, for example to a later claim at the moment when a call begins.
async fn change_concurrently(
    panel: &Panel,
    table: &'static str,
    when: &'static str,
    (column, value): (&'static str, &'static str),
) {
    if panel.app.db.dialect() == Dialect::Sqlite {
        let sql = Sql::new("CREATE TRIGGER meanwhile AFTER UPDATE ON ").push(table).push(" WHEN ").push(when);
        let sql = sql.push(" BEGIN UPDATE ").push(table).push(" SET ").push(column).push(" = ").push(value);
        panel.execute(sql.push(" WHERE id = new.id; END")).await;
        return;
    }
    let sql =
        Sql::new("CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF ").push(when);
    let sql = sql.push(" THEN new.").push(column).push(" = ").push(value);
    panel.execute(sql.push("; END IF; RETURN new; END $$")).await;
    let sql = Sql::new("CREATE TRIGGER meanwhile BEFORE UPDATE ON ").push(table);
    panel.execute(sql.push(" FOR EACH ROW EXECUTE FUNCTION meanwhile()")).await;
}

/// The number of dropped results of the poller. Other tests of the same process increase it too.
fn superseded_count(panel: &Panel, poller: &str) -> u64 {
    let series = format!("panel_external_panel_results_superseded_total{{poller=\"{poller}\"}} ");
    let text = panel.app.metrics.render();
    text.lines().find_map(|line| line.strip_prefix(series.as_str())).unwrap().parse().unwrap()
}

fn call_count(shop: &ShopWithPanels, action: &str) -> usize {
    shop.fake_panels[0].calls().iter().filter(|call| call["action"] == action).count()
}

/// A shop with a refill request that another worker claims at the moment when the call about it begins.
async fn shop_with_refill_claimed_twice(dialect: Dialect) -> ShopWithPanels {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let panel = &shop.panel;
    panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.order(1).await;
    shop.run_for_secs(300).await;
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    assert_eq!(panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    let call_begins = "old.sent_at IS NULL AND new.sent_at IS NOT NULL";
    change_concurrently(panel, "order_refill_requests", call_begins, ("due_at", "new.due_at + 1")).await;
    shop
}

async fn a_worker_that_lost_its_claim_does_not_overwrite_a_refill(dialect: Dialect) {
    let shop = shop_with_refill_claimed_twice(dialect).await;
    let panel = &shop.panel;
    let before = superseded_count(panel, "refill");
    shop.set_behavior(0, FakeBehavior::BadGateway);
    dispatch::run_refills(&panel.app).await.unwrap();
    let unchanged = "SELECT count(*) FROM order_refill_requests
      WHERE status = 'pending' AND external_refill_id IS NULL AND last_error IS NULL AND tries = 0";
    assert_eq!(panel.number(Sql::new(unchanged)).await, 1, "only the worker with the current claim writes");
    assert!(superseded_count(panel, "refill") > before);
}

/// Only the worker that made the call knows the id of the accepted refill, so it must record it.
async fn an_accepted_refill_is_recorded_even_after_the_claim_is_lost(dialect: Dialect) {
    let shop = shop_with_refill_claimed_twice(dialect).await;
    let panel = &shop.panel;
    dispatch::run_refills(&panel.app).await.unwrap();
    assert_eq!(call_count(&shop, "refill"), 1);
    let accepted =
        "SELECT count(*) FROM order_refill_requests WHERE status = 'sent' AND external_refill_id IS NOT NULL";
    assert_eq!(panel.number(Sql::new(accepted)).await, 1);
}

async fn a_worker_that_lost_its_claim_does_not_overwrite_a_cancel_request(dialect: Dialect) {
    for behavior in [CancelBehavior::Confirms, CancelBehavior::Refuses] {
        let (shop, key) = cancel_requests::shop(dialect, 1).await;
        let panel = &shop.panel;
        cancel_requests::set_cancel_behavior(&shop, 0, behavior);
        let order = cancel_requests::place_and_send(&shop, 1, 90).await;
        cancel_requests::request_cancel(&shop, &key, order).await;
        let call_begins = "new.tries > old.tries";
        change_concurrently(panel, "order_cancel_requests", call_begins, ("due_at", "new.due_at + 1")).await;
        let before = superseded_count(panel, "cancel_request");
        dispatch::run_cancel_requests(&panel.app).await.unwrap();
        assert_eq!(call_count(&shop, "cancel"), 1);
        let unchanged = "SELECT count(*) FROM order_cancel_requests
          WHERE status = 'sent' AND acknowledged_at IS NULL AND escalated_at IS NULL AND answer IS NULL";
        assert_eq!(
            panel.number(Sql::new(unchanged)).await,
            1,
            "only the worker with the current claim writes"
        );
        assert!(superseded_count(panel, "cancel_request") > before);
    }
}

async fn counts_an_acceptance_for_an_attempt_that_already_has_an_external_order(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Stuck]).await;
    let panel = &shop.panel;
    let call_begins = "old.sent_at IS NULL AND new.sent_at IS NOT NULL";
    change_concurrently(panel, "external_panel_orders", call_begins, ("external_order_id", "'another'"))
        .await;
    let before = superseded_count(panel, "external_order");
    shop.order(1).await;
    dispatch::cycle(&panel.app).await.unwrap();
    let another = "SELECT count(*) FROM external_panel_orders WHERE external_order_id = 'another'";
    assert_eq!((shop.order_counts(), panel.number(Sql::new(another)).await), (vec![1], 1));
    assert!(superseded_count(panel, "external_order") > before);
}

async fn a_backup_that_lost_its_lease_stores_no_result(dialect: Dialect) {
    let panel =
        Panel::with_config(dialect, |config| config.backup.folder = Some(config.data_dir.join("backups")))
            .await;
    // The trigger gives the lease to another process as soon as this one has acquired it.
    if dialect == Dialect::Sqlite {
        let trigger = "CREATE TRIGGER meanwhile AFTER INSERT ON shared_schedules WHEN new.name = 'backup'
          BEGIN UPDATE shared_schedules SET leased_by = 'another' WHERE name = new.name; END";
        panel.execute(Sql::new(trigger)).await;
    } else {
        let function = "CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF new.name = 'backup' THEN new.leased_by = 'another'; END IF; RETURN new; END $$";
        panel.execute(Sql::new(function)).await;
        let trigger = "CREATE TRIGGER meanwhile BEFORE INSERT ON shared_schedules
          FOR EACH ROW EXECUTE FUNCTION meanwhile()";
        panel.execute(Sql::new(trigger)).await;
    }
    assert!(!schedule::run_due(&panel.app).await.unwrap(), "a backup without the lease does not count");
    for name in ["backup_schedule", backups::LAST_BACKUP] {
        assert_eq!(settings::read_stored(&mut &panel.app.db, name).await.unwrap(), None, "{name}");
    }
    let other_lease = "SELECT count(*) FROM shared_schedules WHERE name = 'backup' AND leased_by = 'another'";
    assert_eq!(panel.number(Sql::new(other_lease)).await, 1, "the other process keeps its lease");
}
