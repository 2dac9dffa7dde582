//! Live activity of the demo: fake panels deliver orders, and customers place new ones. It must only run in a demo, because it
//! changes the endpoints of external panels to this machine.

use std::sync::Arc;
use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::ids::{ExternalPanelId, ServiceId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::panel_service_types::PanelServiceType;
use panel_kernel::error::{Error, Result};
use serde_json::json;
use tokio::sync::watch;

use crate::app::App;
use crate::operations::orders::place::{NewOrder, place};
use crate::supply::panels;
use panel_demo::panel::FakePanel;
use panel_demo::panel::counter::FakeCounter;
use panel_demo::panel::state::{FakePanelState, FakeService, OrderBehavior, RestoredOrder};
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::poller::workers::Workers;
use panel_platform::scope::Scope;
use panel_platform::settings;

const ORDER_INTERVAL: Duration = Duration::from_secs(4);
/// Number of placement attempts that the fake panels continue to deliver: the newest open ones. Older attempts do not change.
const MAX_DELIVERED_ATTEMPTS: i64 = 2_000;
/// The first polls of these attempts are spread over this time.
const FIRST_POLLS_SPREAD: Duration = Duration::from_mins(5);

#[derive(sqlx::FromRow)]
struct Provider {
    external_panel_service_id: String,
    name: String,
    source_price: Money,
}

/// Starts a fake panel for each active external panel and sets its endpoint. Each fake panel gets the orders of the open placement
/// attempts, so that a restarted demo continues to deliver them.
pub(crate) async fn start_fake_panels(app: &App) -> Result<Vec<FakePanel>> {
    let active_panels_sql =
        "SELECT id FROM external_panels WHERE status = 'active' AND NOT is_archived ORDER BY id";
    let ids: Vec<(ExternalPanelId,)> = (&mut &app.db).fetch_all(Sql::new(active_panels_sql)).await?;
    let mut fake_panels = Vec::new();
    for (id,) in ids {
        let token = format!("demo-token-{id}");
        let to_internal_error = |error: std::io::Error| Error::Internal(error.to_string());
        let panel_state = restore_panel_state(app, id, &token).await?;
        let fake_panel =
            FakePanel::start(panel_state, Arc::clone(&app.clock)).await.map_err(to_internal_error)?;
        let sealed_token = panels::seal_token(app, id, &token)?;
        let sql = Sql::new(
            "UPDATE external_panels SET endpoint = ?, api_token_sealed = ?, auto_recreate_orders_is_allowed = TRUE WHERE id = ?",
        );
        (&mut &app.db).execute(sql.bind(fake_panel.url.as_str()).bind(sealed_token).bind(id)).await?;
        fake_panels.push(fake_panel);
    }
    schedule_polls(app).await?;
    start_counter(app, &fake_panels).await?;
    Ok(fake_panels)
}

/// Starts a counter that reports the deliveries of the fake panels, for services that use the counter.
async fn start_counter(app: &App, fake_panels: &[FakePanel]) -> Result<()> {
    let to_internal_error = |error: std::io::Error| Error::Internal(error.to_string());
    let counter =
        FakeCounter::start(fake_panels, None, Arc::clone(&app.clock)).await.map_err(to_internal_error)?;
    settings::put(&mut &app.db, settings::COUNTER_URL, &json!(counter.url), app.clock.now()).await
}

async fn restore_panel_state(app: &App, panel_id: ExternalPanelId, token: &str) -> Result<FakePanelState> {
    let mut panel_state = FakePanelState::new(token);
    let sql = Sql::new("SELECT balance FROM external_panels WHERE id = ?").bind(panel_id);
    let (balance,): (Option<Money>,) = (&mut &app.db).fetch_one(sql).await?;
    panel_state.balance = balance.unwrap_or(Money(500_000_000));
    let sql = Sql::new(
        "SELECT external_panel_service_id, name, source_price FROM providers WHERE external_panel_id = ? AND external_panel_service_id IS NOT NULL ORDER BY id",
    );
    let providers: Vec<Provider> = (&mut &app.db).fetch_all(sql.bind(panel_id)).await?;
    for (index, provider) in (0_i64..).zip(providers) {
        let Ok(id) = provider.external_panel_service_id.parse() else { continue };
        let behavior = if index % 6 == 5 { OrderBehavior::Partial(60) } else { OrderBehavior::Delivered };
        let fake_service = FakeService {
            rate: provider.source_price,
            min_quantity: 1,
            max_quantity: 10_000_000,
            units_per_minute: 60 + index % 5 * 240,
            behavior,
            ..FakeService::with_name(&provider.name)
        };
        panel_state.add_service(id, fake_service);
    }
    for (id, fake_service) in load_unimported_services(app, panel_id).await? {
        panel_state.add_service(id, fake_service);
    }
    for restored_order in load_open_orders(app, panel_id).await? {
        panel_state.restore_order(&restored_order, app.clock.now());
    }
    Ok(panel_state)
}

/// A service that an external panel offers.
#[derive(sqlx::FromRow)]
struct PanelServiceRow {
    external_panel_service_id: String,
    name: String,
    service_type: String,
    category: String,
    rate: Money,
    min_quantity: i64,
    max_quantity: i64,
    refill: bool,
    cancel: bool,
}

/// Services of the external panel that are not imported yet, with their ids at the panel.
async fn load_unimported_services(app: &App, panel_id: ExternalPanelId) -> DbResult<Vec<(i64, FakeService)>> {
    let sql = Sql::new(
        "SELECT k.external_panel_service_id, k.name, k.type AS service_type, k.category, k.rate, k.min_quantity, k.max_quantity, k.refill, k.cancel
         FROM external_panel_services k WHERE k.external_panel_id = ? AND NOT EXISTS (SELECT 1 FROM providers p
           WHERE p.external_panel_id = k.external_panel_id AND p.external_panel_service_id = k.external_panel_service_id) ORDER BY k.id",
    );
    let rows: Vec<PanelServiceRow> = (&mut &app.db).fetch_all(sql.bind(panel_id)).await?;
    let to_fake_service = |row: PanelServiceRow| {
        let fake_service = FakeService {
            service_type: PanelServiceType::parse(&row.service_type)
                .unwrap_or(PanelServiceType::Default)
                .as_str(),
            category: row.category,
            rate: row.rate,
            min_quantity: row.min_quantity,
            max_quantity: row.max_quantity,
            allows_refill: row.refill,
            allows_cancel: row.cancel,
            ..FakeService::with_name(&row.name)
        };
        Some((row.external_panel_service_id.parse().ok()?, fake_service))
    };
    Ok(rows.into_iter().filter_map(to_fake_service).collect())
}

async fn load_open_orders(app: &App, panel_id: ExternalPanelId) -> DbResult<Vec<RestoredOrder>> {
    let sql = Sql::new(
        "SELECT e.external_order_id, e.external_panel_service_id, o.url, e.initial_quantity, COALESCE(e.remains, e.initial_quantity), e.charge
         FROM external_panel_orders e JOIN orders o ON o.id = e.order_id
         WHERE e.external_panel_id = ? AND e.status IN ('Pending', 'In progress', 'Processing') AND e.external_order_id IS NOT NULL
         ORDER BY e.id DESC LIMIT ?",
    );
    let rows: Vec<(String, Option<String>, String, i64, i64, Money)> =
        (&mut &app.db).fetch_all(sql.bind(panel_id).bind(MAX_DELIVERED_ATTEMPTS)).await?;
    let to_restored_order = |(id, service_id, link, quantity, remains, charge): (
        String,
        Option<String>,
        String,
        i64,
        i64,
        Money,
    )| {
        Some(RestoredOrder {
            id: id.parse().ok()?,
            service_id: service_id?.parse().ok()?,
            link,
            quantity,
            delivered_quantity: quantity - remains,
            charge,
        })
    };
    Ok(rows.into_iter().filter_map(to_restored_order).collect())
}

/// Schedules polls of the newest open attempts, spread over some minutes.
async fn schedule_polls(app: &App) -> Result<()> {
    let now = app.clock.now();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET due_at = CAST(? AS BIGINT) + id % 300 * ? / 300, sent_at = COALESCE(sent_at, created_at), booked_cost = charge
         WHERE due_at IS NULL AND id IN (SELECT id FROM external_panel_orders WHERE status IN ('Pending', 'In progress', 'Processing')
           AND external_order_id IS NOT NULL AND cancel_requested_at IS NULL ORDER BY id DESC LIMIT ?)",
    );
    (&mut &app.db).execute(sql.bind(now).bind(FIRST_POLLS_SPREAD).bind(MAX_DELIVERED_ATTEMPTS)).await?;
    Ok(())
}

