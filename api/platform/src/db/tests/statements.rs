//! Tests bound values, sets of ids, tables of values and streams.

use futures_util::StreamExt as _;
use panel_contract::ids::{OrderId, UserId};

use super::{insert_customer_and_service, insert_order, test_on_both_databases, within_a_minute};
use crate::db::{Db, DbError, Dialect, Sql, SqlExecutor as _, Val};
use crate::sql;

test_on_both_databases!(
    binds_values_in_order,
    reads_the_values_that_were_written,
    accepts_large_sets_of_ids,
    ids_are_stored_as_numbers,
    selects_from_rows_of_values,
    streams_return_all_rows_and_release_connections,
    distinguishes_one_row_from_none,
    readers_cannot_write,
    plans_do_not_depend_on_values
);

async fn binds_values_in_order(mut db: &Db) {
    let last_column = Sql::new(", CAST(? AS BIGINT)").bind(4);
    let sql = Sql::new("SELECT CAST(? AS BIGINT), CAST(? AS TEXT)")
        .bind(1)
        .bind("two?")
        .push(", CAST(")
        .bind(3)
        .push(" AS BIGINT)")
        .append(last_column);
    let row: (i64, String, i64, i64) = db.fetch_one(sql).await.unwrap();
    assert_eq!(row, (1, "two?".into(), 3, 4));
}

type Profile = (i64, String, Option<String>, bool, Option<Vec<u8>>, Option<i64>);

async fn reads_the_values_that_were_written(mut db: &Db) {
    let select = "SELECT id, name, telegram_username, notify_orders, totp_secret, totp_last_step FROM users WHERE id = ?";
    let full: Profile = (
        i64::MAX,
        "Ünï 漢字 🦀 'q' \"d\" \\".into(),
        Some(String::new()),
        true,
        Some(vec![0, 255, 7]),
        Some(i64::MIN),
    );
    let empty: Profile = (2, "Zoë".into(), None, false, None, None);
    for profile in [full, empty] {
        let (id, name, telegram, notify, secret, step) = profile.clone();
        let sql = sql!(
            "INSERT INTO users (id, name, email, telegram_username, notify_orders, totp_secret, totp_last_step, created_at, updated_at)
             VALUES (@id, @name, @email, @telegram, @notify, @secret, @step, 0, 0)",
            { id, name, email: format!("{id}@x"), telegram, notify, secret: Val::Bytes(secret), step },
        );
        assert_eq!(db.execute(sql).await.unwrap(), 1);
        assert_eq!(db.fetch_one::<Profile>(Sql::new(select).bind(id)).await.unwrap(), profile);
    }
    let sql =
        Sql::new("SELECT count(*) FROM users WHERE notify_orders = TRUE AND notify_orders = ?").bind(true);
    assert_eq!(db.fetch_one::<(i64,)>(sql).await.unwrap().0, 1);
    let sql = Sql::new("SELECT count(*) FROM users WHERE NOT notify_orders");
    assert_eq!(db.fetch_one::<(i64,)>(sql).await.unwrap().0, 1);
}

async fn accepts_large_sets_of_ids(mut db: &Db) {
    insert_customer_and_service(db).await;
    for id in [7, 49_999, 60_000] {
        insert_order(db, id, "https://a.example").await;
    }
    let ids: Vec<i64> = (1..=50_000).collect();
    let select_orders = |ids: &[i64]| {
        Sql::new("SELECT id FROM orders WHERE id IN ").numbers(ids.iter().copied()).push(" ORDER BY id")
    };
    assert_eq!(db.fetch_all::<(i64,)>(select_orders(&ids)).await.unwrap(), [(7,), (49_999,)]);
    assert_eq!(db.fetch_all::<(i64,)>(select_orders(&[7])).await.unwrap(), [(7,)]);
    assert!(db.fetch_all::<(i64,)>(select_orders(&[])).await.unwrap().is_empty());
    let sql = Sql::new("UPDATE orders SET comment = ? WHERE id IN ").bind("seen").numbers(ids);
    assert_eq!(db.execute(sql).await.unwrap(), 2);
}

