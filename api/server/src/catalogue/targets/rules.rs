//! What a target may be: pure. Each wrong field is named as in the request.

use std::collections::BTreeSet;

use isocountry::CountryCode;
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ServiceId, TargetTypeId};
use panel_contract::targets::{TargetInput, TargetName, TargetType};
use panel_kernel::rejection::Rejection;
use serde::Serialize;

use crate::catalogue::targets::TEXTS;
use crate::records::changes::none_as_zero;
use crate::records::texts;
use panel_domain::fields;

/// Most values of a target, and the longest of them.
const MOST: usize = 500;
const LONGEST: usize = 100;

/// A target as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(super) struct TargetDraft {
    pub(super) name: String,
    /// None yet for a new one.
    #[serde(serialize_with = "none_as_zero")]
    pub(super) target_type_id: Option<TargetTypeId>,
    pub(super) is_system: bool,
    pub(super) is_visible_default_values: bool,
    pub(super) selectable_values: Vec<String>,
    pub(super) translations: Translations,
}

/// Whether a target may be deleted, as far as the target itself says.
pub(super) fn judge_delete(is_system: bool) -> Result<(), Rejection> {
    if is_system {
        return Err(Rejection::conflict("target_is_system", "The panel itself needs this target; it stays."));
    }
    Ok(())
}

impl TargetDraft {
    /// After an input. `used` are the values that services have chosen of it, each with a service that has it.
    pub(super) fn with(
        mut self,
        input: &TargetInput,
        types: &[TargetType],
        used: &[(String, ServiceId)],
    ) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, given);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        let mut placeholder = self.translations.text("en", "placeholder").map(str::to_owned);
        fields::text(&mut errors, "placeholder", &input.placeholder, &mut placeholder, 255);
        texts::put(&mut self.translations, "en", "placeholder", placeholder.as_deref());
        let before = self.target_type_id;
        self.target_type_id = input.target_type_id.or(before);
        self.is_visible_default_values =
            input.is_visible_default_values.unwrap_or(self.is_visible_default_values);
        if let Some(values) = &input.selectable_values {
            self.selectable_values = values.iter().map(|value| value.trim().to_owned()).collect();
        }
        if before.is_some() && before != self.target_type_id {
            if self.is_system {
                errors.add("target_type_id", "The panel itself needs this target; its type stays.");
            } else if let Some((_, service)) = used.first() {
                let message = format!("Service {service} asks for this target; make another one instead.");
                errors.add("target_type_id", message);
            }
        }
        match types.iter().find(|kind| Some(kind.id) == self.target_type_id) {
            Some(kind) => self.values(&mut errors, kind, used),
            None => errors.add("target_type_id", "Choose one of the target types."),
        }
        errors.or(self)
    }

    fn values(&mut self, errors: &mut FieldErrors, kind: &TargetType, used: &[(String, ServiceId)]) {
        let field = "selectable_values";
        if !kind.selectable {
            if !self.selectable_values.is_empty() {
                errors.add(field, "Nothing is chosen from a list here; leave the values out.");
            }
            return;
        }
        if self.selectable_values.is_empty() || self.selectable_values.len() > MOST {
            errors.add(field, format!("Give 1 to {MOST} values to choose from."));
        }
        let mut seen = BTreeSet::new();
        for (at, value) in self.selectable_values.iter().enumerate() {
            let wrong = match fields::fits(value, LONGEST) {
                Err(message) => Some(message),
                Ok(()) if value.is_empty() => Some("Write the value, or take it away.".to_owned()),
                Ok(()) if value.contains([',', '\n', '\r']) => {
                    Some("A value is one line without commas.".to_owned())
                }
                Ok(())
                    if kind.name == TargetName::Geotargeting && CountryCode::for_alpha2(value).is_err() =>
                {
                    Some("Give a country by its two capital letters, such as DE.".to_owned())
                }
                Ok(()) => (!seen.insert(value)).then(|| format!("{value} stands in the list twice.")),
            };
            if let Some(message) = wrong {
                errors.add(format!("{field}.{at}"), message);
            }
        }
        let gone =
            used.iter().find(|(value, _)| !value.is_empty() && !self.selectable_values.contains(value));
        if let Some((value, service)) = gone {
            errors.add(field, format!("Service {service} uses {value}; take it away there first."));
        }
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::targets::ViewType;

    use super::*;

    fn kind(id: i64, name: TargetName, selectable: bool) -> TargetType {
        let view_type = if selectable { ViewType::Select } else { ViewType::Input };
        let id = TargetTypeId::new(id);
        TargetType { id, name, title: String::new(), selectable, enabled_for_service: true, view_type }
    }

    fn judged(
        draft: TargetDraft,
        body: &str,
        used: &[(String, ServiceId)],
    ) -> Result<TargetDraft, Vec<String>> {
        let types = [kind(1, TargetName::Geotargeting, true), kind(2, TargetName::Keyword, false)];
        let input: TargetInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        draft.with(&input, &types, used).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn values_are_for_kinds_that_choose() {
        let new = |body| judged(TargetDraft::default(), body, &[]);
        assert_eq!(new("{}").unwrap_err(), ["name", "target_type_id"]);
        assert_eq!(new(r#"{"name":"Geo","target_type_id":1}"#).unwrap_err(), ["selectable_values"]);
        let body = r#"{"name":"Geo","target_type_id":1,"selectable_values":["DE","xx","DE","F,R",""]}"#;
        let places =
            ["selectable_values.1", "selectable_values.2", "selectable_values.3", "selectable_values.4"];
        assert_eq!(new(body).unwrap_err(), places);
        let body = r#"{"name":"Word","target_type_id":2,"selectable_values":["a"]}"#;
        assert_eq!(new(body).unwrap_err(), ["selectable_values"]);
        let kept = new(r#"{"name":"Word","target_type_id":2,"placeholder":" Type it "}"#).unwrap();
        assert_eq!(kept.translations.text("en", "placeholder"), Some("Type it"));
    }

    #[test]
    fn what_services_use_stays() {
        let body = r#"{"name":"Geo","target_type_id":1,"selectable_values":["DE","FR"]}"#;
        let before = judged(TargetDraft::default(), body, &[]).unwrap();
        let used = [("DE".to_owned(), ServiceId::new(7))];
        let after = |body| judged(before.clone(), body, &used);
        assert_eq!(after(r#"{"selectable_values":["FR"]}"#).unwrap_err(), ["selectable_values"]);
        assert_eq!(after(r#"{"target_type_id":2,"selectable_values":[]}"#).unwrap_err(), ["target_type_id"]);
        assert_eq!(after(r#"{"selectable_values":["US","DE"]}"#).unwrap().selectable_values, ["US", "DE"]);
        let system = TargetDraft { is_system: true, ..before };
        let moved = judged(system, r#"{"target_type_id":2,"selectable_values":[]}"#, &[]);
        assert_eq!(moved.unwrap_err(), ["target_type_id"]);
    }
}
