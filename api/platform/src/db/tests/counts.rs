//! Materialized counts stay exact after any sequence of writes.

use std::time::{Duration, Instant};

use panel_contract::ids::UserId;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::{ORDER, insert_customer_and_service, insert_order, on_both};
use crate::db::{Db, DbConfig, Dialect, Source as _, Sql, Val, counts};

on_both!(
    counts_are_exact_after_any_writes,
    changes_of_other_columns_write_no_deltas,
    a_wide_update_after_a_narrow_one_is_fast,
    reads_folded_and_unfolded_counts
);

type CountRow = (String, String, i64, i64);
type DayRow = (i64, String, i64, i64, i64, i64, i64);

/// Asserts that the materialized counts with their deltas equal a recount.
pub(super) async fn assert_counts_are_exact(mut db: &Db) {
    let materialized = "SELECT tbl, grp, block, CAST(sum(n) AS BIGINT) FROM (SELECT * FROM row_counts UNION ALL SELECT * FROM row_count_deltas) AS k
        GROUP BY tbl, grp, block HAVING sum(n) <> 0";
    let mut materialized: Vec<CountRow> = db.all(Sql::new(materialized)).await.unwrap();
    let mut counted: Vec<CountRow> = Vec::new();
    for (_, recount) in counts::RECOUNTS {
        let total =
            Sql::new("SELECT tbl, grp, CAST(-1 AS BIGINT), CAST(sum(n) AS BIGINT) FROM (").push(recount);
        counted.extend(db.all::<CountRow>(total.push(") AS r GROUP BY tbl, grp")).await.unwrap());
        counted.extend(db.all::<CountRow>(Sql::new(recount)).await.unwrap());
    }
    materialized.sort();
    counted.sort();
    assert_eq!(materialized, counted);
    assert_days_are_exact(db).await;
}

async fn assert_days_are_exact(mut db: &Db) {
    let sums = "CAST(sum(n) AS BIGINT), CAST(sum(cost) AS BIGINT), CAST(sum(refunded) AS BIGINT), CAST(sum(provider_cost) AS BIGINT), CAST(sum(quantity) AS BIGINT)";
    let materialized = Sql::new("SELECT day, status, ")
        .push(sums)
        .push(" FROM (SELECT * FROM order_days UNION ALL SELECT * FROM order_day_deltas) AS k GROUP BY day, status HAVING sum(n) <> 0 ORDER BY 1, 2");
    let counted = Sql::new("SELECT day, status, ").push(sums).push(
        " FROM (SELECT created_at / 86400000000 AS day, status, 1 AS n, CASE WHEN is_paid THEN cost ELSE 0 END AS cost, refunded, provider_cost, quantity FROM orders) AS o
          GROUP BY day, status ORDER BY 1, 2",
    );
    assert_eq!(db.all::<DayRow>(materialized).await.unwrap(), db.all::<DayRow>(counted).await.unwrap());
    let materialized = "SELECT user_id, CAST(sum(n) AS BIGINT) FROM (SELECT * FROM user_order_counts UNION ALL SELECT * FROM user_order_count_deltas) AS k
        GROUP BY user_id HAVING sum(n) <> 0 ORDER BY 1";
    let counted = "SELECT user_id, count(*) FROM orders GROUP BY user_id ORDER BY 1";
    let materialized: Vec<(i64, i64)> = db.all(Sql::new(materialized)).await.unwrap();
    assert_eq!(materialized, db.all::<(i64, i64)>(Sql::new(counted)).await.unwrap());
}

const STATUSES: [&str; 6] = ["in_processing", "in_moderation", "completed", "stopped", "canceled", "unpaid"];
const USER_STATUSES: [&str; 3] = ["active", "frozen", "deactivated"];

/// Generates writes of every kind from a seed.
struct WriteGenerator {
    rng: StdRng,
    next: i64,
}

