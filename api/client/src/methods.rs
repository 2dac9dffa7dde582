//! A method for every endpoint, generated from the endpoint table: `client.cancel_order(id, &DryRun::NO, &input)`.
//!
//! All take the path arguments (`()`, one id, or two), the query and the body. None is written by hand.

use panel_contract::endpoint::Endpoint;

use crate::client::Client;
use crate::error::Result;

macro_rules! methods {
    ($($name:ident $func:ident [$($doc:literal)+];)+) => {
        impl Client { $(
            $(#[doc = $doc])+
            pub async fn $func(
                &self,
                path: <$name as Endpoint>::Path,
                query: &<$name as Endpoint>::Query,
                body: &<$name as Endpoint>::Body,
            ) -> Result<<$name as Endpoint>::Answer> {
                self.call::<$name>(path, query, body).await
            }
        )+ }
    };
}

/// The methods of an area: its module in the endpoint table, and the macro that passes its rows.
macro_rules! areas {
    ($($area:ident $each:ident;)+) => { $(
        mod $area {
            use panel_contract::endpoints::$area::*;

            use super::*;

            panel_contract::$each!(methods);
        }
    )+ };
}

panel_contract::for_each_area!(areas);
