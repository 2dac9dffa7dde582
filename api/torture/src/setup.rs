//! The records and peers that exist before the faults begin: customers with balances and API keys, one service, two unreliable
//! external panels and a reliable one, a webhook and withdrawals.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use panel_contract::amount::Money;
use panel_contract::ids::{ExternalPanelId, PaymentMethodId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::BalanceType;
use panel_contract::permission::Permission;
use panel_demo::panel::state::{FakePanelState, FakeService};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_kernel::clock::{Clock, FixedClock, SystemClock};
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_server::app::App;
use panel_server::auth::sessions;
use panel_server::auth::store::{self, NewSession};
use panel_server::operations::withdrawals::request::{NewWithdrawal, submit_withdrawal};
use panel_server::supply::panels;

use crate::proxy::Proxy;

pub const CUSTOMER_COUNT: i64 = 8;
/// The service that all customers order.
pub const SERVICE_ID: i64 = 1;
/// Session tokens of the two staff members: the second marks withdrawals as paid that the first approved.
pub const STAFF_TOKENS: [&str; 2] = ["torture-owner", "torture-payer"];
/// Amount of each withdrawal, in millionths.
const WITHDRAWAL_AMOUNT: i64 = 1_000_000;
/// All external panels accept this key.
const EXTERNAL_PANEL_API_KEY: &str = "key-of-ours";
/// Lifetime of sessions and of second-factor confirmations, so that none expires during a run.
const SESSION_LIFETIME: Duration = Duration::from_hours(365 * 24);

/// The system clock until `is_stopped` is set; then a clock that the final phase advances.
pub struct StoppableClock {
    pub is_stopped: AtomicBool,
    /// Used after the stop.
    pub fixed_clock: FixedClock,
}

impl StoppableClock {
    #[must_use]
    pub fn start() -> Arc<Self> {
        Arc::new(Self { is_stopped: AtomicBool::new(false), fixed_clock: FixedClock::new(SystemClock.now()) })
    }
}

impl Clock for StoppableClock {
    fn now(&self) -> Time {
        if self.is_stopped.load(Ordering::SeqCst) { self.fixed_clock.now() } else { SystemClock.now() }
    }
}

/// Records each event that the webhook delivers, and rejects one of nine deliveries until `accepts_all` is set.
#[derive(Clone, Default)]
pub struct WebhookReceiver {
    pub event_ids: Arc<Mutex<HashSet<String>>>,
    pub accepts_all: Arc<AtomicBool>,
    request_count: Arc<Mutex<u64>>,
}

impl WebhookReceiver {
    async fn start(&self) -> Result<u16, String> {
        let listener =
            tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.map_err(error_text)?;
        let port = listener.local_addr().map_err(error_text)?.port();
        let router = Router::new().fallback(receive_event).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(port)
    }
}

async fn receive_event(State(receiver): State<WebhookReceiver>, headers: HeaderMap) -> StatusCode {
    let id = headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default().to_owned();
    receiver.event_ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    let mut request_count = receiver.request_count.lock().unwrap_or_else(PoisonError::into_inner);
    *request_count += 1;
    let is_rejected = (*request_count).is_multiple_of(9) && !receiver.accepts_all.load(Ordering::SeqCst);
    if is_rejected { StatusCode::BAD_GATEWAY } else { StatusCode::OK }
}

pub struct TestSetup {
    pub external_panels: Vec<FakePanel>,
    /// The server connects to each external panel through a proxy; the order is that of `external_panels`.
    pub external_panel_proxies: Vec<Proxy>,
    pub receiver: WebhookReceiver,
    /// API keys of the customers, by user id.
    pub api_keys: BTreeMap<i64, String>,
    /// The clock of the external panels.
    pub clock: Arc<StoppableClock>,
}

pub fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn debug_text(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

impl TestSetup {
    /// Fills an empty database. Customers start without money.
    pub async fn create(app: &App, seed: u64) -> Result<Self, String> {
        let clock = StoppableClock::start();
        let receiver = WebhookReceiver::default();
        let mut setup = Self {
            external_panels: Vec::new(),
            external_panel_proxies: Vec::new(),
            receiver,
            api_keys: BTreeMap::new(),
            clock,
        };
        insert_catalogue_and_customers(app).await?;
        insert_staff(app).await?;
        for user_id in 1..=CUSTOMER_COUNT {
            let key = format!("key-of-customer-{user_id}");
            let sql = Sql::new("INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, 1)");
            (&mut &app.db).execute(sql.bind(user_id).bind(sessions::hash(&key))).await.map_err(error_text)?;
            setup.api_keys.insert(user_id, key);
        }
        for panel_id in 1..=3 {
            setup.add_external_panel(app, panel_id, seed).await?;
        }
        Ok(setup)
    }

    /// Starts the receiver and returns the webhook's URL. There is no proxy, because the receiver itself rejects some deliveries.
    pub async fn start_webhook_receiver(&self) -> Result<String, String> {
        Ok(format!("http://127.0.0.1:{}/events", self.receiver.start().await?))
    }

    async fn add_external_panel(&mut self, app: &App, id: i64, seed: u64) -> Result<(), String> {
        let mut panel_state = FakePanelState::new(EXTERNAL_PANEL_API_KEY);
        panel_state.balance.0 = i64::MAX / 2;
        // Otherwise the external panel would reject a duplicate order, and the check could not detect it.
        panel_state.accepts_duplicates = true;
        panel_state.add_service(7, FakeService::with_name("Likes"));
        let clock: Arc<dyn Clock> = Arc::<StoppableClock>::clone(&self.clock);
        let panel = FakePanel::start(panel_state, clock).await.map_err(error_text)?;
        if id < 3 {
            panel.set_behavior(FakeBehavior::Unreliable(
                seed.wrapping_mul(100).wrapping_add(id.unsigned_abs()),
            ));
        }
        let port = panel.url.rsplit(':').next().and_then(|port| port.split('/').next()?.parse().ok());
        let proxy = Proxy::start(port.ok_or("the URL of the external panel has no port")?)
            .await
            .map_err(error_text)?;
        let url = format!("http://127.0.0.1:{}/api/v2", proxy.port);
        let sealed_token =
            panels::seal_token(app, ExternalPanelId::new(id), EXTERNAL_PANEL_API_KEY).map_err(debug_text)?;
        for sql in [
            Sql::new("INSERT INTO external_panels (id, name, endpoint, api_token_sealed, auto_recreate_orders_is_allowed, created_at, updated_at) VALUES (?, ?, ?, ?, TRUE, 1, 1)")
                .bind(id).bind(format!("Panel {id}")).bind(url).bind(sealed_token),
            Sql::new("INSERT INTO providers (id, name, external_panel_id, external_panel_service_id, source_price, created_at, updated_at) VALUES (?, ?, ?, '7', 1000000, 1, 1)")
                .bind(id).bind(format!("Likes of panel {id}")).bind(id),
            Sql::new("INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, ?, ?)").bind(SERVICE_ID).bind(id).bind(id),
        ] {
            (&mut &app.db).execute(sql).await.map_err(error_text)?;
        }
        self.external_panels.push(panel);
        self.external_panel_proxies.push(proxy);
        Ok(())
    }
}

async fn insert_catalogue_and_customers(app: &App) -> Result<(), String> {
    let now = app.clock.now();
    let mut db = &app.db;
    for sql in [
        Sql::new("INSERT INTO networks (id, name, created_at, updated_at) VALUES (1, 'Video', 1, 1)"),
        Sql::new("INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (1, 1, 'Views', 1, 1)"),
        Sql::new("INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per, api_access,
          has_active_providers, created_at, updated_at) VALUES (1, 1, 'Likes', 100, 1000000, 1, 1, 10000000, 1000, TRUE, TRUE, 1, 1)"),
        Sql::new("INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (1, 'Bank', 'bank', 1, 1, 1)"),
    ] {
        db.execute(sql).await.map_err(error_text)?;
    }
    for user_id in 1..=CUSTOMER_COUNT {
        let sql = sql!(
            "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (@id, @name, @email, @now, @now)",
            { id: user_id, name: format!("Customer {user_id}"), email: format!("c{user_id}@setup.example"), now },
        );
        db.execute(sql).await.map_err(error_text)?;
    }
    Ok(())
}

async fn insert_staff(app: &App) -> Result<(), String> {
    let now = app.clock.now();
    for (id, token) in (1_000_001_i64..).zip(STAFF_TOKENS) {
        let mut tx = app.db.begin().await.map_err(error_text)?;
        let sql = sql!(
            "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (@id, @name, @email, @now, @now)",
            { id, name: token, email: format!("{token}@panel.test"), now },
        );
        tx.execute(sql).await.map_err(error_text)?;
        let permissions: Vec<&str> = Permission::ALL.iter().map(|permission| permission.as_str()).collect();
        store::grant_role(&mut tx, UserId::new(id), "Owner", &permissions, now).await.map_err(debug_text)?;
        let session = NewSession {
            user_id: UserId::new(id),
            family_id: token.into(),
            token_hash: sessions::hash(token),
            signed_in_at: now,
            expires_at: now.plus(SESSION_LIFETIME),
            ip: "127.0.0.1".into(),
            user_agent: "torture".into(),
            confirmed_at: Some(now.plus(SESSION_LIFETIME)),
        };
        store::insert_session(&mut tx, session, now).await.map_err(debug_text)?;
        tx.commit().await.map_err(error_text)?;
    }
    Ok(())
}

/// Requests this many withdrawals of customers with money, and returns their ids.
pub async fn request_withdrawals(app: &App, count: i64) -> Result<Vec<i64>, String> {
    let mut ids = Vec::new();
    for number in 0..count {
        let new_withdrawal = NewWithdrawal {
            user_id: UserId::new(1 + number % CUSTOMER_COUNT),
            amount: Money(WITHDRAWAL_AMOUNT),
            balance_type: BalanceType::Main,
            payment_method_id: PaymentMethodId::new(1),
            account_number: format!("DE{number}"),
            user_comment: None,
        };
        let mut work = Scope::system(app, "torture").begin().await.map_err(debug_text)?;
        let id = submit_withdrawal(&mut work, &new_withdrawal).await.map_err(debug_text)?;
        ids.push(work.finish(id.get()).await.map_err(debug_text)?);
    }
    Ok(ids)
}
