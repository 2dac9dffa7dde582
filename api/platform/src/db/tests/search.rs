//! Text search finds parts of texts in any case and script, and finds changed texts immediately.

use super::{insert_customer_and_service, insert_order, test_on_both_databases};
use crate::db::{Db, Sql, SqlExecutor as _};

test_on_both_databases!(finds_parts_of_order_addresses, finds_users_by_name_and_contact);

async fn matching_orders(mut db: &Db, text: &str) -> Vec<i64> {
    let sql = Sql::new("SELECT ")
        .per_dialect(
            "rowid FROM orders_fts WHERE orders_fts MATCH ",
            "id FROM orders WHERE lower(url COLLATE \"und-x-icu\") LIKE lower(",
        )
        .bind(if db.dialect() == crate::db::Dialect::Sqlite {
            format!("\"{text}\"")
        } else {
            format!("%{text}%")
        })
        .per_dialect("", " COLLATE \"und-x-icu\")")
        .push(" ORDER BY 1");
    db.fetch_all::<(i64,)>(sql).await.unwrap().into_iter().map(|row| row.0).collect()
}

async fn finds_parts_of_order_addresses(mut db: &Db) {
    insert_customer_and_service(db).await;
    insert_order(db, 1, "https://video.example/watch?v=ÜBERMUT").await;
    insert_order(db, 2, "https://video.example/über/ПРИВЕТ").await;
    insert_order(db, 3, "https://video.example/東京タワー展望台").await;
    for (text, ids) in [
        ("über", vec![1, 2]),
        ("ÜBER", vec![1, 2]),
        ("привет", vec![2]),
        ("京タワ", vec![3]),
        ("VIDEO.EXAMPLE/", vec![1, 2, 3]),
        ("?v=ü", vec![1]),
        ("nowhere", vec![]),
    ] {
        assert_eq!(matching_orders(db, text).await, ids, "{text}");
    }
    db.execute(Sql::new("UPDATE orders SET url = 'https://other.example', comment = 'x' WHERE id = 1"))
        .await
        .unwrap();
    db.execute(Sql::new("UPDATE orders SET comment = 'y' WHERE id = 2")).await.unwrap();
    db.execute(Sql::new("DELETE FROM orders WHERE id = 3")).await.unwrap();
    assert_eq!(matching_orders(db, "über").await, [2]);
    assert_eq!(matching_orders(db, "other").await, [1]);
    assert!(matching_orders(db, "京タワ").await.is_empty());
}

async fn finds_users_by_name_and_contact(mut db: &Db) {
    insert_customer_and_service(db).await;
    db.execute(Sql::new("UPDATE users SET name = 'Jürgen', telegram_username = 'JUergen_K' WHERE id = 1"))
        .await
        .unwrap();
    for (text, expected_count) in [("JÜRG", 1), ("uergen_k", 1), ("shop.ex", 1), ("Anna", 0)] {
        let sql = Sql::new("SELECT count(*) FROM ")
            .per_dialect(
                "users_fts WHERE users_fts MATCH '\"' || ",
                "users WHERE lower(name COLLATE \"und-x-icu\") LIKE lower('%' || ",
            )
            .bind(text)
            .per_dialect(" || '\"'", " || '%' COLLATE \"und-x-icu\")");
        let sql = match db.dialect() {
            crate::db::Dialect::Sqlite => sql,
            crate::db::Dialect::Postgres => sql
                .push(" OR lower(email COLLATE \"und-x-icu\") LIKE lower('%' || ")
                .bind(text)
                .push(" || '%' COLLATE \"und-x-icu\") OR lower(telegram_username COLLATE \"und-x-icu\") LIKE lower('%' || ")
                .bind(text)
                .push(" || '%' COLLATE \"und-x-icu\")"),
        };
        assert_eq!(db.fetch_one::<(i64,)>(sql).await.unwrap().0, expected_count, "{text}");
    }
}
