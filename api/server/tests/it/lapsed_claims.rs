//! Workers whose claim is another one's by the time a panel has answered: they write nothing over what the other one wrote, and
//! what they drop is counted.

use panel_demo::panel::FakeBehavior;
use panel_demo::panel::world::{CancelBehavior, OrderBehavior};
use panel_platform::db::{Dialect, Sql};
use panel_platform::settings;
use panel_server::backup::schedule;
use panel_server::stores::backups;
use panel_server::supply::dispatch;
use serde_json::json;

use crate::cancel_requests;
use crate::panel::Panel;
use crate::supplied::Supplied;

both! {
    a_refill_of_another_claim_is_not_written_over;
    an_accepted_refill_is_recorded_without_its_claim;
    a_cancel_request_of_another_claim_is_not_written_over;
    an_acceptance_for_an_attempt_with_another_order_is_counted;
    a_backup_without_its_lease_says_nothing_of_itself;
}

/// From now on, as soon as an update of a record of `table` fulfils `when` (over `old` and `new`), another worker gives `column` this
/// value: a claim, say, in the moment in which a call begins.
async fn meanwhile(
    panel: &Panel,
    table: &'static str,
    when: &'static str,
    set: (&'static str, &'static str),
) {
    let (column, value) = set;
    if panel.app.db.dialect() == Dialect::Sqlite {
        let sql = Sql::new("CREATE TRIGGER meanwhile AFTER UPDATE ON ").push(table).push(" WHEN ").push(when);
        let sql = sql.push(" BEGIN UPDATE ").push(table).push(" SET ").push(column).push(" = ").push(value);
        panel.exec(sql.push(" WHERE id = new.id; END")).await;
        return;
    }
    let sql =
        Sql::new("CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF ").push(when);
    let sql = sql.push(" THEN new.").push(column).push(" = ").push(value);
    panel.exec(sql.push("; END IF; RETURN new; END $$")).await;
    let sql = Sql::new("CREATE TRIGGER meanwhile BEFORE UPDATE ON ").push(table);
    panel.exec(sql.push(" FOR EACH ROW EXECUTE FUNCTION meanwhile()")).await;
}

/// Dropped results of this kind so far; other tests count in the same process.
fn superseded(panel: &Panel, poller: &str) -> u64 {
    let series = format!("panel_external_panel_results_superseded_total{{poller=\"{poller}\"}} ");
    let text = panel.app.metrics.render();
    text.lines().find_map(|line| line.strip_prefix(series.as_str())).unwrap().parse().unwrap()
}

fn calls(shop: &Supplied, action: &str) -> usize {
    shop.theirs[0].calls().iter().filter(|call| call["action"] == action).count()
}

