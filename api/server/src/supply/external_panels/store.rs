//! External panels in the database. A token is sealed for its own row and read by `supply::panels` only.

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_panels::{
    ExternalPanel, ExternalPanelActions, PanelStatus, PanelSync, PanelType, StatisticType,
};
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::{Stamp, Time};
use panel_contract::permission::Permission;
use panel_contract::rejections::RejectionMessage;
use panel_domain::states::external_panels::PanelEvent;
use panel_kernel::error::{Error, Result};

use serde_json::json;

use crate::stores::external_panels;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::supply::external_panels::PANELS;
use crate::supply::external_panels::rules::{self, CurrencyUses, ExternalPanelDraft, PanelAction};
use crate::supply::panels;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// The rejection messages of a panel; stored as JSON.
#[derive(Debug, Clone)]
struct Messages(Vec<RejectionMessage>);

impl TryFrom<String> for Messages {
    type Error = Error;

    fn try_from(stored: String) -> Result<Self> {
        panels::rejection_messages(&stored).map(Self)
    }
}

/// An external panel as lists read it.
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
    rejection_messages: Messages,
    sync_failed: bool,
    is_archived: bool,
    status: PanelStatus,
    providers_count: i64,
    open_orders_count: i64,
    is_followed: bool,
    is_in_settings: bool,
    created_at: Time,
    updated_at: Stamp,
}

impl ExternalPanelRow {
    pub(super) fn shown(self, scope: &Scope) -> ExternalPanel {
        let may = scope.may(Permission::ManageExternalPanels);
        let is_used =
            self.providers_count > 0 || self.open_orders_count > 0 || self.is_followed || self.is_in_settings;
        let allows = |action| may && rules::check_action(self.is_archived, is_used, action).is_ok();
        ExternalPanel {
            actions: ExternalPanelActions {
                editable: allows(PanelAction::Edit),
                archivable: allows(PanelAction::Archive),
                restore: allows(PanelAction::Unarchive),
                show_billing: may,
                import_packages: allows(PanelAction::Edit),
            },
            id: self.id,
            name: self.name,
            kind: self.kind,
            type_label: rules::label(self.kind).into(),
            favicon: rules::favicon(&self.endpoint),
            endpoint: self.endpoint,
            api_token_is_set: self.api_token_is_set,
            api_token_hint: self.api_token_hint,
            balance_is_low: self.balance.zip(self.low_balance).is_some_and(|(balance, low)| balance < low),
            currency: self.currency,
            balance: self.balance,
            balance_at: self.balance_at,
            last_ok_at: self.last_ok_at,
            last_error: self.last_error,
            low_balance: self.low_balance,
            statistic_type: self.statistic_type,
            sync: self.sync,
            resale_margin_percent: self.resale_margin_ppm,
            price_jump_percent: self.price_jump_ppm,
            auto_recreate_orders_is_allowed: self.auto_recreate_orders_is_allowed,
            rejection_messages: self.rejection_messages.0,
            sync_failed: self.sync_failed,
            is_archived: self.is_archived,
            status: rules::status(self.is_archived, self.status),
            providers_count: self.providers_count,
            open_orders_count: self.open_orders_count,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

/// The locked current version of a panel.
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
    rejection_messages: Messages,
    pub(super) token_is_set: bool,
    pub(super) is_archived: bool,
    pub(super) updated_at: Stamp,
}

impl LockedPanel {
    pub(super) fn draft(&self) -> ExternalPanelDraft {
        ExternalPanelDraft {
            name: self.name.clone(),
            kind: self.kind,
            endpoint: self.endpoint.clone(),
            currency: self.currency.clone(),
            statistic_type: self.statistic_type,
            sync: self.sync,
            resale_margin_percent: self.resale_margin_ppm,
            price_jump_percent: self.price_jump_ppm,
            low_balance: self.low_balance,
            auto_recreate_orders_is_allowed: self.auto_recreate_orders_is_allowed,
            rejection_messages: self.rejection_messages.0.clone(),
        }
    }
}

/// Loads one panel as lists show it.
pub(super) async fn find(db: &mut impl Source, scope: &Scope, id: ExternalPanelId) -> Result<ExternalPanel> {
    let shown = |record: ExternalPanelRow, scope: &Scope| record.shown(scope);
    let found = table::rows_from(db, scope, &PANELS, &[id], shown).await?.pop();
    found.ok_or_else(|| Error::not_found("external panel", id))
}

/// Locks and loads a panel.
pub(super) async fn lock(work: &mut UnitOfWork, id: ExternalPanelId) -> Result<LockedPanel> {
    let sql = Sql::new(
        "SELECT name, type AS kind, endpoint, currency, COALESCE(statistic_type, 'remains') AS statistic_type, sync_services, sync_packages,
           sync_prices, sync_labels, sync_name, sync_meta, sync_service_details, sync_description, sync_short_description, sync_reviews, sync_params,
           resale_margin_ppm, price_jump_ppm, low_balance, auto_recreate_orders_is_allowed, rejection_messages, api_token_sealed IS NOT NULL AS token_is_set, is_archived,
           updated_at FROM external_panels WHERE id = ?",
    );
    let found = work.opt(sql.bind(id).for_update()).await?;
    found.ok_or_else(|| Error::not_found("external panel", id))
}

/// Which amounts are stored in the currency of a panel.
pub(super) async fn currency_uses(db: &mut impl Source, id: ExternalPanelId) -> Result<CurrencyUses> {
    let sql = Sql::new(concat!(
        "SELECT EXISTS (SELECT 1 FROM external_panel_orders a WHERE a.external_panel_id = ? AND ",
        attempt_is!(live, "a"),
        "), EXISTS (SELECT 1 FROM external_panel_orders a WHERE a.external_panel_id = ?
             AND (a.charge <> 0 OR a.initial_charge <> 0)),
           EXISTS (SELECT 1 FROM external_panel_payments b WHERE b.external_panel_id = ?)",
    ));
    let (has_open_orders, has_charges, has_payments) = db.one(sql.bind(id).bind(id).bind(id)).await?;
    Ok(CurrencyUses { has_open_orders, has_charges, has_payments })
}

/// SQL expression for an update of a panel: the time from which its services count as new. It is the bound time if the panel's list
/// is stored already, else NULL, and the first sync sets it; see `new_services`.
pub(in crate::supply) const NEW_SINCE: &str =
    "(SELECT CASE WHEN EXISTS (SELECT 1 FROM external_panel_services k
  WHERE k.external_panel_id = external_panels.id) THEN CAST(? AS BIGINT) END)";

