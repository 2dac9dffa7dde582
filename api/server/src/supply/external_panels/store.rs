//! Loads and writes external panels. The token is encrypted (sealed) for the id of its panel; only `supply::panels` decrypts it.

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_panels::{
    ExternalPanel, ExternalPanelActions, PanelStatus, PanelSync, PanelType, StatisticType,
};
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::{Time, Timestamp};
use panel_contract::permission::Permission;
use panel_contract::rejections::RejectionMessage;
use panel_domain::states::external_panels::PanelEvent;
use panel_kernel::error::{Error, Result};

use serde_json::json;

use crate::stores::external_panels;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::supply::external_panels::PANELS;
use crate::supply::external_panels::rules::{self, CurrencyUsage, ExternalPanelDraft, PanelAction};
use crate::supply::panels;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// The rejection messages of an external panel, which the database stores as JSON.
#[derive(Debug, Clone)]
struct StoredRejectionMessages(Vec<RejectionMessage>);

impl TryFrom<String> for StoredRejectionMessages {
    type Error = Error;

    fn try_from(json: String) -> Result<Self> {
        panels::parse_rejection_messages(&json).map(Self)
    }
}

/// A row of [`PANELS`] as the database returns it.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct ExternalPanelRow {
    id: ExternalPanelId,
    name: String,
    kind: PanelType,
    endpoint: String,
    api_token_is_set: bool,
    api_token_hint: Option<String>,
    currency: String,
    balance: Option<Money>,
    balance_at: Option<Time>,
    last_ok_at: Option<Time>,
    last_error: Option<String>,
    low_balance: Option<Money>,
    statistic_type: StatisticType,
    #[sqlx(flatten)]
    sync: PanelSync,
    resale_margin_ppm: Option<Fraction>,
    price_jump_ppm: Fraction,
    auto_recreate_orders_is_allowed: bool,
    #[sqlx(try_from = "String")]
    rejection_messages: StoredRejectionMessages,
    sync_failed: bool,
    is_archived: bool,
    status: PanelStatus,
    providers_count: i64,
    open_orders_count: i64,
    has_synced_packages: bool,
    is_in_settings: bool,
    created_at: Time,
    updated_at: Timestamp,
}