/// Places an order every few seconds until `stop` becomes true.
pub(crate) async fn place_orders_until_stopped(app: App, stop: watch::Receiver<bool>) {
    let poller = Poller::stateful("demo_orders", ORDER_INTERVAL, |app: App, number: i64| async move {
        if let Err(error) = place_random_order(&app, number + 1).await {
            tracing::debug!(?error, "failed to place a demo order");
        }
        (number + 1, Ok(WorkSummary::default()))
    });
    Workers::new(vec![poller]).run_pollers(&app, &stop).await;
}

/// Places an order of a random customer with enough balance for a service that needs no further input.
async fn place_random_order(app: &App, number: i64) -> Result<()> {
    let random = u64::from_le_bytes(app.random.bytes::<8>());
    let random_below = |bound: i64| i64::try_from(random % bound.unsigned_abs().max(1)).unwrap_or_default();
    let fetch_number = |sql: &'static str| async move {
        (&mut &app.db).fetch_one::<(i64,)>(Sql::new(sql)).await.map(|row| row.0)
    };
    let max_user_id = fetch_number("SELECT max(id) FROM users").await?;
    let max_service_id = fetch_number("SELECT max(id) FROM services").await?;
    let sql = Sql::new(
        "SELECT id FROM users WHERE id >= ? AND status = 'active' AND balance_main > 5000000 ORDER BY id LIMIT 1",
    );
    let (user_id,): (UserId,) = (&mut &app.db).fetch_one(sql.bind(random_below(max_user_id))).await?;
    let sql = Sql::new(
        "SELECT id, min_quantity, quantity_step FROM services WHERE id >= ? AND is_enabled AND NOT is_archived AND NOT is_deactivated
           AND NOT EXISTS (SELECT 1 FROM service_targets t WHERE t.service_id = services.id) ORDER BY id LIMIT 1",
    );
    let (service_id, min_quantity, quantity_step): (ServiceId, i64, i64) =
        (&mut &app.db).fetch_one(sql.bind(random_below(max_service_id))).await?;
    let quantity = min_quantity + quantity_step * random_below(20);
    let url = format!("https://video.example/watch/{:x}", random >> 16);
    let sources = [OrderSource::PerfectPanelApi, OrderSource::Cabinet, OrderSource::OrderWidget];
    let source = sources[usize::try_from(number % 3).unwrap_or_default()];
    let mut work = Scope::system(app, "demo").begin().await?;
    place(&mut work, &NewOrder { source, ..NewOrder::without_options(user_id, service_id, &url, quantity) })
        .await?;
    work.finish(()).await
}
