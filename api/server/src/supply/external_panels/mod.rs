//! External panels: where we order. Made, changed and put away here; what their tokens open is asked in `ask`, for an
//! account in `account`.

mod account;
mod ask;
pub mod icon;
mod messages;
mod presets;
mod rules;
mod store;

pub(in crate::supply) use store::NEW_SINCE;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data};
use panel_contract::endpoints::external_panels::{
    AddRejectionMessage, ArchiveExternalPanel, CreateExternalAccount, CreateExternalPanel,
    ExternalPanelCollectionsOp, GetExternalPanel, ListExternalPanels, ListPresetPanels,
    ShowExternalPanelIcon, UnarchiveExternalPanel, UpdateExternalPanel, ValidateExternalPanel,
};
use panel_contract::external_panels::{
    ExternalPanel, ExternalPanelCollections, PanelStatus, PanelType, PresetPanel, StatisticType,
};
use panel_contract::rejections::RejectionReason;
use serde_json::{Value, json};

use crate::auth::confirmation;
use crate::catalogue::change_logs::Noted;
use crate::catalogue::record;
use crate::catalogue::uses::{self, use_of_external_panel};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::wrong_fields::WrongFields;
use crate::http::{Ctx, Req};
use crate::operations::least_margin;
use crate::operations::payment_methods::rules::CURRENCIES;
use crate::outbound::OutboundError;
use crate::supply::available;
use crate::supply::external_panels::rules::{Draft, Move};
use crate::supply::external_panels::store::Record;
use crate::table::{Arm, Column, Index, Kind, Table};
use crate::words_of;
use crate::work::Work;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListExternalPanels, _, _>(&PANELS, |record: Record, ctx| record.shown(ctx))
        .on::<CreateExternalPanel, _, _, _>(create)
        .on::<ExternalPanelCollectionsOp, _, _, _>(collections)
        .on::<ListPresetPanels, _, _, _>(preset_panels)
        .on::<ValidateExternalPanel, _, _, _>(ask::validate)
        .on::<CreateExternalAccount, _, _, _>(account::create)
        .on::<GetExternalPanel, _, _, _>(get)
        .raw::<ShowExternalPanelIcon, _, _>(icon::show)
        .on::<UpdateExternalPanel, _, _, _>(update)
        .on::<AddRejectionMessage, _, _, _>(add_rejection_message)
        .on::<ArchiveExternalPanel, _, _, _>(archive)
        .on::<UnarchiveExternalPanel, _, _, _>(unarchive)
}

/// How a panel does.
macro_rules! status {
    () => {
        "(CASE WHEN e.is_archived THEN 'archived' ELSE e.status END)"
    };
}
macro_rules! providers {
    () => {
        "(SELECT count(*) FROM providers p WHERE p.external_panel_id = e.id AND NOT p.is_archived)"
    };
}
macro_rules! open_orders {
    () => {
        "(SELECT count(*) FROM external_panel_orders a WHERE a.external_panel_id = e.id AND a.status IN ('Creating', 'Pending', 'In progress', 'Processing'))"
    };
}

/// Texts of external panels.
pub static PANEL_TEXTS: Index = Index::rows("external_panels", &["name", "endpoint"]);

