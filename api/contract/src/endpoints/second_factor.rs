//! Endpoints of the second factor of staff.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::UserId;
use crate::second_factor::*;

crate::endpoints! { $ for_each_second_factor_endpoint "session";
    /// Retrieves your second factor: whether it is enabled and which methods it has.
    GetSecondFactor second_factor: GET "/api/v1/profile/second-factor" [bearer] ((), EmptyQuery, EmptyBody) -> Data<SecondFactor>;
    /// Starts the enrolment of a second factor: returns a new secret, which is shown once. A sign-in requires the second factor
    /// only after its confirmation.
    BeginSecondFactor begin_second_factor: POST "/api/v1/profile/second-factor" [bearer] confirmed ((), EmptyQuery, EmptyBody) -> Data<SecondFactorEnrolment>;
    /// Enables the second factor with a first code and ends your other sessions; returns recovery codes, which are shown once.
    ConfirmSecondFactor confirm_second_factor: POST "/api/v1/profile/second-factor/confirm" [bearer] ((), EmptyQuery, ConfirmSecondFactorInput) -> Data<RecoveryCodes>;
    /// Replaces your recovery codes; the previous codes no longer work.
    RenewRecoveryCodes renew_recovery_codes: POST "/api/v1/profile/second-factor/recovery-codes" [bearer] ((), EmptyQuery, SecondFactorProof) -> Data<RecoveryCodes>;
    /// Disables your second factor.
    RemoveSecondFactor remove_second_factor: DELETE "/api/v1/profile/second-factor" [bearer] ((), EmptyQuery, SecondFactorProof) -> EmptyBody;
    /// Removes the second factor of a staff member who lost it, and ends their sessions.
    ResetSecondFactor reset_second_factor: POST "/api/v1/admin/staffs/{id}/reset-second-factor" [ManageStaff] confirmed (UserId, DryRun, EmptyBody) -> EmptyBody;
}
