//! Streams whole lists, page by page.
//!
//! A list in its default order (ids descending) is paged by id, so that a record which is created or deleted between two
//! requests neither repeats nor hides a row. A sorted list is paged by the offset `start`. So is a list whose first page has one
//! row, because one row does not show whether the ids descend.

use futures_util::{Stream, StreamExt as _, stream};
use panel_contract::endpoint::{EmptyBody, Endpoint, Query as _};
use panel_contract::table::{MAX_LENGTH, Page, TableQuery};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::call::decode;
use crate::client::Client;
use crate::error::Result;
use crate::request::Request;

/// Default number of rows per request.
pub const DEFAULT_PAGE_LENGTH: i64 = 500;

/// The id of a row; `None` in lists without ids.
#[derive(Deserialize)]
struct RowId {
    id: Option<i64>,
}

/// State of a stream between two page requests.
struct PageCursor {
    path: String,
    query: TableQuery,
    page_length: i64,
    /// Whether the next page is requested by id. The first page decides: it is false if the ids of that page do not descend.
    is_paged_by_id: bool,
    /// Id of the last row so far.
    last_id: Option<i64>,
    has_started: bool,
    is_done: bool,
}

impl Client {
    /// Streams all rows of list `E` that the query matches, from its `start` on. The stream ends after the first error.
    pub fn stream_rows<E, R>(&self, query: TableQuery) -> impl Stream<Item = Result<R>> + Send + use<E, R>
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Response = Page<R>>,
        R: DeserializeOwned + Send + 'static,
    {
        self.stream_pages::<R>(E::OP.path, query).flat_map(|page| {
            stream::iter(match page {
                Ok(page) => page.data.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            })
        })
    }

    /// Streams the pages of the list endpoint at `path`, from the `start` of the query on, with `length` rows each (default 500).
    /// `records_filtered` of the first page is the number of matching rows; in later pages of a list that is paged by id, it is the
    /// number of remaining rows. The stream ends after the first error.
    pub fn stream_pages<R: DeserializeOwned + Send + 'static>(
        &self,
        path: &str,
        query: TableQuery,
    ) -> impl Stream<Item = Result<Page<R>>> + Send + use<R> {
        let cursor = PageCursor {
            path: path.to_owned(),
            page_length: query
                .length
                .filter(|length| *length > 0)
                .unwrap_or(DEFAULT_PAGE_LENGTH)
                .min(MAX_LENGTH),
            is_paged_by_id: query.order.is_empty()
                && query.sort.is_empty()
                && query.start == 0
                && !filters_by_id(&query),
            // `start` decides where the stream begins, so a page number is ignored.
            query: TableQuery { page_number: None, ..query },
            last_id: None,
            has_started: false,
            is_done: false,
        };
        let client = self.clone();
        stream::unfold((client, cursor), async |(client, mut cursor)| {
            if cursor.is_done {
                return None;
            }
            let page = cursor.load_next_page(&client).await;
            cursor.is_done |= page.is_err();
            // The first page is returned even if it is empty, because it has the totals.
            let is_first = !std::mem::replace(&mut cursor.has_started, true);
            match page {
                Ok(page) if page.data.is_empty() && !is_first => None,
                page => Some((page, (client, cursor))),
            }
        })
    }
}

fn filters_by_id(query: &TableQuery) -> bool {
    query.simple_filters.contains_key("id")
        || query.columns.iter().any(|column| column.data == "id" || column.name == "id")
}

impl PageCursor {
    async fn load_next_page<R: DeserializeOwned>(&mut self, client: &Client) -> Result<Page<R>> {
        let query = self.query.clone().page(self.query.start, self.page_length);
        let query = match self.last_id {
            // Plain filters cannot be combined with column filters.
            Some(last_id)
                if self.is_paged_by_id && !query.simple_filters.is_empty() && query.columns.is_empty() =>
            {
                query.simple_filter("id", format!("..{}", last_id - 1))
            }
            Some(last_id) if self.is_paged_by_id => query.filter("id", format!("..{}", last_id - 1)),
            _ => query,
        };
        let request = Request::new("GET", self.path.clone())?.query(query.to_pairs());
        let response = client.request(&request).await?;
        let ids: Page<RowId> = decode(&request, &response.body)?;
        self.advance(&ids.data);
        decode(&request, &response.body)
    }

    fn advance(&mut self, rows: &[RowId]) {
        let count = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        self.is_done = count < self.page_length;
        if !self.has_started {
            let ids_descend = rows.windows(2).all(|pair| pair[0].id > pair[1].id);
            // A single row does not show the order of the list.
            let is_order_known = rows.len() > 1 || self.is_done;
            self.is_paged_by_id &= is_order_known && ids_descend && rows.iter().all(|row| row.id.is_some());
        }
        self.last_id = rows.last().and_then(|row| row.id);
        if !self.is_paged_by_id {
            self.query.start += count;
        }
    }
}
