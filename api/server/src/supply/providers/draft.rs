//! The editable fields of a provider, as the store writes them and the audit trail shows them: loaded with a lock, changed by the
//! rules, and written as a whole.

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Patch;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ExternalPanelId, ProviderId, ServiceId};
use panel_contract::moment::Stamp;
use panel_contract::providers::{ProviderInput, ProviderStatus, ProviderType};
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::json;

use crate::pricing::available;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::stores::{archivables, providers};
use panel_domain::fields;
use panel_domain::states::providers::is_settable;
use panel_platform::db::{Source, Sql, Val};
use panel_platform::settings;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Characters of a text at most.
const MAX_TEXT: usize = 255;
/// Services of one provider at most.
const MAX_SERVICES: usize = 1_000;
/// Highest price, in millionths of the currency unit.
const MAX_PRICE: Money = Money(1_000_000_000_000);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub(super) struct ProviderDraft {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: ProviderType,
    pub(super) external_panel_id: Option<ExternalPanelId>,
    pub(super) external_panel_service_id: Option<String>,
    pub(super) source_price: Money,
    /// ISO code; empty if not set yet.
    pub(super) source_currency: String,
    pub(super) source_pricing_per: i64,
    pub(super) status: ProviderStatus,
    pub(super) source_event: Option<String>,
    pub(super) target_event: Option<String>,
    pub(super) is_archived: bool,
    /// Sorted by id.
    #[sqlx(skip)]
    pub(super) services: Vec<ServiceId>,
}

impl Default for ProviderDraft {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: ProviderType::ExternalPanel,
            external_panel_id: None,
            external_panel_service_id: None,
            source_price: Money::ZERO,
            source_currency: String::new(),
            source_pricing_per: 1_000,
            status: ProviderStatus::Active,
            source_event: None,
            target_event: None,
            is_archived: false,
            services: Vec::new(),
        }
    }
}

// Rules

impl ProviderDraft {
    /// Applies an input; returns the new draft and the field errors.
    pub(super) fn with(mut self, input: &ProviderInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            self.name = name.trim().to_owned();
        }
        if self.name.is_empty() {
            errors.add("name", "The name field is required.");
        } else if let Err(message) = fields::fits(&self.name, MAX_TEXT) {
            errors.add("name", message);
        }
        self.apply_source(&mut errors, input);
        self.apply_price(&mut errors, input);
        match input.status {
            None => {}
            Some(status) if status == self.status => {}
            Some(status) if is_settable(self.status, status) => self.status = status,
            Some(_) => errors
                .add("status", "Set active or disabled. To archive the provider, use the archive action."),
        }
        fields::text(&mut errors, "source_event", &input.source_event, &mut self.source_event, MAX_TEXT);
        fields::text(&mut errors, "target_event", &input.target_event, &mut self.target_event, MAX_TEXT);
        if let Some(services) = &input.services {
            let unique: BTreeSet<ServiceId> = services.iter().copied().collect();
            self.services = unique.into_iter().collect();
            if services.len() > MAX_SERVICES {
                errors.add("services", format!("Give at most {MAX_SERVICES} services."));
            }
        }
        (self, errors)
    }

    /// The field to report if a change raises the costs of services.
    pub(super) fn cost_field(&self, before: &Self) -> &'static str {
        let price =
            |draft: &Self| (draft.source_price, draft.source_currency.clone(), draft.source_pricing_per);
        match (price(self) != price(before), self.services != before.services) {
            (true, _) => "source_price",
            (false, true) => "services",
            (false, false) => "status",
        }
    }

    /// Applies the type and its panel fields. Only the type `external_panel` has panel fields.
    fn apply_source(&mut self, errors: &mut FieldErrors, input: &ProviderInput) {
        let is_new = self.external_panel_id.is_none() && self.source_currency.is_empty();
        match input.kind {
            Some(kind) if kind != self.kind && !is_new => {
                errors.add(
                    "type",
                    "The type of a provider cannot be changed. Create another provider instead.",
                );
            }
            Some(kind) => self.kind = kind,
            None => {}
        }
        if self.kind != ProviderType::ExternalPanel {
            let message = "Only providers of the type external_panel have this field. Leave it out.";
            if matches!(input.external_panel_id, Patch::Set(_)) {
                errors.add("external_panel_id", message);
            }
            if matches!(input.external_panel_service_id, Patch::Set(_)) {
                errors.add("external_panel_service_id", message);
            }
            return;
        }
        let (panel, service) = (&input.external_panel_id, &input.external_panel_service_id);
        fields::some_id(errors, "external_panel_id", panel, &mut self.external_panel_id);
        fields::text(errors, "external_panel_service_id", service, &mut self.external_panel_service_id, 100);
        if self.external_panel_id.is_none() {
            errors.add("external_panel_id", "Choose the external panel that delivers.");
        }
        if self.external_panel_service_id.is_none() {
            errors.add("external_panel_service_id", "Enter the id of the service at the external panel.");
        }
    }

    fn apply_price(&mut self, errors: &mut FieldErrors, input: &ProviderInput) {
        match input.source_price {
            Some(price) if price < Money::ZERO || price > MAX_PRICE => {
                errors.add("source_price", format!("Give an amount from 0 to {MAX_PRICE}."));
            }
            Some(price) => self.source_price = price,
            None => {}
        }
        if let Some(currency) = &input.source_currency {
            let currency = currency.trim();
            if currency.len() == 3 && currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
                currency.clone_into(&mut self.source_currency);
            } else {
                errors.add("source_currency", "Give a currency as three capital letters, such as USD.");
            }
        }
        let per = input.source_pricing_per;
        fields::whole(errors, "source_pricing_per", per, &mut self.source_pricing_per, 1..=1_000_000);
    }
}