/// A shop with a refill request that another worker claims in the moment in which the call about it begins.
async fn refill_claimed_meanwhile(dialect: Dialect) -> Supplied {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let panel = &shop.ours;
    panel.exec(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let id = shop.order(1).await;
    shop.pass(300).await;
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    assert_eq!(panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    let begins = "old.sent_at IS NULL AND new.sent_at IS NOT NULL";
    meanwhile(panel, "order_refill_requests", begins, ("due_at", "new.due_at + 1")).await;
    shop
}

async fn a_refill_of_another_claim_is_not_written_over(dialect: Dialect) {
    let shop = refill_claimed_meanwhile(dialect).await;
    let panel = &shop.ours;
    let before = superseded(panel, "refill");
    shop.behave(0, FakeBehavior::Down);
    dispatch::run_refills(&panel.app).await.unwrap();
    let untouched = "SELECT count(*) FROM order_refill_requests
      WHERE status = 'pending' AND external_refill_id IS NULL AND last_error IS NULL AND tries = 0";
    assert_eq!(panel.number(Sql::new(untouched)).await, 1, "the other claim decides");
    assert!(superseded(panel, "refill") > before);
}

/// No other worker knows the id of a refill that a panel accepted.
async fn an_accepted_refill_is_recorded_without_its_claim(dialect: Dialect) {
    let shop = refill_claimed_meanwhile(dialect).await;
    let panel = &shop.ours;
    dispatch::run_refills(&panel.app).await.unwrap();
    assert_eq!(calls(&shop, "refill"), 1);
    let accepted =
        "SELECT count(*) FROM order_refill_requests WHERE status = 'sent' AND external_refill_id IS NOT NULL";
    assert_eq!(panel.number(Sql::new(accepted)).await, 1);
}

async fn a_cancel_request_of_another_claim_is_not_written_over(dialect: Dialect) {
    for behavior in [CancelBehavior::Confirms, CancelBehavior::Refuses] {
        let (shop, key) = cancel_requests::shop(dialect, 1).await;
        let panel = &shop.ours;
        cancel_requests::on_cancel(&shop, 0, behavior);
        let order = cancel_requests::sent(&shop, 1, 90).await;
        cancel_requests::cancel(&shop, &key, order).await;
        let begins = "new.tries > old.tries";
        meanwhile(panel, "order_cancel_requests", begins, ("due_at", "new.due_at + 1")).await;
        let before = superseded(panel, "cancel_request");
        dispatch::run_cancel_requests(&panel.app).await.unwrap();
        assert_eq!(calls(&shop, "cancel"), 1);
        let untouched = "SELECT count(*) FROM order_cancel_requests
          WHERE status = 'asked' AND acknowledged_at IS NULL AND escalated_at IS NULL AND answer IS NULL";
        assert_eq!(panel.number(Sql::new(untouched)).await, 1, "the other claim decides");
        assert!(superseded(panel, "cancel_request") > before);
    }
}

async fn an_acceptance_for_an_attempt_with_another_order_is_counted(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Stuck]).await;
    let panel = &shop.ours;
    let begins = "old.sent_at IS NULL AND new.sent_at IS NOT NULL";
    meanwhile(panel, "external_panel_orders", begins, ("external_order_id", "'another'")).await;
    let before = superseded(panel, "external_order");
    shop.order(1).await;
    dispatch::cycle(&panel.app).await.unwrap();
    let another = "SELECT count(*) FROM external_panel_orders WHERE external_order_id = 'another'";
    assert_eq!((shop.taken(), panel.number(Sql::new(another)).await), (vec![1], 1));
    assert!(superseded(panel, "external_order") > before);
}

async fn a_backup_without_its_lease_says_nothing_of_itself(dialect: Dialect) {
    let panel =
        Panel::with(dialect, |config| config.backup.folder = Some(config.data_dir.join("backups"))).await;
    // Another process has the lease as soon as this one took it.
    if dialect == Dialect::Sqlite {
        let taken = "CREATE TRIGGER meanwhile AFTER INSERT ON call_paces WHEN new.name = 'backup'
          BEGIN UPDATE call_paces SET held_by = 'another' WHERE name = new.name; END";
        panel.exec(Sql::new(taken)).await;
    } else {
        let function = "CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF new.name = 'backup' THEN new.held_by = 'another'; END IF; RETURN new; END $$";
        panel.exec(Sql::new(function)).await;
        let trigger = "CREATE TRIGGER meanwhile BEFORE INSERT ON call_paces
          FOR EACH ROW EXECUTE FUNCTION meanwhile()";
        panel.exec(Sql::new(trigger)).await;
    }
    assert!(!schedule::run_due(&panel.app).await.unwrap(), "it is not this process's backup any more");
    for name in ["backup_schedule", backups::LAST_BACKUP] {
        assert_eq!(settings::get(&mut &panel.app.db, name).await.unwrap(), None, "{name}");
    }
    let held = "SELECT count(*) FROM call_paces WHERE name = 'backup' AND held_by = 'another'";
    assert_eq!(panel.number(Sql::new(held)).await, 1, "the lease stays the other process's");
}
