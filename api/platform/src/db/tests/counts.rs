//! Materialized counts stay exact after any sequence of writes.

use std::time::{Duration, Instant};

use panel_contract::ids::UserId;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::{INSERT_ORDER, insert_customer_and_service, insert_order, test_on_both_databases};
use crate::db::{Db, DbConfig, Dialect, Sql, SqlExecutor as _, Val, counts};

test_on_both_databases!(
    counts_are_exact_after_any_writes,
    changes_of_other_columns_write_no_deltas,
    an_update_of_many_orders_after_an_update_of_one_is_fast,
    reads_folded_and_unfolded_counts
);

type CountRow = (String, String, i64, i64);
type DayRow = (i64, String, i64, i64, i64, i64, i64);

/// Asserts that the materialized counts with their deltas equal a recount.
pub(super) async fn assert_counts_are_exact(mut db: &Db) {
    let materialized = "SELECT tbl, grp, block, CAST(sum(n) AS BIGINT) FROM (SELECT * FROM row_counts UNION ALL SELECT * FROM row_count_deltas) AS k
        GROUP BY tbl, grp, block HAVING sum(n) <> 0";
    let mut materialized: Vec<CountRow> = db.fetch_all(Sql::new(materialized)).await.unwrap();
    let mut recounted: Vec<CountRow> = Vec::new();
    for (_, recount) in counts::RECOUNTS {
        let total =
            Sql::new("SELECT tbl, grp, CAST(-1 AS BIGINT), CAST(sum(n) AS BIGINT) FROM (").push(recount);
        recounted.extend(db.fetch_all::<CountRow>(total.push(") AS r GROUP BY tbl, grp")).await.unwrap());
        recounted.extend(db.fetch_all::<CountRow>(Sql::new(recount)).await.unwrap());
    }
    materialized.sort();
    recounted.sort();
    assert_eq!(materialized, recounted);
    assert_days_are_exact(db).await;
}

async fn assert_days_are_exact(mut db: &Db) {
    let sums = "CAST(sum(n) AS BIGINT), CAST(sum(cost) AS BIGINT), CAST(sum(refunded) AS BIGINT), CAST(sum(provider_cost) AS BIGINT), CAST(sum(quantity) AS BIGINT)";
    let materialized = Sql::new("SELECT day, status, ")
        .push(sums)
        .push(" FROM (SELECT * FROM order_days UNION ALL SELECT * FROM order_day_deltas) AS k GROUP BY day, status HAVING sum(n) <> 0 ORDER BY 1, 2");
    let recounted = Sql::new("SELECT day, status, ").push(sums).push(
        " FROM (SELECT created_at / 86400000000 AS day, status, 1 AS n, CASE WHEN is_paid THEN cost ELSE 0 END AS cost, refunded, provider_cost, quantity FROM orders) AS o
          GROUP BY day, status ORDER BY 1, 2",
    );
    assert_eq!(
        db.fetch_all::<DayRow>(materialized).await.unwrap(),
        db.fetch_all::<DayRow>(recounted).await.unwrap()
    );
    let materialized = "SELECT user_id, CAST(sum(n) AS BIGINT) FROM (SELECT * FROM user_order_counts UNION ALL SELECT * FROM user_order_count_deltas) AS k
        GROUP BY user_id HAVING sum(n) <> 0 ORDER BY 1";
    let recounted = "SELECT user_id, count(*) FROM orders GROUP BY user_id ORDER BY 1";
    let materialized: Vec<(i64, i64)> = db.fetch_all(Sql::new(materialized)).await.unwrap();
    assert_eq!(materialized, db.fetch_all::<(i64, i64)>(Sql::new(recounted)).await.unwrap());
}

const STATUSES: [&str; 6] = ["in_processing", "in_moderation", "completed", "stopped", "canceled", "unpaid"];
const USER_STATUSES: [&str; 3] = ["active", "frozen", "deactivated"];

/// Generates random writes of orders and other records from a seed.
struct WriteGenerator {
    rng: StdRng,
    last_order_id: i64,
}

