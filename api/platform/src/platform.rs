//! The platform: what all requests and all background work share, such as configuration, database, clock and outbound clients. Cheap
//! to clone; it names no resource of the panel.

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
use crate::outbound::Outbound;
use crate::quarantine::state::Quarantine;
use crate::secrets::Secrets;
use crate::uploads::Uploads;
use crate::work::EventSinks;

/// The platform of a running panel.
#[derive(Clone)]
pub struct Platform(Arc<PlatformParts>);

/// The parts of the platform.
pub struct PlatformParts {
    /// Configuration.
    pub config: Config,
    /// The database.
    pub db: Db,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Random,
    /// Sinks that receive events.
    pub events: EventSinks,
    /// The live channel.
    pub live: Live,
    /// Sealed secrets.
    pub secrets: Secrets,
    /// Outbound calls.
    pub outbound: Outbound,
    /// Outgoing mail.
    pub mail: Mailer,
    /// Images and other files.
    pub uploads: Uploads,
    /// When this process started.
    pub started_at: Time,
    /// Id of this process among those on the same database.
    pub instance: String,
    /// Number of live processes on the same database.
    pub processes: Processes,
    /// Which records this process may claim.
    pub quarantine: Quarantine,
    /// Turns true once, when shutdown begins.
    pub stop: watch::Sender<bool>,
}

impl Platform {
    /// Creates the platform of these parts.
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
