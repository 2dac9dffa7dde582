//! Files that a panel writes, streamed: a list as CSV, and what an endpoint answers as a file. Nothing is kept in memory.

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use panel_contract::endpoint::{Endpoint, NoBody, NoQuery, Query as _};
use panel_contract::table::{Page, TableQuery};
use panel_contract::upload::FileBytes;

use crate::client::Client;
use crate::error::Result;
use crate::request::Request;
use crate::send::transport;

impl Client {
    /// The CSV of list `E`. An error within the stream means that the file is not whole.
    pub async fn export<E, R>(
        &self,
        query: &TableQuery,
    ) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<E, R>>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = NoBody, Answer = Page<R>>,
    {
        self.export_at(E::OP.path, query).await
    }

    /// The same for the list at `path`.
    pub async fn export_at(
        &self,
        path: &str,
        query: &TableQuery,
    ) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<>> {
        let request = Request::new("GET", path)?.query(query.pairs()).accept("text/csv");
        let response = self.inner.open(&request).await?;
        Ok(response.bytes_stream().map(move |piece| piece.map_err(|source| transport(&request, source))))
    }

    /// The file that endpoint `E` answers, as it comes. An error within the stream means that the file is not whole.
    pub async fn download<E>(
        &self,
        path: E::Path,
    ) -> Result<impl Stream<Item = Result<Bytes>> + Send + use<E>>
    where
        E: Endpoint<Query = NoQuery, Body = NoBody, Answer = FileBytes>,
    {
        let request = Request::of::<E>(path, &NoQuery {}, &NoBody {})?;
        let response = self.inner.open(&request).await?;
        Ok(response.bytes_stream().map(move |piece| piece.map_err(|source| transport(&request, source))))
    }
}
