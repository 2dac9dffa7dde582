//! The list of services, and the conversion of stored services to the API's types.

use std::time::Duration;

use panel_contract::amount::Money;
use panel_contract::common::{ArchivableActions, NamedRef};
use panel_contract::ids::{NetworkId, ProviderId, ServiceId, ServiceTypeId};
use panel_contract::moment::{DAY, Time};
use panel_contract::panel_service_types::PanelServiceType;
use panel_contract::permission::Permission;
use panel_contract::services::{Service, ServiceActions, ServiceRow};
use panel_kernel::error::{Error, Result};

use crate::catalogue::services::store::StoredService;
use crate::catalogue::targets::service_targets;
use crate::records::archivable_kinds::SERVICE;
use crate::records::joins::{FIRST_PANEL_NAME_SQL, SELECT_SERVICES_OF_PANELS};
use crate::records::references::service_reference;
use crate::records::search_texts;
use panel_platform::db::{Sql, SqlExecutor, names};
use panel_platform::scope::Scope;
use panel_platform::table::{self, Join, JoinTable, RowSource, SearchTarget, Table, base_column, expr};

/// The API reports a service whose providers have been unavailable for longer than this.
const LONG_UNAVAILABILITY: Duration = DAY;

pub static SERVICES: Table = Table::new(
    &panel_contract::lists::services::SERVICES,
    RowSource {
        base: "services",
        alias: "s",
        key: "s.id",
        joins: &[
            Join { alias: "t", sql: "JOIN service_types t ON t.id = s.service_type_id" },
            Join {
                alias: "n",
                sql: "JOIN networks n ON n.id = (SELECT network_id FROM service_types WHERE id = s.service_type_id)",
            },
        ],
        select: SERVICE_SELECT_LIST,
        ..RowSource::NONE
    },
    &[
        base_column("name").text_index("s.id", &search_texts::SERVICES, "name"),
        expr("service_type.id", "s.service_type_id"),
        expr("service_type.name", "t.name").join("t"),
        expr("network", "n.name").join("n"),
        expr("network.id", "n.id").join("n"),
        expr("network.name", "n.name").join("n"),
        expr("has_no_active_providers", "(NOT s.has_active_providers)"),
        expr("external_panels", FIRST_PANEL_NAME_SQL)
            .text_index("s.id", &search_texts::EXTERNAL_PANELS, "name")
            .through_join_table(SELECT_SERVICES_OF_PANELS, "v.external_panel_id"),
    ],
)
.global_search(&[
    SearchTarget::new("s.id", &search_texts::SERVICES, "name").own_columns(&["s.name"]),
    SearchTarget::new("s.service_type_id", &search_texts::SERVICE_TYPES, "service_type.name"),
    SearchTarget::new("s.service_type_id", &search_texts::NETWORKS, "network.name").through_join_table(NETWORK_OF_TYPE),
]);

pub(super) const SERVICE_SELECT_LIST: &str = concat!(
    "s.id, s.name, s.service_type_id AS type_id, t.name AS type_name, n.id AS network_id, n.name AS network_name,
  s.default_price, s.min_price, s.pricing_per, s.min_quantity, s.max_quantity, s.quantity_step, s.is_enabled, s.is_archived,
  s.moderation_is_enabled, s.has_refill, s.drip_feed_is_allowed, s.has_active_providers, s.panel_service_type, s.created_at,
  (SELECT string_agg(q.name, ', ') FROM (SELECT DISTINCT e.name FROM service_providers x JOIN providers v ON v.id = x.provider_id
    JOIN external_panels e ON e.id = v.external_panel_id WHERE x.service_id = s.id AND NOT v.is_archived ORDER BY e.name) q) AS external_panels, ",
    service_reference!(any, "s.id", "@now"),
    " AS is_used"
);

pub(super) fn actions(is_archived: bool, is_used: bool, scope: &Scope) -> ServiceActions {
    let may_manage = scope.has_permission(Permission::ManageServicesAndProviders);
    let ArchivableActions { editable, archivable, restore } =
        SERVICE.allowed_actions(may_manage, is_archived, is_used);
    ServiceActions { editable, archivable, restore, copyable: may_manage }
}

// Store

