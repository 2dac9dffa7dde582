//! The client library of the panel's API: typed calls generated from the endpoint table, automatic refresh of the session, retries
//! of idempotent requests, streams over whole lists, resumable bulk runs and the live channel.
//!
//! It must not retry a write that the panel could apply twice, must write tokens only to the configured token store, and must not
//! follow a redirect with a token.
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
pub mod environment;
pub mod error;
pub mod events;
pub mod export;
pub mod ids;
pub mod methods;
pub mod paging;
pub mod profiles;
pub mod realtime;
pub mod record_names;
pub mod request;
pub mod retry;
pub mod token;

mod client;
mod refresh;
mod send;

pub use client::Client;
pub use error::{Error, Result};
