//! A panel under test with its data folder, a database and generated records. Requests call the router and use no socket.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::clock::FixedClock;
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::cluster::{Cluster, TestDatabase};
use panel_platform::db::{Db, DbConfig, Dialect, Sql, SqlExecutor, bulk};
use panel_platform::sql;
use panel_server::app::App;
use panel_server::auth::sessions;
use panel_server::auth::store::{self, NewSession};
use panel_server::router::serve::router;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tower::ServiceExt as _;

/// The time of the clock when a test begins, in microseconds since 1970.
pub(crate) const NOW: i64 = 1_795_190_400_000_000;
/// The id of the first staff member; customers have ids from 1.
const FIRST_STAFF_ID: i64 = 1_000_001;
/// The name of the file with the migrated SQLite database, which each test copies.
const TEMPLATE_FILE: &str = "panel.db";

pub(crate) struct Panel {
    pub(crate) app: App,
    pub(crate) clock: FixedClock,
    router: Router,
    _database: Option<TestDatabase>,
    _data_dir: TempDir,
}

pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: axum::http::HeaderMap,
    pub(crate) text: String,
    /// The body, also if it is not UTF-8, for example a file.
    pub(crate) bytes: Vec<u8>,
}

impl TestResponse {
    pub(crate) fn json(&self) -> Value {
        // `parse` runs inside of serde_json, which is optimized in debug builds, while this crate is not.
        self.text.parse().unwrap_or_else(|_| panic!("the response is not JSON: {}", self.text))
    }
}

impl Panel {
    /// An empty panel on a database of this kind.
    pub(crate) async fn start(dialect: Dialect) -> Self {
        Self::with_config(dialect, |_| {}).await
    }

    /// An empty panel with a changed configuration.
    pub(crate) async fn with_config(dialect: Dialect, change_config: impl FnOnce(&mut Config)) -> Self {
        let data_dir = tempfile::tempdir().unwrap();
        let mut config = Config { data_dir: data_dir.path().into(), ..Config::default() };
        config.limits.requests_per_minute = u32::MAX;
        config.limits.address_requests_per_minute = u32::MAX;
        config.database_is_durable = false;
        let test_database = match dialect {
            Dialect::Sqlite => None,
            Dialect::Postgres => Some(fresh_database().await),
        };
        config.database_url = test_database.as_ref().map(|database| database.url.clone());
        change_config(&mut config);
        let database = config.database();
        if database.url.is_none() && !database.path.exists() {
            copy_template(&database.path).await;
        }
        let clock = FixedClock::new(Time(NOW));
        let app = App::start(config, Arc::new(clock.clone()), Random::seeded(7)).await.unwrap();
        let panel =
            Self { router: router(app.clone()), app, clock, _database: test_database, _data_dir: data_dir };
        panel.create_staff("owner", Permission::ALL).await;
        panel
    }

    /// Sends the following requests to this app. It acts as another process on the same database.
    pub(crate) fn use_app(&mut self, app: App) {
        self.router = router(app.clone());
        self.app = app;
    }

    /// Creates a staff member. The name is also the session token.
    pub(crate) async fn create_staff(&self, name: &str, permissions: &[Permission]) {
        let mut tx = self.app.db.begin().await.unwrap();
        let (count,): (i64,) = tx.fetch_one(Sql::new("SELECT count(*) FROM sessions")).await.unwrap();
        let id = FIRST_STAFF_ID + count;
        let sql = sql!(
            "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (@id, @name, @email, @now, @now)",
            { id, name, email: format!("{name}@panel.test"), now: NOW },
        );
        tx.execute(sql).await.unwrap();
        if !permissions.is_empty() {
            let rows =
                permissions.iter().map(|permission| vec![id.into(), permission.as_str().into()]).collect();
            let sql = Sql::new(
                "INSERT INTO user_permissions (user_id, permission) SELECT user_id, permission FROM ",
            );
            tx.execute(sql.rows("g", &["user_id", "permission"], rows)).await.unwrap();
        }
        let session = NewSession {
            user_id: UserId::new(id),
            family_id: name.into(),
            token_hash: sessions::hash(name),
            signed_in_at: Time(NOW),
            expires_at: Time(NOW + 86_400_000_000),
            ip: "127.0.0.1".into(),
            user_agent: "test".into(),
            // No test advances the clock this far, so no request requires a new confirmation.
            confirmed_at: Some(Time(NOW + 31_536_000_000_000)),
        };
        store::insert_session(&mut tx, session, Time(NOW)).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// `GET` as the owner.
    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.get_as("owner", path, "application/json").await
    }

