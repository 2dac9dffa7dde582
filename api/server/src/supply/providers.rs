//! Providers as pickers see them; the rest of supply comes with its own issue.

use panel_contract::endpoints::providers::AvailableForOrderRecreate;
use panel_contract::fields::FieldErrors;
use panel_contract::providers::{AvailableProvider, AvailableProviders};

use crate::db::{Source, Sql};
use crate::http::api::Api;
use crate::http::error::Result;
use crate::http::{Ctx, Req};
use crate::table::text_has;

/// Rows of a page.
const PAGE: i64 = 30;
/// The last page that can be asked for.
const LAST_PAGE: i64 = 1_000_000;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<AvailableForOrderRecreate, _, _, _>(available)
}

async fn available(ctx: Ctx, req: Req<AvailableForOrderRecreate>) -> Result<AvailableProviders> {
    let page = req.query.page.unwrap_or(1);
    if !(1..=LAST_PAGE).contains(&page) {
        return Err(FieldErrors::one("page", format!("Give a page from 1 to {LAST_PAGE}.")).into());
    }
    let name = req.query.name.as_deref().unwrap_or_default().trim();
    if name.chars().count() > panel_contract::table::MAX_SEARCH {
        return Err(FieldErrors::one("name", "Search for a shorter name.").into());
    }
    let (items, total) = find(&ctx, name, page).await?;
    let last_page = ((total + PAGE - 1) / PAGE).max(1);
    Ok(AvailableProviders { items, current_page: page, last_page })
}

/// A page of active providers by name, and how many there are in all.
async fn find(ctx: &Ctx, name: &str, page: i64) -> Result<(Vec<AvailableProvider>, i64)> {
    let body = || {
        let sql = Sql::new(" FROM providers p WHERE p.status = 'active' AND NOT p.is_archived");
        if name.is_empty() { sql } else { sql.push(" AND ").append(text_has("p.name", name, ctx)) }
    };
    let (total,): (i64,) = (&mut ctx.db()).one(Sql::new("SELECT count(*)").append(body())).await?;
    let sql = Sql::new("SELECT p.id, p.name, p.source_price, p.source_currency, p.source_pricing_per")
        .append(body())
        .push(" ORDER BY p.name, p.id LIMIT ? OFFSET ?")
        .bind(PAGE)
        .bind((page - 1) * PAGE);
    let shown = |(id, name, source_price, source_currency, source_pricing_per)| AvailableProvider {
        id,
        name,
        source_price,
        source_currency,
        source_pricing_per,
    };
    Ok(((&mut ctx.db()).all(sql).await?.into_iter().map(shown).collect(), total))
}
