//! What an imported service asks its customers: the targets of its type's parameters, and of what its panel takes beside
//! them. Set-wise, however many services there are.

use std::collections::BTreeMap;

use panel_contract::ids::{ServiceId, TargetId};
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::TargetAttachmentType;
use panel_kernel::error::Result;
use serde_json::json;

use crate::catalogue::targets::parameters;
use panel_domain::reseller_protocol::read::ServiceParameter;
use panel_platform::db::{Source as _, Sql, Val};
use panel_platform::work::UnitOfWork;

/// Rows of one statement.
const ROWS: usize = 5_000;

/// A parameter that a service asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Question {
    parameter: PanelParameter,
    attachment: TargetAttachmentType,
    /// What can be chosen; empty for all.
    values: Vec<String>,
}

// Rules

/// What a service of this type asks, in the order of the form.
fn questions(kind: PanelServiceType, extra: &[ServiceParameter]) -> Vec<Question> {
    use TargetAttachmentType::{Optional, Required};
    let of = |attachment| {
        move |parameter: &PanelParameter| Question { parameter: *parameter, attachment, values: Vec::new() }
    };
    let own = kind.required().iter().map(of(Required)).chain(kind.optional().iter().map(of(Optional)));
    let mut all: Vec<Question> = own.collect();
    for more in extra {
        let Some(parameter) = more.known() else { continue };
        let choices = parameters::choices(parameter);
        let values = more.values.iter().filter(|value| choices.contains(value)).cloned().collect();
        let attachment = if more.required { Required } else { Optional };
        if all.iter().all(|known| known.parameter != parameter) {
            all.push(Question { parameter, attachment, values });
        }
    }
    all
}

// Store

/// Attaches the targets of services that were just made: ids, types and what their panel takes beside.
pub(super) async fn attach(
    work: &mut UnitOfWork,
    services: &[(ServiceId, PanelServiceType, Vec<ServiceParameter>)],
) -> Result<()> {
    let asked: Vec<(ServiceId, Vec<Question>)> =
        services.iter().map(|(id, kind, extra)| (*id, questions(*kind, extra))).collect();
    let mut wanted: Vec<PanelParameter> =
        asked.iter().flat_map(|(_, questions)| questions.iter().map(|one| one.parameter)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.is_empty() {
        return Ok(());
    }
    let targets = parameters::ensure(work, &wanted).await?;
    let rows: Vec<Vec<Val>> =
        asked.iter().flat_map(|(id, questions)| rows(*id, questions, &targets)).collect();
    for part in rows.chunks(ROWS) {
        let sql = Sql::new(
            "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values)
             SELECT r.service, r.target, r.place, r.attachment, r.given FROM ",
        );
        let columns = ["service", "target", "place", "attachment", "given"];
        work.exec(sql.rows("r", &columns, part.to_vec())).await?;
    }
    Ok(())
}

fn rows(
    service: ServiceId,
    questions: &[Question],
    targets: &BTreeMap<PanelParameter, TargetId>,
) -> Vec<Vec<Val>> {
    let row = |(place, question): (i64, &Question)| -> Option<Vec<Val>> {
        let target = *targets.get(&question.parameter)?;
        let given = json!(question.values).to_string();
        Some(vec![
            service.into(),
            target.into(),
            place.into(),
            question.attachment.as_str().into(),
            given.into(),
        ])
    };
    (1_i64..).zip(questions).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_asks_for_its_type_and_for_what_its_panel_takes() {
        use TargetAttachmentType::{Optional, Required};
        let extra = |name: &str, required, values: &[&str]| ServiceParameter {
            name: name.into(),
            required,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let asked = |kind, extra: &[ServiceParameter]| {
            let all = questions(kind, extra).into_iter();
            all.map(|one| (one.parameter.as_str(), one.attachment, one.values.len())).collect::<Vec<_>>()
        };
        assert_eq!(asked(PanelServiceType::Default, &[]), []);
        assert_eq!(asked(PanelServiceType::Poll, &[]), [("answer_number", Required, 0)]);
        let more =
            [extra("country", true, &["DE", "XX"]), extra("City", false, &[]), extra("comments", false, &[])];
        assert_eq!(
            asked(PanelServiceType::CustomComments, &more),
            [("comments", Required, 0), ("country", Required, 1)]
        );
        let visits = asked(PanelServiceType::WebTraffic, &[]);
        assert_eq!(visits.iter().filter(|(_, attachment, _)| *attachment == Optional).count(), 2);
    }
}