    /// `GET` with this token and `Accept` header.
    pub(crate) async fn get_as(&self, token: &str, path: &str, accept: &str) -> TestResponse {
        let request = Request::get(path)
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::ACCEPT, accept)
            .body(Body::empty())
            .unwrap();
        self.send_request(request).await
    }

    /// `POST` of JSON as the owner.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.send("owner", "POST", path, body, None).await
    }

    /// A write request with this token and an optional idempotency key.
    pub(crate) async fn send(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: &Value,
        idempotency_key: Option<&str>,
    ) -> TestResponse {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(idempotency_key) = idempotency_key {
            request = request.header("idempotency-key", idempotency_key);
        }
        self.send_request(request.body(Body::from(body.to_string())).unwrap()).await
    }

    pub(crate) async fn send_request(&self, request: Request<Body>) -> TestResponse {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        TestResponse {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
            bytes: bytes.to_vec(),
        }
    }

    /// Inserts customers, a catalogue and `orders` orders with gaps between their ids. The records are the same at each call.
    pub(crate) async fn insert_generated_records(&self, users: i64, orders: i64) {
        let mut tx = self.app.db.begin().await.unwrap();
        let suspended_triggers = bulk::suspend_triggers(&mut tx).await.unwrap();
        for (count, target, text) in INSERT_STATEMENTS {
            let count = match *count {
                "users" => users,
                "orders" => orders,
                fixed => fixed.parse().unwrap(),
            };
            let series_sql = " WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?) ";
            let sql = Sql::new(target).push(series_sql).bind(count).push(text);
            let sql = if text.contains('?') { sql.bind(users) } else { sql };
            tx.execute(sql).await.unwrap_or_else(|error| panic!("{target}: {error}"));
        }
        bulk::restore_triggers(&mut tx, suspended_triggers).await.unwrap();
        tx.commit().await.unwrap();
        // Only the tables with new rows: analyzing the system catalogs of PostgreSQL takes longer than all of them.
        for (_, target, _) in INSERT_STATEMENTS {
            let table = target.split(' ').nth(2).unwrap();
            (&mut &self.app.db).execute(Sql::new("ANALYZE ").push(table)).await.unwrap();
        }
    }

    pub(crate) async fn execute(&self, sql: Sql) -> u64 {
        (&mut &self.app.db).execute(sql).await.unwrap()
    }
}

/// A new database that is a copy of the migrated template.
async fn fresh_database() -> TestDatabase {
    let cluster = tokio::task::spawn_blocking(Cluster::shared).await.unwrap().unwrap();
    cluster.fresh_database().await.unwrap()
}

/// Copies the migrated database file, which one test of the process creates, to the path where the panel opens its database.
async fn copy_template(database: &Path) {
    static TEMPLATE: OnceCell<TempDir> = OnceCell::const_new();
    let template = TEMPLATE.get_or_init(|| async {
        let data_dir = tempfile::tempdir().unwrap();
        let config = DbConfig {
            url: None,
            path: data_dir.path().join(TEMPLATE_FILE),
            max_connections: 1,
            is_durable: false,
        };
        // Closing writes the write-ahead log into the file, so that the file alone is the whole database.
        Db::open(&config).await.unwrap().close().await;
        data_dir
    });
    std::fs::copy(template.await.path().join(TEMPLATE_FILE), database).unwrap();
}

const USERS: &str = "SELECT i, CASE i % 7 WHEN 0 THEN 'Müller Straße ' WHEN 1 THEN 'Иван Петров ' WHEN 2 THEN '=cmd|evil ' ELSE 'Customer ' END || i,
  'user' || i || '@shop' || (i % 9) || '.example', CASE i % 11 WHEN 0 THEN 'frozen' WHEN 1 THEN 'deactivated' ELSE 'active' END,
  1700000000000000 + i * 60000000, 1700000000000000 + i, CASE WHEN i % 3 = 0 THEN 'tg_' || i END, CASE WHEN i % 2 = 0 THEN 'REF' || i END,
  CASE WHEN i > 10 AND i % 4 = 0 THEN i % 10 + 1 END, CASE WHEN i > 10 AND i % 5 = 0 THEN i % 7 + 1 END, CASE WHEN i % 3 = 1 THEN i % 3 END,
  (i * 7919) % 100000000, (i * 104729) % 900000000 FROM n";