impl ExternalPanelRow {
    pub(super) fn into_external_panel(self, scope: &Scope) -> ExternalPanel {
        let may_manage = scope.has_permission(Permission::ManageExternalPanels);
        let is_used = self.providers_count > 0
            || self.open_orders_count > 0
            || self.has_synced_packages
            || self.is_in_settings;
        let is_allowed =
            |action| may_manage && rules::check_action(self.is_archived, is_used, action).is_ok();
        ExternalPanel {
            actions: ExternalPanelActions {
                editable: is_allowed(PanelAction::Edit),
                archivable: is_allowed(PanelAction::Archive),
                restore: is_allowed(PanelAction::Unarchive),
                show_billing: may_manage,
                import_packages: is_allowed(PanelAction::Edit),
            },
            id: self.id,
            name: self.name,
            kind: self.kind,
            type_label: rules::type_label(self.kind).into(),
            favicon: rules::favicon_url(&self.endpoint),
            endpoint: self.endpoint,
            api_token_is_set: self.api_token_is_set,
            api_token_hint: self.api_token_hint,
            balance_is_low: self
                .balance
                .zip(self.low_balance)
                .is_some_and(|(balance, threshold)| balance < threshold),
            currency: self.currency,
            balance: self.balance,
            balance_at: self.balance_at,
            last_ok_at: self.last_ok_at,
            last_error: self.last_error,
            low_balance: self.low_balance,
            statistic_type: self.statistic_type,
            sync: self.sync,
            resale_margin_fraction: self.resale_margin_ppm,
            price_jump_fraction: self.price_jump_ppm,
            auto_recreate_orders_is_allowed: self.auto_recreate_orders_is_allowed,
            rejection_messages: self.rejection_messages.0,
            sync_failed: self.sync_failed,
            is_archived: self.is_archived,
            status: rules::displayed_status(self.is_archived, self.status),
            providers_count: self.providers_count,
            open_orders_count: self.open_orders_count,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

/// The current values of an external panel whose row is locked.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct LockedPanel {
    name: String,
    kind: PanelType,
    endpoint: String,
    currency: String,
    statistic_type: StatisticType,
    #[sqlx(flatten)]
    sync: PanelSync,
    resale_margin_ppm: Option<Fraction>,
    price_jump_ppm: Fraction,
    low_balance: Option<Money>,
    auto_recreate_orders_is_allowed: bool,
    #[sqlx(try_from = "String")]
    rejection_messages: StoredRejectionMessages,
    pub(super) token_is_set: bool,
    pub(super) is_archived: bool,
    pub(super) updated_at: Timestamp,
}

impl LockedPanel {
    pub(super) fn to_draft(&self) -> ExternalPanelDraft {
        ExternalPanelDraft {
            name: self.name.clone(),
            kind: self.kind,
            endpoint: self.endpoint.clone(),
            currency: self.currency.clone(),
            statistic_type: self.statistic_type,
            sync: self.sync,
            resale_margin_fraction: self.resale_margin_ppm,
            price_jump_fraction: self.price_jump_ppm,
            low_balance: self.low_balance,
            auto_recreate_orders_is_allowed: self.auto_recreate_orders_is_allowed,
            rejection_messages: self.rejection_messages.0.clone(),
        }
    }
}

/// Loads one external panel; 404 if it does not exist.
pub(super) async fn load_panel(
    db: &mut impl SqlExecutor,
    scope: &Scope,
    id: ExternalPanelId,
) -> Result<ExternalPanel> {
    let into_panel = |record: ExternalPanelRow, scope: &Scope| record.into_external_panel(scope);
    let panel = table::load_rows_from(db, scope, &PANELS, &[id], into_panel).await?.pop();
    panel.ok_or_else(|| Error::not_found("external panel", id))
}

/// Locks and loads an external panel; 404 if it does not exist.
pub(super) async fn lock_panel(work: &mut UnitOfWork, id: ExternalPanelId) -> Result<LockedPanel> {
    let sql = Sql::new(
        "SELECT name, type AS kind, endpoint, currency, COALESCE(statistic_type, 'remains') AS statistic_type, sync_services, sync_packages,
           sync_prices, sync_labels, sync_name, sync_meta, sync_service_details, sync_description, sync_short_description, sync_reviews, sync_params,
           resale_margin_ppm, price_jump_ppm, low_balance, auto_recreate_orders_is_allowed, rejection_messages, api_token_sealed IS NOT NULL AS token_is_set, is_archived,
           updated_at FROM external_panels WHERE id = ?",
    );
    let panel = work.fetch_optional(sql.bind(id).for_update()).await?;
    panel.ok_or_else(|| Error::not_found("external panel", id))
}

/// Loads which amounts are stored in the currency of an external panel.
pub(super) async fn load_currency_usage(
    db: &mut impl SqlExecutor,
    id: ExternalPanelId,
) -> Result<CurrencyUsage> {
    let sql = Sql::new(concat!(
        "SELECT EXISTS (SELECT 1 FROM external_panel_orders a WHERE a.external_panel_id = ? AND ",
        attempt_is!(unfinished, "a"),
        "), EXISTS (SELECT 1 FROM external_panel_orders a WHERE a.external_panel_id = ?
             AND (a.charge <> 0 OR a.initial_charge <> 0)),
           EXISTS (SELECT 1 FROM external_panel_payments b WHERE b.external_panel_id = ?)",
    ));
    let (has_open_orders, has_charges, has_payments) = db.fetch_one(sql.bind(id).bind(id).bind(id)).await?;
    Ok(CurrencyUsage { has_open_orders, has_charges, has_payments })
}

/// SQL expression for the time since which services of an external panel count as new (see `new_services`). If the server has
/// already stored services of the panel, this is the bound time; otherwise NULL, and the first sync sets the time.
pub(in crate::supply) const NEW_SERVICES_SINCE: &str =
    "(SELECT CASE WHEN EXISTS (SELECT 1 FROM external_panel_services k
  WHERE k.external_panel_id = external_panels.id) THEN CAST(? AS BIGINT) END)";