/// Joins the network of a service through its service type.
pub(super) const NETWORK_OF_TYPE: JoinTable = JoinTable {
    select: "SELECT id FROM service_types WHERE ",
    column: "network_id",
    row_key: "(SELECT network_id FROM service_types WHERE id = s.service_type_id)",
};

/// A row of [`SERVICES`] as the database returns it.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct ServiceRecord {
    pub(super) id: ServiceId,
    pub(super) name: String,
    pub(super) type_id: ServiceTypeId,
    pub(super) type_name: String,
    pub(super) network_id: NetworkId,
    pub(super) network_name: String,
    pub(super) default_price: Money,
    pub(super) min_price: Money,
    pub(super) pricing_per: i64,
    pub(super) min_quantity: i64,
    pub(super) max_quantity: i64,
    pub(super) quantity_step: i64,
    pub(super) is_enabled: bool,
    pub(super) is_archived: bool,
    pub(super) moderation_is_enabled: bool,
    pub(super) has_refill: bool,
    pub(super) drip_feed_is_allowed: bool,
    pub(super) has_active_providers: bool,
    pub(super) panel_service_type: PanelServiceType,
    pub(super) is_used: bool,
    pub(super) external_panels: Option<String>,
    pub(super) created_at: Time,
}

impl ServiceRecord {
    pub(super) fn into_row(self, scope: &Scope) -> ServiceRow {
        ServiceRow {
            id: self.id,
            name: self.name,
            service_type_id: self.type_id,
            service_type: NamedRef { id: self.type_id, name: self.type_name },
            network: NamedRef { id: self.network_id, name: self.network_name },
            default_price: self.default_price,
            min_price: self.min_price,
            pricing_per: self.pricing_per,
            min_quantity: self.min_quantity,
            max_quantity: self.max_quantity,
            quantity_step: self.quantity_step,
            is_enabled: self.is_enabled,
            is_archived: self.is_archived,
            moderation_is_enabled: self.moderation_is_enabled,
            has_refill: self.has_refill,
            drip_feed_is_allowed: self.drip_feed_is_allowed,
            has_no_active_providers: !self.has_active_providers,
            external_panels: self.external_panels,
            panel_service_type: self.panel_service_type,
            created_at: self.created_at,
            actions: actions(self.is_archived, self.is_used, scope),
        }
    }
}

/// Loads one service with all details, in nine statements; 404 if it does not exist.
pub(super) async fn load_service(db: &mut impl SqlExecutor, scope: &Scope, id: ServiceId) -> Result<Service> {
    let into_row = |record: ServiceRecord, scope: &Scope| record.into_row(scope);
    let row = table::load_rows_from(db, scope, &SERVICES, &[id], into_row).await?.pop();
    let row = row.ok_or_else(|| Error::not_found("service", id))?;
    let stored = StoredService::load(db, id).await?;
    let StoredService { draft, updated_at, .. } = stored.ok_or_else(|| Error::not_found("service", id))?;
    let (last_available_at,): (Option<Time>,) = db
        .fetch_one(
            Sql::new("SELECT last_time_providers_are_available_at FROM services WHERE id = ?").bind(id),
        )
        .await?;
    let is_long_ago = |time: Time| scope.now().since(time) > LONG_UNAVAILABILITY;
    Ok(Service {
        switches: (&draft.switches).into(),
        settings: draft.settings(),
        providers: load_provider_names(db, &draft.providers).await?,
        providers_are_unavailable_for_a_long_time: row.has_no_active_providers
            && last_available_at.is_some_and(is_long_ago),
        last_time_providers_are_available_at: last_available_at,
        countries: serde_json::from_str(&draft.countries).unwrap_or_default(),
        service_targets: service_targets::load_names(db, &draft.targets).await?,
        requested_targets: service_targets::load_requested_targets(db, &[id])
            .await?
            .remove(&id)
            .unwrap_or_default(),
        labels: draft.labels,
        translations: draft.translations,
        updated_at,
        row,
    })
}

async fn load_provider_names(
    db: &mut impl SqlExecutor,
    ids: &[ProviderId],
) -> Result<Vec<NamedRef<ProviderId>>> {
    let mut names = names::load_names(db, "providers", ids).await?;
    Ok(ids.iter().filter_map(|id| names.remove(id).map(|name| NamedRef { id: *id, name })).collect())
}
