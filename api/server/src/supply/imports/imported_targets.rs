//! Attaches order fields (targets) to imported services: those of the parameters of the service type, and those of additional
//! parameters of the panel. The number of statements does not depend on the number of services.

use std::collections::BTreeMap;

use panel_contract::ids::{ServiceId, TargetId};
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::TargetAttachmentType;
use panel_kernel::error::Result;
use serde_json::json;

use crate::catalogue::targets::parameters;
use panel_domain::reseller_protocol::responses::ServiceParameter;
use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::UnitOfWork;

/// Largest number of rows of one statement.
const ROWS_PER_STATEMENT: usize = 5_000;

/// A parameter that customers enter when they order an imported service.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ImportedTarget {
    parameter: PanelParameter,
    attachment: TargetAttachmentType,
    /// The allowed choices; empty for all choices of the parameter.
    values: Vec<String>,
}

// Rules

/// The order fields of a service of this type, in the order of the form.
fn imported_targets(kind: PanelServiceType, extra: &[ServiceParameter]) -> Vec<ImportedTarget> {
    use TargetAttachmentType::{Optional, Required};
    let with_attachment = |attachment| {
        move |parameter: &PanelParameter| ImportedTarget {
            parameter: *parameter,
            attachment,
            values: Vec::new(),
        }
    };
    let of_type = kind
        .required_parameters()
        .iter()
        .map(with_attachment(Required))
        .chain(kind.optional_parameters().iter().map(with_attachment(Optional)));
    let mut targets: Vec<ImportedTarget> = of_type.collect();
    for additional in extra {
        let Some(parameter) = additional.panel_parameter() else { continue };
        let choices = parameters::selectable_values(parameter);
        let values = additional.values.iter().filter(|value| choices.contains(value)).cloned().collect();
        let attachment = if additional.required { Required } else { Optional };
        if targets.iter().all(|target| target.parameter != parameter) {
            targets.push(ImportedTarget { parameter, attachment, values });
        }
    }
    targets
}

// Store

/// Attaches targets to services that were just inserted: id, type and additional parameters of each.
pub(super) async fn attach_targets(
    work: &mut UnitOfWork,
    services: &[(ServiceId, PanelServiceType, Vec<ServiceParameter>)],
) -> Result<()> {
    let services: Vec<(ServiceId, Vec<ImportedTarget>)> =
        services.iter().map(|(id, kind, extra)| (*id, imported_targets(*kind, extra))).collect();
    let mut needed: Vec<PanelParameter> =
        services.iter().flat_map(|(_, targets)| targets.iter().map(|target| target.parameter)).collect();
    needed.sort_unstable();
    needed.dedup();
    if needed.is_empty() {
        return Ok(());
    }
    let target_ids = parameters::find_or_create(work, &needed).await?;
    let rows: Vec<Vec<Val>> =
        services.iter().flat_map(|(id, targets)| rows(*id, targets, &target_ids)).collect();
    for chunk in rows.chunks(ROWS_PER_STATEMENT) {
        let sql = Sql::new(
            "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values)
             SELECT r.service, r.target, r.position, r.attachment, r.choices FROM ",
        );
        let columns = ["service", "target", "position", "attachment", "choices"];
        work.execute(sql.rows("r", &columns, chunk.to_vec())).await?;
    }
    Ok(())
}

fn rows(
    service: ServiceId,
    targets: &[ImportedTarget],
    target_ids: &BTreeMap<PanelParameter, TargetId>,
) -> Vec<Vec<Val>> {
    let row = |(position, target): (i64, &ImportedTarget)| -> Option<Vec<Val>> {
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
    (1_i64..).zip(targets).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_imported_service_asks_for_the_parameters_of_its_type_and_of_its_panel() {
        use TargetAttachmentType::{Optional, Required};
        let extra = |name: &str, required, values: &[&str]| ServiceParameter {
            name: name.into(),
            required,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let asked_parameters = |kind, extra: &[ServiceParameter]| {
            let targets = imported_targets(kind, extra).into_iter();
            targets
                .map(|target| (target.parameter.as_str(), target.attachment, target.values.len()))
                .collect::<Vec<_>>()
        };
        assert_eq!(asked_parameters(PanelServiceType::Default, &[]), []);
        assert_eq!(asked_parameters(PanelServiceType::Poll, &[]), [("answer_number", Required, 0)]);
        let extra_parameters =
            [extra("country", true, &["DE", "XX"]), extra("City", false, &[]), extra("comments", false, &[])];
        assert_eq!(
            asked_parameters(PanelServiceType::CustomComments, &extra_parameters),
            [("comments", Required, 0), ("country", Required, 1)]
        );
        let web_traffic = asked_parameters(PanelServiceType::WebTraffic, &[]);
        assert_eq!(web_traffic.iter().filter(|(_, attachment, _)| *attachment == Optional).count(), 2);
    }
}