/// The INSERT, and the UPDATE without its WHERE clause, of all fields of the draft.
fn insert_and_update_sql(draft: &ExternalPanelDraft, timestamp: Timestamp) -> [Sql; 2] {
    let ExternalPanelDraft {
        name,
        kind,
        endpoint,
        currency,
        statistic_type,
        sync,
        resale_margin_fraction,
        price_jump_fraction,
        low_balance,
        auto_recreate_orders_is_allowed,
        rejection_messages,
    } = draft;
    sql!(
        [
            "INSERT INTO external_panels (name, type, endpoint, currency, statistic_type, resale_margin_ppm, price_jump_ppm, \
               low_balance,
               auto_recreate_orders_is_allowed, rejection_messages, sync_services, sync_packages, sync_prices, sync_labels, \
               sync_name, sync_meta,
               sync_service_details, sync_description, sync_short_description, sync_reviews, sync_params, created_at, updated_at)
             VALUES (@name, @type, @endpoint, @currency, @statistic_type, @resale_margin_ppm, @price_jump_ppm, @low_balance, \
               @auto_recreate_orders_is_allowed, @rejection_messages, @sync_services, @sync_packages, @sync_prices, @sync_labels, \
               @sync_name, @sync_meta, @sync_service_details, @sync_description, @sync_short_description, @sync_reviews, \
               @sync_params, @now, @timestamp) RETURNING id",
            "UPDATE external_panels SET name = @name, type = @type, endpoint = @endpoint, currency = @currency, \
               statistic_type = @statistic_type, resale_margin_ppm = @resale_margin_ppm, price_jump_ppm = @price_jump_ppm,
               low_balance = @low_balance, auto_recreate_orders_is_allowed = @auto_recreate_orders_is_allowed, \
               rejection_messages = @rejection_messages, sync_services = @sync_services, sync_packages = @sync_packages, \
               sync_prices = @sync_prices, sync_labels = @sync_labels, sync_name = @sync_name,
               sync_meta = @sync_meta, sync_service_details = @sync_service_details, sync_description = @sync_description, \
               sync_short_description = @sync_short_description, sync_reviews = @sync_reviews, sync_params = @sync_params, \
               updated_at = @timestamp",
        ],
        {
            name: name.as_str(),
            type: kind.as_str(),
            endpoint: endpoint.as_str(),
            currency: currency.as_str(),
            statistic_type: statistic_type.as_str(),
            resale_margin_ppm: resale_margin_fraction,
            price_jump_ppm: price_jump_fraction,
            low_balance,
            auto_recreate_orders_is_allowed,
            rejection_messages: json!(rejection_messages).to_string(),
            sync_services: sync.sync_services,
            sync_packages: sync.sync_packages,
            sync_prices: sync.sync_prices,
            sync_labels: sync.sync_labels,
            sync_name: sync.sync_name,
            sync_meta: sync.sync_meta,
            sync_service_details: sync.sync_service_details,
            sync_description: sync.sync_description,
            sync_short_description: sync.sync_short_description,
            sync_reviews: sync.sync_reviews,
            sync_params: sync.sync_params,
            timestamp,
        },
        bound_later: [now],
    )
}

/// Inserts an external panel without its token, because the encryption of the token needs the id.
pub(super) async fn insert_panel(
    work: &mut UnitOfWork,
    draft: &ExternalPanelDraft,
) -> Result<ExternalPanelId> {
    let [insert_sql, _] = insert_and_update_sql(draft, work.timestamp());
    Ok(work.fetch_one::<(ExternalPanelId,)>(insert_sql.bind_named("now", work.now)).await?.0)
}

/// Updates the external panel. A changed low balance threshold resets the notification, so that staff are notified again.
pub(super) async fn update_panel(
    work: &mut UnitOfWork,
    id: ExternalPanelId,
    old: &ExternalPanelDraft,
    new: &ExternalPanelDraft,
) -> Result<()> {
    let [_, mut sql] = insert_and_update_sql(new, work.timestamp());
    if new.low_balance != old.low_balance {
        sql = sql.push(", low_balance_alerted_at = NULL");
    }
    if new.endpoint != old.endpoint || !new.sync.sync_services {
        // Another endpoint may sell other services. Its first list of services is the base for finding new services later.
        sql = sql.push(", sync_services_at = NULL");
    } else if !old.sync.sync_services {
        sql = sql.push(", sync_services_at = ").push(NEW_SERVICES_SINCE).bind(work.now);
    }
    if new.currency != old.currency {
        sql = sql.push(", balance = NULL");
    }
    if new.endpoint != old.endpoint || new.currency != old.currency {
        // NULL makes the next balance poll due immediately and discards the response to a poll that is running now.
        sql = sql.push(", balance_at = NULL");
    }
    work.execute(sql.push(" WHERE id = ?").bind(id)).await?;
    Ok(())
}

/// Encrypts and stores a token. Clears the time and the error of the last balance poll, which used the old token.
pub(super) async fn store_token(work: &mut UnitOfWork, id: ExternalPanelId, token: &str) -> Result<()> {
    let sealed_token = panels::seal_token(&work.scope().platform, id, token)?;
    let timestamp = work.timestamp();
    let sql = Sql::new(
        "UPDATE external_panels SET api_token_sealed = ?, api_token_hint = ?, balance_at = NULL, last_error = NULL, updated_at = ?
         WHERE id = ?",
    );
    work.execute(sql.bind(sealed_token).bind(rules::token_hint(token)).bind(timestamp).bind(id)).await?;
    external_panels::apply_event(work, id, PanelEvent::SetToken).await?.ignore_superseded();
    Ok(())
}
