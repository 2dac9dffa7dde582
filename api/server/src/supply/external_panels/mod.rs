//! External panels, where orders are placed: create, edit and archive them. `ask` validates endpoints and tokens, `account`
//! requests an account.

mod account;
mod ask;
pub mod icon;
mod list;
mod presets;
mod refusals;
mod rules;
mod store;

pub use list::PANELS;
use refusals::forbidden_address;

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
use crate::supply::external_panels::rules::{ExternalPanelDraft, PanelAction};
use crate::supply::external_panels::store::ExternalPanelRow;
use panel_contract::dictionary::CURRENCIES;
use panel_platform::outbound::OutboundError;
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.table::<ListExternalPanels, _, _>(&PANELS, |record: ExternalPanelRow, ctx| record.shown(ctx))
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
        StatisticType::Remains => choice(kind.as_str(), "The remaining quantity that the panel reports"),
        StatisticType::Charge => choice(kind.as_str(), "The amount that the panel charged"),
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
    let (draft, errors) = ExternalPanelDraft::default().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    let token = wrong.record(required_token(req.body.api_token.as_deref()))?.unwrap_or_default();
    if !draft.endpoint.is_empty() {
        wrong.record(check_address(&ctx, &draft.endpoint).await)?;
    }
    wrong.or(())?;
    let mut work = ctx.begin().await?;
    let id = store::insert(&mut work, &draft).await?;
    store::put_token(&mut work, id, &token).await?;
    let changed = ChangedRecord {
        action: ChangeAction::Created,
        model: ChangeModel::ExternalPanel,
        id: id.record(),
        name: &draft.name,
    };
    changes::record(&mut work, changed, &json!({}), &change_log_values(&draft, Some("set"))).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateExternalPanel>) -> Result<Data<ExternalPanel>> {
    let (id, input) = (req.path, &req.body);
    let mut wrong = WrongFields::default();
    let token = wrong.record(rules::token(input.api_token.as_deref()))?.flatten();
    if let Some(Ok(endpoint)) = input.endpoint.as_deref().map(rules::endpoint) {
        // Checked before the transaction, because it resolves the host name and no lock may wait for that.
        wrong.record(check_address(&ctx, &endpoint).await)?;
    }
    let mut work = ctx.begin().await?;
    let services = lock_services(&mut work, id).await?;
    let current = store::lock(&mut work, id).await?;
    Error::check_not_stale("panel", input.updated_at, current.updated_at)?;
    rules::check_action(current.is_archived, false, PanelAction::Edit)?;
    let before = current.draft();
    let (after, errors) = before.clone().with(input);
    wrong.record(errors.or(()))?;
    let has_new_token = input.api_token.as_deref().is_some_and(|text| !text.trim().is_empty());
    wrong.record(rules::check_token_kept(
        &before.endpoint,
        &after.endpoint,
        current.token_is_set,
        has_new_token,
    ))?;
    wrong.or(())?;
    if token.is_some() {
        confirmation::require_for(&ctx)?;
    }
    if after.currency != before.currency {
        rules::check_currency_change(&before.currency, store::currency_uses(&mut work, id).await?)?;
    }
    if after != before {
        store::write(&mut work, id, &before, &after).await?;
    }
    if let Some(token) = &token {
        store::put_token(&mut work, id, token).await?;
    }
    available::update_availability(&mut work, &services).await?;
    let token_before = current.token_is_set.then_some("set");
    let token_after = if token.is_some() { Some("entered anew") } else { token_before };
    let changed = ChangedRecord {
        action: ChangeAction::Updated,
        model: ChangeModel::ExternalPanel,
        id: id.record(),
        name: &after.name,
    };
    changes::record(
        &mut work,
        changed,
        &change_log_values(&before, token_before),
        &change_log_values(&after, token_after),
    )
    .await?;
    answer(work, id).await
}

/// Adds one message. It sends nothing again: an unknown attempt stays unknown until it is resolved.
async fn add_rejection_message(ctx: Ctx, req: Req<AddRejectionMessage>) -> Result<Data<ExternalPanel>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    let current = store::lock(&mut work, id).await?;
    rules::check_action(current.is_archived, false, PanelAction::Edit)?;
    let before = current.draft();
    let after = ExternalPanelDraft {
        rejection_messages: messages::add_message(&before.rejection_messages, &req.body)??,
        ..before.clone()
    };
    store::write(&mut work, id, &before, &after).await?;
    let token = current.token_is_set.then_some("set");
    let changed = ChangedRecord {
        action: ChangeAction::Updated,
        model: ChangeModel::ExternalPanel,
        id: id.record(),
        name: &after.name,
    };
    changes::record(
        &mut work,
        changed,
        &change_log_values(&before, token),
        &change_log_values(&after, token),
    )
    .await?;
    answer(work, id).await
}

async fn set_archived(ctx: Ctx, id: ExternalPanelId, is_archived: bool) -> Result<Data<ExternalPanel>> {
    let mut work = ctx.begin().await?;
    let services = lock_services(&mut work, id).await?;
    let current = store::lock(&mut work, id).await?;
    EXTERNAL_PANEL.check(current.is_archived, is_archived)?;
    if is_archived {
        uses::refuse_if_used(&mut work, &uses::OF_EXTERNAL_PANEL, id).await?;
    }
    let costs = least_margin::of_services(&mut work, &services).await?;
    EXTERNAL_PANEL.save(&mut work, (id, &current.draft().name), is_archived).await?;
    // A restored panel makes its providers available, which may raise the costs of services.
    least_margin::check_costs(&mut work, (&costs, "id"), &services, true).await?;
    available::update_availability(&mut work, &services).await?;
    answer(work, id).await
}

/// Locks the services that depend on the panel. They are locked before the panel.
async fn lock_services(work: &mut UnitOfWork, id: ExternalPanelId) -> Result<Vec<ServiceId>> {
    let services = available::of_panel(work, id).await?;
    available::lock(work, &services).await?;
    Ok(services)
}

/// The token of a new panel, which is required.
fn required_token(input: Option<&str>) -> Result<String> {
    rules::token(input)?.ok_or_else(|| {
        Error::invalid("api_token", "token_missing", "Enter the token that the panel gave you.")
    })
}

/// Checks that the rules for outgoing requests allow the address.
async fn check_address(ctx: &Ctx, endpoint: &str) -> Result<()> {
    match ctx.app.outbound.check_storable_address(endpoint).await {
        Ok(_) => Ok(()),
        Err(OutboundError::Refused(why)) => {
            Err(Error::invalid("endpoint", "endpoint_refused", forbidden_address(&why)))
        }
        Err(error) => Err(Error::Fault(error.to_string())),
    }
}

/// The values for the change log. Of the token it contains only whether one is set.
fn change_log_values(draft: &ExternalPanelDraft, token: Option<&str>) -> Value {
    let mut values = json!(draft);
    values["api_token"] = json!(token);
    values
}

async fn answer(mut work: UnitOfWork, id: ExternalPanelId) -> Result<Data<ExternalPanel>> {
    let ctx = work.scope().clone();
    let data = store::find(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}
