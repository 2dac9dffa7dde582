//! Attaches targets (input fields of the order form) to imported services: one for each parameter of the service type, and one for
//! each additional parameter of the external panel. The number of statements does not depend on the number of services.

use std::collections::BTreeMap;

use panel_contract::ids::{ServiceId, TargetId};
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::TargetAttachmentType;
use panel_kernel::error::Result;
use serde_json::json;

use crate::catalogue::targets::parameters;
use panel_domain::reseller_protocol::responses::ServiceParameter;
use panel_platform::db::{Sql, SqlExecutor as _, Val};
use panel_platform::work::UnitOfWork;

/// Maximum number of rows in one statement.
const ROWS_PER_STATEMENT: usize = 5_000;

/// A parameter that customers enter when they order an imported service.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ImportedTarget {
    parameter: PanelParameter,
    attachment: TargetAttachmentType,
    /// The choices that the external panel allows; empty means all choices of the parameter.
    values: Vec<String>,
}

// Rules

/// Returns the targets for a service of this type, in the order of the form.
fn targets_for_type(
    service_type: PanelServiceType,
    extra_parameters: &[ServiceParameter],
) -> Vec<ImportedTarget> {
    use TargetAttachmentType::{Optional, Required};
    let with_attachment = |attachment| {
        move |parameter: &PanelParameter| ImportedTarget {
            parameter: *parameter,
            attachment,
            values: Vec::new(),
        }
    };
    let targets_of_type = service_type
        .required_parameters()
        .iter()
        .map(with_attachment(Required))
        .chain(service_type.optional_parameters().iter().map(with_attachment(Optional)));
    let mut targets: Vec<ImportedTarget> = targets_of_type.collect();
    for extra_parameter in extra_parameters {
        let Some(parameter) = extra_parameter.panel_parameter() else { continue };
        let choices = parameters::selectable_values_of(parameter);
        let values = extra_parameter.values.iter().filter(|value| choices.contains(value)).cloned().collect();
        let attachment = if extra_parameter.required { Required } else { Optional };
        if targets.iter().all(|target| target.parameter != parameter) {
            targets.push(ImportedTarget { parameter, attachment, values });
        }
    }
    targets
}

// Store

/// Attaches targets to newly inserted services, which are given as id, type and additional parameters.
pub(super) async fn attach_targets(
    work: &mut UnitOfWork,
    services: &[(ServiceId, PanelServiceType, Vec<ServiceParameter>)],
) -> Result<()> {
    let services: Vec<(ServiceId, Vec<ImportedTarget>)> = services
        .iter()
        .map(|(id, service_type, extra)| (*id, targets_for_type(*service_type, extra)))
        .collect();
    let mut needed_parameters: Vec<PanelParameter> =
        services.iter().flat_map(|(_, targets)| targets.iter().map(|target| target.parameter)).collect();
    needed_parameters.sort_unstable();
    needed_parameters.dedup();
    if needed_parameters.is_empty() {
        return Ok(());
    }
    let target_ids = parameters::find_or_create(work, &needed_parameters).await?;
    let rows: Vec<Vec<Val>> =
        services.iter().flat_map(|(id, targets)| to_rows(*id, targets, &target_ids)).collect();
    for chunk in rows.chunks(ROWS_PER_STATEMENT) {
        let sql = Sql::new(
            "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values)
             SELECT r.service_id, r.target_id, r.position, r.attachment, r.choices FROM ",
        );
        let columns = ["service_id", "target_id", "position", "attachment", "choices"];
        work.execute(sql.rows("r", &columns, chunk.to_vec())).await?;
    }
    Ok(())
}

fn to_rows(
    service: ServiceId,
    targets: &[ImportedTarget],
    target_ids: &BTreeMap<PanelParameter, TargetId>,
) -> Vec<Vec<Val>> {
    let to_row = |(position, target): (i64, &ImportedTarget)| -> Option<Vec<Val>> {
        let target_id = *target_ids.get(&target.parameter)?;
        let values = json!(target.values).to_string();
        Some(vec![
            service.into(),
            target_id.into(),
            position.into(),
            target.attachment.as_str().into(),
            values.into(),
        ])
    };
    (1_i64..).zip(targets).filter_map(to_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_imported_service_has_targets_for_the_parameters_of_its_type_and_its_panel() {
        use TargetAttachmentType::{Optional, Required};
        let extra = |name: &str, required, values: &[&str]| ServiceParameter {
            name: name.into(),
            required,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let required_and_optional = |service_type, extra: &[ServiceParameter]| {
            let targets = targets_for_type(service_type, extra).into_iter();
            targets
                .map(|target| (target.parameter.as_str(), target.attachment, target.values.len()))
                .collect::<Vec<_>>()
        };
        assert_eq!(required_and_optional(PanelServiceType::Default, &[]), []);
        assert_eq!(required_and_optional(PanelServiceType::Poll, &[]), [("answer_number", Required, 0)]);
        let extra_parameters =
            [extra("country", true, &["DE", "XX"]), extra("City", false, &[]), extra("comments", false, &[])];
        assert_eq!(
            required_and_optional(PanelServiceType::CustomComments, &extra_parameters),
            [("comments", Required, 0), ("country", Required, 1)]
        );
        let web_traffic = required_and_optional(PanelServiceType::WebTraffic, &[]);
        assert_eq!(web_traffic.iter().filter(|(_, attachment, _)| *attachment == Optional).count(), 2);
    }
}
