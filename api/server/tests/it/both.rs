//! One test, two databases; `tests/plans` shares this.

/// Runs tests on both databases.
macro_rules! both {
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