const ORDERS: &str = "SELECT i * 3 + i % 2, CASE i % 5 WHEN 0 THEN 'Likes' WHEN 1 THEN 'Views ÄÖÜ' ELSE 'Followers' END,
  'https://' || CASE WHEN i % 1000 = 17 THEN 'rare-place' WHEN i % 3 = 0 THEN 'instagram' ELSE 'video' END || '.example/p/' || ((i * 7919) % 1000003),
  CASE WHEN (i * 31) % 1000 < 880 THEN 'completed' WHEN (i * 31) % 1000 < 940 THEN 'canceled' WHEN (i * 31) % 1000 < 970 THEN 'in_processing'
    WHEN (i * 31) % 1000 < 973 THEN 'in_moderation' WHEN (i * 31) % 1000 < 980 THEN 'stopped' ELSE 'unpaid' END,
  CASE i % 4 WHEN 0 THEN 'approved' WHEN 1 THEN 'rejected' END,
  CASE i % 5 WHEN 0 THEN 'api' WHEN 1 THEN 'cabinet' WHEN 2 THEN 'drip_feed' ELSE 'single_form' END,
  CASE WHEN i % 10 = 0 THEN 1 ELSE 1 + (i * 7907) % CAST(? AS BIGINT) END, 1 + (i * 13) % 20, (i * 48611) % 90000000, 1000000 + i % 977, 1000,
  CASE WHEN i % 17 = 0 THEN (i * 48611) % 90000000 / 2 ELSE 0 END, (i * 48611) % 90000000 / 3, 100 + (i * 37) % 5000, (i * 37) % 4000,
  i % 50 <> 0, i % 2 = 0, i % 6 = 0, CASE WHEN i % 9 = 0 THEN 'Note ' || i WHEN i % 9 = 1 THEN '' END, i % 20 = 0,
  CASE WHEN i % 100 = 5 THEN i % 70 + 1 END, CASE WHEN i % 100 = 6 THEN i % 70 + 1 END, CASE WHEN i % 100 = 7 THEN i % 70 + 1 END,
  (i * 31) % 1000 BETWEEN 940 AND 969 AND i % 3 = 0, 1700000000000000 + i * 61000000, 1700000000000000 + i * 61000001,
  CASE WHEN (i * 31) % 1000 < 880 THEN 1700000000000000 + i * 62000000 END FROM n";
const GRADES: &str = "SELECT i, 'Grade ' || i, i * 10000, i * 1000000, i % 4 = 3, CASE WHEN i % 2 = 0 THEN i END, 1700000000000000 + i * 1000000, 1 FROM n";
const NETWORKS: &str = "SELECT i, 'Network ' || i, 1, 1 FROM n";
const TYPES: &str = "SELECT i, i % 4 + 1, 'Type ' || i, 1, 1 FROM n";
const SERVICES: &str = "SELECT i, i % 8 + 1, CASE WHEN i % 5 = 0 THEN 'Подписчики ' ELSE 'Instagram Likes ' END || i, i * 10, i * 1000, i % 4 + 1, i * 100000, i * 200000, 1000,
  i % 3 <> 0, i % 6 = 0, i % 2 = 0, i % 4 = 0, i % 5 = 0, i % 3 = 0, 1700000000000000 + i * 86400000000, 1 FROM n";
const USER_SERVICES: &str = "SELECT i * 3, 1, 1, 1 FROM n";
const PROVIDERS: &str =
    "SELECT i, 'Provider ' || i, i * 1000, CASE WHEN i % 5 = 0 THEN 'disabled' ELSE 'active' END, i % 7 = 0,
  CASE WHEN i % 3 > 0 THEN 1700000000000000 + i * 4000000 END, 1, 1 FROM n";
