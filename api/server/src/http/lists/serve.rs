//! Serves a list: one page, only the ids, or an exported file.

use axum::http::StatusCode;
use axum::response::Response;
use panel_contract::endpoint::{EmptyBody, Endpoint};
use panel_contract::fields::FieldErrors;
use panel_contract::table::{Page, TableQuery};
use panel_kernel::error::Result;
use panel_kernel::request_meta::FileKind;
use serde::Serialize;

use crate::http::Req;
use crate::http::api::{Api, SessionLookup};
use crate::http::lists::export::ListExport;
use crate::http::lists::{csv, xlsx};
use crate::http::typed_response::json_response;
use panel_platform::db::DbRow;
use panel_platform::scope::Scope;
use panel_platform::table::plan::{ComputedColumns, Plan};
use panel_platform::table::{Table, page};

impl Api {
    /// Serves the list endpoint `E` from its declaration. `to_row` converts a database row to a row of the response.
    #[must_use]
    pub fn list_route<E, R, O>(self, table: &'static Table, to_row: fn(R, &Scope) -> O) -> Self
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = EmptyBody, Response = Page<O>>,
        R: DbRow,
        O: Serialize + Send + 'static,
    {
        self.with_lookup::<E, _, _>(SessionLookup::Cached, move |scope, req: Req<E>| async move {
            serve_list(scope.scope().clone(), table, &req.query, to_row).await
        })
        .describe_list::<E>(table)
    }
}

/// Serves a list from a custom handler, such as a list below a record in the path.
pub async fn serve_list<R: DbRow, O: Serialize + Send + 'static>(
    scope: impl Into<Scope>,
    table: &'static Table,
    query: &TableQuery,
    to_row: fn(R, &Scope) -> O,
) -> Result<Response> {
    let scope = scope.into();
    let plan = Plan::parse(table, query, &scope)?;
    serve_plan(scope, plan, query, to_row).await
}

/// Like [`serve_list`], for a list with columns that SQL cannot compute. `compute` computes them if a filter or the sort order uses
/// the join with this alias.
pub async fn serve_list_with_computed_columns<R: DbRow, O: Serialize + Send + 'static>(
    scope: impl Into<Scope>,
    table: &'static Table,
    query: &TableQuery,
    to_row: fn(R, &Scope) -> O,
    (alias, compute): (&'static str, impl AsyncFnOnce(&Scope) -> Result<ComputedColumns>),
) -> Result<Response> {
    let scope = scope.into();
    let mut plan = Plan::parse(table, query, &scope)?;
    if plan.needs_join(alias) {
        plan.computed_columns = Some(compute(&scope).await?);
    }
    serve_plan(scope, plan, query, to_row).await
}

async fn serve_plan<R: DbRow, O: Serialize + Send + 'static>(
    scope: Scope,
    plan: Plan,
    query: &TableQuery,
    to_row: fn(R, &Scope) -> O,
) -> Result<Response> {
    let is_page = scope.meta.export.is_none() && !query.ids_only;
    if !is_page {
        scope.require_fresh_session()?;
    }
    if let Some(kind) = scope.meta.export {
        let export = ListExport::start(scope, plan, query, to_row).await?;
        return match kind {
            FileKind::Csv => csv::respond(export),
            FileKind::Xlsx => xlsx::respond(export).await,
        };
    }
    if !query.export_columns.is_empty() {
        let message = "export_columns is only for exports. Send Accept: text/csv or the media type of XLSX, or remove export_columns.";
        return Err(FieldErrors::single("export_columns", message).into());
    }
    if query.ids_only {
        let ids = page::read_ids_page(&scope, plan, query.after).await?;
        return json_response(StatusCode::OK, serde_json::to_vec(&ids));
    }
    if query.after.is_some() {
        return Err(FieldErrors::single("after", "after is only for ids_only=1. Use start for pages.").into());
    }
    let page = page::read_page(&scope, &plan, query.draw, to_row).await?;
    json_response(StatusCode::OK, serde_json::to_vec(&page))
}
