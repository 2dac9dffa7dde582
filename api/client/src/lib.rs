//! The shared client library of a panel: typed calls generated from the endpoint table, automatic session refresh, retries of
//! safe requests, paging through whole lists, journaled bulk runs and the live channel.
//!
//! It must never retry a write that could be applied twice, never write a token anywhere but to the configured token store, and
//! never follow a redirect with a token.
//!
//! ```no_run
//! # async fn demo() -> Result<(), panel_client::Error> {
//! use panel_client::Client;
//! use panel_contract::endpoint::{EmptyBody, EmptyQuery};
//! use panel_contract::ids::OrderId;
//!
//! let client = Client::builder("https://panel.example").token("pnl_…").build()?;
//! let order = client.get_order(OrderId::new(981_204), &EmptyQuery {}, &EmptyBody {}).await?.data;
//! println!("{} {}", order.row.id, order.row.status);
//! # Ok(())
//! # }
//! ```

#![warn(missing_docs)]

pub mod builder;
pub mod bulk;
pub mod call;
pub mod confirm;
pub mod error;
pub mod export;
pub mod ids;
pub mod methods;
pub mod names;
pub mod paging;
pub mod profiles;
pub mod realtime;
pub mod request;
pub mod retry;
pub mod token;
pub mod watch;
pub mod world;

mod client;
mod refresh;
mod send;

pub use client::Client;
pub use error::{Error, Result};
