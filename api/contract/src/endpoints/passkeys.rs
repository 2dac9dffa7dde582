//! Endpoints of the passkeys of the signed-in staff member.

use crate::common::Data;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::PasskeyId;
use crate::passkeys::*;
use crate::second_factor::SecondFactorProof;

crate::endpoints! { $ for_each_passkeys_endpoint "session";
    /// Lists your passkeys, oldest first.
    ListPasskeys passkeys: GET "/api/v1/profile/passkeys" [bearer] ((), EmptyQuery, EmptyBody) -> Data<Vec<Passkey>>;
    /// Starts the registration of a passkey: returns a challenge for the authenticator, valid for five minutes.
    BeginPasskey begin_passkey: POST "/api/v1/profile/passkeys/begin" [bearer] confirmed ((), EmptyQuery, EmptyBody) -> Data<PasskeyChallenge>;
    /// Registers a passkey with the authenticator's response. The first second factor ends your other sessions and returns
    /// recovery codes, which are shown once.
    RegisterPasskey register_passkey: POST "/api/v1/profile/passkeys" [bearer] ((), EmptyQuery, RegisterPasskeyInput) -> Data<RegisteredPasskey>;
    /// Renames one of your passkeys.
    RenamePasskey rename_passkey: PATCH "/api/v1/profile/passkeys/{id}" [bearer] (PasskeyId, EmptyQuery, RenamePasskeyInput) -> Data<Passkey>;
    /// Removes one of your passkeys; requires password and second factor.
    RemovePasskey remove_passkey: DELETE "/api/v1/profile/passkeys/{id}" [bearer] (PasskeyId, EmptyQuery, SecondFactorProof) -> EmptyBody;
    /// Creates a challenge for one of your passkeys, to confirm your identity or a change of the second factor.
    ChallengePasskey challenge_passkey: POST "/api/v1/profile/passkeys/challenge" [bearer] ((), EmptyQuery, EmptyBody) -> Data<PasskeyChallenge>;
}
