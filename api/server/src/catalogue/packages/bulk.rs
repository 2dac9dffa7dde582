//! Many packages changed at once: all of them or none, errors named `packages.N.field`.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{BulkOutcome, BulkReach, BulkTotals};
use panel_contract::endpoints::packages::BulkUpdatePackages;
use panel_contract::fields::FieldErrors;
use panel_contract::packages::{BulkPackage, PackageInput};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use panel_kernel::wrong_fields::WrongFields;
use serde_json::json;

use crate::catalogue::packages::draft::PackageDraft;
use crate::context::Ctx;
use crate::http::Req;
use crate::pricing::least_margin;
use crate::records::changes::{self, RecordChange};
use panel_platform::work::UnitOfWork;

/// Most packages of one call.
const MOST: usize = 1_000;

/// `PATCH packages/bulk`.
pub(super) async fn update(ctx: Ctx, req: Req<BulkUpdatePackages>) -> Result<BulkOutcome> {
    let wanted = &req.body.packages;
    if wanted.is_empty() || wanted.len() > MOST {
        let message = format!("Give 1 to {MOST} packages; there are {}.", wanted.len());
        return Err(FieldErrors::one("packages", message).into());
    }
    let mut work = ctx.begin().await?;
    // Locked in the order of their ids, so that two calls never wait for each other.
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|at| wanted.get(*at).map(|one| one.id));
    let (mut errors, mut below) = (FieldErrors::default(), FieldErrors::default());
    let mut record_changes = Vec::new();
    let mut last = None;
    for at in order {
        let Some(one) = wanted.get(at) else { continue };
        if last.replace(one.id) == Some(one.id) {
            let message = format!("Package {} stands in the list twice; name it once.", one.id);
            errors.add(format!("packages.{at}.id"), message);
            continue;
        }
        match change(&mut work, one, req.body.confirm_below_margin).await {
            Ok(Some(change)) => record_changes.push(change),
            Ok(None) => {}
            Err(error) => {
                let is_margin =
                    error.rejection().is_some_and(|rejection| rejection.code == least_margin::CODE);
                let errors = if is_margin { &mut below } else { &mut errors };
                name(errors, at, error)?;
            }
        }
    }
    errors.or(())?;
    below.or(()).map_err(least_margin::below_margin_error)?;
    changes::record_all(&mut work, ChangeAction::Updated, ChangeModel::Package, record_changes).await?;
    let processed = i64::try_from(wanted.len()).unwrap_or(i64::MAX);
    let (totals, dry_run) = (BulkTotals::default(), ctx.meta.dry_run);
    let reach = BulkReach::default();
    let skipped = Vec::new();
    work.finish(BulkOutcome { processed, skipped, totals, dry_run, undo: None, costs: None, reach }).await
}

/// Changes one; what there is to tell of it.
async fn change(
    work: &mut UnitOfWork,
    one: &BulkPackage,
    is_confirmed: bool,
) -> Result<Option<RecordChange>> {
    let (before, ..) = PackageDraft::lock(work, one.id).await?;
    let input = input(one);
    if input == PackageInput::default() {
        return Err(FieldErrors::one("", "Name at least one field that changes.").into());
    }
    let (mut after, errors) = before.clone().with(&input);
    let wrong = WrongFields::from(errors);
    if after == before {
        return wrong.or(None);
    }
    after.check(work, (&before, is_confirmed), wrong).await?;
    after.write(work, one.id).await?;
    Ok(Some(RecordChange {
        id: one.id.record(),
        name: after.name.clone(),
        old: json!(before),
        new: json!(after),
    }))
}

fn input(one: &BulkPackage) -> PackageInput {
    PackageInput {
        is_enabled: one.is_enabled,
        restricted_access: one.restricted_access,
        sync: one.sync,
        fixed_cost: one.fixed_cost.clone(),
        discount_percent: one.discount_percent,
        ..PackageInput::default()
    }
}

/// Puts what is wrong with one package in its place in the list; any other error is returned.
fn name(errors: &mut FieldErrors, at: usize, error: Error) -> Result<()> {
    match error {
        Error::Rejected(rejection) if rejection.kind == RejectionKind::NotFound => {
            errors.add(format!("packages.{at}.id"), rejection.message);
        }
        Error::Rejected(rejection) if rejection.names_fields() => {
            for (field, messages) in rejection.errors.0 {
                let field = format!("packages.{at}.{field}");
                let field = field.trim_end_matches('.');
                messages.into_iter().for_each(|message| errors.add(field, message));
            }
        }
        other => return Err(other),
    }
    Ok(())
}
