//! Selects the ids of all records that a query matches now, before the first of them is changed.

use panel_contract::endpoint::{EmptyBody, Endpoint, Query as _};
use panel_contract::ids::RecordId;
use panel_contract::table::{IdsPage, Page, TableQuery};

use crate::call::decode;
use crate::client::Client;
use crate::error::Result;
use crate::request::Request;

impl Client {
    /// All ids of list `E` that the query matches, highest first. The query's order and page are ignored.
    pub async fn ids<E, R>(&self, query: &TableQuery) -> Result<Vec<RecordId>>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Answer = Page<R>>,
    {
        self.ids_at(E::OP.path, query).await
    }

    /// The first page: at most 10,000 ids, highest first, and the number of all matches.
    pub async fn first_ids<E, R>(&self, query: &TableQuery) -> Result<IdsPage>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Answer = Page<R>>,
    {
        let mut query = TableQuery { ids_only: true, start: 0, length: None, ..query.clone() };
        query.order.clear();
        self.ids_page(E::OP.path, &query).await
    }

    async fn ids_page(&self, path: &str, query: &TableQuery) -> Result<IdsPage> {
        let request = Request::new("GET", path)?.query(query.pairs());
        decode(&request, &self.request(&request).await?.body)
    }

    /// All ids, for the list at `path`.
    pub async fn ids_at(&self, path: &str, query: &TableQuery) -> Result<Vec<RecordId>> {
        let mut query = TableQuery { ids_only: true, start: 0, length: None, ..query.clone() };
        query.order.clear();
        let mut found = Vec::new();
        loop {
            let page = self.ids_page(path, &query).await?;
            // New records have higher ids, so the records below the last id do not change.
            let Some(last) = page.ids.last().copied() else { return Ok(found) };
            found.extend(page.ids);
            if found.len() as u64 >= u64::try_from(page.total).unwrap_or_default() && query.after.is_none() {
                return Ok(found);
            }
            query.after = Some(last);
        }
    }
}
