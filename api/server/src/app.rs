//! Everything a handler may touch, handed around as one cheap clone. No globals anywhere else.

use std::sync::Arc;

use crate::clock::Clock;
use crate::db::Db;
use crate::live::Live;
use crate::random::Random;

/// The running panel.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// The rooms that handlers share.
pub struct Parts {
    /// The database.
    pub db: Db,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The live channel.
    pub live: Live,
    /// Randomness.
    pub random: Random,
}

impl App {
    /// Puts the rooms together.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl std::ops::Deref for App {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}
