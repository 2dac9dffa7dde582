//! Endpoints of the second factor.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::UserId;
use crate::second_factor::*;

crate::endpoints! { $ for_each_second_factor_endpoint "session";
    /// Whether the signed-in member of staff has a second factor.
    GetSecondFactor second_factor: GET "/api/v1/profile/second-factor" [bearer] ((), NoQuery, NoBody) -> Data<SecondFactor>;
    /// Begins with a new secret, shown once; sign-in does not ask for it before it is confirmed.
    BeginSecondFactor begin_second_factor: POST "/api/v1/profile/second-factor" [bearer] confirmed ((), NoQuery, NoBody) -> Data<SecondFactorEnrolment>;
    /// Switches the second factor on with a first code, and ends the other sessions; answers recovery codes, shown once.
    ConfirmSecondFactor confirm_second_factor: POST "/api/v1/profile/second-factor/confirm" [bearer] ((), NoQuery, ConfirmSecondFactorInput) -> Data<RecoveryCodes>;
    /// Replaces the recovery codes; the old ones no longer work.
    RenewRecoveryCodes renew_recovery_codes: POST "/api/v1/profile/second-factor/recovery-codes" [bearer] ((), NoQuery, SecondFactorProof) -> Data<RecoveryCodes>;
    /// Switches the second factor off.
    RemoveSecondFactor remove_second_factor: DELETE "/api/v1/profile/second-factor" [bearer] ((), NoQuery, SecondFactorProof) -> NoBody;
    /// Removes the second factor of a member of staff who lost it, and ends their sessions.
    ResetSecondFactor reset_second_factor: POST "/api/v1/admin/staffs/{id}/reset-second-factor" [ManageStaff] confirmed (UserId, DryRun, NoBody) -> NoBody;
}
