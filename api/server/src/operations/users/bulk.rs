//! Changing up to ten thousand users at once: only what is set, each part by its own permission, one transaction.

use std::collections::BTreeMap;

use panel_contract::common::{BulkOutcome, BulkReach, BulkTotals, Patch, Skipped};
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
use crate::operations::users::actions::{check_grade, check_seller, hold_access_for, set_status};
use crate::operations::users::change::{self, Before, Set};
use crate::operations::users::edit;
use panel_platform::db::{Source, Sql};
use panel_platform::work::Work;

/// Most ids of one call.
const MOST_IDS: usize = 10_000;

// Routes

/// Adds the endpoint.
pub fn routes(api: Api) -> Api {
    api.on::<BulkUpdateUsers, _, _, _>(update)
}

async fn update(ctx: Ctx, req: Req<BulkUpdateUsers>) -> Result<BulkOutcome> {
    let ids = check(&req.body, |permission| ctx.may(permission))?;
    let mut work = ctx.begin().await?;
    let users = change::lock(&mut work, &ids).await?;
    let sets = sets(&mut work, &req.body).await?;
    let above = match req.body.affiliate_id {
        Patch::Set(affiliate) => lineage(&mut work, affiliate).await?,
        _ => Vec::new(),
    };
    if let Some(status) = req.body.status {
        hold_access_for(&mut work, status).await?;
    }
    let (moved, skipped) = judged(&mut work, &req.body, &ids, &users, &above).await?;
    if moved.is_empty() {
        return Err(Error::nothing_processed("user_ids", "users", skipped));
    }
    if let Some(status) = req.body.status {
        set_status(&mut work, &moved, status, is_only_status(&req.body)).await?;
    }
    let (other_grade, same_grade): (Vec<&Before>, Vec<&Before>) =
        moved.iter().copied().partition(|user| gets_other_grade(&req.body, user));
    change::write(&mut work, "user.updated", &same_grade, &sets).await?;
    change::write(&mut work, "user.updated", &other_grade, &[sets, by_hand(&req.body)].concat()).await?;
    if let Some(affiliate) = req.body.affiliate_id.wish() {
        let ids: Vec<UserId> = moved.iter().map(|user| user.id).collect();
        affiliates::take_over(&mut work, &ids, affiliate.copied()).await?;
    }
    let processed = i64::try_from(moved.len()).unwrap_or(i64::MAX);
    let totals = BulkTotals { users: processed, ..BulkTotals::default() };
    work.finish(BulkOutcome {
        processed,
        skipped,
        totals,
        dry_run: ctx.meta.dry_run,
        undo: None,
        costs: None,
        reach: BulkReach::default(),
    })
    .await
}

// Rules

