//! Loads the ids of all records that a query matches, so that a bulk action selects its records before it changes the first one.

use panel_contract::endpoint::{EmptyBody, Endpoint, Query as _};
use panel_contract::ids::RecordId;
use panel_contract::table::{IdsPage, Page, TableQuery};

use crate::call::decode;
use crate::client::Client;
use crate::error::Result;
use crate::request::Request;

impl Client {
    /// Loads the ids of all records of list `E` that the query matches, highest first. Order and page of the query are ignored.
    pub async fn load_ids<E, R>(&self, query: &TableQuery) -> Result<Vec<RecordId>>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Response = Page<R>>,
    {
        self.load_ids_at(E::OP.path, query).await
    }

    /// Loads the highest ids of list `E` that the query matches, at most 10,000 in descending order, and the number of all matches.
    pub async fn load_first_ids<E, R>(&self, query: &TableQuery) -> Result<IdsPage>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Response = Page<R>>,
    {
        let mut query = TableQuery { ids_only: true, start: 0, length: None, ..query.clone() };
        query.order.clear();
        self.load_ids_page(E::OP.path, &query).await
    }

    async fn load_ids_page(&self, path: &str, query: &TableQuery) -> Result<IdsPage> {
        let request = Request::new("GET", path)?.query(query.to_pairs());
        decode(&request, &self.request(&request).await?.body)
    }

    /// Like [`Client::load_ids`], for the list endpoint at `path`, such as `/api/v1/admin/orders`.
    pub async fn load_ids_at(&self, path: &str, query: &TableQuery) -> Result<Vec<RecordId>> {
        let mut query = TableQuery { ids_only: true, start: 0, length: None, ..query.clone() };
        query.order.clear();
        let mut ids = Vec::new();
        loop {
            let page = self.load_ids_page(path, &query).await?;
            // A new record gets a higher id, so the pages below the last id contain no new record.
            let Some(last_id) = page.ids.last().copied() else { return Ok(ids) };
            ids.extend(page.ids);
            if ids.len() as u64 >= u64::try_from(page.total).unwrap_or_default() && query.after.is_none() {
                return Ok(ids);
            }
            query.after = Some(last_id);
        }
    }
}
