//! Answering a list: one page, only ids, or a file.

use axum::http::StatusCode;
use axum::response::Response;
use panel_contract::endpoint::{Endpoint, NoBody};
use panel_contract::fields::FieldErrors;
use panel_contract::table::{Page, TableQuery};
use panel_kernel::error::Result;
use panel_kernel::request_meta::FileKind;
use serde::Serialize;

use crate::http::Req;
use crate::http::api::{Admission, Api};
use crate::http::lists::export::Export;
use crate::http::lists::{csv, xlsx};
use crate::http::reply::json;
use panel_platform::db::Row;
use panel_platform::scope::Scope;
use panel_platform::table::plan::{Plan, WorkedOut};
use panel_platform::table::{Table, page};

impl Api {
    /// Ties the list endpoint `E` to its declaration; `shown` makes a row of a record for a caller.
    #[must_use]
    pub fn table<E, R, O>(self, table: &'static Table, shown: fn(R, &Scope) -> O) -> Self
    where
        E: Endpoint<Path = (), Query = TableQuery, Body = NoBody, Answer = Page<O>>,
        R: Row,
        O: Serialize + Send + 'static,
    {
        self.by::<E, _, _>(Admission::Remembered, move |scope, req: Req<E>| async move {
            answer(scope.scope().clone(), table, &req.query, shown).await
        })
        .described_by::<E>(table)
    }
}

/// Answers a list that is read by a handler of its own: one of a record in the path.
pub async fn answer<R: Row, O: Serialize + Send + 'static>(
    scope: impl Into<Scope>,
    table: &'static Table,
    query: &TableQuery,
    shown: fn(R, &Scope) -> O,
) -> Result<Response> {
    let scope = scope.into();
    let plan = Plan::read(table, query, &scope)?;
    answer_plan(scope, plan, query, shown).await
}

/// As [`answer`], of a list with columns that no SQL works out: `work_out` does, where a filter or the order needs them.
pub async fn answer_beside<R: Row, O: Serialize + Send + 'static>(
    scope: impl Into<Scope>,
    table: &'static Table,
    query: &TableQuery,
    shown: fn(R, &Scope) -> O,
    (alias, work_out): (&'static str, impl AsyncFnOnce(&Scope) -> Result<WorkedOut>),
) -> Result<Response> {
    let scope = scope.into();
    let mut plan = Plan::read(table, query, &scope)?;
    if plan.needs(alias) {
        plan.worked_out = Some(work_out(&scope).await?);
    }
    answer_plan(scope, plan, query, shown).await
}

async fn answer_plan<R: Row, O: Serialize + Send + 'static>(
    scope: Scope,
    plan: Plan,
    query: &TableQuery,
    shown: fn(R, &Scope) -> O,
) -> Result<Response> {
    let is_page = scope.meta.export.is_none() && !query.ids_only;
    if !is_page {
        scope.sure()?;
    }
    if let Some(kind) = scope.meta.export {
        let export = Export::begin(scope, plan, query, shown).await?;
        return match kind {
            FileKind::Csv => csv::answer(export),
            FileKind::Xlsx => xlsx::answer(export).await,
        };
    }
    if !query.export_columns.is_empty() {
        let sentence = "export_columns goes with an export: Accept: text/csv, or that of XLSX.";
        return Err(FieldErrors::one("export_columns", sentence).into());
    }
    if query.ids_only {
        let ids = page::ids_page(&scope, plan, query.after).await?;
        return json(StatusCode::OK, serde_json::to_vec(&ids));
    }
    if query.after.is_some() {
        return Err(FieldErrors::one("after", "after goes with ids_only=1; for pages use start.").into());
    }
    let page = page::page(&scope, &plan, query.draw, shown).await?;
    json(StatusCode::OK, serde_json::to_vec(&page))
}