/// All external panels, newest first.
pub static PANELS: Table = Table {
    name: "external-panels",
    base: "external_panels",
    alias: "e",
    key: "e.id",
    scope: None,
    joins: &[],
    select: concat!(
        "e.id, e.name, e.type AS kind, e.endpoint, e.api_token_sealed IS NOT NULL AS api_token_is_set, e.api_token_hint, e.currency, e.balance, e.balance_at,
  e.last_ok_at, e.last_error, e.low_balance, COALESCE(e.statistic_type, 'remains') AS statistic_type, e.sync_services, e.sync_packages, e.sync_prices,
  e.sync_labels, e.sync_name, e.sync_meta, e.sync_service_details, e.sync_description, e.sync_short_description, e.sync_reviews, e.sync_params,
  e.resale_margin_ppm, e.price_jump_ppm, e.auto_recreate_orders_is_allowed, e.rejection_messages, e.sync_failed, e.is_archived, e.status, e.created_at, e.updated_at, ",
        providers!(),
        " AS providers_count, ",
        open_orders!(),
        " AS open_orders_count, EXISTS (SELECT 1 FROM packages k JOIN provider_packages y ON y.id = k.provider_package_id WHERE y.external_panel_id = e.id AND k.sync AND NOT k.is_archived) AS is_followed, EXISTS (",
        use_of_external_panel!(settings, "e.id"),
        ") AS is_in_settings"
    ),
    columns: &[
        Column::new("id", "e.id", Kind::Id),
        Column::new("name", "e.name", Kind::Text),
        Column::new("type", "e.type", words_of!(PanelType)),
        Column::new("status", status!(), words_of!(PanelStatus)),
        Column::new(
            "statistic_type",
            "COALESCE(e.statistic_type, 'remains')",
            words_of!(StatisticType),
        ),
        Column::new("endpoint", "e.endpoint", Kind::Text),
        // The last characters of a token are all that can be read of it.
        Column::new("api_token_hint", "e.api_token_hint", Kind::Text).nullable(),
        Column::new("api_token", "e.api_token_hint", Kind::Text).nullable().hidden(),
        Column::new("currency", "e.currency", Kind::Exact),
        Column::new("balance", "e.balance", Kind::Money).nullable(),
        Column::new("balance_at", "e.balance_at", Kind::Time).nullable(),
        Column::new("low_balance", "e.low_balance", Kind::Money).nullable(),
        Column::new("last_ok_at", "e.last_ok_at", Kind::Time).nullable(),
        Column::new("last_error", "e.last_error", Kind::Text).nullable(),
        Column::new("sync_failed", "e.sync_failed", Kind::Flag),
        Column::new("auto_recreate_orders_is_allowed", "e.auto_recreate_orders_is_allowed", Kind::Flag),
        Column::new("is_archived", "e.is_archived", Kind::Flag),
        Column::new("providers_count", providers!(), Kind::Number),
        Column::new("open_orders_count", open_orders!(), Kind::Number),
        Column::new("created_at", "e.created_at", Kind::Time),
        Column::new("updated_at", "e.updated_at", Kind::Time),
    ],
    plain: &[],
    common: &[Arm::new("e.id", &PANEL_TEXTS, "name").here(&["e.name", "e.endpoint"])],
    order: &[],
    kept: None,
};

async fn collections(
    _ctx: Ctx,
    _req: Req<ExternalPanelCollectionsOp>,
) -> Result<Data<ExternalPanelCollections>> {
    let choice = |kind: &str, label: &str| Choice { kind: kind.into(), label: label.into() };
    let statistics = StatisticType::ALL.iter().map(|kind| match kind {
        StatisticType::Remains => choice(kind.as_str(), "What the panel says remains"),
        StatisticType::Charge => choice(kind.as_str(), "What the panel charged"),
    });
    let data = ExternalPanelCollections {
        currencies: CURRENCIES.iter().map(|code| choice(code, code)).collect(),
        statistic_types: statistics.collect(),
        types: PanelType::ALL.iter().map(|kind| choice(kind.as_str(), rules::label(*kind))).collect(),
        rejection_reasons: RejectionReason::ALL
            .iter()
            .map(|reason| choice(reason.as_str(), messages::label(*reason)))
            .collect(),
    };
    Ok(Data { data })
}

async fn preset_panels(_ctx: Ctx, _req: Req<ListPresetPanels>) -> Result<Data<Vec<PresetPanel>>> {
    Ok(Data { data: presets::all() })
}

