//! Endpoints of one's own passkeys.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::PasskeyId;
use crate::passkeys::*;
use crate::second_factor::SecondFactorProof;

crate::endpoints! { $ for_each_passkeys_endpoint "session";
    /// Your own passkeys, the oldest first.
    ListPasskeys passkeys: GET "/api/v1/profile/passkeys" [bearer] ((), NoQuery, NoBody) -> Data<Vec<Passkey>>;
    /// Begins with a new passkey: the challenge for the authenticator, good for five minutes.
    BeginPasskey begin_passkey: POST "/api/v1/profile/passkeys/begin" [bearer] confirmed ((), NoQuery, NoBody) -> Data<PasskeyChallenge>;
    /// Registers a passkey with the authenticator's answer. The first second factor ends the other sessions and answers recovery codes, shown once.
    RegisterPasskey register_passkey: POST "/api/v1/profile/passkeys" [bearer] ((), NoQuery, RegisterPasskeyInput) -> Data<RegisteredPasskey>;
    /// Renames one of your own passkeys.
    RenamePasskey rename_passkey: PATCH "/api/v1/profile/passkeys/{id}" [bearer] (PasskeyId, NoQuery, RenamePasskeyInput) -> Data<Passkey>;
    /// Removes one of your own passkeys, with password and second factor.
    RemovePasskey remove_passkey: DELETE "/api/v1/profile/passkeys/{id}" [bearer] (PasskeyId, NoQuery, SecondFactorProof) -> NoBody;
    /// A challenge for one of your passkeys, to confirm that it is you or to prove it for a change of the second factor.
    ChallengePasskey challenge_passkey: POST "/api/v1/profile/passkeys/challenge" [bearer] ((), NoQuery, NoBody) -> Data<PasskeyChallenge>;
}