/// The ids, each once; or what is wrong with the call as a whole.
fn check(input: &BulkUsersInput, may: impl Fn(Permission) -> bool) -> Result<Vec<UserId>, Rejection> {
    if input.user_ids.is_empty() || input.user_ids.len() > MOST_IDS {
        let message = format!("Give 1 to {MOST_IDS} user ids; there are {}.", input.user_ids.len());
        return Err(Rejection::invalid("user_ids", "ids_out_of_bounds", message));
    }
    let keeps = [
        input.grade_id.is_keep(),
        input.seller_id.is_keep(),
        input.contact_step.is_keep(),
        input.status.is_none(),
        input.referral_program_percent.is_keep(),
        input.affiliate_id.is_keep(),
    ];
    if keeps.iter().all(|keep| *keep) {
        return Err(Rejection::invalid(
            "body",
            "nothing_to_change",
            "Say what to change: at least one field.",
        ));
    }
    if !input.grade_id.is_keep() && !may(Permission::ManageGradesForUser) {
        let permission = Permission::ManageGradesForUser;
        let message = format!("This action is unauthorized. grade_id needs the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    if let Some(permission) = input.status.map(users::needed).filter(|permission| !may(*permission)) {
        let message = format!("This action is unauthorized. status needs the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    let profile = [
        ("seller_id", input.seller_id.is_keep()),
        ("contact_step", input.contact_step.is_keep()),
        ("referral_program_percent", input.referral_program_percent.is_keep()),
        ("affiliate_id", input.affiliate_id.is_keep()),
    ];
    if let Some((field, _)) = profile.iter().find(|(_, keep)| !keep && !may(Permission::ManageUsers)) {
        let permission = Permission::ManageUsers;
        let message = format!("This action is unauthorized. {field} needs the permission \"{permission}\".");
        return Err(Rejection::forbidden("forbidden", message));
    }
    let mut seen = std::collections::HashSet::with_capacity(input.user_ids.len());
    Ok(input.user_ids.iter().copied().filter(|id| seen.insert(*id)).collect())
}

/// Whether nothing but the status is set: then the call can be undone as a whole.
fn is_only_status(input: &BulkUsersInput) -> bool {
    input.grade_id.is_keep()
        && input.seller_id.is_keep()
        && input.contact_step.is_keep()
        && input.referral_program_percent.is_keep()
        && input.affiliate_id.is_keep()
}

/// Whether the call gives a user another grade. The same one leaves it as it is, by hand or reached, as on the user's page.
fn gets_other_grade(input: &BulkUsersInput, user: &Before) -> bool {
    input.grade_id.wish().is_some_and(|grade| grade.copied() != user.grade_id)
}

/// What another grade sets beside: it is given by hand, and none hands the customer back to the automatic promotion.
fn by_hand(input: &BulkUsersInput) -> Vec<Set> {
    let set = |grade: Option<&GradeId>| {
        Set::new("grade_is_manual", "grade_is_manual = ?", grade.is_some(), grade.is_some())
    };
    input.grade_id.wish().map(set).into_iter().collect()
}

/// Which users change, and why the others do not.
async fn judged<'u>(
    work: &mut Work,
    input: &BulkUsersInput,
    ids: &[UserId],
    users: &'u BTreeMap<UserId, Before>,
    above: &[UserId],
) -> Result<(Vec<&'u Before>, Vec<Skipped>)> {
    let held = rank::held(work, ids).await?;
    if input.status.is_some() && !held.is_empty() {
        confirmation::require_for(work.scope())?;
    }
    let by = ActingStaff::of(work.scope().caller()?);
    let (mut moved, mut skipped) = (Vec::new(), Vec::new());
    for id in ids {
        let Some(user) = users.get(id) else {
            skipped.push(Skipped {
                id: (*id).record(),
                code: "not_found".into(),
                message: format!("There is no user {id}."),
            });
            continue;
        };
        let status = match input.status {
            Some(to) => users::judge_status(&change::facts(user, &held), to, by),
            None => users::unless_erased(user.erasure_requested_at.is_some())
                .and_then(|()| by.judge_one_of(&held, *id)),
        };
        match status.and_then(|()| judge_affiliate(*id, above)) {
            Ok(()) => moved.push(user),
            Err(refusal) => skipped.push(Skipped {
                id: (*id).record(),
                code: refusal.code.into(),
                message: refusal.message,
            }),
        }
    }
    Ok((moved, skipped))
}

/// Whether a user may stand below the affiliate whose own line (the affiliate included) is `above`.
pub fn judge_affiliate(id: UserId, above: &[UserId]) -> Result<(), Rejection> {
    if !above.contains(&id) {
        return Ok(());
    }
    Err(Rejection::conflict(
        "affiliate_in_circle",
        "Nobody is brought by themselves, or by somebody whom they brought; choose another affiliate.",
    ))
}

// Store

/// The fields to set on every user of the call.
async fn sets(work: &mut Work, input: &BulkUsersInput) -> Result<Vec<Set>> {
    let mut sets = Vec::new();
    if let Some(grade) = input.grade_id.wish() {
        if let Some(grade) = grade {
            check_grade(work, *grade).await?;
        }
        sets.push(Set::new("grade_id", "grade_id = ?", grade.copied(), json!(grade)));
    }
    if let Patch::Set(seller) = input.seller_id {
        check_seller(work, seller).await?;
    }
    sets.extend(edit::manager(&input.seller_id));
    sets.extend(edit::contact_step(&input.contact_step));
    sets.extend(edit::referral(&input.referral_program_percent)?);
    if let Some(affiliate) = input.affiliate_id.wish() {
        sets.push(Set::new("affiliate_id", "affiliate_id = ?", affiliate.copied(), json!(affiliate)));
    }
    Ok(sets)
}

/// The affiliate and everybody above them.
pub async fn lineage(db: &mut impl Source, affiliate: UserId) -> Result<Vec<UserId>> {
    let sql = Sql::new(
        "WITH RECURSIVE line (id) AS (SELECT id FROM users WHERE id = ?
           UNION SELECT u.affiliate_id FROM users u JOIN line ON line.id = u.id WHERE u.affiliate_id IS NOT NULL)
         SELECT id FROM line",
    );
    let line: Vec<(UserId,)> = db.all(sql.bind(affiliate)).await?;
    if line.is_empty() {
        return Err(Error::invalid(
            "affiliate_id",
            "affiliate_unknown",
            format!("There is no user {affiliate}."),
        ));
    }
    Ok(line.into_iter().map(|(id,)| id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(body: &str, held: &[Permission]) -> Result<Vec<i64>, &'static str> {
        let input = panel_contract::fields::FieldErrors::from_json(body.as_bytes()).unwrap();
        let ids = check(&input, |permission| held.contains(&permission)).map_err(|refusal| refusal.code)?;
        Ok(ids.into_iter().map(UserId::get).collect())
    }

    #[test]
    fn each_part_needs_its_own_permission() {
        let all = Permission::ALL;
        assert_eq!(judged(r#"{"user_ids":[3,3,1],"status":"frozen","grade_id":null}"#, all), Ok(vec![3, 1]));
        assert_eq!(judged(r#"{"user_ids":[3]}"#, all), Err("nothing_to_change"));
        assert_eq!(judged(r#"{"user_ids":[],"status":"frozen"}"#, all), Err("ids_out_of_bounds"));
        let manage = &[Permission::ManageUsers];
        assert_eq!(judged(r#"{"user_ids":[3],"grade_id":1}"#, manage), Err("forbidden"));
        assert_eq!(judged(r#"{"user_ids":[3],"status":"active"}"#, manage), Err("forbidden"));
        assert_eq!(judged(r#"{"user_ids":[3],"contact_step":null}"#, manage), Ok(vec![3]));
        let freeze = &[Permission::FreezeUsers];
        assert_eq!(judged(r#"{"user_ids":[3],"status":"frozen"}"#, freeze), Ok(vec![3]));
        assert_eq!(judged(r#"{"user_ids":[3],"status":"deactivated"}"#, freeze), Err("forbidden"));
        for part in [
            r#""seller_id":null"#,
            r#""contact_step":null"#,
            r#""referral_program_percent":null"#,
            r#""affiliate_id":7"#,
        ] {
            let body = format!(r#"{{"user_ids":[3],"status":"frozen",{part}}}"#);
            assert_eq!(judged(&body, freeze), Err("forbidden"), "{part}");
        }
        assert_eq!(
            judged(r#"{"user_ids":[3],"grade_id":1}"#, &[Permission::ManageGradesForUser]),
            Ok(vec![3])
        );
    }

    #[test]
    fn nobody_brings_themselves() {
        let [five, seven] = [5, 7].map(UserId::new);
        assert_eq!(judge_affiliate(five, &[seven, five]).unwrap_err().code, "affiliate_in_circle");
        assert!(judge_affiliate(five, &[seven]).is_ok());
    }
}
