//! Validates the input of a target without the database. Errors have the field names of the request.

use std::collections::BTreeSet;

use isocountry::CountryCode;
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ServiceId, TargetTypeId};
use panel_contract::targets::{TargetInput, TargetName, TargetType};
use panel_kernel::rejection::Rejection;
use serde::Serialize;

use crate::catalogue::targets::TEXTS;
use crate::records::changes::serialize_none_as_zero;
use crate::records::texts;
use panel_domain::fields;

const MAX_VALUES: usize = 500;
const MAX_VALUE_CHARS: usize = 100;
const MAX_PLACEHOLDER_CHARS: usize = 255;

/// A target as staff edit it and as the change log shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(super) struct TargetDraft {
    pub(super) name: String,
    /// `None` only before the target is created.
    #[serde(serialize_with = "serialize_none_as_zero")]
    pub(super) target_type_id: Option<TargetTypeId>,
    pub(super) is_system: bool,
    pub(super) is_visible_default_values: bool,
    pub(super) selectable_values: Vec<String>,
    pub(super) translations: Translations,
}

/// Rejects the deletion of a built-in target. The caller also checks that no service uses the target.
pub(super) fn check_deletable(is_system: bool) -> Result<(), Rejection> {
    if is_system {
        return Err(Rejection::conflict(
            "target_is_system",
            "This target is built in and cannot be deleted.",
        ));
    }
    Ok(())
}

impl TargetDraft {
    /// Returns the draft with the changes of an input. `used_values` holds the values of this target that services use, each with
    /// the id of one service. An entry with an empty string exists if any service uses the target.
    pub(super) fn apply(
        mut self,
        input: &TargetInput,
        types: &[TargetType],
        used_values: &[(String, ServiceId)],
    ) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        let mut placeholder = self.translations.text("en", "placeholder").map(str::to_owned);
        let (requested, max_chars) = (&input.placeholder, MAX_PLACEHOLDER_CHARS);
        fields::apply_text(&mut errors, "placeholder", requested, &mut placeholder, max_chars);
        texts::set(&mut self.translations, "en", "placeholder", placeholder.as_deref());
        let type_before = self.target_type_id;
        self.target_type_id = input.target_type_id.or(type_before);
        self.is_visible_default_values =
            input.is_visible_default_values.unwrap_or(self.is_visible_default_values);
        if let Some(values) = &input.selectable_values {
            self.selectable_values = values.iter().map(|value| value.trim().to_owned()).collect();
        }
        if type_before.is_some() && type_before != self.target_type_id {
            if self.is_system {
                errors.add("target_type_id", "This target is built in. Its type cannot change.");
            } else if let Some((_, service)) = used_values.first() {
                let message = format!("Service {service} uses this target. Create a new target instead.");
                errors.add("target_type_id", message);
            }
        }
        match types.iter().find(|target_type| Some(target_type.id) == self.target_type_id) {
            Some(target_type) => self.check_selectable_values(&mut errors, target_type, used_values),
            None => errors.add("target_type_id", "Choose one of the target types."),
        }
        errors.into_result(self)
    }

    fn check_selectable_values(
        &self,
        errors: &mut FieldErrors,
        target_type: &TargetType,
        used_values: &[(String, ServiceId)],
    ) {
        let field = "selectable_values";
        if !target_type.selectable {
            if !self.selectable_values.is_empty() {
                errors.add(field, "Customers type the value of this target. Remove the values.");
            }
            return;
        }
        if self.selectable_values.is_empty() || self.selectable_values.len() > MAX_VALUES {
            errors.add(field, format!("Enter 1 to {MAX_VALUES} values to choose from."));
        }
        let must_be_country = target_type.name == TargetName::Geotargeting;
        let mut earlier_values = BTreeSet::new();
        for (index, value) in self.selectable_values.iter().enumerate() {
            let error_message = match fields::check_text(value, MAX_VALUE_CHARS) {
                Err(message) => Some(message),
                Ok(()) if value.is_empty() => Some("Enter a value, or remove the line.".to_owned()),
                Ok(()) if value.contains([',', '\n', '\r']) => {
                    Some("Use one line without commas for each value.".to_owned())
                }
                Ok(()) if must_be_country && CountryCode::for_alpha2(value).is_err() => {
                    Some("Enter the two capital letters of a country, such as DE.".to_owned())
                }
                Ok(()) => (!earlier_values.insert(value)).then(|| format!("{value} is in the list twice.")),
            };
            if let Some(message) = error_message {
                errors.add(format!("{field}.{index}"), message);
            }
        }
        let is_missing =
            |(value, _): &&(String, ServiceId)| !value.is_empty() && !self.selectable_values.contains(value);
        if let Some((value, service)) = used_values.iter().find(is_missing) {
            errors.add(field, format!("Service {service} uses {value}. Remove it from the service first."));
        }
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::targets::ViewType;

    use super::*;

    fn target_type(id: i64, name: TargetName, selectable: bool) -> TargetType {
        let view_type = if selectable { ViewType::Select } else { ViewType::Input };
        let id = TargetTypeId::new(id);
        TargetType { id, name, title: String::new(), selectable, enabled_for_service: true, view_type }
    }

    fn apply_json(
        draft: TargetDraft,
        body: &str,
        used_values: &[(String, ServiceId)],
    ) -> Result<TargetDraft, Vec<String>> {
        let types =
            [target_type(1, TargetName::Geotargeting, true), target_type(2, TargetName::Keyword, false)];
        let input: TargetInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        draft.apply(&input, &types, used_values).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn only_targets_of_selectable_types_have_values() {
        let create = |body| apply_json(TargetDraft::default(), body, &[]);
        assert_eq!(create("{}").unwrap_err(), ["name", "target_type_id"]);
        assert_eq!(create(r#"{"name":"Geo","target_type_id":1}"#).unwrap_err(), ["selectable_values"]);
        let body = r#"{"name":"Geo","target_type_id":1,"selectable_values":["DE","xx","DE","F,R",""]}"#;
        let expected_fields =
            ["selectable_values.1", "selectable_values.2", "selectable_values.3", "selectable_values.4"];
        assert_eq!(create(body).unwrap_err(), expected_fields);
        let body = r#"{"name":"Word","target_type_id":2,"selectable_values":["a"]}"#;
        assert_eq!(create(body).unwrap_err(), ["selectable_values"]);
        let target = create(r#"{"name":"Word","target_type_id":2,"placeholder":" Type it "}"#).unwrap();
        assert_eq!(target.translations.text("en", "placeholder"), Some("Type it"));
    }

    #[test]
    fn a_target_keeps_the_type_and_values_that_services_use() {
        let body = r#"{"name":"Geo","target_type_id":1,"selectable_values":["DE","FR"]}"#;
        let before = apply_json(TargetDraft::default(), body, &[]).unwrap();
        let used_values = [("DE".to_owned(), ServiceId::new(7))];
        let update = |body| apply_json(before.clone(), body, &used_values);
        assert_eq!(update(r#"{"selectable_values":["FR"]}"#).unwrap_err(), ["selectable_values"]);
        assert_eq!(update(r#"{"target_type_id":2,"selectable_values":[]}"#).unwrap_err(), ["target_type_id"]);
        assert_eq!(update(r#"{"selectable_values":["US","DE"]}"#).unwrap().selectable_values, ["US", "DE"]);
        let system_target = TargetDraft { is_system: true, ..before };
        let with_other_type =
            apply_json(system_target, r#"{"target_type_id":2,"selectable_values":[]}"#, &[]);
        assert_eq!(with_other_type.unwrap_err(), ["target_type_id"]);
    }
}
