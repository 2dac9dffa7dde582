//! All data of a customer as one JSON document. It is streamed in pages, so the memory does not grow with the number of records.
//! The audit entry is committed before the first byte is sent.
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
use crate::operations::personal_data::declared::{self, PERSONAL};
use crate::operations::personal_data::part::{Cursor, TableBatch};

/// The response with a streamed body.
pub(super) fn answer(ctx: Ctx, user: UserId) -> Result<Response> {
    let name = format!("attachment; filename=\"customer-{user}.json\"");
    let name = HeaderValue::try_from(name).map_err(|error| Error::Fault(error.to_string()))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CONTENT_DISPOSITION, name),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    let document = Document { ctx, user, position: Position::Begin };
    let body = stream::unfold(Some(document), async |document| {
        let mut document = document?;
        match document.next().await {
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

/// The part of the document that is written next.
#[derive(Debug, Clone, Copy)]
enum Position {
    Begin,
    /// Records after `after` of the table with this index in [`PERSONAL`].
    Records {
        table: usize,
        after: Cursor,
        is_first: bool,
    },
    /// Files of the documents after `after`.
    Files {
        after: Cursor,
        is_first: bool,
    },
    End,
}

struct Document {
    ctx: Ctx,
    user: UserId,
    position: Position,
}

impl Document {
    /// The next piece that is not empty; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            match self.piece().await? {
                Some(piece) if piece.is_empty() => {}
                piece => return Ok(piece.map(Bytes::from)),
            }
        }
    }

    /// The next piece, which may be empty; `None` at the end.
    async fn piece(&mut self) -> Result<Option<String>> {
        let piece = match self.position {
            Position::Begin => {
                self.position = Position::Records { table: 0, after: Cursor::default(), is_first: true };
                let (user, now) = (self.user, json!(self.ctx.now()));
                format!(
                    r#"{{"format":"panel-customer-data","version":1,"user_id":{user},"exported_at":{now},"tables":{{"#
                )
            }
            Position::Records { table, after, is_first } => self.records(table, after, is_first).await?,
            Position::Files { after, is_first } => self.file(after, is_first).await?,
            Position::End => return Ok(None),
        };
        Ok(Some(piece))
    }

    /// A page of a table, with the start and the end of its JSON list.
    async fn records(&mut self, table: usize, after: Cursor, is_first: bool) -> Result<String> {
        let Some(of) = PERSONAL.get(table) else {
            self.position = Position::Files { after: Cursor::default(), is_first: true };
            return Ok(r#"},"files":["#.to_owned());
        };
        if of.fields.is_empty() {
            self.position = Position::Records { table: table + 1, after: Cursor::default(), is_first: true };
            return Ok(String::new());
        }
        let is_start = after == Cursor::default();
        let batch = TableBatch::of(&mut self.ctx.db(), of, self.user, after).await?;
        let rows = if batch.is_empty() { Vec::new() } else { batch.read(&mut self.ctx.db(), of).await? };
        let mut out = String::new();
        if is_start {
            // The first table, `users`, opens the object, so it needs no comma.
            out.push_str(if table == 0 { "" } else { "," });
            out.push_str(&format!("\"{}\":[", of.table));
        }
        let mut is_first = is_first;
        for row in rows {
            out.push_str(if is_first { "\n" } else { ",\n" });
            is_first = false;
            out.push_str(&row.to_string());
        }
        self.position = match batch.next {
            Some(after) => Position::Records { table, after, is_first },
            None => {
                out.push(']');
                Position::Records { table: table + 1, after: Cursor::default(), is_first: true }
            }
        };
        Ok(out)
    }

    /// The file of the next document.
    async fn file(&mut self, after: Cursor, is_first: bool) -> Result<String> {
        let documents = declared::by_name("verification_documents").ok_or_else(|| {
            Error::Fault("verification documents are not declared as personal data".to_owned())
        })?;
        let batch = TableBatch::of(&mut self.ctx.db(), documents, self.user, after).await?;
        let Some((id, name)) = batch.files(&mut self.ctx.db()).await?.into_iter().next() else {
            self.position = Position::End;
            return Ok("]}\n".to_owned());
        };
        let content = self.ctx.app.uploads.copy_private(&name).await?.map(|bytes| STANDARD.encode(bytes));
        self.position = Position::Files { after: Cursor::after(id.record()), is_first: false };
        let extension = name.rsplit('.').next().unwrap_or_default();
        let file =
            json!({ "document_id": id, "name": format!("document-{id}.{extension}"), "content": content });
        Ok(format!("{}{file}", if is_first { "\n" } else { ",\n" }))
    }
}
