//! Step-up authentication: a sensitive action requires that the caller confirmed their identity by password or second factor within
//! the last ten minutes, so that a stolen token or an unlocked screen is not enough. The endpoint table declares which endpoints
//! require it. A confirmation never replaces a permission.

use std::time::Duration;

use panel_contract::endpoint::{ConfirmationRule, Op};
use panel_contract::fields::FieldErrors;
use panel_contract::moment::Time;
use panel_contract::session::{ConfirmInput, Confirmation};
use panel_kernel::actor::StaffMember;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use crate::auth::factor_state::FactorCheck;
use crate::auth::passkeys::Purpose;
use crate::auth::second_factor::{self, Proof};
use crate::auth::sessions::{self, IssuedToken};
use crate::auth::store::{self, Account};
use crate::auth::throttle;
use crate::context::Ctx;
use panel_platform::scope::Scope;

/// How long a confirmation is valid.
pub const LIFETIME: Duration = Duration::from_mins(10);

/// Confirms the caller's identity. Guesses are throttled as at sign-in. The console gets a new token, and only that one is
/// confirmed: a stolen copy of the old token gains nothing. A program keeps its token, because an operator may have configured it;
/// the client library refreshes the token that it stores itself.
pub async fn confirm(ctx: &Ctx, input: &ConfirmInput) -> Result<(Confirmation, Option<IssuedToken>)> {
    let caller = ctx.caller()?;
    let password = input.password.as_deref().filter(|password| !password.is_empty());
    let otp = input.otp.as_deref().map(str::trim).filter(|otp| !otp.is_empty());
    let proof = Proof { otp, passkey: input.passkey.as_ref() };
    if password.is_none() && proof.is_empty() {
        let mut errors = FieldErrors::default();
        errors.add(
            "password",
            "Enter your password or the digits of your authenticator app, or use a passkey.",
        );
        return Err(errors.into());
    }
    let account = store::account(&mut ctx.db(), caller.user_id).await?;
    let account = account.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    let confirmation_proof = match password {
        Some(password) if proof.is_empty() || !account.has_second_factor() => {
            ConfirmationProof::Password(password)
        }
        _ => ConfirmationProof::SecondFactor(proof),
    };
    throttle::check_throttled(
        ctx,
        confirmation_proof.purpose(),
        &account.email,
        check(ctx, &account, confirmation_proof),
    )
    .await?;
    let now = ctx.now();
    let issued = if ctx.meta.has_cookie_token {
        Some(sessions::renew(ctx, Some(now)).await?)
    } else if store::confirm(&mut ctx.db(), caller.session_id, now).await? {
        None
    } else {
        return Err(Error::unauthenticated("token_ended"));
    };
    tracing::info!(user_id = caller.user_id.get(), "confirmed the caller's identity");
    Ok((Confirmation { confirmed_until: now.plus(LIFETIME) }, issued))
}

/// The proof of a confirmation that the server checks.
#[derive(Clone, Copy)]
enum ConfirmationProof<'a> {
    Password(&'a str),
    SecondFactor(Proof<'a>),
}

impl ConfirmationProof<'_> {
    fn purpose(&self) -> throttle::Purpose {
        match self {
            Self::Password(_) => throttle::Purpose::ConfirmByPassword,
            Self::SecondFactor(proof) => proof.purpose(),
        }
    }

    fn field(&self) -> &'static str {
        match self {
            Self::Password(_) => "password",
            Self::SecondFactor(proof) => proof.field(),
        }
    }
}

