//! Everything a handler may touch, handed around as one cheap clone. No globals anywhere else.

pub mod icon_cache;
pub mod panel_limits;

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use metrics_exporter_prometheus::PrometheusHandle;

use crate::app::icon_cache::Icons;
use crate::app::panel_limits::PanelLimits;
use crate::auth::password::Passwords;
use crate::auth::people::Known;
use crate::http::bodies::BodyBudget;
use crate::http::rates::Rates;
use crate::http::readiness::Readiness;
use panel_platform::platform::Platform;

/// The running panel.
#[derive(Clone)]
pub struct App(pub(crate) Arc<Parts>);

/// What handlers share beside the platform.
pub struct Parts {
    /// Configuration, database and all else that resources are built on.
    pub platform: Platform,
    /// Password hashes.
    pub passwords: Passwords,
    /// Rate limits and circuit breakers of external panels.
    pub panel_limits: PanelLimits,
    /// Icons of external panels that were read lately.
    pub icons: Icons,
    /// Signs live subscriptions; the same in every process on one database.
    pub realtime_secret: String,
    /// Permissions read lately.
    pub known: Known,
    /// Requests per session or address.
    pub rates: Rates,
    /// What the last probe of `/readyz` found.
    pub readiness: Readiness,
    /// Memory for the bodies of requests.
    pub bodies: Arc<BodyBudget>,
    /// Numbers for Prometheus.
    pub metrics: PrometheusHandle,
    /// The OpenAPI document, made when first asked for.
    pub openapi: OnceLock<Bytes>,
}

impl std::ops::Deref for App {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl std::ops::Deref for Parts {
    type Target = Platform;
    fn deref(&self) -> &Platform {
        &self.platform
    }
}
