//! Endpoints of signing in, public settings, dictionaries and the live channel.

use crate::client_errors::ClientErrorInput;
use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::SessionId;
use crate::password_links::*;
use crate::session::*;

crate::endpoints! { $ for_each_session_endpoint "session";
    /// Signs a staff member in; the token comes in the Authorization header.
    Login login: POST "/login" [public] ((), NoQuery, LoginInput) -> SignedIn;
    /// A new token in the Authorization header; the old one works a short while longer.
    Refresh refresh: GET "/refresh" [bearer] ((), NoQuery, NoBody) -> SignedIn;
    /// Ends the presented token.
    Logout logout: POST "/logout" [bearer] ((), NoQuery, NoBody) -> NoBody;
    /// Exchanges a single-use code for a token, in the Authorization header.
    Handoff handoff: POST "/handoff" [public] ((), NoQuery, HandoffInput) -> SignedIn;
    /// Whose sign-in a single-use code carries; the code stays good.
    ShowHandoff show_handoff: POST "/handoff/show" [public] ((), NoQuery, HandoffInput) -> Data<HandoffOwner>;
    /// Makes the owner of a new panel, once, with the token that the server printed.
    Setup setup: POST "/setup" [public] ((), NoQuery, SetupInput) -> SignedIn;
    /// Emails a link to set a new password, where a member of staff has this address; the answer is always the same.
    RequestPasswordReset request_password_reset: POST "/password-resets" [public] ((), NoQuery, PasswordResetInput) -> NoBody;
    /// Whose password a link of an email sets; the link stays good.
    ShowPasswordLink show_password_link: POST "/password-links/show" [public] ((), NoQuery, PasswordLinkInput) -> Data<PasswordLink>;
    /// Sets a password by a link of an email, once, and ends all sessions of the account; it does not sign in.
    UsePasswordLink use_password_link: POST "/password-links/use" [public] ((), NoQuery, PasswordByLinkInput) -> NoBody;
    /// Public instance data.
    GetPublicSettings public_settings: GET "/settings" [public] ((), NoQuery, NoBody) -> Data<PublicSettings>;
    /// The signed-in staff member with all permissions.
    GetProfile profile: GET "/api/v1/profile" [bearer] ((), NoQuery, NoBody) -> Data<Profile>;
    /// Changes your own name, language and time zone.
    UpdateOwnProfile update_own_profile: PATCH "/api/v1/profile" [bearer] ((), DryRun, OwnProfileInput) -> Data<Profile>;
    /// Changes your own password; the current one is asked, and your other sessions end.
    ChangeOwnPassword change_own_password: POST "/api/v1/profile/password" [bearer] ((), DryRun, OwnPasswordInput) -> NoBody;
    /// Confirms who calls, by password or second factor, for ten minutes: some endpoints ask for it.
    ConfirmProfile confirm_profile: POST "/api/v1/profile/confirm" [bearer] ((), NoQuery, ConfirmInput) -> Data<Confirmation>;
    /// Your own sessions that have not ended, the one in use first.
    ListOwnSessions own_sessions: GET "/api/v1/profile/sessions" [bearer] ((), NoQuery, NoBody) -> Data<Vec<OwnSession>>;
    /// Ends one of your own sessions, but for the one in use.
    EndOwnSession end_own_session: DELETE "/api/v1/profile/sessions/{id}" [bearer] confirmed (SessionId, NoQuery, NoBody) -> NoBody;
    /// Ends all of your own sessions but the one in use.
    EndOtherSessions end_other_sessions: DELETE "/api/v1/profile/sessions" [bearer] confirmed ((), NoQuery, NoBody) -> EndedSessions;
    /// Signs a subscription to a private channel (Pusher); form or JSON.
    AuthorizeChannel authorize_channel: POST "/broadcasting/auth" [bearer] ((), NoQuery, BroadcastingInput) -> BroadcastingAuth;
    /// Countries by ISO code.
    ListCountries countries: GET "/api/v1/countries" [bearer] ((), NoQuery, NoBody) -> Data<Vec<Country>>;
    /// Dictionaries.
    GetApplication application: GET "/api/v1/admin/application" [bearer] ((), NoQuery, NoBody) -> Data<Application>;
    /// Languages of the interface.
    ListLocales locales: GET "/api/v1/admin/locales" [bearer] ((), NoQuery, NoBody) -> Data<Vec<Locale>>;
    /// The four live counters as they stand.
    GetCounters counters: GET "/api/v1/admin/websockets/init" [bearer] ((), NoQuery, NoBody) -> Data<Counters>;
    /// A single-use sign-in code for the console, good for 60 seconds.
    CreateHandoffCode create_handoff_code: POST "/api/v1/admin/handoff-codes" [bearer] ((), NoQuery, NoBody) -> Data<HandoffCode>;
    /// Logs an error that the console did not expect, for the operator.
    ReportClientError report_client_error: POST "/api/v1/admin/client-errors" [bearer] ((), NoQuery, ClientErrorInput) -> NoBody;
}
