//! Streams files from a panel: lists as CSV, and file responses of endpoints. No file is held in memory.

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint, Query as _};
use panel_contract::table::{Page, TableQuery};
use panel_contract::upload::FileBytes;

use crate::client::Client;
use crate::error::Result;
use crate::request::Request;
use crate::send::transport;

impl Client {
    /// Streams list `E` as CSV. An error within the stream means that the file is incomplete.
    pub async fn export<E, R>(
        &self,
        query: &TableQuery,
    ) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<E, R>>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Answer = Page<R>>,
    {
        self.export_at(E::OP.path, query).await
    }

    /// Like [`Client::export`], for the list at `path`.
    pub async fn export_at(
        &self,
        path: &str,
        query: &TableQuery,
    ) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<>> {
        let request = Request::new("GET", path)?.query(query.pairs()).accept("text/csv");
        let response = self.inner.open(&request).await?;
        Ok(response.bytes_stream().map(move |piece| piece.map_err(|source| transport(&request, source))))
    }

    /// Streams the file response of endpoint `E`. An error within the stream means that the file is incomplete.
    pub async fn download<E>(
        &self,
        path: E::Path,
    ) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<E>>
    where
        E: Endpoint<Query = EmptyQuery, Body = EmptyBody, Answer = FileBytes>,
    {
        let request = Request::of::<E>(path, &EmptyQuery {}, &EmptyBody {})?;
        let response = self.inner.open(&request).await?;
        Ok(response.bytes_stream().map(move |piece| piece.map_err(|source| transport(&request, source))))
    }
}