impl WriteGenerator {
    fn pick(&mut self, values: &[&'static str]) -> &'static str {
        values[self.rng.random_range(0..values.len())]
    }

    fn random_ids(&mut self) -> Vec<i64> {
        let count = self.rng.random_range(1..20);
        (0..count).map(|_| self.rng.random_range(1..=self.last_order_id.max(1))).collect()
    }

    fn insert_orders(&mut self) -> Sql {
        let rows = (0..self.rng.random_range(1..30)).map(|_| {
            // Gaps between ids, so that blocks appear and disappear.
            self.last_order_id += self.rng.random_range(1..900);
            let user_id = self.rng.random_range(1..=3);
            let cost = self.rng.random_range(0..1000);
            let quantity = self.rng.random_range(1..50);
            let created_at = self.rng.random_range(0..400_000_000_000_i64);
            let status = self.pick(&STATUSES);
            let is_child_panel = self.rng.random_bool(0.1);
            [self.last_order_id, user_id, cost, quantity, created_at]
                .map(Val::from)
                .into_iter()
                .chain([status.into(), is_child_panel.into()])
                .collect()
        });
        let rows: Vec<Vec<Val>> = rows.collect();
        Sql::new(
            "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_child_panel, created_at, updated_at)
             SELECT id, 'Views', 'https://x.example', status, 'api', user_id, 1, cost, 1, 1000, quantity, child, at, at FROM ",
        )
        .rows("new_orders", &["id", "user_id", "cost", "quantity", "at", "status", "child"], rows)
    }

    fn update_or_delete(&mut self) -> Sql {
        let ids = self.random_ids();
        let sql = match self.rng.random_range(0..8) {
            0 | 1 => Sql::new("UPDATE orders SET status = ? WHERE id IN ").bind(self.pick(&STATUSES)),
            2 => Sql::new("UPDATE orders SET has_no_active_providers = ? WHERE id IN ")
                .bind(self.rng.random_bool(0.5)),
            3 => Sql::new(
                "UPDATE orders SET refunded = cost / 2, status = 'canceled', provider_cost = ? WHERE id IN ",
            )
            .bind(self.rng.random_range(0..9)),
            4 => Sql::new("UPDATE orders SET comment = 'x', updated_at = 1 WHERE id IN "),
            5 => Sql::new("UPDATE users SET status = ? WHERE id IN ").bind(self.pick(&USER_STATUSES)),
            6 => Sql::new("UPDATE free_trials SET status = ? WHERE id IN ")
                .bind(self.pick(&["pending", "approved", "rejected"])),
            _ => Sql::new("DELETE FROM orders WHERE id IN "),
        };
        sql.numbers(ids)
    }

    fn insert_other_record(&mut self) -> Sql {
        match self.rng.random_range(0..4) {
            0 => Sql::new("INSERT INTO users (name, email, created_at, updated_at) VALUES ('x', ?, 0, 0)").bind(format!("{}@x", self.rng.random_range(0..u32::MAX))),
            1 => Sql::new("INSERT INTO free_trials (free_trial_quest_id, user_id, name, url, quantity, created_at) VALUES (1, 1, 'x', 'x', 1, 0)"),
            2 => Sql::new("INSERT INTO ledger_entries (txn_id, account, user_id, amount, type, transaction_type, created_at) VALUES (1, ?, 1, 1, 'manual', 'income', 0)")
                .bind(self.pick(&["main", "hold_main", "referral"])),
            _ => Sql::new(
                "INSERT INTO audits (created_at, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
                 VALUES (0, '', '', '', 'updated', 'order', 1, '{}', '{}')",
            ),
        }
    }

    fn next_write(&mut self) -> Sql {
        match self.rng.random_range(0..10) {
            0..=2 => self.insert_orders(),
            3..=7 => self.update_or_delete(),
            _ => self.insert_other_record(),
        }
    }
}

async fn counts_are_exact_after_any_writes(mut db: &Db) {
    insert_customer_and_service(db).await;
    for sql in [
        "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (2, 'Bo', 'bo@x', 0, 0), (3, 'Cy', 'cy@x', 0, 0)",
        "INSERT INTO free_trial_quests (id, name, service_id, quantity, created_at, updated_at) VALUES (1, 'x', 1, 1, 0, 0)",
        "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, created_at) VALUES (1, 'x', 'x', 1, 0)",
    ] {
        db.execute(Sql::new(sql)).await.unwrap();
    }
    if db.dialect() == Dialect::Postgres {
        db.fetch_one::<(i64,)>(Sql::new("SELECT setval('users_id_seq', 3)")).await.unwrap();
    }
    let mut generator = WriteGenerator { rng: StdRng::seed_from_u64(20_261_120), last_order_id: 0 };
    for round in 0..500 {
        let mut tx = db.begin().await.unwrap();
        tx.execute(generator.next_write()).await.unwrap();
        if round % 7 == 0 {
            tx.rollback().await.unwrap()
        } else {
            tx.commit().await.unwrap()
        }
        if round % 50 == 49 {
            assert_counts_are_exact(db).await;
            counts::fold_deltas(db).await.unwrap();
            assert_counts_are_exact(db).await;
        }
    }
    assert!(generator.last_order_id > 3 * counts::BLOCK_SIZE, "the orders are in several blocks");
    let mut tx = db.begin().await.unwrap();
    counts::rebuild(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_counts_are_exact(db).await;
}

async fn changes_of_other_columns_write_no_deltas(mut db: &Db) {
    insert_customer_and_service(db).await;
    for id in 1..=3 {
        insert_order(db, id, "https://a.example").await;
    }
    counts::fold_deltas(db).await.unwrap();
    for update in [
        "UPDATE orders SET comment = 'x', updated_at = 5",
        "UPDATE orders SET status = status, cost = cost",
        "UPDATE users SET spent = 5",
    ] {
        db.execute(Sql::new(update)).await.unwrap();
    }
    assert_eq!(counts::fold_deltas(db).await.unwrap(), 0);
    assert_counts_are_exact(db).await;
}

/// A connection caches the plans of the statements in a trigger: a plan that was made for one order must not be quadratic for ten
/// thousand orders.
async fn an_update_of_many_orders_after_an_update_of_one_is_fast(db: &Db) {
    insert_customer_and_service(db).await;
    let mut tx = db.begin().await.unwrap();
    let select_10000_orders =
        "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      SELECT i, 'Views', 'https://x.example', 'in_processing', 'api', 1, 1, 100, 1, 1000, 10, 0, 0 FROM n";
    tx.execute(Sql::new(INSERT_ORDER).push(select_10000_orders)).await.unwrap();
    for status in ["stopped", "in_processing"] {
        tx.execute(Sql::new("UPDATE orders SET status = ? WHERE id = 1").bind(status)).await.unwrap();
    }
    let started_at = Instant::now();
    tx.execute(Sql::new("UPDATE orders SET status = 'canceled', refunded = 50")).await.unwrap();
    let duration = started_at.elapsed();
    tx.commit().await.unwrap();
    assert!(duration < Duration::from_secs(5), "took {duration:?}");
    assert_counts_are_exact(db).await;
}

async fn reads_folded_and_unfolded_counts(mut db: &Db) {
    insert_customer_and_service(db).await;
    for id in [1, 8_191, 8_192, 20_000] {
        insert_order(db, id, "https://a.example").await;
    }
    counts::fold_deltas(db).await.unwrap();
    db.execute(Sql::new("UPDATE orders SET status = 'stopped' WHERE id = 20000")).await.unwrap();
    assert_eq!(counts::count(&mut db, "orders", "").await.unwrap(), 4);
    assert_eq!(counts::count_groups(&mut db, "orders", &["stopped", "in_processing"]).await.unwrap(), 4);
    assert_eq!(
        counts::count_by_block(&mut db, "orders", &["in_processing"]).await.unwrap(),
        [(0, 2), (1, 1)]
    );
    assert_eq!(counts::count_by_block(&mut db, "orders", &[""]).await.unwrap(), [(0, 2), (1, 1), (2, 1)]);
    assert_eq!(counts::count_orders_of_user(&mut db, UserId::new(1)).await.unwrap(), 4);
    assert_eq!(counts::count_orders_of_user(&mut db, UserId::new(2)).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_folds_lose_no_count() {
    let database = super::open_fresh_database(Dialect::Postgres).await;
    insert_customer_and_service(&database.db).await;
    let folds: Vec<_> = (0..4)
        .map(|_| {
            let db = database.db.clone();
            tokio::spawn(async move {
                for _ in 0..30 {
                    counts::fold_deltas(&db).await.unwrap();
                }
            })
        })
        .collect();
    for id in 1..=100 {
        insert_order(&database.db, id, "https://a.example").await;
        let mut reader = &database.db;
        assert_eq!(counts::count(&mut reader, "orders", "").await.unwrap(), id);
    }
    for fold in folds {
        super::within_a_minute(fold).await.unwrap();
    }
    assert_counts_are_exact(&database.db).await;
}

#[tokio::test]
async fn a_second_open_keeps_the_data() {
    let home = tempfile::tempdir().unwrap();
    let config =
        DbConfig { url: None, path: home.path().join("panel.sqlite"), max_connections: 2, is_durable: false };
    let first = Db::open(&config).await.unwrap();
    insert_customer_and_service(&first).await;
    insert_order(&first, 1, "https://a.example").await;
    first.close().await;
    let second = Db::open(&config).await.unwrap();
    let mut reader = &second;
    assert_eq!(counts::count(&mut reader, "orders", "").await.unwrap(), 1);
}