// Store

const COLUMNS: &str = "name, type AS kind, external_panel_id, external_panel_service_id, source_price, source_currency, source_pricing_per, status,
  source_event, target_event, is_archived";

#[derive(sqlx::FromRow)]
struct ProviderRow {
    #[sqlx(flatten)]
    draft: ProviderDraft,
    updated_at: Stamp,
}

#[derive(sqlx::FromRow)]
struct PanelRow {
    currency: String,
    is_archived: bool,
}

impl ProviderDraft {
    /// Locks and loads an existing provider. The caller locks its services first: see [`available::lock`].
    pub(super) async fn lock(work: &mut UnitOfWork, id: ProviderId) -> Result<(Self, Stamp)> {
        let sql = Sql::new("SELECT ").push(COLUMNS).push(", updated_at FROM providers WHERE id = ?");
        let row: Option<ProviderRow> = work.opt(sql.bind(id).for_update()).await?;
        let row = row.ok_or_else(|| Error::not_found("provider", id))?;
        let mut draft = row.draft;
        draft.services = available::of_provider(work, id).await?;
        Ok((draft, row.updated_at))
    }

    /// Checks that the referenced records exist. Without a currency in the input, the panel's applies. `per` is the
    /// `source_pricing_per` of the input; without it, the panel's applies.
    pub(super) async fn check(
        &mut self,
        work: &mut UnitOfWork,
        (id, before): (Option<ProviderId>, &Self),
        per: Option<i64>,
    ) -> Result<()> {
        let mut errors = FieldErrors::default();
        self.check_per(work, &mut errors, before, per).await?;
        let mut currency = None;
        if let Some(panel) = self.external_panel_id {
            let sql = Sql::new("SELECT currency, is_archived FROM external_panels WHERE id = ?");
            match work.opt::<PanelRow>(sql.bind(panel)).await? {
                None => errors.add("external_panel_id", format!("There is no external panel {panel}.")),
                Some(found) if found.is_archived && before.external_panel_id != Some(panel) => {
                    errors.add("external_panel_id", "This external panel is archived. Restore it first.");
                }
                Some(found) => currency = Some(found.currency),
            }
        }
        if self.source_currency.is_empty() {
            self.source_currency = match currency {
                Some(currency) => currency,
                None => settings::currency(work).await?,
            };
        }
        if self.panel_service() != before.panel_service()
            && let Some(name) = self.find_duplicate(work, id).await?
        {
            let message = format!("The provider {name} already has this service.");
            errors.add("external_panel_service_id", message);
        }
        let new: Vec<ServiceId> =
            self.services.iter().copied().filter(|service| !before.services.contains(service)).collect();
        let found = Sql::new("SELECT id FROM services WHERE NOT is_archived AND id IN ").ids(&new);
        let found: Vec<(ServiceId,)> = if new.is_empty() { Vec::new() } else { work.all(found).await? };
        if let Some(missing) = new.iter().find(|service| !found.contains(&(**service,))) {
            errors.add("services", format!("There is no service {missing}, or it is archived."));
        }
        Ok(errors.or(())?)
    }