/// The INSERT and the UPDATE of the whole draft, without its condition.
fn statements(draft: &ExternalPanelDraft, stamp: Stamp) -> [Sql; 2] {
    let ExternalPanelDraft {
        name,
        kind,
        endpoint,
        currency,
        statistic_type,
        sync,
        resale_margin_percent,
        price_jump_percent,
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
               @sync_params, @now, @stamp) RETURNING id",
            "UPDATE external_panels SET name = @name, type = @type, endpoint = @endpoint, currency = @currency, \
               statistic_type = @statistic_type, resale_margin_ppm = @resale_margin_ppm, price_jump_ppm = @price_jump_ppm,
               low_balance = @low_balance, auto_recreate_orders_is_allowed = @auto_recreate_orders_is_allowed, \
               rejection_messages = @rejection_messages, sync_services = @sync_services, sync_packages = @sync_packages, \
               sync_prices = @sync_prices, sync_labels = @sync_labels, sync_name = @sync_name,
               sync_meta = @sync_meta, sync_service_details = @sync_service_details, sync_description = @sync_description, \
               sync_short_description = @sync_short_description, sync_reviews = @sync_reviews, sync_params = @sync_params, \
               updated_at = @stamp",
        ],
        {
            name: name.as_str(),
            type: kind.as_str(),
            endpoint: endpoint.as_str(),
            currency: currency.as_str(),
            statistic_type: statistic_type.as_str(),
            resale_margin_ppm: resale_margin_percent,
            price_jump_ppm: price_jump_percent,
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
            stamp,
        },
        later: [now],
    )
}

/// Inserts a panel without its token, which needs the id for sealing.
pub(super) async fn insert(work: &mut UnitOfWork, draft: &ExternalPanelDraft) -> Result<ExternalPanelId> {
    let [insert, _] = statements(draft, work.stamp());
    Ok(work.one::<(ExternalPanelId,)>(insert.named("now", work.now)).await?.0)
}

/// Updates the panel. A changed low balance resets its notification, so that staff are notified again.
pub(super) async fn write(
    work: &mut UnitOfWork,
    id: ExternalPanelId,
    before: &ExternalPanelDraft,
    after: &ExternalPanelDraft,
) -> Result<()> {
    let [_, mut sql] = statements(after, work.stamp());
    if after.low_balance != before.low_balance {
        sql = sql.push(", low_balance_told_at = NULL");
    }
    if after.endpoint != before.endpoint || !after.sync.sync_services {
        // Another endpoint may sell other services: its first list becomes the base for new services.
        sql = sql.push(", sync_services_at = NULL");
    } else if !before.sync.sync_services {
        sql = sql.push(", sync_services_at = ").push(NEW_SINCE).bind(work.now);
    }
    if after.currency != before.currency {
        sql = sql.push(", balance = NULL");
    }
    if after.endpoint != before.endpoint || after.currency != before.currency {
        // The balance is polled at once, and the answer to a running poll is discarded.
        sql = sql.push(", balance_at = NULL");
    }
    work.exec(sql.push(" WHERE id = ?").bind(id)).await?;
    Ok(())
}

/// Seals and stores a token. Clears the result of the old token.
pub(super) async fn put_token(work: &mut UnitOfWork, id: ExternalPanelId, token: &str) -> Result<()> {
    let sealed = panels::seal(&work.scope().platform, id, token)?;
    let stamp = work.stamp();
    let sql = Sql::new(
        "UPDATE external_panels SET api_token_sealed = ?, api_token_hint = ?, balance_at = NULL, last_error = NULL, updated_at = ?
         WHERE id = ?",
    );
    work.exec(sql.bind(sealed).bind(rules::hint(token)).bind(stamp).bind(id)).await?;
    external_panels::apply_event(work, id, PanelEvent::SetToken).await?.ignore_superseded();
    Ok(())
}