impl WriteGenerator {
    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words[self.rng.random_range(0..words.len())]
    }

    fn ids(&mut self) -> Vec<i64> {
        let max = self.rng.random_range(1..20);
        (0..max).map(|_| self.rng.random_range(1..=self.next.max(1))).collect()
    }

    fn orders(&mut self) -> Sql {
        let rows = (0..self.rng.random_range(1..30)).map(|_| {
            // Gaps between ids, so that blocks appear and disappear.
            self.next += self.rng.random_range(1..900);
            let numbers =
                [self.rng.random_range(1..=3), self.rng.random_range(0..1000), self.rng.random_range(1..50)];
            let at = self.rng.random_range(0..400_000_000_000_i64);
            let status = self.pick(&STATUSES);
            let child = self.rng.random_bool(0.1);
            [self.next, numbers[0], numbers[1], numbers[2], at]
                .map(Val::from)
                .into_iter()
                .chain([status.into(), child.into()])
                .collect()
        });
        let rows: Vec<Vec<Val>> = rows.collect();
        Sql::new(
            "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_child_panel, created_at, updated_at)
             SELECT id, 'Views', 'https://x.example', status, 'api', user_id, 1, cost, 1, 1000, quantity, child, at, at FROM ",
        )
        .rows("given", &["id", "user_id", "cost", "quantity", "at", "status", "child"], rows)
    }

    fn change(&mut self) -> Sql {
        let ids = self.ids();
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

    fn record(&mut self) -> Sql {
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

    fn write(&mut self) -> Sql {
        match self.rng.random_range(0..10) {
            0..=2 => self.orders(),
            3..=7 => self.change(),
            _ => self.record(),
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
        db.exec(Sql::new(sql)).await.unwrap();
    }
    if db.dialect() == Dialect::Postgres {
        db.one::<(i64,)>(Sql::new("SELECT setval('users_id_seq', 3)")).await.unwrap();
    }
    let mut writes = WriteGenerator { rng: StdRng::seed_from_u64(20_261_120), next: 0 };
    for round in 0..500 {
        let mut tx = db.begin().await.unwrap();
        tx.exec(writes.write()).await.unwrap();
        if round % 7 == 0 {
            tx.rollback().await.unwrap()
        } else {
            tx.commit().await.unwrap()
        }
        if round % 50 == 49 {
            assert_counts_are_exact(db).await;
            counts::fold(db).await.unwrap();
            assert_counts_are_exact(db).await;
        }
    }
    assert!(writes.next > 3 * counts::BLOCK, "several blocks");
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
    counts::fold(db).await.unwrap();
    for change in [
        "UPDATE orders SET comment = 'x', updated_at = 5",
        "UPDATE orders SET status = status, cost = cost",
        "UPDATE users SET spent = 5",
    ] {
        db.exec(Sql::new(change)).await.unwrap();
    }
    assert_eq!(counts::fold(db).await.unwrap(), 0);
    assert_counts_are_exact(db).await;
}

/// A connection caches the plan of a statement in a trigger: a plan for a single order must not be quadratic for ten thousand.
async fn a_wide_update_after_a_narrow_one_is_fast(db: &Db) {
    insert_customer_and_service(db).await;
    let mut tx = db.begin().await.unwrap();
    let many =
        "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      SELECT i, 'Views', 'https://x.example', 'in_processing', 'api', 1, 1, 100, 1, 1000, 10, 0, 0 FROM n";
    tx.exec(Sql::new(ORDER).push(many)).await.unwrap();
    for status in ["stopped", "in_processing"] {
        tx.exec(Sql::new("UPDATE orders SET status = ? WHERE id = 1").bind(status)).await.unwrap();
    }
    let started = Instant::now();
    tx.exec(Sql::new("UPDATE orders SET status = 'canceled', refunded = 50")).await.unwrap();
    let took = started.elapsed();
    tx.commit().await.unwrap();
    assert!(took < Duration::from_secs(5), "took {took:?}");
    assert_counts_are_exact(db).await;
}

async fn reads_folded_and_unfolded_counts(mut db: &Db) {
    insert_customer_and_service(db).await;
    for id in [1, 8_191, 8_192, 20_000] {
        insert_order(db, id, "https://a.example").await;
    }
    counts::fold(db).await.unwrap();
    db.exec(Sql::new("UPDATE orders SET status = 'stopped' WHERE id = 20000")).await.unwrap();
    assert_eq!(counts::count(&mut db, "orders", "").await.unwrap(), 4);
    assert_eq!(counts::counts(&mut db, "orders", &["stopped", "in_processing"]).await.unwrap(), 4);
    assert_eq!(counts::blocks(&mut db, "orders", &["in_processing"]).await.unwrap(), [(0, 2), (1, 1)]);
    assert_eq!(counts::blocks(&mut db, "orders", &[""]).await.unwrap(), [(0, 2), (1, 1), (2, 1)]);
    assert_eq!(counts::orders_of_user(&mut db, UserId::new(1)).await.unwrap(), 4);
    assert_eq!(counts::orders_of_user(&mut db, UserId::new(2)).await.unwrap(), 0);
}

/// Concurrent folds of several processes lose no count.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_folds_lose_nothing() {
    let fresh = super::fresh(Dialect::Postgres).await;
    insert_customer_and_service(&fresh.db).await;
    let folds: Vec<_> = (0..4)
        .map(|_| {
            let db = fresh.db.clone();
            tokio::spawn(async move {
                for _ in 0..30 {
                    counts::fold(&db).await.unwrap();
                }
            })
        })
        .collect();
    for id in 1..=100 {
        insert_order(&fresh.db, id, "https://a.example").await;
        let mut reader = &fresh.db;
        assert_eq!(counts::count(&mut reader, "orders", "").await.unwrap(), id);
    }
    for fold in folds {
        super::within_a_minute(fold).await.unwrap();
    }
    assert_counts_are_exact(&fresh.db).await;
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
    let again = Db::open(&config).await.unwrap();
    let mut reader = &again;
    assert_eq!(counts::count(&mut reader, "orders", "").await.unwrap(), 1);
}