async fn ids_are_stored_as_numbers(mut db: &Db) {
    let sql = Sql::new("SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)");
    let sql = sql.bind(UserId::new(i64::MAX)).bind(None::<OrderId>).bind(OrderId::new(7));
    let row: (i64, Option<OrderId>, OrderId) = db.fetch_one(sql).await.unwrap();
    assert_eq!(row, (i64::MAX, None, OrderId::new(7)));
    insert_customer_and_service(db).await;
    insert_order(db, 7, "https://a.example").await;
    let sql = Sql::new("SELECT id FROM orders WHERE id IN ").ids(&[OrderId::new(7), OrderId::new(9)]);
    assert_eq!(db.fetch_ids::<OrderId>(sql).await.unwrap(), [OrderId::new(7)]);
}

type ValueRow = (i64, Option<String>, bool, Option<Vec<u8>>);

async fn selects_from_rows_of_values(mut db: &Db) {
    let rows = vec![
        vec![
            Val::from(9_007_199_254_740_993_i64),
            Val::from("ü'\"\\"),
            Val::from(true),
            Val::from(vec![0_u8, 255]),
        ],
        vec![Val::from(-1), Val::Text(None), Val::from(false), Val::Bytes(None)],
    ];
    let sql = Sql::new("SELECT a, b, c, d FROM ")
        .rows("new_rows", &["a", "b", "c", "d"], rows)
        .push(" ORDER BY a DESC");
    let rows: Vec<ValueRow> = db.fetch_all(sql).await.unwrap();
    let first = (9_007_199_254_740_993, Some("ü'\"\\".to_owned()), true, Some(vec![0, 255]));
    assert_eq!(rows, [first, (-1, None, false, None)]);
    let ids = (1..=50_000).map(|id| vec![Val::from(id)]).collect();
    let sql = Sql::new("SELECT CAST(sum(id) AS BIGINT) FROM ").rows("new_rows", &["id"], ids);
    assert_eq!(db.fetch_one::<(i64,)>(sql).await.unwrap().0, 1_250_025_000);
}

async fn streams_return_all_rows_and_release_connections(db: &Db) {
    let numbers = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n";
    let rows: Vec<_> = db.stream::<(i64,)>(Sql::new(numbers)).collect().await;
    assert_eq!(rows.into_iter().map(|row| row.unwrap().0).sum::<i64>(), 12_502_500);
    // Readers that stop early return their connections.
    for _ in 0..50 {
        let first = within_a_minute(db.stream::<(i64,)>(Sql::new(numbers)).next()).await.unwrap();
        assert_eq!(first.unwrap(), (1,));
    }
    let failing: Vec<_> = db.stream::<(i64,)>(Sql::new("SELECT nothing FROM nowhere")).collect().await;
    assert!(matches!(failing.as_slice(), [Err(DbError::Other(_))]));
}

async fn distinguishes_one_row_from_none(mut db: &Db) {
    let select_missing = || Sql::new("SELECT id FROM users WHERE id = ?").bind(5);
    assert_eq!(db.fetch_optional::<(i64,)>(select_missing()).await.unwrap(), None);
    assert!(matches!(
        db.fetch_one::<(i64,)>(select_missing()).await,
        Err(DbError::Other(sqlx::Error::RowNotFound))
    ));
}

async fn readers_cannot_write(mut db: &Db) {
    if db.dialect() == Dialect::Postgres {
        return;
    }
    let sql =
        Sql::new("INSERT INTO settings (key, value, updated_at) VALUES ('a', '1', 0) RETURNING updated_at");
    assert!(db.fetch_all::<(i64,)>(sql).await.is_err());
}

/// `.cargo/config.toml` enables the option. Without it SQLite plans a filtered statement again at each execution.
async fn plans_do_not_depend_on_values(mut db: &Db) {
    if db.dialect() == Dialect::Postgres {
        return;
    }
    let options: Vec<(String,)> = db.fetch_all(Sql::new("PRAGMA compile_options")).await.unwrap();
    assert!(options.iter().any(|option| option.0 == "ENABLE_QPSG"), "{options:?}");
}
