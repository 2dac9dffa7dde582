//! The platform holds what all requests and all background work share: configuration, database, clock, outbound clients. It is
//! cheap to clone, and does not depend on any resource of the panel.

use std::sync::Arc;

use panel_contract::moment::Time;
use panel_kernel::clock::Clock;
use panel_kernel::random::Random;
use tokio::sync::watch;

use crate::config::Config;
use crate::db::Db;
use crate::jobs::processes::Processes;
use crate::live::Live;
use crate::mail::Mailer;
use crate::outbound::OutboundClient;
use crate::quarantine::state::Quarantine;
use crate::secrets::Secrets;
use crate::uploads::Uploads;
use crate::work::EventSinks;

/// The shared parts of a running panel.
#[derive(Clone)]
pub struct Platform(Arc<PlatformParts>);

pub struct PlatformParts {
    pub config: Config,
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub random: Random,
    pub events: EventSinks,
    pub live: Live,
    pub secrets: Secrets,
    pub outbound: OutboundClient,
    pub mail: Mailer,
    pub uploads: Uploads,
    /// When this process started.
    pub started_at: Time,
    /// The id of this process, different from the ids of all other processes on the same database.
    pub instance: String,
    /// Number of live processes on the same database.
    pub processes: Processes,
    /// Excludes the records whose work killed a process from the claims of this process.
    pub quarantine: Quarantine,
    /// Turns true when shutdown begins, and never turns false again.
    pub stop: watch::Sender<bool>,
}

impl Platform {
    #[must_use]
    pub fn new(parts: PlatformParts) -> Self {
        Self(Arc::new(parts))
    }
}

impl std::ops::Deref for Platform {
    type Target = PlatformParts;
    fn deref(&self) -> &PlatformParts {
        &self.0
    }
}
