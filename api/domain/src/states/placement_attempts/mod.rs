//! Placement attempts: an order, or a part of it, that is placed at an external panel or delivered by staff. [`state`] is the state
//! machine of an attempt, [`cancel`] that of the request to cancel it, [`position`] combines both, and [`after_call`] decides what
//! follows from the outcome of a call.

pub mod after_call;
pub mod cancel;
pub mod position;
pub mod state;
