//! Step-up: a sensitive action asks that its caller gave their password or a second factor within ten minutes, so that a token
//! that was stolen, or a screen that was left open, is not enough. Which endpoints ask stands in the endpoint table. It
//! never stands in for a permission.

use std::time::Duration;

use panel_contract::endpoint::{Confirmed, Op};
use panel_contract::fields::FieldErrors;
use panel_contract::moment::Time;
use panel_contract::session::{ConfirmInput, Confirmation};
use panel_kernel::actor::StaffMember;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use crate::auth::factor_state::Factor;
use crate::auth::passkeys::Purpose;
use crate::auth::second_factor::{self, Proof};
use crate::auth::sessions::{self, Issued};
use crate::auth::store::{self, Account};
use crate::auth::throttle;
use crate::context::Ctx;
use panel_platform::scope::Scope;

/// How long a confirmation counts.
pub const LIFETIME: Duration = Duration::from_mins(10);

/// Confirms who calls. Guesses are slowed down as at sign-in. The console gets a new token, which alone is confirmed: a copy of
/// the old one gains nothing by it. A program keeps its token, as it may have been set by hand; the client library refreshes
/// the one that it keeps itself.
pub async fn confirm(ctx: &Ctx, input: &ConfirmInput) -> Result<(Confirmation, Option<Issued>)> {
    let caller = ctx.caller()?;
    let password = input.password.as_deref().filter(|password| !password.is_empty());
    let otp = input.otp.as_deref().map(str::trim).filter(|otp| !otp.is_empty());
    let proof = Proof { otp, passkey: input.passkey.as_ref() };
    if password.is_none() && proof.is_empty() {
        let mut errors = FieldErrors::default();
        errors
            .add("password", "Type your password or the digits of your authenticator app, or use a passkey.");
        return Err(errors.into());
    }
    let account = store::account(&mut ctx.db(), caller.user_id).await?;
    let account = account.ok_or_else(|| Error::unauthenticated("token_unknown"))?;
    let given = match password {
        Some(password) if proof.is_empty() || !account.has_second_factor() => Given::Password(password),
        _ => Given::Factor(proof),
    };
    throttle::confirm_by(ctx, given.purpose(), &account.email, check(ctx, &account, given)).await?;
    let now = ctx.now();
    let issued = if ctx.meta.is_by_cookie {
        Some(sessions::renew(ctx, Some(now)).await?)
    } else if store::confirm(&mut ctx.db(), caller.session_id, now).await? {
        None
    } else {
        return Err(Error::unauthenticated("token_ended"));
    };
    tracing::info!(user_id = caller.user_id.get(), "confirmed who they are");
    Ok((Confirmation { confirmed_until: now.after(LIFETIME) }, issued))
}

/// The one proof of a confirmation that is checked.
#[derive(Clone, Copy)]
enum Given<'a> {
    Password(&'a str),
    Factor(Proof<'a>),
}

impl Given<'_> {
    fn purpose(&self) -> throttle::Purpose {
        match self {
            Self::Password(_) => throttle::Purpose::ConfirmByPassword,
            Self::Factor(proof) => proof.purpose(),
        }
    }

    fn field(&self) -> &'static str {
        match self {
            Self::Password(_) => "password",
            Self::Factor(proof) => proof.field(),
        }
    }
}

async fn check(ctx: &Ctx, account: &Account, given: Given<'_>) -> Result<Result<(), Error>> {
    let is_right = match given {
        Given::Password(password) => {
            let hash = account.password_hash.as_deref();
            password.len() <= 1_024 && ctx.app.passwords.verify(password, hash).await?
        }
        Given::Factor(_) if !account.has_second_factor() => false,
        Given::Factor(proof) => {
            second_factor::verify(ctx, account, proof, Purpose::Confirm).await? == Factor::Fits
        }
    };
    let message = "This password, code or passkey is wrong; nothing was confirmed. Try again.";
    Ok(if is_right { Ok(()) } else { Err(Error::invalid(given.field(), "confirmation_wrong", message)) })
}

/// Refuses a call of an endpoint that asks for a confirmation, where there is none that counts. A dry run changes nothing
/// and is never asked.
pub fn check_call(
    op: &Op,
    is_dry_run: bool,
    is_export: bool,
    caller: &StaffMember,
    now: Time,
) -> Result<(), Rejection> {
    let asks = match op.confirmed {
        Confirmed::Always => !is_dry_run,
        Confirmed::Exports => is_export,
        Confirmed::Never | Confirmed::Partly => false,
    };
    if asks { require(caller, now) } else { Ok(()) }
}

/// Refuses a call that is sensitive by what it says, of an endpoint that asks partly.
pub fn require_for(scope: &Scope) -> Result<()> {
    match scope.meta.dry_run {
        true => Ok(()),
        false => Ok(require(scope.caller()?, scope.now())?),
    }
}

/// Whether the caller confirmed who they are lately enough.
fn require(caller: &StaffMember, now: Time) -> Result<(), Rejection> {
    if caller.confirmed_at.is_some_and(|at| now.since(at) <= LIFETIME) {
        return Ok(());
    }
    let message = "Confirm that it is you: give your password, code or passkey (POST /api/v1/profile/confirm), then repeat this. It counts for ten minutes.";
    Err(Rejection::forbidden("confirmation_required", message))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use panel_contract::endpoint::Who;
    use panel_contract::ids::{SessionId, UserId};
    use panel_contract::moment::micros;
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
            as_of: None,
            confirmed_at: confirmed_at.map(Time),
        }
    }

    #[test]
    fn a_confirmation_counts_for_ten_minutes() {
        let code = |at, now| require(&caller(at), Time(now)).map_err(|refusal| refusal.code);
        assert_eq!(code(Some(0), micros(LIFETIME)), Ok(()));
        assert_eq!(code(Some(0), micros(LIFETIME) + 1), Err("confirmation_required"));
        assert_eq!(code(None, 0), Err("confirmation_required"));
    }

    #[test]
    fn the_mark_says_which_calls_ask() {
        let asks = |confirmed, dry, export| {
            let op =
                Op { area: "", id: "", method: "POST", path: "", who: Who::Bearer, confirmed, summary: "" };
            check_call(&op, dry, export, &caller(None), Time(0)).is_err()
        };
        assert!(asks(Confirmed::Always, false, false) && !asks(Confirmed::Always, true, false));
        assert!(asks(Confirmed::Exports, false, true) && !asks(Confirmed::Exports, false, false));
        assert!(!asks(Confirmed::Never, false, true) && !asks(Confirmed::Partly, false, false));
    }
}
