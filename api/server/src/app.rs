//! The state that all handlers share. It is cheap to clone. No other module has global state.

pub mod icon_cache;
pub mod panel_limits;

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use metrics_exporter_prometheus::PrometheusHandle;

use crate::app::icon_cache::IconCache;
use crate::app::panel_limits::PanelLimits;
use crate::auth::password::Passwords;
use crate::auth::staff_accounts::SessionCache;
use crate::http::bodies::BodyBudget;
use crate::http::rates::RequestRates;
use crate::http::readiness::Readiness;
use panel_platform::platform::Platform;

#[derive(Clone)]
pub struct App(pub(crate) Arc<AppState>);

/// The state inside an [`App`].
pub struct AppState {
    /// Configuration, database, clock and the other infrastructure of the crate `panel_platform`.
    pub platform: Platform,
    pub passwords: Passwords,
    /// Rate limits and circuit breakers of external panels.
    pub panel_limits: PanelLimits,
    /// Cached icons of external panels.
    pub icon_cache: IconCache,
    /// Secret that signs the tokens of real-time channels. All processes with the same database have the same secret.
    pub realtime_secret: String,
    /// Cached sessions and permissions.
    pub session_cache: SessionCache,
    /// Rate limits of requests, per session or address.
    pub request_rates: RequestRates,
    /// Result of the last `/readyz` probe.
    pub readiness: Readiness,
    /// Limits the memory that all request bodies together use.
    pub body_budget: Arc<BodyBudget>,
    /// Renders the recorded metrics.
    pub metrics_handle: PrometheusHandle,
    /// The OpenAPI document as JSON, built when a client requests it for the first time.
    pub openapi_document: OnceLock<Bytes>,
}

impl std::ops::Deref for App {
    type Target = AppState;
    fn deref(&self) -> &AppState {
        &self.0
    }
}

impl std::ops::Deref for AppState {
    type Target = Platform;
    fn deref(&self) -> &Platform {
        &self.platform
    }
}