async fn check(
    ctx: &Ctx,
    account: &Account,
    confirmation_proof: ConfirmationProof<'_>,
) -> Result<Result<(), Error>> {
    let is_correct = match confirmation_proof {
        ConfirmationProof::Password(password) => {
            let hash = account.password_hash.as_deref();
            password.len() <= 1_024 && ctx.app.passwords.verify(password, hash).await?
        }
        ConfirmationProof::SecondFactor(_) if !account.has_second_factor() => false,
        ConfirmationProof::SecondFactor(proof) => {
            second_factor::verify(ctx, account, proof, Purpose::Confirm).await? == FactorCheck::Valid
        }
    };
    let message = "The password, code or passkey is wrong. Try again.";
    Ok(if is_correct {
        Ok(())
    } else {
        Err(Error::invalid(confirmation_proof.field(), "confirmation_wrong", message))
    })
}

/// Refuses a call without a valid confirmation to an endpoint that requires one. A dry run changes nothing and needs none, except
/// for exports.
pub fn check_call(
    op: &Op,
    is_dry_run: bool,
    is_export: bool,
    caller: &StaffMember,
    now: Time,
) -> Result<(), Rejection> {
    let is_required = match op.confirmation {
        ConfirmationRule::Always => !is_dry_run,
        ConfirmationRule::OnlyExports => is_export,
        ConfirmationRule::Never | ConfirmationRule::DependsOnRequest => false,
    };
    if is_required { require(caller, now) } else { Ok(()) }
}

/// Refuses a call without a valid confirmation, for handlers that require one depending on the body (`ConfirmationRule::DependsOnRequest`).
pub fn require_for(scope: &Scope) -> Result<()> {
    match scope.meta.dry_run {
        true => Ok(()),
        false => Ok(require(scope.caller()?, scope.now())?),
    }
}

/// Refuses a caller without a valid confirmation.
fn require(caller: &StaffMember, now: Time) -> Result<(), Rejection> {
    if caller.confirmed_at.is_some_and(|at| now.since(at) <= LIFETIME) {
        return Ok(());
    }
    let message = "Confirm your identity with your password, a code or a passkey (POST /api/v1/profile/confirm), then try again. The confirmation is valid for ten minutes.";
    Err(Rejection::forbidden("confirmation_required", message))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use panel_contract::endpoint::AccessRule;
    use panel_contract::ids::{SessionId, UserId};
    use panel_contract::moment::duration_micros;
    use panel_kernel::actor::Grants;

    use super::*;

    fn caller(confirmed_at: Option<i64>) -> StaffMember {
        StaffMember {
            user_id: UserId::new(1),
            session_id: SessionId::new(1),
            name: String::new(),
            email: String::new(),
            grants: Arc::new(Grants { roles: Vec::new(), permissions: Vec::new() }),
            must_enrol: false,
            access_version: None,
            confirmed_at: confirmed_at.map(Time),
        }
    }

    #[test]
    fn a_confirmation_is_valid_for_ten_minutes() {
        let code = |at, now| require(&caller(at), Time(now)).map_err(|rejection| rejection.code);
        assert_eq!(code(Some(0), duration_micros(LIFETIME)), Ok(()));
        assert_eq!(code(Some(0), duration_micros(LIFETIME) + 1), Err("confirmation_required"));
        assert_eq!(code(None, 0), Err("confirmation_required"));
    }

    #[test]
    fn the_endpoint_declares_which_calls_require_a_confirmation() {
        let is_refused = |confirmation, is_dry_run, is_export| {
            let op = Op {
                area: "",
                id: "",
                method: "POST",
                path: "",
                access_rule: AccessRule::Bearer,
                confirmation,
                summary: "",
            };
            check_call(&op, is_dry_run, is_export, &caller(None), Time(0)).is_err()
        };
        assert!(
            is_refused(ConfirmationRule::Always, false, false)
                && !is_refused(ConfirmationRule::Always, true, false)
        );
        assert!(
            is_refused(ConfirmationRule::OnlyExports, false, true)
                && !is_refused(ConfirmationRule::OnlyExports, false, false)
        );
        assert!(
            !is_refused(ConfirmationRule::Never, false, true)
                && !is_refused(ConfirmationRule::DependsOnRequest, false, false)
        );
    }
}
