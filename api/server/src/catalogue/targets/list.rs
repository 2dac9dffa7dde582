//! Lists targets, and converts stored targets to the types of the API.

use panel_contract::ids::{TargetId, TargetTypeId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::panel_service_types::PanelParameter;
use panel_contract::permission::Permission;
use panel_contract::targets::{Target, TargetActions, TargetName, TargetRow, TargetType, ViewType};
use panel_kernel::error::{Error, Result};

use crate::catalogue::targets::rules;
use crate::catalogue::targets::stored_texts::{TEXTS, parse_list};
use crate::records::search_texts;
use crate::records::texts;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::table::{self, Join, RowSource, SearchTarget, Table, TextIndex, expr};

static TARGET_TYPE_TITLES: TextIndex = TextIndex::rows("target_types", &["name", "title"]);

pub static TARGETS: Table = Table::new(
    &panel_contract::lists::targets::TARGETS,
    RowSource {
        base: "targets",
        alias: "g",
        key: "g.id",
        joins: &[Join { alias: "k", sql: "JOIN target_types k ON k.id = g.target_type_id" }],
        select: TARGET_SELECT_LIST,
        ..RowSource::NONE
    },
    &[
        expr("target_type.id", "g.target_type_id"),
        expr("target_type.name", "k.name").join("k"),
        expr("target_type.title", "k.title").join("k"),
        expr("target_type.view_type", "k.view_type").join("k"),
    ],
)
.global_search(&[
    SearchTarget::new("g.id", &search_texts::TARGETS, "name").own_columns(&["g.name"]),
    SearchTarget::new("g.target_type_id", &TARGET_TYPE_TITLES, "target_type.title"),
]);

pub(super) const TARGET_SELECT_LIST: &str = "g.id, g.name, g.target_type_id, g.is_system, g.is_visible_default_values, g.selectable_values, g.parameter, g.created_at,
  k.name AS type_name, k.title AS type_title, k.selectable, k.enabled_for_service, k.view_type,
  (SELECT x.value FROM translations x WHERE x.owner_type = 'target' AND x.owner_id = g.id AND x.locale = 'en' AND x.field = 'placeholder') AS placeholder,
  (SELECT count(*) FROM service_targets m WHERE m.target_id = g.id) AS services_count";

/// A row of [`TARGETS`] as the database returns it.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct TargetRecord {
    pub(super) id: TargetId,
    pub(super) name: String,
    pub(super) target_type_id: TargetTypeId,
    pub(super) is_system: bool,
    pub(super) is_visible_default_values: bool,
    pub(super) selectable_values: String,
    pub(super) parameter: Option<PanelParameter>,
    pub(super) created_at: Time,
    pub(super) type_name: TargetName,
    pub(super) type_title: String,
    pub(super) selectable: bool,
    pub(super) enabled_for_service: bool,
    pub(super) view_type: ViewType,
    pub(super) placeholder: Option<String>,
    pub(super) services_count: i64,
}

impl TargetRecord {
    pub(super) fn into_row(self, scope: &Scope) -> TargetRow {
        let may_manage = scope.has_permission(Permission::ManageTargets);
        TargetRow {
            id: self.id,
            name: self.name,
            placeholder: self.placeholder,
            is_system: self.is_system,
            is_visible_default_values: self.is_visible_default_values,
            target_type: TargetType {
                id: self.target_type_id,
                name: self.type_name,
                title: self.type_title,
                selectable: self.selectable,
                enabled_for_service: self.enabled_for_service,
                view_type: self.view_type,
            },
            selectable_values: parse_list(&self.selectable_values),
            parameter: self.parameter,
            services_count: self.services_count,
            created_at: self.created_at,
            actions: TargetActions {
                editable: may_manage,
                deletable: may_manage && rules::check_deletable(self.is_system).is_ok(),
            },
        }
    }
}

// Store

/// Loads one target with its texts, in three statements; 404 if it does not exist.
pub(super) async fn load_target(db: &mut impl SqlExecutor, scope: &Scope, id: TargetId) -> Result<Target> {
    let into_row = |record: TargetRecord, scope: &Scope| record.into_row(scope);
    let row = table::load_rows_from(db, scope, &TARGETS, &[id], into_row).await?.pop();
    let row = row.ok_or_else(|| Error::not_found("target", id))?;
    let updated_at_sql = Sql::new("SELECT updated_at FROM targets WHERE id = ?").bind(id);
    let (updated_at,): (Timestamp,) = db.fetch_one(updated_at_sql).await?;
    let translations = texts::load_one(db, &TEXTS, id, &row.name).await?;
    Ok(Target { target_type_id: row.target_type.id, row, translations, updated_at })
}