const ATTEMPTS: &str = "SELECT i, i * 3 + i % 2, i % 30 + 1, i % 3 + 1, 's' || i % 9, CASE WHEN i % 6 > 0 THEN 'x' || i END,
  CASE i % 7 WHEN 0 THEN 'Creating' WHEN 1 THEN 'Pending' WHEN 2 THEN 'In progress' WHEN 3 THEN 'Processing' WHEN 4 THEN 'Completed' WHEN 5 THEN 'Partial' ELSE 'Canceled' END,
  i * 1000, i * 1100, 100 + i, CASE WHEN i % 4 > 0 THEN i % 50 END, CASE WHEN i % 5 > 0 THEN i * 3 END, CASE WHEN i % 6 = 0 THEN 'Not enough funds ' || i END,
  CASE WHEN i % 8 = 0 THEN 1700000000000000 + i * 3000000 END, CASE WHEN i % 5 > 0 THEN 1700000000000000 + i * 2000000 END,
  CASE WHEN i % 9 = 0 THEN 1700000000000000 + i * 5000000 END, CASE WHEN i % 7 > 3 THEN 1700000000000000 + i * 9000000 END, 1700000000000000 + i * 1000000, 1 FROM n WHERE i <= 90";
const METHODS: &str = "SELECT i, 'Method ' || i, 'card', i, 1, 1 FROM n";
const LEDGER_TRANSACTIONS: &str = "SELECT i, 'deposit', 'test', i, CASE WHEN i % 2 = 0 THEN i % 20 + 1 END, CASE WHEN i % 4 = 0 THEN '-Thanks ' || i END, 1700000000000000 + i FROM n";
const LEDGER_ENTRIES: &str = "SELECT i, i, CASE i % 4 WHEN 0 THEN 'main' WHEN 1 THEN 'task' WHEN 2 THEN 'referral' ELSE 'hold_main' END, 1 + i % 20, CASE WHEN i % 3 = 0 THEN -i ELSE i END * 1000,
  i * 5000, CASE WHEN i % 3 = 0 THEN 'order' ELSE 'deposit' END, CASE WHEN i % 3 = 0 THEN 'outcome' ELSE 'income' END,
  CASE WHEN i % 3 = 0 THEN (i % 5 * 2 + 1) * 3 + 1 END, CASE WHEN i % 3 = 1 THEN i % 3 + 1 END, 1700000000000000 + i * 1000000 FROM n";
const WITHDRAWALS: &str = "SELECT i * 2, i % 20 + 1, i % 3 + 1, CASE i % 3 WHEN 0 THEN 'DE' || i ELSE 'Ünïcode ' || i END, CASE i % 2 WHEN 0 THEN 'main' ELSE 'referral' END,
  i * 1000, CASE i % 4 WHEN 0 THEN 'pending' WHEN 1 THEN 'approved' WHEN 2 THEN 'paid' ELSE 'rejected' END, CASE WHEN i % 5 = 0 THEN '=Quick, please ' || i END,
  CASE WHEN i % 4 = 3 THEN 'No ' || i END, CASE WHEN i % 4 = 2 THEN 'TX' || i END, 1700000000000000 + i * 1000000, 1700000000000000 + i,
  CASE WHEN i % 4 IN (1, 2) THEN 1700000000000000 + i * 2000000 END, CASE WHEN i % 4 = 2 THEN 1700000000000000 + i * 3000000 END,
  CASE WHEN i % 4 = 3 THEN 1700000000000000 + i * 3000000 END FROM n";
const INVOICES: &str = "SELECT i * 2, i % 20 + 1, i % 3 + 1, CASE i % 3 WHEN 0 THEN 'INV-' || i ELSE 'Rëchnung ' || i END, i * 1000,
  CASE i % 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'paid' ELSE 'canceled' END, CASE WHEN i % 3 = 1 THEN i * 900 END, CASE WHEN i % 3 = 1 THEN i * 10 ELSE 0 END,
  1700000000000000 + i * 1000000, 1700000000000000 + i, CASE WHEN i % 3 = 1 THEN 1700000000000000 + i * 2000000 END FROM n";

const MENU_ITEMS: &str = "SELECT i, CASE WHEN i > 4 THEN i % 4 + 1 END, 'Item ' || i, '/item/' || i, i, i % 3 <> 0, i % 5 = 0, i % 2 = 0, i % 4 <> 0, i % 7 = 0, 1700000000000000 + i * 1000000, 1 FROM n";
const PAGES: &str =
    "SELECT i, 'Page ' || i, 'page.' || i, i % 5 = 0, 1700000000000000 + i * 1000000, 1 FROM n";

