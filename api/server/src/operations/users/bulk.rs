//! Changes up to 10,000 users in one transaction. Writes only the fields in the request; each field requires a permission.

use std::collections::BTreeMap;

use panel_contract::common::{AffectedIds, BulkOutcome, BulkTotals, Patch, SkippedRecord};
use panel_contract::endpoints::users::BulkUpdateUsers;
use panel_contract::ids::{GradeId, UserId};
use panel_contract::permission::Permission;
use panel_contract::users::BulkUsersInput;
use panel_domain::rank::ActingStaff;
use panel_domain::users;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::auth::confirmation;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::affiliates;
use crate::operations::staff::rank;
use crate::operations::users::actions::{
    check_account_manager, check_grade, lock_access_version_for, set_status,
};
use crate::operations::users::change::{self, FieldUpdate, LockedUser};
use crate::operations::users::edit;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

const MAX_IDS: usize = 10_000;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<BulkUpdateUsers, _, _, _>(update_users)
}

async fn update_users(ctx: Ctx, req: Req<BulkUpdateUsers>) -> Result<BulkOutcome> {
    let ids = validate(&req.body, |permission| ctx.has_permission(permission))?;
    let mut work = ctx.begin().await?;
    let users = change::lock_users(&mut work, &ids).await?;
    let updates = field_updates(&mut work, &req.body).await?;
    let affiliate_ancestors = match req.body.affiliate_id {
        Patch::Set(affiliate) => load_affiliate_ancestors(&mut work, affiliate).await?,
        _ => Vec::new(),
    };
    if let Some(status) = req.body.status {
        lock_access_version_for(&mut work, status).await?;
    }
    let (allowed_users, skipped) =
        select_allowed_users(&mut work, &req.body, &ids, &users, &affiliate_ancestors).await?;
    if allowed_users.is_empty() {
        return Err(Error::nothing_processed("user_ids", "users", skipped));
    }
    if let Some(status) = req.body.status {
        set_status(&mut work, &allowed_users, status, changes_only_status(&req.body)).await?;
    }
    let (users_with_new_grade, users_with_same_grade): (Vec<&LockedUser>, Vec<&LockedUser>) =
        allowed_users.iter().copied().partition(|user| changes_grade(&req.body, user));
    change::write_updates(&mut work, "user.updated", &users_with_same_grade, &updates).await?;
    change::write_updates(
        &mut work,
        "user.updated",
        &users_with_new_grade,
        &[updates, manual_grade_update(&req.body)].concat(),
    )
    .await?;
    if let Some(affiliate) = req.body.affiliate_id.as_update() {
        let ids: Vec<UserId> = allowed_users.iter().map(|user| user.id).collect();
        affiliates::replace_affiliate(&mut work, &ids, affiliate.copied()).await?;
    }
    let processed_count = i64::try_from(allowed_users.len()).unwrap_or(i64::MAX);
    let totals = BulkTotals { users: processed_count, ..BulkTotals::default() };
    work.finish(BulkOutcome {
        processed: processed_count,
        skipped,
        totals,
        dry_run: ctx.meta.dry_run,
        undo: None,
        costs: None,
        affected_ids: AffectedIds::default(),
    })
    .await
}

// Rules

