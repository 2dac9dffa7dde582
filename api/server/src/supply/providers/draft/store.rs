//! Locks, loads, checks and writes the editable fields of a provider.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, ProviderId, ServiceId};
use panel_contract::moment::Timestamp;
use panel_contract::providers::ProviderStatus;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::ProviderDraft;
use crate::pricing::available;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::stores::{archive_state, providers};
use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::work::UnitOfWork;
use panel_platform::{settings, sql};

const DRAFT_SELECT_LIST: &str = "name, type AS kind, external_panel_id, external_panel_service_id, source_price, source_currency, source_pricing_per, status,
  source_event, target_event, is_archived";

#[derive(sqlx::FromRow)]
struct ProviderRow {
    #[sqlx(flatten)]
    draft: ProviderDraft,
    updated_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct PanelRow {
    currency: String,
    is_archived: bool,
}

impl ProviderDraft {
    /// Locks and loads an existing provider. The caller must have locked its services before: see [`available::lock_services`].
    pub(in crate::supply::providers) async fn lock(
        work: &mut UnitOfWork,
        id: ProviderId,
    ) -> Result<(Self, Timestamp)> {
        let sql =
            Sql::new("SELECT ").push(DRAFT_SELECT_LIST).push(", updated_at FROM providers WHERE id = ?");
        let row: Option<ProviderRow> = work.fetch_optional(sql.bind(id).for_update()).await?;
        let row = row.ok_or_else(|| Error::not_found("provider", id))?;
        let mut draft = row.draft;
        draft.services = available::load_services_of_provider(work, id).await?;
        Ok((draft, row.updated_at))
    }

    /// Checks that the referenced records exist. If the input has no currency, the currency of the external panel applies.
    /// `pricing_per` is the `source_pricing_per` of the input; if it is `None`, the value of the external panel's service applies.
    pub(in crate::supply::providers) async fn check_references(
        &mut self,
        work: &mut UnitOfWork,
        (id, old_draft): (Option<ProviderId>, &Self),
        pricing_per: Option<i64>,
    ) -> Result<()> {
        let mut errors = FieldErrors::default();
        self.check_pricing_per(work, &mut errors, old_draft, pricing_per).await?;
        let mut panel_currency = None;
        if let Some(panel) = self.external_panel_id {
            let sql = Sql::new("SELECT currency, is_archived FROM external_panels WHERE id = ?");
            match work.fetch_optional::<PanelRow>(sql.bind(panel)).await? {
                None => errors.add("external_panel_id", format!("There is no external panel {panel}.")),
                Some(row) if row.is_archived && old_draft.external_panel_id != Some(panel) => {
                    errors.add("external_panel_id", "This external panel is archived. Restore it first.");
                }
                Some(row) => panel_currency = Some(row.currency),
            }
        }
        if self.source_currency.is_empty() {
            self.source_currency = match panel_currency {
                Some(currency) => currency,
                None => settings::read_currency(work).await?,
            };
        }
        if self.panel_service() != old_draft.panel_service()
            && let Some(name) = self.load_duplicate_name(work, id).await?
        {
            let message = format!("The provider {name} already has this service of the external panel.");
            errors.add("external_panel_service_id", message);
        }
        let added_services: Vec<ServiceId> =
            self.services.iter().copied().filter(|service| !old_draft.services.contains(service)).collect();
        let sql = Sql::new("SELECT id FROM services WHERE NOT is_archived AND id IN ").ids(&added_services);
        let existing_services: Vec<(ServiceId,)> =
            if added_services.is_empty() { Vec::new() } else { work.fetch_all(sql).await? };
        if let Some(missing_service) =
            added_services.iter().find(|service| !existing_services.contains(&(**service,)))
        {
            errors.add("services", format!("There is no service {missing_service}, or it is archived."));
        }
        Ok(errors.into_result(())?)
    }

    /// Checks that the price covers the same number of units as the price of the external panel, because a sync copies that price
    /// unchanged.
    async fn check_pricing_per(
        &mut self,
        work: &mut UnitOfWork,
        errors: &mut FieldErrors,
        old_draft: &Self,
        requested_pricing_per: Option<i64>,
    ) -> Result<()> {
        let is_new = self.panel_service() != old_draft.panel_service();
        let (Some(panel), Some(service)) = self.panel_service() else { return Ok(()) };
        if !is_new && self.source_pricing_per == old_draft.source_pricing_per {
            return Ok(());
        }
        let sql = Sql::new(
            "SELECT pricing_per FROM external_panel_services WHERE external_panel_id = ? AND external_panel_service_id = ?",
        );
        let panel_pricing_per: Option<(i64,)> = work.fetch_optional(sql.bind(panel).bind(service)).await?;
        match panel_pricing_per {
            Some((pricing_per,)) if requested_pricing_per.is_none() && is_new => {
                self.source_pricing_per = pricing_per
            }
            Some((pricing_per,)) if pricing_per != self.source_pricing_per => {
                let message = format!(
                    "The external panel's price covers {pricing_per} units. Enter the price for {pricing_per} units."
                );
                errors.add("source_pricing_per", message);
            }
            _ => {}
        }
        Ok(())
    }

    pub(in crate::supply::providers) fn panel_service(&self) -> (Option<ExternalPanelId>, Option<&str>) {
        (self.external_panel_id, self.external_panel_service_id.as_deref())
    }

