//! Step-up authentication: for a sensitive action, the caller must have confirmed their identity with a password or a second factor
//! within the last ten minutes, so that a stolen token or an unlocked screen is not enough. The declaration of an endpoint states
//! whether it requires a confirmation. A confirmation never replaces a permission.

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
use crate::auth::second_factor::{self, FactorInput};
use crate::auth::sessions::{self, IssuedToken};
use crate::auth::store::{self, Account};
use crate::auth::throttle;
use crate::context::Ctx;
use panel_platform::scope::Scope;

/// How long a confirmation is valid.
pub const CONFIRMATION_LIFETIME: Duration = Duration::from_mins(10);

/// Confirms the identity of the caller. Wrong attempts are throttled as at sign-in. The console gets a new token, and only this token
/// is confirmed, so that an attacker gains nothing with a stolen copy of the old token. Other programs keep their token, because an
/// operator may have configured it.
pub async fn confirm(ctx: &Ctx, input: &ConfirmInput) -> Result<(Confirmation, Option<IssuedToken>)> {
    let caller = ctx.caller()?;
    let password = input.password.as_deref().filter(|password| !password.is_empty());
    let otp = input.otp.as_deref().map(str::trim).filter(|otp| !otp.is_empty());
    let factor_input = FactorInput { otp, passkey: input.passkey.as_ref() };
    if password.is_none() && factor_input.is_empty() {
        let mut errors = FieldErrors::default();
        errors.add(
            "password",
            "Enter your password or the digits of your authenticator app, or use a passkey.",
        );
        return Err(errors.into());
    }
    let account = store::load_account(&mut ctx.db(), caller.user_id).await?;
    let account = account.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    let credential = match password {
        Some(password) if factor_input.is_empty() || !account.has_second_factor() => {
            ConfirmationCredential::Password(password)
        }
        _ => ConfirmationCredential::SecondFactor(factor_input),
    };
    throttle::check_throttled(
        ctx,
        credential.purpose(),
        &account.email,
        check_credential(ctx, &account, credential),
    )
    .await?;
    let now = ctx.now();
    let issued_token = if ctx.meta.has_cookie_token {
        Some(sessions::renew(ctx, Some(now)).await?)
    } else if store::record_confirmation(&mut ctx.db(), caller.session_id, now).await? {
        None
    } else {
        return Err(Error::unauthenticated("token_ended"));
    };
    tracing::info!(user_id = caller.user_id.get(), "confirmed the caller's identity");
    Ok((Confirmation { confirmed_until: now.plus(CONFIRMATION_LIFETIME) }, issued_token))
}

/// The proof of a confirmation that the server checks.
#[derive(Clone, Copy)]
enum ConfirmationCredential<'a> {
    Password(&'a str),
    SecondFactor(FactorInput<'a>),
}

impl ConfirmationCredential<'_> {
    fn purpose(&self) -> throttle::Purpose {
        match self {
            Self::Password(_) => throttle::Purpose::ConfirmByPassword,
            Self::SecondFactor(factor_input) => factor_input.purpose(),
        }
    }

    fn field(&self) -> &'static str {
        match self {
            Self::Password(_) => "password",
            Self::SecondFactor(factor_input) => factor_input.field(),
        }
    }
}

async fn check_credential(
    ctx: &Ctx,
    account: &Account,
    credential: ConfirmationCredential<'_>,
) -> Result<Result<(), Error>> {
    let is_correct = match credential {
        ConfirmationCredential::Password(password) => {
            let hash = account.password_hash.as_deref();
            password.len() <= 1_024 && ctx.app.passwords.verify(password, hash).await?
        }
        ConfirmationCredential::SecondFactor(_) if !account.has_second_factor() => false,
        ConfirmationCredential::SecondFactor(factor_input) => {
            second_factor::verify(ctx, account, factor_input, Purpose::Confirm).await? == FactorCheck::Valid
        }
    };
    let message = "The password, code or passkey is wrong. Try again.";
    Ok(if is_correct {
        Ok(())
    } else {
        Err(Error::invalid(credential.field(), "confirmation_wrong", message))
    })
}

/// Rejects a request without a valid confirmation to an endpoint that requires one. A dry run needs no confirmation, because it changes
/// nothing; the exception are exports.
pub fn check_request(
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
    if is_required { require_confirmation(caller, now) } else { Ok(()) }
}

/// Rejects a request without a valid confirmation, unless it is a dry run. For handlers that require a confirmation only for some
/// request bodies (`ConfirmationRule::DependsOnRequest`).
pub fn require_unless_dry_run(scope: &Scope) -> Result<()> {
    match scope.meta.dry_run {
        true => Ok(()),
        false => Ok(require_confirmation(scope.caller()?, scope.now())?),
    }
}

/// Returns a 403 if the caller has no valid confirmation.
fn require_confirmation(caller: &StaffMember, now: Time) -> Result<(), Rejection> {
    if caller.confirmed_at.is_some_and(|confirmed_at| now.since(confirmed_at) <= CONFIRMATION_LIFETIME) {
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
        let code = |confirmed_at, now| {
            require_confirmation(&caller(confirmed_at), Time(now)).map_err(|rejection| rejection.code)
        };
        assert_eq!(code(Some(0), duration_micros(CONFIRMATION_LIFETIME)), Ok(()));
        assert_eq!(code(Some(0), duration_micros(CONFIRMATION_LIFETIME) + 1), Err("confirmation_required"));
        assert_eq!(code(None, 0), Err("confirmation_required"));
    }

    #[test]
    fn the_endpoint_declares_which_requests_need_a_confirmation() {
        let is_rejected = |confirmation, is_dry_run, is_export| {
            let op = Op {
                area: "",
                id: "",
                method: "POST",
                path: "",
                access_rule: AccessRule::Bearer,
                confirmation,
                summary: "",
            };
            check_request(&op, is_dry_run, is_export, &caller(None), Time(0)).is_err()
        };
        assert!(
            is_rejected(ConfirmationRule::Always, false, false)
                && !is_rejected(ConfirmationRule::Always, true, false)
        );
        assert!(
            is_rejected(ConfirmationRule::OnlyExports, false, true)
                && !is_rejected(ConfirmationRule::OnlyExports, false, false)
        );
        assert!(
            !is_rejected(ConfirmationRule::Never, false, true)
                && !is_rejected(ConfirmationRule::DependsOnRequest, false, false)
        );
    }
}
