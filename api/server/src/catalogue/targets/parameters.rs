//! Built-in targets for parameters of the reseller API. The server creates the target of a parameter when an import needs the
//! parameter for the first time. Staff can rename and translate the target, but its parameter never changes.

use std::collections::BTreeMap;

use isocountry::CountryCode;
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Translations;
use panel_contract::ids::{TargetId, TargetTypeId};
use panel_contract::panel_service_types::PanelParameter;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::catalogue::targets::TEXTS;
use crate::catalogue::targets::rules::TargetDraft;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::texts;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// ISO 639-1 codes of the languages that external panels offer.
const LANGUAGES: [&str; 20] = [
    "en", "ru", "es", "fr", "de", "hi", "ko", "pt", "tr", "zh", "ja", "vi", "ar", "it", "id", "pl", "uk",
    "nl", "fa", "th",
];

/// The values that customers can select for a parameter; empty if customers type the value.
#[must_use]
pub fn selectable_values_of(parameter: PanelParameter) -> Vec<String> {
    match parameter {
        PanelParameter::Country => CountryCode::iter().map(|country| country.alpha2().to_owned()).collect(),
        PanelParameter::Language => LANGUAGES.map(str::to_owned).to_vec(),
        _ => Vec::new(),
    }
}

/// Returns the targets of these parameters, by parameter, and creates missing ones.
pub async fn find_or_create(
    work: &mut UnitOfWork,
    parameters: &[PanelParameter],
) -> Result<BTreeMap<PanelParameter, TargetId>> {
    let sql = "SELECT parameter, id FROM targets WHERE parameter IS NOT NULL";
    let rows: Vec<(PanelParameter, TargetId)> = work.fetch_all(Sql::new(sql)).await?;
    let mut targets: BTreeMap<PanelParameter, TargetId> = rows.into_iter().collect();
    for parameter in parameters {
        if !targets.contains_key(parameter) {
            targets.insert(*parameter, insert(work, *parameter).await?);
        }
    }
    Ok(targets)
}

async fn insert(work: &mut UnitOfWork, parameter: PanelParameter) -> Result<TargetId> {
    let (name, view_type) = parameter.new_target();
    let sql = Sql::new("SELECT id FROM target_types WHERE name = ? AND view_type = ?");
    let target_type: Option<(TargetTypeId,)> =
        work.fetch_optional(sql.bind(name.as_str()).bind(view_type.as_str())).await?;
    let (target_type_id,) =
        target_type.ok_or_else(|| Error::Internal(format!("no target type exists for {parameter}")))?;
    let (title, placeholder) = (parameter.display_name(), parameter.placeholder());
    let mut draft = TargetDraft {
        name: title.to_owned(),
        target_type_id: Some(target_type_id),
        is_system: true,
        is_visible_default_values: false,
        selectable_values: selectable_values_of(parameter),
        translations: Translations::default(),
    };
    texts::set(&mut draft.translations, "en", "name", Some(title));
    texts::set(&mut draft.translations, "en", "placeholder", Some(placeholder));
    let now = work.timestamp();
    let sql = sql!(
        "INSERT INTO targets (name, target_type_id, is_system, parameter, selectable_values, created_at, updated_at)
         VALUES (@name, @target_type_id, TRUE, @parameter, @selectable_values, @now, @now) ON CONFLICT (parameter) \
           WHERE parameter IS NOT NULL DO NOTHING RETURNING id",
        {
            name: title,
            target_type_id,
            parameter: parameter.as_str(),
            selectable_values: json!(draft.selectable_values).to_string(),
            now,
        },
    );
    let inserted: Option<(TargetId,)> = work.fetch_optional(sql).await?;
    let Some((id,)) = inserted else {
        // Another transaction inserted the target at the same time.
        let sql = Sql::new("SELECT id FROM targets WHERE parameter = ?").bind(parameter.as_str());
        return Ok(work.fetch_one::<(TargetId,)>(sql).await?.0);
    };
    texts::write(work, &TEXTS, id, &draft.translations).await?;
    let record = ChangedRecord {
        action: ChangeAction::Created,
        model: ChangeModel::Target,
        id: id.as_record_id(),
        name: title,
    };
    changes::record(work, record, &json!(TargetDraft::default()), &json!(draft)).await?;
    Ok(id)
}