const AUDITS: &str = "SELECT i * 2, 1700000000000000 + i * 1000000, CASE WHEN i % 4 > 0 THEN i % 20 + 1 END, '10.0.0.' || i % 5, 'Agent ' || i, 'r' || i,
  CASE i % 3 WHEN 0 THEN 'order.canceled' WHEN 1 THEN 'user.frozen' ELSE 'order.approved' END, CASE i % 3 WHEN 1 THEN 'user' ELSE 'order' END, i % 30 + 1,
  '{\"status\":\"stopped\"}', '{\"status\":\"canceled\"}' FROM n";
const CHANGE_LOGS: &str = "SELECT i * 2, 1700000000000000 + i * 1000000, CASE WHEN i % 4 > 0 THEN i % 20 + 1 END, CASE i % 3 WHEN 0 THEN 'updated' ELSE 'created' END,
  CASE i % 2 WHEN 0 THEN 'service' ELSE 'grade' END, i % 30 + 1, CASE WHEN i % 3 = 0 THEN 'Min quantity' ELSE 'Likes ' || i END,
  CASE WHEN i % 3 = 0 THEN '' || i END, CASE WHEN i % 3 = 0 THEN '' || (i + 1) END FROM n";

const DISCOUNTS: &str = "SELECT i * 2, CASE i % 3 WHEN 0 THEN 'Sale ' || i ELSE 'Ünïcode ' || i END, 1795190400000000 + (i % 5 - 2) * 86400000000,
  CASE WHEN i % 4 > 0 THEN 1795190400000000 + (i % 5 - 1) * 86400000000 END, i % 2 = 0, CASE WHEN i % 3 = 0 THEN '[\"DE\"]' ELSE '[]' END,
  CASE WHEN i % 11 = 0 THEN 1795190300000000 END, i % 7 = 0, 1700000000000000 + i * 1000000, 1 FROM n";
const DISCOUNT_SERVICES: &str = "SELECT i * 2, i % 20 + 1, i % 9 * 10000 + 10000 FROM n WHERE i % 5 > 0";
const COUPONS: &str = "SELECT i * 2, CASE i % 3 WHEN 0 THEN 'Coupon ' || i ELSE 'Gütschein ' || i END, 'CODE-' || i, i % 2 = 0, CASE i % 2 WHEN 0 THEN 'order' ELSE 'deposit' END,
  CASE WHEN i % 3 = 0 THEN i % 20 + 1 END, i * 1000, 1795190400000000 + (i % 5 - 2) * 86400000000, CASE WHEN i % 4 > 0 THEN 1795190400000000 + (i % 5 - 1) * 86400000000 END,
  CASE i % 2 WHEN 0 THEN 'discount' ELSE 'balance' END, CASE i % 3 WHEN 0 THEN 'fixed' ELSE 'percent' END, CASE WHEN i % 3 > 0 THEN i * 10000 END,
  CASE WHEN i % 3 = 0 THEN i * 1000000 END, CASE WHEN i % 4 = 1 THEN i % 3 * 5 END, i % 9 = 0, i % 6, i * 10000, i * 1000, 1700000000000000 + i * 1000000, 1 FROM n";
const SPECIAL_OFFERS: &str = "SELECT i * 2, CASE i % 3 WHEN 0 THEN 'Offer ' || i ELSE 'Ängebot ' || i END, i % 5 + 1, CASE i % 2 WHEN 0 THEN 'home_page' ELSE 'orders' END,
  CASE i % 2 WHEN 0 THEN 'first' ELSE 'top' END, i % 3 > 0, i % 7 = 0, 1700000000000000 + i * 1000000, 1 FROM n";
const SPECIAL_OFFER_SERVICES: &str = "SELECT i * 2, i % 20 + 1, 1 FROM n WHERE i % 5 > 0";

const DRIP_FEEDS: &str = "SELECT i, 'Feed ' || i, 'https://video.example/' || i, i % 20 + 1, i % 20 + 1,
  CASE i % 3 WHEN 0 THEN 'in_processing' WHEN 1 THEN 'completed' ELSE 'canceled' END, 5 + i % 4, i % 5, i * 100, i * 1000, i % 10 * 10, 100 + i, 30 + i % 7,
  CASE WHEN i % 3 = 0 THEN 1700000000000000 + i * 3000000 END, CASE WHEN i % 9 = 0 THEN 'Too little balance ' || i END, 1700000000000000 + i * 1000000,
  1700000000000000 + i, CASE WHEN i % 3 = 1 THEN 1700000000000000 + i * 4000000 END, CASE WHEN i % 3 = 2 THEN 1700000000000000 + i * 5000000 END FROM n";
