//! A method for every endpoint, generated from the endpoint table: `client.cancel_order(id, &DryRun::NO, &input)`.
//!
//! Each method takes the path arguments (`()`, one id or two ids), the query and the body.

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
            ) -> Result<<$name as Endpoint>::Response> {
                self.call::<$name>(path, query, body).await
            }
        )+ }
    };
}

/// Generates the methods of each area with the macro that passes the rows of its endpoint table.
macro_rules! methods_of_areas {
    ($($area:ident $for_each_endpoint:ident;)+) => { $(
        mod $area {
            use panel_contract::endpoints::$area::*;

            use super::*;

            panel_contract::$for_each_endpoint!(methods);
        }
    )+ };
}

panel_contract::for_each_area!(methods_of_areas);
