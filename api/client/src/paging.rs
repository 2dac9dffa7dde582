//! Whole lists, page by page, as a stream.
//!
//! A list in its default order (ids descending) is paged by id, so that new and deleted records neither repeat nor hide a row.
//! A sorted list, or one with pages of a single row, is paged by the offset `start`.

use futures_util::{Stream, StreamExt as _, stream};
use panel_contract::endpoint::{EmptyBody, Endpoint, Query as _};
use panel_contract::table::{MAX_LENGTH, Page, TableQuery};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::call::decode;
use crate::client::Client;
use crate::error::Result;
use crate::request::Request;

/// Default number of rows per page.
pub const STREAM_LENGTH: i64 = 500;

/// The id of a row, if it has one.
#[derive(Deserialize)]
struct Id {
    id: Option<i64>,
}

/// Position in a list.
struct PageCursor {
    path: String,
    query: TableQuery,
    length: i64,
    /// Whether to page by id, as long as the ids descend.
    by_id: bool,
    last: Option<i64>,
    has_started: bool,
    done: bool,
}

impl Client {
    /// Streams all rows of list `E` that match the query, from its `start` on. Ends after an error.
    pub fn rows<E, R>(&self, query: TableQuery) -> impl Stream<Item = Result<R>> + Send + use<E, R>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Answer = Page<R>>,
        R: DeserializeOwned + Send + 'static,
    {
        self.pages::<R>(E::OP.path, query).flat_map(|page| {
            stream::iter(match page {
                Ok(page) => page.data.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            })
        })
    }

    /// The pages of the list at `path`, from the query's `start` on, `length` rows each. `records_filtered` of the first page
    /// counts the query's rows; that of later ones may only count the remaining rows. Ends after an error.
    pub fn pages<R: DeserializeOwned + Send + 'static>(
        &self,
        path: &str,
        query: TableQuery,
    ) -> impl Stream<Item = Result<Page<R>>> + Send + use<R> {
        let cursor = PageCursor {
            path: path.to_owned(),
            length: query.length.filter(|length| *length > 0).unwrap_or(STREAM_LENGTH).min(MAX_LENGTH),
            by_id: query.order.is_empty()
                && query.sort.is_empty()
                && query.start == 0
                && !searches_ids(&query),
            // All pages are read, from the first one.
            query: TableQuery { page_number: None, ..query },
            last: None,
            has_started: false,
            done: false,
        };
        let client = self.clone();
        stream::unfold((client, cursor), async |(client, mut cursor)| {
            if cursor.done {
                return None;
            }
            let page = cursor.next(&client).await;
            cursor.done |= page.is_err();
            // The first page is returned even if it is empty, because it has the totals.
            let first = !std::mem::replace(&mut cursor.has_started, true);
            match page {
                Ok(page) if page.data.is_empty() && !first => None,
                page => Some((page, (client, cursor))),
            }
        })
    }
}

fn searches_ids(query: &TableQuery) -> bool {
    query.plain.contains_key("id")
        || query.columns.iter().any(|column| column.data == "id" || column.name == "id")
}

impl PageCursor {
    async fn next<R: DeserializeOwned>(&mut self, client: &Client) -> Result<Page<R>> {
        let query = self.query.clone().page(self.query.start, self.length);
        let query = match self.last {
            // Plain filters cannot be combined with column filters.
            Some(last) if self.by_id && !query.plain.is_empty() && query.columns.is_empty() => {
                query.plain("id", format!("..{}", last - 1))
            }
            Some(last) if self.by_id => query.filter("id", format!("..{}", last - 1)),
            _ => query,
        };
        let request = Request::new("GET", self.path.clone())?.query(query.pairs());
        let answer = client.request(&request).await?;
        let ids: Page<Id> = decode(&request, &answer.body)?;
        self.advance(&ids.data);
        decode(&request, &answer.body)
    }

    fn advance(&mut self, rows: &[Id]) {
        let count = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        self.done = count < self.length;
        if !self.has_started {
            let descends = rows.windows(2).all(|pair| pair[0].id > pair[1].id);
            // A single row does not show the order of the list.
            let is_order_known = rows.len() > 1 || self.done;
            self.by_id &= is_order_known && descends && rows.iter().all(|row| row.id.is_some());
        }
        self.last = rows.last().and_then(|row| row.id);
        if !self.by_id {
            self.query.start += count;
        }
    }
}
