//! The rules of the panel: state machines, prices, decisions. Each function takes values and returns a decision or a
//! rejection; it does no I/O, reads no clock and knows neither a database nor HTTP.