    /// The price must be for the same number of units as the panel's price, because a sync copies the panel's price unchanged.
    async fn check_per(
        &mut self,
        work: &mut UnitOfWork,
        errors: &mut FieldErrors,
        before: &Self,
        requested: Option<i64>,
    ) -> Result<()> {
        let is_new = self.panel_service() != before.panel_service();
        let (Some(panel), Some(service)) = self.panel_service() else { return Ok(()) };
        if !is_new && self.source_pricing_per == before.source_pricing_per {
            return Ok(());
        }
        let sql = Sql::new(
            "SELECT pricing_per FROM external_panel_services WHERE external_panel_id = ? AND external_panel_service_id = ?",
        );
        let listed: Option<(i64,)> = work.opt(sql.bind(panel).bind(service)).await?;
        match listed {
            Some((per,)) if requested.is_none() && is_new => self.source_pricing_per = per,
            Some((per,)) if per != self.source_pricing_per => {
                let message = format!(
                    "The panel's price of this service is for {per} units. Enter the price for {per} units."
                );
                errors.add("source_pricing_per", message);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn panel_service(&self) -> (Option<ExternalPanelId>, Option<&str>) {
        (self.external_panel_id, self.external_panel_service_id.as_deref())
    }

    /// The name of another provider, not archived, for the same service of the same panel.
    async fn find_duplicate(&self, work: &mut UnitOfWork, id: Option<ProviderId>) -> Result<Option<String>> {
        let (Some(panel), Some(service)) = self.panel_service() else { return Ok(None) };
        let sql = Sql::new(
            "SELECT name, id FROM providers WHERE external_panel_id = ? AND external_panel_service_id = ? AND id <> ? AND NOT is_archived
             ORDER BY id LIMIT 1",
        );
        let sql = sql.bind(panel).bind(service).bind(id.map_or(0, ProviderId::get));
        let duplicate: Option<(String, ProviderId)> = work.opt(sql).await?;
        Ok(duplicate.map(|(name, id)| format!("{name} ({id})")))
    }

    /// Inserts the provider and returns its id.
    pub(super) async fn insert(&self, work: &mut UnitOfWork) -> Result<ProviderId> {
        let now = work.stamp();
        let sql = Sql::new(
            "INSERT INTO providers (name, type, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id",
        );
        let sql = sql.bind(&*self.name).bind(self.kind.as_str()).bind(now).bind(now);
        let (id,): (ProviderId,) = work.one(sql).await?;
        self.write(work, id, &Self::default()).await?;
        Ok(id)
    }

    /// Updates the provider; `before` is its locked current version.
    pub(super) async fn write(&self, work: &mut UnitOfWork, id: ProviderId, before: &Self) -> Result<()> {
        let becomes_inactive = before.is_on() && !self.is_on();
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
                updated_at: work.stamp(),
                id,
            },
        );
        work.exec(sql).await?;
        // The row has been locked since `before` was read.
        if self.status != before.status {
            providers::set_status(work, id, self.status).await?.ignore_superseded();
        }
        if self.is_archived != before.is_archived {
            let stamp = work.stamp();
            archivables::set_archived(work, "providers", id, self.is_archived, stamp)
                .await?
                .ignore_superseded();
        }
        self.write_services(work, id, before).await
    }

    fn is_on(&self) -> bool {
        self.status == ProviderStatus::Active && !self.is_archived
    }

    /// Writes the links to services. At new services the provider comes last. Updates `updated_at` of the changed services, so that
    /// an open editor of one gets a 409.
    async fn write_services(&self, work: &mut UnitOfWork, id: ProviderId, before: &Self) -> Result<()> {
        let difference = |these: &Self, those: &Self| -> Vec<ServiceId> {
            these.services.iter().copied().filter(|service| !those.services.contains(service)).collect()
        };
        let (added, removed) = (difference(self, before), difference(before, self));
        if !removed.is_empty() {
            let sql = Sql::new("DELETE FROM service_providers WHERE provider_id = ? AND service_id IN ");
            work.exec(sql.bind(id).ids(&removed)).await?;
        }
        if !added.is_empty() {
            let rows: Vec<Vec<Val>> = added.iter().map(|service| vec![(*service).into()]).collect();
            let sql = Sql::new(
                "INSERT INTO service_providers (service_id, provider_id, position)
                 SELECT r.id, ?, (SELECT COALESCE(max(m.position) + 1, 0) FROM service_providers m WHERE m.service_id = r.id) FROM ",
            );
            work.exec(sql.bind(id).rows("r", &["id"], rows)).await?;
        }
        let changed = [added, removed].concat();
        if !changed.is_empty() {
            let sql = Sql::new("UPDATE services SET updated_at = ? WHERE id IN ");
            work.exec(sql.bind(work.stamp()).ids(&changed)).await?;
        }
        Ok(())
    }

    /// Records the change in the change log.
    pub(super) async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: ProviderId,
        before: &Self,
    ) -> Result<()> {
        let changed =
            ChangedRecord { action, model: ChangeModel::Provider, id: id.record(), name: &self.name };
        changes::record(work, changed, &json!(before), &json!(self)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> ProviderInput {
        serde_json::from_str(text).unwrap()
    }

    fn wrong(draft: ProviderDraft, text: &str) -> Vec<String> {
        draft.with(&input(text)).1.0.into_keys().collect()
    }

    #[test]
    fn each_type_accepts_only_its_fields() {
        let new = ProviderDraft::default;
        assert_eq!(wrong(new(), "{}"), ["external_panel_id", "external_panel_service_id", "name"]);
        assert_eq!(wrong(new(), r#"{"name":"A","type":"manual"}"#), [""; 0]);
        assert_eq!(
            wrong(
                new(),
                r#"{"name":"A","type":"manual","external_panel_id":1,"external_panel_service_id":"7"}"#
            ),
            ["external_panel_id", "external_panel_service_id"]
        );
        let existing = ProviderDraft {
            name: "A".into(),
            kind: ProviderType::Manual,
            source_currency: "USD".into(),
            ..new()
        };
        assert_eq!(wrong(existing, r#"{"type":"external_panel"}"#), ["type"], "the type cannot be changed");
    }

    #[test]
    fn names_fields_out_of_bounds() {
        let text = r#"{"name":"A","type":"manual","source_price":"-1","source_currency":"usd","source_pricing_per":0,"status":"error"}"#;
        assert_eq!(
            wrong(ProviderDraft::default(), text),
            ["source_currency", "source_price", "source_pricing_per", "status"]
        );
        let failed = ProviderDraft { status: ProviderStatus::Error, ..ProviderDraft::default() };
        assert_eq!(
            wrong(failed, r#"{"name":"A","type":"manual","status":"error"}"#),
            [""; 0],
            "unchanged status"
        );
    }
}
