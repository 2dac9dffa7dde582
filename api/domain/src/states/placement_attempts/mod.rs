//! Placement attempts: an order, or a part of it, that is placed at an external panel or delivered by staff. [`state`] is the state
//! machine of an attempt, [`cancel`] is the state machine of the request to cancel an attempt, [`position`] combines both, and
//! [`after_call`] decides the next step after a request that places an order.

pub mod after_call;
pub mod cancel;
pub mod position;
pub mod state;
