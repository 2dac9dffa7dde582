//! Placement attempts: orders, or parts of one, as they are placed at an external panel or delivered by hand. Where an attempt
//! is ([`state`]), how far the request to cancel it came ([`cancel`]), both together ([`position`]), and what follows from the
//! outcome of a call ([`after_call`]).

pub mod after_call;
pub mod cancel;
pub mod position;
pub mod state;