async fn get(ctx: Ctx, req: Req<GetExternalPanel>) -> Result<Data<ExternalPanel>> {
    Ok(Data { data: store::find(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateExternalPanel>) -> Result<Data<ExternalPanel>> {
    let (draft, errors) = Draft::default().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    let token = wrong.note(first_token(req.body.api_token.as_deref()))?.unwrap_or_default();
    if !draft.endpoint.is_empty() {
        wrong.note(admitted(&ctx, &draft.endpoint).await)?;
    }
    wrong.or(())?;
    let mut work = ctx.begin().await?;
    let id = store::insert(&mut work, &draft).await?;
    store::put_token(&mut work, id, &token).await?;
    let noted =
        Noted { action: ChangeAction::Created, model: ChangeModel::ExternalPanel, id, name: &draft.name };
    record::tell(&mut work, noted, &json!({}), &told(&draft, Some("set"))).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateExternalPanel>) -> Result<Data<ExternalPanel>> {
    let (id, input) = (req.path, &req.body);
    let mut wrong = WrongFields::default();
    let token = wrong.note(rules::token(input.api_token.as_deref()))?.flatten();
    if let Some(Ok(endpoint)) = input.endpoint.as_deref().map(rules::endpoint) {
        // A name is looked up, and no lock waits for that.
        wrong.note(admitted(&ctx, &endpoint).await)?;
    }
    let mut work = ctx.begin().await?;
    let services = lock_services(&mut work, id).await?;
    let kept = store::lock(&mut work, id).await?;
    ApiError::unless_newest("panel", input.updated_at, kept.updated_at)?;
    rules::judge(kept.is_archived, false, Move::Edit)?;
    let before = kept.draft();
    let (after, errors) = before.clone().with(input);
    wrong.note(errors.or(()))?;
    let is_given = input.api_token.as_deref().is_some_and(|text| !text.trim().is_empty());
    wrong.note(rules::token_stays(&before.endpoint, &after.endpoint, kept.token_is_set, is_given))?;
    wrong.or(())?;
    if token.is_some() {
        confirmation::require_for(&ctx)?;
    }
    if after.currency != before.currency {
        rules::judge_currency(&before.currency, store::currency_uses(&mut work, id).await?)?;
    }
    if after != before {
        store::write(&mut work, id, &before, &after).await?;
    }
    if let Some(token) = &token {
        store::put_token(&mut work, id, token).await?;
    }
    available::follow(&mut work, &services).await?;
    let was = kept.token_is_set.then_some("set");
    let is = if token.is_some() { Some("entered anew") } else { was };
    let noted =
        Noted { action: ChangeAction::Updated, model: ChangeModel::ExternalPanel, id, name: &after.name };
    record::tell(&mut work, noted, &told(&before, was), &told(&after, is)).await?;
    answer(work, id).await
}

/// Adds one message. Nothing is sent again by it: an attempt that is unknown stays so until it is resolved.
async fn add_rejection_message(ctx: Ctx, req: Req<AddRejectionMessage>) -> Result<Data<ExternalPanel>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    let current = store::lock(&mut work, id).await?;
    rules::judge(current.is_archived, false, Move::Edit)?;
    let before = current.draft();
    let after = Draft {
        rejection_messages: messages::taught(&before.rejection_messages, &req.body)??,
        ..before.clone()
    };
    store::write(&mut work, id, &before, &after).await?;
    let token = current.token_is_set.then_some("set");
    let noted =
        Noted { action: ChangeAction::Updated, model: ChangeModel::ExternalPanel, id, name: &after.name };
    record::tell(&mut work, noted, &told(&before, token), &told(&after, token)).await?;
    answer(work, id).await
}

async fn archive(ctx: Ctx, req: Req<ArchiveExternalPanel>) -> Result<Data<ExternalPanel>> {
    put_away(ctx, req.path, Move::Archive).await
}

async fn unarchive(ctx: Ctx, req: Req<UnarchiveExternalPanel>) -> Result<Data<ExternalPanel>> {
    put_away(ctx, req.path, Move::Unarchive).await
}

async fn put_away(ctx: Ctx, id: i64, action: Move) -> Result<Data<ExternalPanel>> {
    let mut work = ctx.begin().await?;
    let services = lock_services(&mut work, id).await?;
    let kept = store::lock(&mut work, id).await?;
    rules::judge(kept.is_archived, false, action)?;
    let away = action == Move::Archive;
    if away {
        uses::unless_used(&mut work, &uses::OF_EXTERNAL_PANEL, id).await?;
    }
    let costs = least_margin::of_services(&mut work, &services).await?;
    rules::SHELF.put(&mut work, (id, &kept.draft().name), away).await?;
    // A panel that comes back makes its providers available, and so may make services dearer.
    least_margin::check_costs(&mut work, (&costs, "id"), &services, true).await?;
    available::follow(&mut work, &services).await?;
    answer(work, id).await
}

/// The services that hang on the panel, locked before it is.
async fn lock_services(work: &mut Work, id: i64) -> Result<Vec<i64>> {
    let services = available::of_panel(work, id).await?;
    available::lock(work, &services).await?;
    Ok(services)
}

/// A new panel needs its token.
fn first_token(input: Option<&str>) -> Result<String> {
    rules::token(input)?.ok_or_else(|| {
        ApiError::invalid("api_token", "token_missing", "Enter the token that the panel gave you.")
    })
}

/// Whether an address may be called, in the guard's words.
async fn admitted(ctx: &Ctx, endpoint: &str) -> Result<()> {
    match ctx.app.outbound.admits(endpoint).await {
        Ok(_) => Ok(()),
        Err(OutboundError::Refused(why)) => {
            Err(ApiError::invalid("endpoint", "endpoint_refused", refused(&why)))
        }
        Err(error) => Err(ApiError::Fault(error.to_string())),
    }
}

/// The guard's words in a sentence.
fn refused(why: &str) -> String {
    format!("This address may not be called: {why}.")
}

/// As the trail shows it: of the token only that there is one.
fn told(draft: &Draft, token: Option<&str>) -> Value {
    let mut told = json!(draft);
    told["api_token"] = json!(token);
    told
}

async fn answer(mut work: Work, id: i64) -> Result<Data<ExternalPanel>> {
    let ctx = work.ctx().clone();
    let data = store::find(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}
