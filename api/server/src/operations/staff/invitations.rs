//! Endpoints for invitations. A staff member without a password gets an email with a link to set a password. An invitation can be
//! sent again or withdrawn. It never changes an existing password.

use panel_contract::common::Data;
use panel_contract::endpoints::staff::{InviteStaff, WithdrawInvitation};
use panel_contract::ids::UserId;
use panel_contract::staff::StaffRow;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::app::App;
use crate::auth::account_links;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::member_row::load_member;
use crate::operations::staff::members::commit_and_respond;
use crate::operations::staff::rank;
use crate::stores::account_links as links;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::work::UnitOfWork;

// Routes

pub(super) fn routes(api: Api) -> Api {
    api.route::<InviteStaff, _, _, _>(send_invitation)
        .route::<WithdrawInvitation, _, _, _>(withdraw_invitation)
}

async fn send_invitation(ctx: Ctx, req: Req<InviteStaff>) -> Result<Data<StaffRow>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, id).await?;
    let member = load_member(&mut work, id).await?;
    if !member.is_staff() && member.permissions().is_empty() {
        return Err(Error::not_found("member of staff", id));
    }
    check_invitable(member.is_active(), member.has_password())?;
    if !ctx.app.mail.is_configured() {
        return Err(Error::conflict("mail_not_configured", MAIL_NOT_CONFIGURED));
    }
    let email = member.email().to_owned();
    invite(&mut work, id, &email).await?;
    commit_and_respond(work, &ctx, id).await
}

async fn withdraw_invitation(ctx: Ctx, req: Req<WithdrawInvitation>) -> Result<Data<StaffRow>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, id).await?;
    let transition = links::withdraw_invitation(&mut work, id).await?;
    transition.or_conflict("no_invitation", "This member of staff has no open invitation.")?;
    let change = AuditChange { id: id.as_record_id(), old: json!({}), new: json!({}) };
    audit::record(&mut work, "user.invitation_withdrawn", "user", change).await?;
    commit_and_respond(work, &ctx, id).await
}

/// Invites a user who has no password, and enqueues the email, in the caller's transaction.
pub(super) async fn invite(work: &mut UnitOfWork, id: UserId, email: &str) -> Result<()> {
    account_links::invite(work, id, email).await?;
    let change = AuditChange { id: id.as_record_id(), old: json!({}), new: json!({ "email": email }) };
    audit::record(work, "user.invited", "user", change).await?;
    let invited_at = work.now;
    jobs::enqueue(work, &[Job::Invitation { user_id: id, invited_at }], invited_at).await
}

// Rules

const MAIL_NOT_CONFIGURED: &str = "This panel cannot send invitations, because email is not configured. Set a password for the new member of staff and give it to them.";

/// Rejects a new staff member without a password if the server cannot send emails.
pub(super) fn check_password(app: &App, password: Option<&str>) -> Result<()> {
    if password.is_some() || app.mail.is_configured() {
        return Ok(());
    }
    Err(Error::invalid("password", "mail_not_configured", MAIL_NOT_CONFIGURED))
}

fn check_invitable(is_active: bool, has_password: bool) -> Result<(), Rejection> {
    if has_password {
        let message = "This member of staff already has a password. They can set a new one with \"Forgot your password?\" at sign-in.";
        return Err(Rejection::conflict("has_password", message));
    }
    if !is_active {
        let message = "This member of staff is deactivated. Activate them before you invite them.";
        return Err(Rejection::conflict("deactivated", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_active_staff_members_without_a_password_are_invited() {
        let code = |is_active, has_password| {
            check_invitable(is_active, has_password).map_err(|rejection| rejection.code)
        };
        assert_eq!(code(true, false), Ok(()));
        assert_eq!(code(true, true), Err("has_password"));
        assert_eq!(code(false, false), Err("deactivated"));
    }
}
