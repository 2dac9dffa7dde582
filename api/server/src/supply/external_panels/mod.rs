//! The endpoints that create, edit and archive external panels, at which the server places orders. `connection_check` validates
//! endpoints and tokens, and `account` requests an account.

mod account;
mod connection_check;
mod forbidden_address;
pub mod icon;
mod list;
mod presets;
mod rules;
mod store;

use forbidden_address::forbidden_address_message;
pub use list::PANELS;

pub(in crate::supply) use store::NEW_SERVICES_SINCE;

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data};
use panel_contract::endpoints::external_panels::{
    AddRejectionMessage, ArchiveExternalPanel, CreateExternalAccount, CreateExternalPanel, GetExternalPanel,
    GetExternalPanelCollections, ListExternalPanels, ListPresetPanels, ShowExternalPanelIcon,
    UnarchiveExternalPanel, UpdateExternalPanel, ValidateExternalPanel,
};
use panel_contract::external_panels::{
    ExternalPanel, ExternalPanelCollections, PanelPreset, PanelType, StatisticType,
};
use panel_contract::ids::{ExternalPanelId, ServiceId};
use panel_contract::rejections::RejectionReason;
use panel_domain::reseller_protocol::rejection_messages;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::{Value, json};

use crate::auth::confirmation;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::pricing::available;
use crate::pricing::minimum_margin;
use crate::records::archivable_kinds::EXTERNAL_PANEL;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::references;
use crate::supply::external_panels::rules::{ExternalPanelDraft, PanelAction};
use crate::supply::external_panels::store::ExternalPanelRow;
use panel_contract::dictionary::CURRENCIES;
use panel_platform::outbound::OutboundError;
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.list_route::<ListExternalPanels, _, _>(&PANELS, |record: ExternalPanelRow, ctx| {
        record.into_external_panel(ctx)
    })
    .route::<CreateExternalPanel, _, _, _>(create)
    .route::<GetExternalPanelCollections, _, _, _>(get_collections)
    .route::<ListPresetPanels, _, _, _>(list_presets)
    .route::<ValidateExternalPanel, _, _, _>(connection_check::validate)
    .route::<CreateExternalAccount, _, _, _>(account::create)
    .route::<GetExternalPanel, _, _, _>(get)
    .route_with_response::<ShowExternalPanelIcon, _, _>(icon::show)
    .route::<UpdateExternalPanel, _, _, _>(update)
    .route::<AddRejectionMessage, _, _, _>(add_rejection_message)
    .archive_endpoints_with_handler::<ArchiveExternalPanel, UnarchiveExternalPanel, _, _, _>(set_archived)
}

async fn get_collections(
    _ctx: Ctx,
    _req: Req<GetExternalPanelCollections>,
) -> Result<Data<ExternalPanelCollections>> {
    let to_choice = |kind: &str, label: &str| Choice { kind: kind.into(), label: label.into() };
    let statistics = StatisticType::ALL.iter().map(|kind| match kind {
        StatisticType::Remains => {
            to_choice(kind.as_str(), "The remaining quantity that the external panel reports")
        }
        StatisticType::Charge => to_choice(kind.as_str(), "The amount that the external panel charged"),
    });
    let data = ExternalPanelCollections {
        currencies: CURRENCIES.iter().map(|code| to_choice(code, code)).collect(),
        statistic_types: statistics.collect(),
        types: PanelType::ALL.iter().map(|kind| to_choice(kind.as_str(), rules::type_label(*kind))).collect(),
        rejection_reasons: RejectionReason::ALL
            .iter()
            .map(|reason| to_choice(reason.as_str(), rejection_messages::reason_label(*reason)))
            .collect(),
    };
    Ok(Data { data })
}

async fn list_presets(_ctx: Ctx, _req: Req<ListPresetPanels>) -> Result<Data<Vec<PanelPreset>>> {
    Ok(Data { data: presets::preset_panels() })
}

