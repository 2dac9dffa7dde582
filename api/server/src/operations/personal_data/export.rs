//! Exports all data of a customer as one JSON document. The server streams the document in pages, so that memory does not grow with
//! the number of records. It commits the audit entry before it sends the first byte.
//!
//! `{"format":"panel-customer-data","version":1,"user_id":7,"exported_at":"…","tables":{"users":[…],…},"files":[…]}`; a file is a
//! verification document, base64 in `content`.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::stream;
use panel_contract::ids::UserId;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::operations::personal_data::table_batch::{Cursor, TableBatch};
use crate::operations::personal_data::tables::{self, PERSONAL_TABLES};

pub(super) fn streamed_response(ctx: Ctx, user_id: UserId) -> Result<Response> {
    let name = format!("attachment; filename=\"customer-{user_id}.json\"");
    let name = HeaderValue::try_from(name).map_err(|error| Error::Internal(error.to_string()))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CONTENT_DISPOSITION, name),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    let document = ExportDocument { ctx, user_id, position: ExportPosition::Begin };
    let body = stream::unfold(Some(document), async |document| {
        let mut document = document?;
        match document.next_chunk().await {
            Ok(Some(bytes)) => Some((Ok(bytes), Some(document))),
            Ok(None) => None,
            // The status is already sent, so only a broken connection shows that the document is incomplete.
            Err(error) => {
                let rejection = error.report(&document.ctx.meta.request_id);
                Some((Err(std::io::Error::other(rejection.message)), None))
            }
        }
    });
    Ok((headers, Body::from_stream(body)).into_response())
}

/// The position in the document at which the next chunk continues.
#[derive(Debug, Clone, Copy)]
enum ExportPosition {
    Begin,
    /// Records after `after` of the table with this index in [`PERSONAL_TABLES`]. `is_first` is true before the first record.
    Records {
        table_index: usize,
        after: Cursor,
        is_first: bool,
    },
    /// Files of the verification documents after `after`.
    Files {
        after: Cursor,
        is_first: bool,
    },
    End,
}

struct ExportDocument {
    ctx: Ctx,
    user_id: UserId,
    position: ExportPosition,
}

impl ExportDocument {
    /// Returns the next chunk that is not empty; `None` at the end.
    async fn next_chunk(&mut self) -> Result<Option<Bytes>> {
        loop {
            match self.build_next_chunk().await? {
                Some(chunk) if chunk.is_empty() => {}
                chunk => return Ok(chunk.map(Bytes::from)),
            }
        }
    }

    /// Builds the next chunk, which may be empty; `None` at the end.
    async fn build_next_chunk(&mut self) -> Result<Option<String>> {
        let chunk = match self.position {
            ExportPosition::Begin => {
                self.position =
                    ExportPosition::Records { table_index: 0, after: Cursor::default(), is_first: true };
                let (user_id, now) = (self.user_id, json!(self.ctx.now()));
                format!(
                    r#"{{"format":"panel-customer-data","version":1,"user_id":{user_id},"exported_at":{now},"tables":{{"#
                )
            }
            ExportPosition::Records { table_index, after, is_first } => {
                self.records_chunk(table_index, after, is_first).await?
            }
            ExportPosition::Files { after, is_first } => self.file_chunk(after, is_first).await?,
            ExportPosition::End => return Ok(None),
        };
        Ok(Some(chunk))
    }

    /// Builds the chunk with one page of a table. The first page of a table begins its JSON array, the last page ends it.
    async fn records_chunk(&mut self, table_index: usize, after: Cursor, is_first: bool) -> Result<String> {
        let Some(personal_table) = PERSONAL_TABLES.get(table_index) else {
            self.position = ExportPosition::Files { after: Cursor::default(), is_first: true };
            return Ok(r#"},"files":["#.to_owned());
        };
        if personal_table.fields.is_empty() {
            self.position = ExportPosition::Records {
                table_index: table_index + 1,
                after: Cursor::default(),
                is_first: true,
            };
            return Ok(String::new());
        }
        let is_start = after == Cursor::default();
        let batch = TableBatch::load(&mut self.ctx.db(), personal_table, self.user_id, after).await?;
        let rows = if batch.is_empty() {
            Vec::new()
        } else {
            batch.load_rows(&mut self.ctx.db(), personal_table).await?
        };
        let mut chunk = String::new();
        if is_start {
            // The first table, `users`, opens the object, so it needs no comma.
            chunk.push_str(if table_index == 0 { "" } else { "," });
            chunk.push_str(&format!("\"{}\":[", personal_table.table));
        }
        let mut is_first = is_first;
        for row in rows {
            chunk.push_str(if is_first { "\n" } else { ",\n" });
            is_first = false;
            chunk.push_str(&row.to_string());
        }
        self.position = match batch.next {
            Some(after) => ExportPosition::Records { table_index, after, is_first },
            None => {
                chunk.push(']');
                ExportPosition::Records {
                    table_index: table_index + 1,
                    after: Cursor::default(),
                    is_first: true,
                }
            }
        };
        Ok(chunk)
    }

    async fn file_chunk(&mut self, after: Cursor, is_first: bool) -> Result<String> {
        let documents = tables::by_name("verification_documents").ok_or_else(|| {
            Error::Internal("verification documents are not declared as personal data".to_owned())
        })?;
        let batch = TableBatch::load(&mut self.ctx.db(), documents, self.user_id, after).await?;
        let Some((id, name)) = batch.load_files(&mut self.ctx.db()).await?.into_iter().next() else {
            self.position = ExportPosition::End;
            return Ok("]}\n".to_owned());
        };
        let content =
            self.ctx.app.uploads.read_private_for_export(&name).await?.map(|bytes| STANDARD.encode(bytes));
        self.position = ExportPosition::Files { after: Cursor::after(id.as_record_id()), is_first: false };
        let extension = name.rsplit('.').next().unwrap_or_default();
        let file =
            json!({ "document_id": id, "name": format!("document-{id}.{extension}"), "content": content });
        Ok(format!("{}{file}", if is_first { "\n" } else { ",\n" }))
    }
}
