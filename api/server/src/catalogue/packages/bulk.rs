//! Changes up to 1,000 packages in one request. If one change is invalid, no package changes. The fields of errors are named
//! `packages.N.field`.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{AffectedIds, BulkOutcome, BulkTotals};
use panel_contract::endpoints::packages::BulkUpdatePackages;
use panel_contract::fields::FieldErrors;
use panel_contract::packages::{BulkPackage, PackageInput};
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use panel_kernel::rejection::RejectionKind;
use serde_json::json;

use crate::catalogue::packages::draft::StoredPackage;
use crate::context::Ctx;
use crate::http::Req;
use crate::pricing::minimum_margin;
use crate::records::changes::{self, RecordChange};
use panel_platform::work::UnitOfWork;

const MAX_PACKAGES: usize = 1_000;

/// `PATCH packages/bulk`.
pub(super) async fn update(ctx: Ctx, req: Req<BulkUpdatePackages>) -> Result<BulkOutcome> {
    let requested = &req.body.packages;
    if requested.is_empty() || requested.len() > MAX_PACKAGES {
        let message = format!("Send 1 to {MAX_PACKAGES} packages; the request has {}.", requested.len());
        return Err(FieldErrors::single("packages", message).into());
    }
    let mut work = ctx.begin().await?;
    // Packages are locked in the order of their ids, so that two requests cannot deadlock.
    let mut packages_by_id: Vec<(usize, &BulkPackage)> = requested.iter().enumerate().collect();
    packages_by_id.sort_by_key(|(_, package)| package.id);
    let (mut errors, mut margin_errors) = (FieldErrors::default(), FieldErrors::default());
    let mut record_changes = Vec::new();
    let mut previous_id = None;
    for (index, package) in packages_by_id {
        if previous_id.replace(package.id) == Some(package.id) {
            let message = format!("Package {} is in the list twice. Remove one of them.", package.id);
            errors.add(format!("packages.{index}.id"), message);
            continue;
        }
        match update_package(&mut work, package, req.body.confirm_below_margin).await {
            Ok(Some(change)) => record_changes.push(change),
            Ok(None) => {}
            Err(error) => {
                let is_margin_error = error
                    .rejection()
                    .is_some_and(|rejection| rejection.code == minimum_margin::BELOW_MARGIN_CODE);
                let errors = if is_margin_error { &mut margin_errors } else { &mut errors };
                add_package_errors(errors, index, error)?;
            }
        }
    }
    errors.into_result(())?;
    margin_errors.into_result(()).map_err(minimum_margin::below_margin_error)?;
    changes::record_all(&mut work, ChangeAction::Updated, ChangeModel::Package, record_changes).await?;
    let processed = i64::try_from(requested.len()).unwrap_or(i64::MAX);
    let (totals, dry_run) = (BulkTotals::default(), ctx.meta.dry_run);
    let affected_ids = AffectedIds::default();
    let skipped = Vec::new();
    work.finish(BulkOutcome { processed, skipped, totals, dry_run, undo: None, costs: None, affected_ids })
        .await
}

/// Updates one package. Returns the change for the change log, or `None` if the package already has the requested values.
async fn update_package(
    work: &mut UnitOfWork,
    package: &BulkPackage,
    is_confirmed: bool,
) -> Result<Option<RecordChange>> {
    let before = StoredPackage::lock(work, package.id).await?.draft;
    let input = to_input(package);
    if input == PackageInput::default() {
        return Err(FieldErrors::single("", "Set at least one field.").into());
    }
    let (mut after, errors) = before.clone().apply(&input);
    let field_errors = FieldErrorCollector::from(errors);
    if after == before {
        return field_errors.into_result(None);
    }
    after.check(work, (&before, is_confirmed), field_errors).await?;
    after.update(work, package.id).await?;
    Ok(Some(RecordChange {
        id: package.id.as_record_id(),
        name: after.name.clone(),
        old: json!(before),
        new: json!(after),
    }))
}

fn to_input(package: &BulkPackage) -> PackageInput {
    PackageInput {
        is_enabled: package.is_enabled,
        restricted_access: package.restricted_access,
        sync: package.sync,
        fixed_cost: package.fixed_cost.clone(),
        discount_fraction: package.discount_fraction,
        ..PackageInput::default()
    }
}

/// Adds the field errors of one package with its index in the list.
///
/// # Errors Any error that is not about a field of this package; it concerns the whole request.
fn add_package_errors(errors: &mut FieldErrors, index: usize, error: Error) -> Result<()> {
    match error {
        Error::Rejected(rejection) if rejection.kind == RejectionKind::NotFound => {
            errors.add(format!("packages.{index}.id"), rejection.message);
        }
        Error::Rejected(rejection) if rejection.has_field_errors() => {
            for (field, messages) in rejection.errors.0 {
                let field = format!("packages.{index}.{field}");
                let field = field.trim_end_matches('.');
                messages.into_iter().for_each(|message| errors.add(field, message));
            }
        }
        other => return Err(other),
    }
    Ok(())
}
