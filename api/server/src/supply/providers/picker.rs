//! Lists the available providers and the external panels for selection fields of the console.

use panel_contract::amount::Money;
use panel_contract::common::Data;
use panel_contract::endpoints::providers::{AvailableForOrderRecreate, GetProviderCollections};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, OrderId, ProviderId};
use panel_contract::providers::{
    AvailableProvider, AvailableProviders, ExternalPanelChoice, ProviderCollections,
};
use panel_kernel::error::Result;

use crate::catalogue::delivery_checks;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::available::provider_is_available;
use crate::pricing::rates::ExchangeRates;
use crate::supply::change_provider::{self, ProviderPrice};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::table::contains_text;

const PAGE_SIZE: i64 = 30;
/// Number of providers that a selection field shows before staff enter a search.
const TOP_PROVIDERS: i64 = 10;
const MAX_PAGE: i64 = 1_000_000;

pub(super) fn routes(api: Api) -> Api {
    api.route::<AvailableForOrderRecreate, _, _, _>(list_for_recreate)
        .route::<GetProviderCollections, _, _, _>(get_collections)
}

async fn list_for_recreate(ctx: Ctx, req: Req<AvailableForOrderRecreate>) -> Result<AvailableProviders> {
    let page = req.query.page.unwrap_or(1);
    if !(1..=MAX_PAGE).contains(&page) {
        return Err(FieldErrors::single("page", format!("Enter a page from 1 to {MAX_PAGE}.")).into());
    }
    let name = req.query.name.as_deref().unwrap_or_default().trim();
    if name.chars().count() > panel_contract::table::MAX_SEARCH_CHARS {
        return Err(FieldErrors::single("name", "Search for a shorter name.").into());
    }
    let (mut items, total) = load_page(&ctx, name, page).await?;
    if let Some(order_id) = req.query.order_id {
        let ids: Vec<ProviderId> = items.iter().map(|item| item.id).collect();
        let unable_providers =
            delivery_checks::load_providers_unable_to_deliver(&mut ctx.db(), order_id, &ids).await?;
        items.retain(|item| !unable_providers.contains(&item.id));
        add_offers(&ctx, order_id, &mut items).await?;
    }
    let last_page = ((total + PAGE_SIZE - 1) / PAGE_SIZE).max(1);
    Ok(AvailableProviders { items, current_page: page, last_page })
}

/// Adds the quantity and the margin of the order at each provider.
async fn add_offers(ctx: &Ctx, order_id: OrderId, items: &mut [AvailableProvider]) -> Result<()> {
    let to_price = |item: &AvailableProvider| ProviderPrice {
        price: item.source_price,
        currency: item.source_currency.clone(),
        pricing_per: item.source_pricing_per,
    };
    let prices: Vec<(ProviderId, ProviderPrice)> =
        items.iter().map(|item| (item.id, to_price(item))).collect();
    let offers = change_provider::load_offers(&mut ctx.db(), order_id, &prices).await?;
    for item in items {
        item.offer = offers.get(&item.id).copied();
    }
    Ok(())
}

/// Loads one page of available providers, sorted by name, and the total number of available providers.
async fn load_page(ctx: &Ctx, name: &str, page: i64) -> Result<(Vec<AvailableProvider>, i64)> {
    let from_and_where_sql = || {
        let sql = Sql::new(concat!(" FROM providers p WHERE ", provider_is_available!()));
        if name.is_empty() { sql } else { sql.push(" AND ").append(contains_text("p.name", name, ctx)) }
    };
    let (total,): (i64,) =
        (&mut ctx.db()).fetch_one(Sql::new("SELECT count(*)").append(from_and_where_sql())).await?;
    let sql = Sql::new("SELECT ")
        .push(PROVIDER_SELECT_LIST)
        .append(from_and_where_sql())
        .push(" ORDER BY p.name, p.id LIMIT ? OFFSET ?")
        .bind(PAGE_SIZE)
        .bind((page - 1) * PAGE_SIZE);
    Ok((
        (&mut ctx.db()).fetch_all::<PickerRow>(sql).await?.into_iter().map(into_available_provider).collect(),
        total,
    ))
}

/// Returns the available providers with the most services, and the external panels that a provider can use.
async fn get_collections(ctx: Ctx, _req: Req<GetProviderCollections>) -> Result<Data<ProviderCollections>> {
    let sql = Sql::new("SELECT ").push(PROVIDER_SELECT_LIST).push(concat!(
        " FROM providers p WHERE ",
        provider_is_available!(),
        " ORDER BY (SELECT count(*) FROM service_providers m WHERE m.provider_id = p.id) DESC, p.name, p.id LIMIT ?"
    ));
    let rows: Vec<PickerRow> = (&mut ctx.db()).fetch_all(sql.bind(TOP_PROVIDERS)).await?;
    let sql =
        Sql::new("SELECT id, name, currency FROM external_panels WHERE NOT is_archived ORDER BY name, id");
    let panels: Vec<(ExternalPanelId, String, String)> = (&mut ctx.db()).fetch_all(sql).await?;
    let rates = ExchangeRates::load(&mut ctx.db()).await?;
    let to_choice = |(id, name, currency)| ExternalPanelChoice { id, name, currency };
    Ok(Data {
        data: ProviderCollections {
            top_providers: rows.into_iter().map(into_available_provider).collect(),
            external_panels: panels.into_iter().map(to_choice).collect(),
            currency: rates.own_currency().to_owned(),
            exchange_rates: rates.by_currency().clone(),
        },
    })
}

const PROVIDER_SELECT_LIST: &str = "p.id, p.name, p.source_price, p.source_currency, p.source_pricing_per";

type PickerRow = (ProviderId, String, Money, String, i64);

fn into_available_provider(
    (id, name, source_price, source_currency, source_pricing_per): PickerRow,
) -> AvailableProvider {
    AvailableProvider { id, name, source_price, source_currency, source_pricing_per, offer: None }
}