const SUBSCRIPTIONS: &str = "SELECT i, 'Blog ' || i, 'https://blog.example/' || i, 'posts', i % 20 + 1,
  CASE i % 3 WHEN 0 THEN 'in_processing' WHEN 1 THEN 'completed' ELSE 'canceled' END, CASE i % 3 WHEN 0 THEN 'prepaid' WHEN 1 THEN 'per_content' ELSE 'recurring' END,
  5 + i % 4, i % 5, i % 6, i * 1000, i % 10 * 10, CASE WHEN i % 2 = 0 THEN 1700000000000000 + i * 9000000 END, 1700000000000000 + i * 1000000,
  1700000000000000 + i, CASE WHEN i % 3 = 1 THEN 1700000000000000 + i * 4000000 END, CASE WHEN i % 3 = 2 THEN 1700000000000000 + i * 5000000 END,
  i % 4 * 15, i % 3, CASE WHEN i % 2 = 0 THEN 1700000000000000 + i * 6000000 END, CASE WHEN i % 3 = 0 THEN 1900000000000000 + i * 7000000 END,
  CASE WHEN i % 4 = 1 THEN 'No answer ' || i END, CASE WHEN i % 5 = 1 THEN 'No money ' || i END,
  CASE WHEN i % 3 = 2 THEN i % 30 + 1 END, CASE WHEN i % 3 = 2 THEN 1900000000000000 + i * 8000000 END, CASE WHEN i % 6 = 2 THEN 1700000000000000 + i * 9000000 END FROM n";
const COMBO_ORDERS: &str = "SELECT i, 'https://shop.example/' || i,
  CASE i % 4 WHEN 0 THEN 'in_processing' WHEN 1 THEN 'completed' WHEN 2 THEN 'in_moderation' ELSE 'canceled' END,
  CASE i % 2 WHEN 0 THEN 'cabinet' ELSE 'api' END, i % 9 + 1, 'Bundle ' || i % 9, 'auto', i % 20 + 1, i % 4, 1700000000000000 + i * 1000000, 1700000000000000 + i,
  CASE WHEN i % 4 = 1 THEN 1700000000000000 + i * 4000000 END, CASE WHEN i % 4 = 3 THEN 1700000000000000 + i * 5000000 END FROM n";
const FREE_TRIAL_QUESTS: &str = "SELECT i, 'Quest ' || i, i % 20 + 1, 100 + i, CASE WHEN i % 2 = 0 THEN 1700000000000000 + i * 7000000 END, i % 3 <> 0, i % 4 = 3, i % 2 = 0,
  CASE WHEN i % 2 = 0 THEN i % 5 + 1 END, i % 3 = 0, i % 5 = 0, CASE WHEN i % 5 = 0 THEN i * 1000000 END, 1700000000000000 + i * 1000000, 1700000000000000 + i FROM n";
const FREE_TRIALS: &str = "SELECT i, i % 15 + 1, i % 20 + 1, 'Quest ' || (i % 15 + 1), 'https://photo.example/' || i, CASE WHEN i % 3 = 0 THEN 'https://proof.example/' || i END, 100 + i,
  CASE i % 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'rejected' ELSE 'approved' END, CASE WHEN i % 3 > 0 THEN i % 20 + 1 END,
  CASE WHEN i % 3 > 0 THEN 1700000000000000 + i * 2000000 END, 1700000000000000 + i * 1000000 FROM n";

const TARGETS: &str = "SELECT i, CASE i % 2 WHEN 0 THEN 'Ländér ' ELSE 'Keyword ' END || i, i % 10 + 1, i % 3 = 0, i % 4 = 0, 1700000000000000 + i * 1000000, 1 FROM n";
const ORDER_WIDGETS: &str = "SELECT i, 'Wïdget ' || i, i % 20 + 1, i % 2 = 0, 'token-' || i, CASE WHEN i % 3 > 0 THEN i * 1000 END, i * 1000, '[]', 1700000000000000 + i * 1000000, 1 FROM n";
const EXTERNAL_PANELS: &str = "SELECT i, 'Upstream ' || i, 'https://up.example/' || i, CASE i % 2 WHEN 0 THEN 'socpanel' ELSE 'perfect_panel' END, CASE i % 3 WHEN 0 THEN 'EUR' ELSE 'USD' END,
  CASE i % 4 WHEN 0 THEN 'error' ELSE 'active' END, i % 5 = 0, CASE WHEN i % 3 > 0 THEN i * 1000 END, CASE WHEN i % 3 > 0 THEN 1700000000000000 + i * 2000000 END,
  CASE WHEN i % 4 = 0 THEN 'Ünvalid API key ' || i END, CASE WHEN i % 2 = 0 THEN 1700000000000000 + i * 3000000 END, CASE WHEN i % 4 > 1 THEN i * 2000 END,
  1700000000000000 + i * 1000000, 1 FROM n";