/// Validates the input and the permissions. Returns the ids without duplicates, or the rejection of the whole request.
fn validate(
    input: &BulkUsersInput,
    has_permission: impl Fn(Permission) -> bool,
) -> Result<Vec<UserId>, Rejection> {
    if input.user_ids.is_empty() || input.user_ids.len() > MAX_IDS {
        let message = format!("Send 1 to {MAX_IDS} user ids; the request has {}.", input.user_ids.len());
        return Err(Rejection::invalid("user_ids", "ids_out_of_bounds", message));
    }
    let unchanged_flags = [
        input.grade_id.is_keep(),
        input.seller_id.is_keep(),
        input.contact_step.is_keep(),
        input.status.is_none(),
        input.referral_program_fraction.is_keep(),
        input.affiliate_id.is_keep(),
    ];
    if unchanged_flags.iter().all(|is_unchanged| *is_unchanged) {
        return Err(Rejection::invalid("body", "nothing_to_change", "Send at least one field to change."));
    }
    if !input.grade_id.is_keep() && !has_permission(Permission::ManageGradesForUser) {
        let permission = Permission::ManageGradesForUser;
        let message = format!("Changing grade_id requires the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    if let Some(permission) =
        input.status.map(users::required_permission).filter(|permission| !has_permission(*permission))
    {
        let message = format!("Changing status requires the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    let profile_fields = [
        ("seller_id", input.seller_id.is_keep()),
        ("contact_step", input.contact_step.is_keep()),
        ("referral_program_fraction", input.referral_program_fraction.is_keep()),
        ("affiliate_id", input.affiliate_id.is_keep()),
    ];
    let may_change_profile = has_permission(Permission::ManageUsers);
    if let Some((field, _)) =
        profile_fields.iter().find(|(_, is_unchanged)| !is_unchanged && !may_change_profile)
    {
        let permission = Permission::ManageUsers;
        let message = format!("Changing {field} requires the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    let mut seen_ids = std::collections::HashSet::with_capacity(input.user_ids.len());
    Ok(input.user_ids.iter().copied().filter(|id| seen_ids.insert(*id)).collect())
}

/// Whether the request changes only the status. Such a request can be undone as a whole.
fn changes_only_status(input: &BulkUsersInput) -> bool {
    input.grade_id.is_keep()
        && input.seller_id.is_keep()
        && input.contact_step.is_keep()
        && input.referral_program_fraction.is_keep()
        && input.affiliate_id.is_keep()
}

/// Whether the request changes the grade of a user. If it does not, `grade_is_manual` stays unchanged too, as in the update of one
/// user.
fn changes_grade(input: &BulkUsersInput, user: &LockedUser) -> bool {
    input.grade_id.as_update().is_some_and(|grade| grade.copied() != user.grade_id)
}

/// Builds the update of `grade_is_manual` for a new grade. A customer without a grade is promoted automatically again.
fn manual_grade_update(input: &BulkUsersInput) -> Vec<FieldUpdate> {
    let update = |grade: Option<&GradeId>| {
        FieldUpdate::new("grade_is_manual", "grade_is_manual = ?", grade.is_some(), grade.is_some())
    };
    input.grade_id.as_update().map(update).into_iter().collect()
}

/// Returns the users that the caller may change, and the skipped users with the reason.
async fn select_allowed_users<'u>(
    work: &mut UnitOfWork,
    input: &BulkUsersInput,
    ids: &[UserId],
    users: &'u BTreeMap<UserId, LockedUser>,
    affiliate_ancestors: &[UserId],
) -> Result<(Vec<&'u LockedUser>, Vec<SkippedRecord>)> {
    let permissions = rank::load_permissions(work, ids).await?;
    if input.status.is_some() && !permissions.is_empty() {
        confirmation::require_unless_dry_run(work.scope())?;
    }
    let acting_staff = ActingStaff::from_staff_member(work.scope().caller()?);
    let (mut allowed_users, mut skipped) = (Vec::new(), Vec::new());
    for id in ids {
        let Some(user) = users.get(id) else {
            skipped.push(SkippedRecord {
                id: (*id).as_record_id(),
                code: "not_found".into(),
                message: format!("There is no user {id}."),
            });
            continue;
        };
        let status_or_rank_check = match input.status {
            Some(new_status) => {
                users::check_status_change(&change::user_facts(user, &permissions), new_status, acting_staff)
            }
            None => users::reject_erased_user(user.erasure_requested_at.is_some())
                .and_then(|()| acting_staff.check_rank_of(&permissions, *id)),
        };
        match status_or_rank_check.and_then(|()| check_affiliate(*id, affiliate_ancestors)) {
            Ok(()) => allowed_users.push(user),
            Err(rejection) => skipped.push(SkippedRecord {
                id: (*id).as_record_id(),
                code: rejection.code.into(),
                message: rejection.message,
            }),
        }
    }
    Ok((allowed_users, skipped))
}

/// Rejects an affiliate whose `ancestors`, which include the affiliate, contain the user.
pub fn check_affiliate(id: UserId, affiliate_ancestors: &[UserId]) -> Result<(), Rejection> {
    if !affiliate_ancestors.contains(&id) {
        return Ok(());
    }
    Err(Rejection::conflict(
        "affiliate_in_circle",
        "A user cannot be their own affiliate, directly or through other users. Choose another affiliate.",
    ))
}

// Store

/// The fields to set on every user of the call.
async fn field_updates(work: &mut UnitOfWork, input: &BulkUsersInput) -> Result<Vec<FieldUpdate>> {
    let mut updates = Vec::new();
    if let Some(grade) = input.grade_id.as_update() {
        if let Some(grade) = grade {
            check_grade(work, *grade).await?;
        }
        updates.push(FieldUpdate::new("grade_id", "grade_id = ?", grade.copied(), json!(grade)));
    }
    if let Patch::Set(seller) = input.seller_id {
        check_account_manager(work, seller).await?;
    }
    updates.extend(edit::manager_update(&input.seller_id));
    updates.extend(edit::contact_step_update(&input.contact_step));
    updates.extend(edit::referral_update(&input.referral_program_fraction)?);
    if let Some(affiliate) = input.affiliate_id.as_update() {
        updates.push(FieldUpdate::new(
            "affiliate_id",
            "affiliate_id = ?",
            affiliate.copied(),
            json!(affiliate),
        ));
    }
    Ok(updates)
}

/// Loads the ids of an affiliate, of the affiliate of this affiliate, and so on.
pub async fn load_affiliate_ancestors(db: &mut impl SqlExecutor, affiliate: UserId) -> Result<Vec<UserId>> {
    let sql = Sql::new(
        "WITH RECURSIVE ancestors (id) AS (SELECT id FROM users WHERE id = ?
           UNION SELECT u.affiliate_id FROM users u JOIN ancestors ON ancestors.id = u.id WHERE u.affiliate_id IS NOT NULL)
         SELECT id FROM ancestors",
    );
    let affiliate_ancestors: Vec<(UserId,)> = db.fetch_all(sql.bind(affiliate)).await?;
    if affiliate_ancestors.is_empty() {
        return Err(Error::invalid(
            "affiliate_id",
            "affiliate_unknown",
            format!("There is no user {affiliate}."),
        ));
    }
    Ok(affiliate_ancestors.into_iter().map(|(id,)| id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_body(body: &str, permissions: &[Permission]) -> Result<Vec<i64>, &'static str> {
        let input = panel_contract::fields::FieldErrors::from_json(body.as_bytes()).unwrap();
        let ids = validate(&input, |permission| permissions.contains(&permission))
            .map_err(|rejection| rejection.code)?;
        Ok(ids.into_iter().map(UserId::get).collect())
    }

    #[test]
    fn each_field_requires_its_permission() {
        let all = Permission::ALL;
        assert_eq!(
            check_body(r#"{"user_ids":[3,3,1],"status":"frozen","grade_id":null}"#, all),
            Ok(vec![3, 1])
        );
        assert_eq!(check_body(r#"{"user_ids":[3]}"#, all), Err("nothing_to_change"));
        assert_eq!(check_body(r#"{"user_ids":[],"status":"frozen"}"#, all), Err("ids_out_of_bounds"));
        let manage = &[Permission::ManageUsers];
        assert_eq!(check_body(r#"{"user_ids":[3],"grade_id":1}"#, manage), Err("forbidden"));
        assert_eq!(check_body(r#"{"user_ids":[3],"status":"active"}"#, manage), Err("forbidden"));
        assert_eq!(check_body(r#"{"user_ids":[3],"contact_step":null}"#, manage), Ok(vec![3]));
        let freeze = &[Permission::FreezeUsers];
        assert_eq!(check_body(r#"{"user_ids":[3],"status":"frozen"}"#, freeze), Ok(vec![3]));
        assert_eq!(check_body(r#"{"user_ids":[3],"status":"deactivated"}"#, freeze), Err("forbidden"));
        for field in [
            r#""seller_id":null"#,
            r#""contact_step":null"#,
            r#""referral_program_fraction":null"#,
            r#""affiliate_id":7"#,
        ] {
            let body = format!(r#"{{"user_ids":[3],"status":"frozen",{field}}}"#);
            assert_eq!(check_body(&body, freeze), Err("forbidden"), "{field}");
        }
        assert_eq!(
            check_body(r#"{"user_ids":[3],"grade_id":1}"#, &[Permission::ManageGradesForUser]),
            Ok(vec![3])
        );
    }

    #[test]
    fn rejects_a_circle_of_affiliates() {
        let [five, seven] = [5, 7].map(UserId::new);
        assert_eq!(check_affiliate(five, &[seven, five]).unwrap_err().code, "affiliate_in_circle");
        assert!(check_affiliate(five, &[seven]).is_ok());
    }
}
