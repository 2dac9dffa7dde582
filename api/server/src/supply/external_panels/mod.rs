//! External panels: where we order. Made, changed and put away here; what their tokens open is asked in `ask`, for an
//! account in `account`.

mod account;
mod ask;
pub mod icon;
mod list;
mod presets;
mod refusals;
mod rules;
mod store;

pub use list::PANELS;
use refusals::refused;

pub(in crate::supply) use store::NEW_SINCE;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data};
use panel_contract::endpoints::external_panels::{
    AddRejectionMessage, ArchiveExternalPanel, CreateExternalAccount, CreateExternalPanel,
    ExternalPanelCollectionsOp, GetExternalPanel, ListExternalPanels, ListPresetPanels,
    ShowExternalPanelIcon, UnarchiveExternalPanel, UpdateExternalPanel, ValidateExternalPanel,
};
use panel_contract::external_panels::{
    ExternalPanel, ExternalPanelCollections, PanelType, PresetPanel, StatisticType,
};
use panel_contract::ids::{ExternalPanelId, ServiceId};
use panel_contract::rejections::RejectionReason;
use panel_domain::reseller_protocol::messages;
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde_json::{Value, json};

use crate::auth::confirmation;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::available;
use crate::pricing::least_margin;
use crate::records::archivables::EXTERNAL_PANEL;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::uses::{self};
use crate::supply::external_panels::rules::{Draft, Move};
use crate::supply::external_panels::store::Record;
use panel_contract::dictionary::CURRENCIES;
use panel_platform::outbound::OutboundError;
use panel_platform::work::Work;

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
        .archiving_by::<ArchiveExternalPanel, UnarchiveExternalPanel, _, _, _>(set_archived)
}

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
    let noted = ChangedRecord {
        action: ChangeAction::Created,
        model: ChangeModel::ExternalPanel,
        id: id.record(),
        name: &draft.name,
    };
    changes::note(&mut work, noted, &json!({}), &change_log_values(&draft, Some("set"))).await?;
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
    Error::unless_newest("panel", input.updated_at, kept.updated_at)?;
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
    let noted = ChangedRecord {
        action: ChangeAction::Updated,
        model: ChangeModel::ExternalPanel,
        id: id.record(),
        name: &after.name,
    };
    changes::note(&mut work, noted, &change_log_values(&before, was), &change_log_values(&after, is)).await?;
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
    let noted = ChangedRecord {
        action: ChangeAction::Updated,
        model: ChangeModel::ExternalPanel,
        id: id.record(),
        name: &after.name,
    };
    changes::note(&mut work, noted, &change_log_values(&before, token), &change_log_values(&after, token))
        .await?;
    answer(work, id).await
}

async fn set_archived(ctx: Ctx, id: ExternalPanelId, away: bool) -> Result<Data<ExternalPanel>> {
    let mut work = ctx.begin().await?;
    let services = lock_services(&mut work, id).await?;
    let kept = store::lock(&mut work, id).await?;
    EXTERNAL_PANEL.judge(kept.is_archived, away)?;
    if away {
        uses::unless_used(&mut work, &uses::OF_EXTERNAL_PANEL, id).await?;
    }
    let costs = least_margin::of_services(&mut work, &services).await?;
    EXTERNAL_PANEL.put(&mut work, (id, &kept.draft().name), away).await?;
    // A panel that comes back makes its providers available, and so may make services dearer.
    least_margin::check_costs(&mut work, (&costs, "id"), &services, true).await?;
    available::follow(&mut work, &services).await?;
    answer(work, id).await
}

/// The services that hang on the panel, locked before it is.
async fn lock_services(work: &mut Work, id: ExternalPanelId) -> Result<Vec<ServiceId>> {
    let services = available::of_panel(work, id).await?;
    available::lock(work, &services).await?;
    Ok(services)
}

/// A new panel needs its token.
fn first_token(input: Option<&str>) -> Result<String> {
    rules::token(input)?.ok_or_else(|| {
        Error::invalid("api_token", "token_missing", "Enter the token that the panel gave you.")
    })
}

/// Whether an address may be called, in the guard's words.
async fn admitted(ctx: &Ctx, endpoint: &str) -> Result<()> {
    match ctx.app.outbound.admits(endpoint).await {
        Ok(_) => Ok(()),
        Err(OutboundError::Refused(why)) => {
            Err(Error::invalid("endpoint", "endpoint_refused", refused(&why)))
        }
        Err(error) => Err(Error::Fault(error.to_string())),
    }
}

/// As the trail shows it: of the token only that there is one.
fn change_log_values(draft: &Draft, token: Option<&str>) -> Value {
    let mut change_log_values = json!(draft);
    change_log_values["api_token"] = json!(token);
    change_log_values
}

async fn answer(mut work: Work, id: ExternalPanelId) -> Result<Data<ExternalPanel>> {
    let ctx = work.scope().clone();
    let data = store::find(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}
