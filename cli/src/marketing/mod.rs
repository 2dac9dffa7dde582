//! What brings customers and orders.
