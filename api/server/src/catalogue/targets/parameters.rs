//! The targets that ask for parameters of the reseller API: one for each parameter, made when an import first needs it.
//! Staff may name and translate them; what they ask for stays.

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
use panel_platform::db::{Source, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Languages by their two letters: those that panels of this field deliver in.
const LANGUAGES: [&str; 20] = [
    "en", "ru", "es", "fr", "de", "hi", "ko", "pt", "tr", "zh", "ja", "vi", "ar", "it", "id", "pl", "uk",
    "nl", "fa", "th",
];

/// What can be chosen for a parameter; nothing where it is typed.
#[must_use]
pub fn choices(parameter: PanelParameter) -> Vec<String> {
    match parameter {
        PanelParameter::Country => CountryCode::iter().map(|country| country.alpha2().to_owned()).collect(),
        PanelParameter::Language => LANGUAGES.map(str::to_owned).to_vec(),
        _ => Vec::new(),
    }
}

/// The targets of these parameters, by parameter; those that are missing are made.
pub async fn ensure(
    work: &mut UnitOfWork,
    wanted: &[PanelParameter],
) -> Result<BTreeMap<PanelParameter, TargetId>> {
    let sql = "SELECT parameter, id FROM targets WHERE parameter IS NOT NULL";
    let known: Vec<(PanelParameter, TargetId)> = work.all(Sql::new(sql)).await?;
    let mut known: BTreeMap<PanelParameter, TargetId> = known.into_iter().collect();
    for parameter in wanted {
        if !known.contains_key(parameter) {
            known.insert(*parameter, insert(work, *parameter).await?);
        }
    }
    Ok(known)
}

async fn insert(work: &mut UnitOfWork, parameter: PanelParameter) -> Result<TargetId> {
    let (name, view_type) = parameter.target();
    let sql = Sql::new("SELECT id FROM target_types WHERE name = ? AND view_type = ?");
    let kind: Option<(TargetTypeId,)> = work.opt(sql.bind(name.as_str()).bind(view_type.as_str())).await?;
    let (target_type_id,) =
        kind.ok_or_else(|| Error::Fault(format!("no target type asks for {parameter}")))?;
    let (title, placeholder) = parameter.texts();
    let mut draft = TargetDraft {
        name: title.to_owned(),
        target_type_id: Some(target_type_id),
        is_system: true,
        is_visible_default_values: false,
        selectable_values: choices(parameter),
        translations: Translations::default(),
    };
    texts::put(&mut draft.translations, "en", "name", Some(title));
    texts::put(&mut draft.translations, "en", "placeholder", Some(placeholder));
    let now = work.stamp();
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
    let made: Option<(TargetId,)> = work.opt(sql).await?;
    let Some((id,)) = made else {
        // Another import made it meanwhile.
        let sql = Sql::new("SELECT id FROM targets WHERE parameter = ?").bind(parameter.as_str());
        return Ok(work.one::<(TargetId,)>(sql).await?.0);
    };
    texts::write(work, &TEXTS, id, &draft.translations).await?;
    let noted = ChangedRecord {
        action: ChangeAction::Created,
        model: ChangeModel::Target,
        id: id.record(),
        name: title,
    };
    changes::record(work, noted, &json!(TargetDraft::default()), &json!(draft)).await?;
    Ok(id)
}