    /// Loads the name and id of another provider for the same service of the same external panel. Archived providers do not count.
    async fn load_duplicate_name(
        &self,
        work: &mut UnitOfWork,
        id: Option<ProviderId>,
    ) -> Result<Option<String>> {
        let (Some(panel), Some(service)) = self.panel_service() else { return Ok(None) };
        let sql = Sql::new(
            "SELECT name, id FROM providers WHERE external_panel_id = ? AND external_panel_service_id = ? AND id <> ? AND NOT is_archived
             ORDER BY id LIMIT 1",
        );
        let sql = sql.bind(panel).bind(service).bind(id.map_or(0, ProviderId::get));
        let duplicate: Option<(String, ProviderId)> = work.fetch_optional(sql).await?;
        Ok(duplicate.map(|(name, id)| format!("{name} ({id})")))
    }

    pub(in crate::supply::providers) async fn insert(&self, work: &mut UnitOfWork) -> Result<ProviderId> {
        let now = work.timestamp();
        let sql = Sql::new(
            "INSERT INTO providers (name, type, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id",
        );
        let sql = sql.bind(&*self.name).bind(self.kind.as_str()).bind(now).bind(now);
        let (id,): (ProviderId,) = work.fetch_one(sql).await?;
        self.update_row(work, id, &Self::default()).await?;
        Ok(id)
    }

    /// Updates the provider. `old_draft` holds its current values; its row is locked.
    pub(in crate::supply::providers) async fn update_row(
        &self,
        work: &mut UnitOfWork,
        id: ProviderId,
        old_draft: &Self,
    ) -> Result<()> {
        let becomes_inactive = old_draft.is_enabled() && !self.is_enabled();
        let sql = sql!(
            "UPDATE providers SET name = @name, external_panel_id = @external_panel_id, \
               external_panel_service_id = @external_panel_service_id, source_price = @source_price, \
               source_currency = @source_currency,
               source_pricing_per = @source_pricing_per, source_event = @source_event, \
               target_event = @target_event,
               last_available_at = CASE WHEN @becomes_inactive THEN CAST(@now AS BIGINT) ELSE last_available_at END, \
               updated_at = @updated_at WHERE id = @id",
            {
                name: &*self.name,
                external_panel_id: self.external_panel_id,
                external_panel_service_id: self.external_panel_service_id.clone(),
                source_price: self.source_price,
                source_currency: &*self.source_currency,
                source_pricing_per: self.source_pricing_per,
                source_event: self.source_event.clone(),
                target_event: self.target_event.clone(),
                becomes_inactive,
                now: work.now,
                updated_at: work.timestamp(),
                id,
            },
        );
        work.execute(sql).await?;
        // The row has been locked since `old_draft` was loaded, so the status cannot have changed.
        if self.status != old_draft.status {
            providers::set_status(work, id, self.status).await?.ignore_superseded();
        }
        if self.is_archived != old_draft.is_archived {
            let timestamp = work.timestamp();
            archive_state::set_archived(work, "providers", id, self.is_archived, timestamp)
                .await?
                .ignore_superseded();
        }
        self.write_services(work, id, old_draft).await
    }

    fn is_enabled(&self) -> bool {
        self.status == ProviderStatus::Active && !self.is_archived
    }

    /// Writes the links to services. A new link gets the last position among the providers of its service. Also updates
    /// `updated_at` of the changed services, so that a staff member who opened the editor before the change gets a 409 error.
    async fn write_services(&self, work: &mut UnitOfWork, id: ProviderId, old_draft: &Self) -> Result<()> {
        let services_only_in = |left: &Self, right: &Self| -> Vec<ServiceId> {
            left.services.iter().copied().filter(|service| !right.services.contains(service)).collect()
        };
        let (added_services, removed_services) =
            (services_only_in(self, old_draft), services_only_in(old_draft, self));
        if !removed_services.is_empty() {
            let sql = Sql::new("DELETE FROM service_providers WHERE provider_id = ? AND service_id IN ");
            work.execute(sql.bind(id).ids(&removed_services)).await?;
        }
        if !added_services.is_empty() {
            let rows: Vec<Vec<Val>> = added_services.iter().map(|service| vec![(*service).into()]).collect();
            let sql = Sql::new(
                "INSERT INTO service_providers (service_id, provider_id, position)
                 SELECT r.id, ?, (SELECT COALESCE(max(m.position) + 1, 0) FROM service_providers m WHERE m.service_id = r.id) FROM ",
            );
            work.execute(sql.bind(id).rows("r", &["id"], rows)).await?;
        }
        let changed_services = [added_services, removed_services].concat();
        if !changed_services.is_empty() {
            let sql = Sql::new("UPDATE services SET updated_at = ? WHERE id IN ");
            work.execute(sql.bind(work.timestamp()).ids(&changed_services)).await?;
        }
        Ok(())
    }

    pub(in crate::supply::providers) async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: ProviderId,
        old_draft: &Self,
    ) -> Result<()> {
        let changed_record =
            ChangedRecord { action, model: ChangeModel::Provider, id: id.as_record_id(), name: &self.name };
        changes::record(work, changed_record, &json!(old_draft), &json!(self)).await
    }
}