const PROVIDER_PACKAGES: &str = "SELECT i, i % 3 + 1, 'p' || i, 'Bundle ' || i, CASE i % 2 WHEN 0 THEN 'auto' ELSE 'manual' END, CASE WHEN i % 3 > 0 THEN i % 5 + 1 END,
  CASE WHEN i % 4 = 0 THEN i * 1000 END, i % 7 * 1000, i % 2 = 0, 1700000000000000 + i * 1000000, 1 FROM n";
const PACKAGES: &str = "SELECT i, 'Päckage ' || i, CASE i % 2 WHEN 0 THEN 'auto' ELSE 'manual' END, i % 5 + 1, CASE WHEN i % 3 > 0 THEN i % 8 + 1 END, i % 4 > 0, i % 5 = 0, i % 6 = 0,
  CASE WHEN i % 4 = 0 THEN i * 1000 END, CASE WHEN i % 4 > 0 THEN i % 7 * 1000 ELSE 0 END, CASE WHEN i % 3 = 0 THEN 'pack-' || i END, CASE WHEN i % 5 = 0 THEN i END,
  1700000000000000 + i * 1000000, 1 FROM n";
const PACKAGE_CONTENTS: &str =
    "SELECT (i + 1) / 2, i % 20 + 1, i, i * 10, CASE WHEN i % 3 = 0 THEN i * 100 END FROM n";

