//! The live channel: counters to websockets.

/// The live room.
#[derive(Debug, Default)]
pub struct Live {}

impl Live {
    /// Something changed that counters may count.
    pub fn stir(&self) {}
}
