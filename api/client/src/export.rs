//! Streams files from a panel: lists as CSV, and file responses of endpoints. No file is in memory as a whole.

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint, Query as _};
use panel_contract::table::{Page, TableQuery};
use panel_contract::upload::FileBytes;

use crate::client::Client;
use crate::error::Result;
use crate::request::Request;
use crate::send::to_transport_error;

impl Client {
    /// Streams all matching rows of list `E` as CSV. An error within the stream means that the file is incomplete.
    pub async fn stream_export<E, R>(
        &self,
        query: &TableQuery,
    ) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<E, R>>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Response = Page<R>>,
    {
        self.stream_export_at(E::OP.path, query).await
    }

    /// Like [`Client::stream_export`], for the list endpoint at `path`, such as `/api/v1/admin/orders`.
    pub async fn stream_export_at(
        &self,
        path: &str,
        query: &TableQuery,
    ) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<>> {
        let request = Request::new("GET", path)?.query(query.to_pairs()).accept("text/csv");
        let response = self.state.send_streaming(&request).await?;
        Ok(response
            .bytes_stream()
            .map(move |chunk| chunk.map_err(|source| to_transport_error(&request, source))))
    }

    /// Streams the file response of endpoint `E`. An error within the stream means that the file is incomplete.
    pub async fn download<E>(
        &self,
        path: E::Path,
    ) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<E>>
    where
        E: Endpoint<Query = EmptyQuery, Body = EmptyBody, Response = FileBytes>,
    {
        let request = Request::for_endpoint::<E>(path, &EmptyQuery {}, &EmptyBody {})?;
        let response = self.state.send_streaming(&request).await?;
        Ok(response
            .bytes_stream()
            .map(move |chunk| chunk.map_err(|source| to_transport_error(&request, source))))
    }
}