/// Row count ("users" and "orders" are arguments of `fill`), `INSERT` and `SELECT … FROM n`, in the order of insertion.
const INSERT_STATEMENTS: &[(&str, &str, &str)] = &[
    ("12", "INSERT INTO grades (id, name, discount_ppm, spending_goal, is_archived, thumbnail_period, created_at, updated_at) ", GRADES),
    ("users", "INSERT INTO users (id, name, email, status, created_at, updated_at, telegram_username, affiliate_code, affiliate_id, seller_id, grade_id, balance_main, spent) ", USERS),
    ("5", "INSERT INTO networks (id, name, created_at, updated_at) ", NETWORKS),
    ("8", "INSERT INTO service_types (id, network_id, name, created_at, updated_at) ", TYPES),
    ("20", "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per, is_enabled, is_archived,
      moderation_is_enabled, has_refill, drip_feed_is_allowed, has_active_providers, created_at, updated_at) ", SERVICES),
    ("6", "INSERT INTO user_services (user_id, service_id, created_at, updated_at) ", USER_SERVICES),
    ("75", "INSERT INTO providers (id, name, source_price, status, is_archived, last_available_at, created_at, updated_at) ", PROVIDERS),
    ("13", "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) ", METHODS),
    ("orders", "INSERT INTO orders (id, name, url, status, approval, source, user_id, service_id, cost, price, pricing_per, refunded, provider_cost, quantity, current_quantity,
      is_paid, has_refill, auto_refill_is_allowed, comment, is_child_panel, subscription_id, drip_feed_id, combo_order_id, has_no_active_providers, created_at, updated_at, completed_at) ", ORDERS),
    ("600", "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, actor_id, comment, created_at) ", LEDGER_TRANSACTIONS),
    ("600", "INSERT INTO ledger_entries (id, txn_id, account, user_id, amount, balance_after, type, transaction_type, order_id, payment_method_id, created_at) ", LEDGER_ENTRIES),
    ("90", "INSERT INTO withdrawals (id, user_id, payment_method_id, account_number, balance_type, amount, status, user_comment, admin_note, transaction_id,
      created_at, updated_at, approved_at, paid_at, rejected_at) ", WITHDRAWALS),
    ("90", "INSERT INTO invoices (id, user_id, payment_method_id, short_name, amount, status, paid_amount, bonus_amount, created_at, updated_at, paid_at) ", INVOICES),
    ("20", "INSERT INTO menu_items (id, parent_id, name, url, sorting, is_enabled, is_archived, is_allowed_for_authorized, is_allowed_for_guest, is_blank,
      created_at, updated_at) ", MENU_ITEMS),
    ("20", "INSERT INTO panel_pages (id, name, route_name, is_archived, created_at, updated_at) ", PAGES),
    ("90", "INSERT INTO drip_feeds (id, name, url, user_id, service_id, status, runs, orders_count, price, cost, refunded, quantity, minutes_between_runs,
      next_run_at, last_error, created_at, updated_at, completed_at, canceled_at) ", DRIP_FEEDS),
    ("90", "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, subscription_contents_count, orders_count, cost, refunded,
      expired_at, created_at, updated_at, completed_at, canceled_at, delay_minutes, old_contents, last_polled_at, next_poll_at, poll_error, wait_reason,
      period_days, renews_at, paused_at) ", SUBSCRIPTIONS),
    ("90", "INSERT INTO subscription_services (subscription_id, service_id, quantity) ", "SELECT i, i % 20 + 1, 100 FROM n"),
    ("90", "INSERT INTO combo_orders (id, url, status, source, package_id, package_name, package_type, user_id, orders_count, created_at, updated_at,
      completed_at, canceled_at) ", COMBO_ORDERS),
    ("15", "INSERT INTO free_trial_quests (id, name, service_id, quantity, deadline, is_enabled, is_archived, is_repeatable, repeats_count, allow_proof_url,
      auto_approve_is_allowed, min_amount_for_auto_approve, created_at, updated_at) ", FREE_TRIAL_QUESTS),
    ("90", "INSERT INTO free_trials (id, free_trial_quest_id, user_id, name, url, proof_url, quantity, status, approved_by, approved_at, created_at) ", FREE_TRIALS),
    ("90", "INSERT INTO audits (id, created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values) ", AUDITS),
    ("40", "INSERT INTO discounts (id, name, valid_from, valid_to, is_countdown_enabled, countries, completed_at, is_archived, created_at, updated_at) ", DISCOUNTS),
    ("40", "INSERT INTO discount_services (discount_id, service_id, discount_ppm) ", DISCOUNT_SERVICES),
    ("40", "INSERT INTO coupons (id, name, code, displayable, payment_type, affiliate_id, min_amount, valid_from, valid_to, bonus_type, bonus_amount_calculation_type, bonus_ppm,
      bonus_amount, usage_limit, is_archived, usages, received, spent, created_at, updated_at) ", COUPONS),
    ("40", "INSERT INTO special_offers (id, name, network_id, place, position, is_enabled, is_archived, created_at, updated_at) ", SPECIAL_OFFERS),
    ("40", "INSERT INTO special_offer_services (offer_id, service_id, sorting) ", SPECIAL_OFFER_SERVICES),
    ("14", "INSERT INTO targets (id, name, target_type_id, is_system, is_visible_default_values, created_at, updated_at) ", TARGETS),
    ("40", "INSERT INTO order_widgets (id, name, user_id, is_outer, api_token, minimum_purchase_amount, reward_ppm, payment_methods, created_at, updated_at) ", ORDER_WIDGETS),
    ("15", "INSERT INTO external_panels (id, name, endpoint, type, currency, status, is_archived, balance, last_ok_at, last_error, balance_at, low_balance,
      created_at, updated_at) ", EXTERNAL_PANELS),
    ("orders", "INSERT INTO external_panel_orders (id, order_id, provider_id, external_panel_id, external_panel_service_id, external_order_id, status, charge, initial_charge,
      initial_quantity, remains, start_count, last_error, alert_at, sent_at, cancel_requested_at, ended_at, created_at, updated_at) ", ATTEMPTS),
    ("15", "INSERT INTO provider_packages (id, external_panel_id, external_panel_package_id, name, type, network_id, fixed_cost, discount_ppm, sync, created_at, updated_at) ", PROVIDER_PACKAGES),
    ("16", "INSERT INTO packages (id, name, type, network_id, service_type_id, is_enabled, is_archived, restricted_access, fixed_cost, discount_ppm, slug, provider_package_id,
      created_at, updated_at) ", PACKAGES),
    ("30", "INSERT INTO package_contents (package_id, service_id, position, quantity, price) ", PACKAGE_CONTENTS),
    ("90", "INSERT INTO change_logs (id, created_at, user_id, action_type, type, target_id, information, old_value, new_value) ", CHANGE_LOGS),
];
