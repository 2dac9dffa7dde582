//! Freezing a selection: the ids of everything that a query matches now, before the first of them is written to.

use panel_contract::endpoint::{Endpoint, NoBody, Query as _};
use panel_contract::ids::RecordId;
use panel_contract::table::{IdsPage, Page, TableQuery};

use crate::call::decode;
use crate::client::Client;
use crate::error::Result;
use crate::request::Request;

impl Client {
    /// The ids of everything in list `E` that the query matches, highest first. Its order and page do not matter.
    pub async fn ids<E, R>(&self, query: &TableQuery) -> Result<Vec<RecordId>>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = NoBody, Answer = Page<R>>,
    {
        self.ids_at(E::OP.path, query).await
    }

    /// The first page of them: at most 10,000 ids, highest first, and how many match in all.
    pub async fn first_ids<E, R>(&self, query: &TableQuery) -> Result<IdsPage>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = NoBody, Answer = Page<R>>,
    {
        let mut query = TableQuery { ids_only: true, start: 0, length: None, ..query.clone() };
        query.order.clear();
        self.ids_page(E::OP.path, &query).await
    }

    async fn ids_page(&self, path: &str, query: &TableQuery) -> Result<IdsPage> {
        let request = Request::new("GET", path)?.query(query.pairs());
        decode(&request, &self.request(&request).await?.body)
    }

    /// All of them, for the list at `path`.
    pub async fn ids_at(&self, path: &str, query: &TableQuery) -> Result<Vec<RecordId>> {
        let mut query = TableQuery { ids_only: true, start: 0, length: None, ..query.clone() };
        query.order.clear();
        let mut found = Vec::new();
        loop {
            let page = self.ids_page(path, &query).await?;
            // Records that come meanwhile have higher ids: what is below the last one seen is still what it was.
            let Some(last) = page.ids.last().copied() else { return Ok(found) };
            found.extend(page.ids);
            if found.len() as u64 >= u64::try_from(page.total).unwrap_or_default() && query.after.is_none() {
                return Ok(found);
            }
            query.after = Some(last);
        }
    }
}
