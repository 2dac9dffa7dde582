//! Endpoints for users: they list users, search users for selection fields, show one user with all details, and change users.

pub mod access;
pub mod actions;
pub mod bulk;
pub mod change;
mod detail;
pub mod discount;
pub mod edit;
pub mod holds;
mod list;
pub mod status;
pub mod undo;
pub mod webhook_events;

use detail::load;
pub use list::{USERS, UserListRow};

use panel_contract::common::Data;
use panel_contract::endpoints::users::{GetUser, ListUsers, SearchUsers};
use panel_contract::ids::UserId;
use panel_contract::users::{User, UserSearchResult};
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::search_texts;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::table::select_matching_ids;

/// Account type of a customer that is another panel and resells this panel's services; its orders are child-panel orders.
pub const CHILD_PANEL: &str = "child_panel";
const MAX_SEARCH_RESULTS: i64 = 20;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListUsers, _, _>(&USERS, UserListRow::into_row)
        .route::<SearchUsers, _, _, _>(search)
        .route::<GetUser, _, _, _>(get)
        .with(actions::routes)
        .with(bulk::routes)
        .with(discount::routes)
}

async fn search(ctx: Ctx, req: Req<SearchUsers>) -> Result<Data<Vec<UserSearchResult>>> {
    Ok(Data { data: find_users(&ctx, req.query.query.trim()).await? })
}

async fn get(ctx: Ctx, req: Req<GetUser>) -> Result<Data<User>> {
    Ok(Data { data: load(&ctx, &mut ctx.db(), req.path).await? })
}

// Store

async fn find_users(ctx: &Ctx, text: &str) -> Result<Vec<UserSearchResult>> {
    let mut sql = Sql::new("SELECT u.id, u.name, u.email FROM users u WHERE ");
    sql = match text.parse::<UserId>() {
        Ok(id) => sql.push("u.id = ? OR u.id IN (").bind(id),
        Err(_) => sql.push("u.id IN ("),
    };
    sql = match text {
        "" => sql.push("SELECT id FROM users ORDER BY id DESC LIMIT ?").bind(MAX_SEARCH_RESULTS),
        _ => sql.append(select_matching_ids(&search_texts::USERS, text, ctx)),
    };
    let sql = sql.push(") ORDER BY u.name, u.id LIMIT ?").bind(MAX_SEARCH_RESULTS);
    let rows: Vec<(UserId, String, String)> = (&mut ctx.db()).fetch_all(sql).await?;
    Ok(rows.into_iter().map(|(id, name, email)| UserSearchResult { id, name, email }).collect())
}
