//! Runs each test on both databases; `tests/plans` includes this file too.

/// Declares a test on SQLite and one on PostgreSQL for each function, which takes the `Dialect`.
macro_rules! test_both_databases {
    ($($name:ident;)+) => { $(
        mod $name {
            #[tokio::test]
            async fn on_sqlite() {
                super::$name(panel_platform::db::Dialect::Sqlite).await;
            }
            #[tokio::test]
            async fn on_postgres() {
                super::$name(panel_platform::db::Dialect::Postgres).await;
            }
        }
    )+ };
}