async fn get(ctx: Ctx, req: Req<GetExternalPanel>) -> Result<Data<ExternalPanel>> {
    Ok(Data { data: store::load_panel(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateExternalPanel>) -> Result<Data<ExternalPanel>> {
    let (draft, errors) = ExternalPanelDraft::default().apply_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    let token =
        field_errors.collect(validate_required_token(req.body.api_token.as_deref()))?.unwrap_or_default();
    if !draft.endpoint.is_empty() {
        field_errors.collect(check_address(&ctx, &draft.endpoint).await)?;
    }
    field_errors.into_result(())?;
    let mut work = ctx.begin().await?;
    let id = store::insert_panel(&mut work, &draft).await?;
    store::store_token(&mut work, id, &token).await?;
    let changed_record = ChangedRecord {
        action: ChangeAction::Created,
        model: ChangeModel::ExternalPanel,
        id: id.as_record_id(),
        name: &draft.name,
    };
    changes::record(&mut work, changed_record, &json!({}), &change_log_values(&draft, Some("set"))).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateExternalPanel>) -> Result<Data<ExternalPanel>> {
    let (id, input) = (req.path, &req.body);
    let mut field_errors = FieldErrorCollector::default();
    let token = field_errors.collect(rules::validate_token(input.api_token.as_deref()))?.flatten();
    if let Some(Ok(endpoint)) = input.endpoint.as_deref().map(rules::normalize_endpoint) {
        // The check resolves the host name. It runs before the transaction, because no lock may be held during a DNS request.
        field_errors.collect(check_address(&ctx, &endpoint).await)?;
    }
    let mut work = ctx.begin().await?;
    let services = lock_services(&mut work, id).await?;
    let current = store::lock_panel(&mut work, id).await?;
    Error::check_not_stale("panel", input.updated_at, current.updated_at)?;
    rules::check_action(current.is_archived, false, PanelAction::Edit)?;
    let old_draft = current.to_draft();
    let (new_draft, errors) = old_draft.clone().apply_input(input);
    field_errors.collect(errors.into_result(()))?;
    let has_new_token = input.api_token.as_deref().is_some_and(|text| !text.trim().is_empty());
    field_errors.collect(rules::check_token_resubmitted(
        &old_draft.endpoint,
        &new_draft.endpoint,
        current.token_is_set,
        has_new_token,
    ))?;
    field_errors.into_result(())?;
    if token.is_some() {
        confirmation::require_unless_dry_run(&ctx)?;
    }
    if new_draft.currency != old_draft.currency {
        rules::check_currency_change(&old_draft.currency, store::load_currency_usage(&mut work, id).await?)?;
    }
    if new_draft != old_draft {
        store::update_panel(&mut work, id, &old_draft, &new_draft).await?;
    }
    if let Some(token) = &token {
        store::store_token(&mut work, id, token).await?;
    }
    available::update_availability(&mut work, &services).await?;
    let old_token_state = current.token_is_set.then_some("set");
    let new_token_state = if token.is_some() { Some("entered anew") } else { old_token_state };
    let changed_record = ChangedRecord {
        action: ChangeAction::Updated,
        model: ChangeModel::ExternalPanel,
        id: id.as_record_id(),
        name: &new_draft.name,
    };
    changes::record(
        &mut work,
        changed_record,
        &change_log_values(&old_draft, old_token_state),
        &change_log_values(&new_draft, new_token_state),
    )
    .await?;
    commit_and_respond(work, id).await
}

/// Adds one message to the rejection messages of the external panel. The server sends no order again: an attempt with an unknown
/// outcome stays unknown.
async fn add_rejection_message(ctx: Ctx, req: Req<AddRejectionMessage>) -> Result<Data<ExternalPanel>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    let current = store::lock_panel(&mut work, id).await?;
    rules::check_action(current.is_archived, false, PanelAction::Edit)?;
    let old_draft = current.to_draft();
    let new_draft = ExternalPanelDraft {
        rejection_messages: rejection_messages::add_message(&old_draft.rejection_messages, &req.body)??,
        ..old_draft.clone()
    };
    store::update_panel(&mut work, id, &old_draft, &new_draft).await?;
    let token_state = current.token_is_set.then_some("set");
    let changed_record = ChangedRecord {
        action: ChangeAction::Updated,
        model: ChangeModel::ExternalPanel,
        id: id.as_record_id(),
        name: &new_draft.name,
    };
    changes::record(
        &mut work,
        changed_record,
        &change_log_values(&old_draft, token_state),
        &change_log_values(&new_draft, token_state),
    )
    .await?;
    commit_and_respond(work, id).await
}

async fn set_archived(ctx: Ctx, id: ExternalPanelId, is_archived: bool) -> Result<Data<ExternalPanel>> {
    let mut work = ctx.begin().await?;
    let services = lock_services(&mut work, id).await?;
    let current = store::lock_panel(&mut work, id).await?;
    EXTERNAL_PANEL.check_transition(current.is_archived, is_archived)?;
    if is_archived {
        references::reject_if_used(&mut work, &references::TO_EXTERNAL_PANEL, id).await?;
    }
    let lowest_prices = minimum_margin::load_lowest_prices(&mut work, &services).await?;
    EXTERNAL_PANEL.save(&mut work, (id, &current.to_draft().name), is_archived).await?;
    // The providers of a restored external panel become available, which may raise the costs of services.
    minimum_margin::check_after_cost_change(&mut work, (&lowest_prices, "id"), &services, true).await?;
    available::update_availability(&mut work, &services).await?;
    commit_and_respond(work, id).await
}

/// Locks the services that have a provider at the external panel. The caller must lock the panel after this, never before.
async fn lock_services(work: &mut UnitOfWork, id: ExternalPanelId) -> Result<Vec<ServiceId>> {
    let services = available::load_services_of_panel(work, id).await?;
    available::lock_services(work, &services).await?;
    Ok(services)
}

/// Validates the token of a new external panel, which is required.
fn validate_required_token(input: Option<&str>) -> Result<String> {
    rules::validate_token(input)?.ok_or_else(|| {
        Error::invalid(
            "api_token",
            "token_missing",
            "Enter the API token that you received from the external panel.",
        )
    })
}

/// Checks that the rules for outgoing requests allow the address.
async fn check_address(ctx: &Ctx, endpoint: &str) -> Result<()> {
    match ctx.app.outbound.check_url_before_storing(endpoint).await {
        Ok(_) => Ok(()),
        Err(OutboundError::ForbiddenAddress(reason)) => {
            Err(Error::invalid("endpoint", "endpoint_rejected", forbidden_address_message(&reason)))
        }
        Err(error) => Err(Error::Internal(error.to_string())),
    }
}

/// Returns the values for the change log. They show whether a token is set, but never contain the token.
fn change_log_values(draft: &ExternalPanelDraft, token_state: Option<&str>) -> Value {
    let mut values = json!(draft);
    values["api_token"] = json!(token_state);
    values
}

async fn commit_and_respond(mut work: UnitOfWork, id: ExternalPanelId) -> Result<Data<ExternalPanel>> {
    let ctx = work.scope().clone();
    let data = store::load_panel(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}
