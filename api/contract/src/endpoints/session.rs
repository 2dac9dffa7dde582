//! Endpoints of signing in, public settings, dictionaries and the WebSocket for real-time updates.

use crate::client_errors::ClientErrorInput;
use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::SessionId;
use crate::password_links::*;
use crate::session::*;

crate::endpoints! { $ for_each_session_endpoint "session";
    /// Signs a staff member in. The token is in the `Authorization` header of the response.
    Login login: POST "/login" [public] ((), EmptyQuery, LoginInput) -> SignInResponse;
    /// Returns a new token in the `Authorization` header. The previous token remains valid for a short time.
    Refresh refresh: GET "/refresh" [bearer] ((), EmptyQuery, EmptyBody) -> SignInResponse;
    /// Signs out: ends the session of the token.
    Logout logout: POST "/logout" [bearer] ((), EmptyQuery, EmptyBody) -> EmptyBody;
    /// Signs in with a single-use code. The token is in the `Authorization` header of the response.
    Handoff handoff: POST "/handoff" [public] ((), EmptyQuery, SignInCodeInput) -> SignInResponse;
    /// Retrieves the user who would be signed in by a single-use code. The code remains valid.
    ShowHandoff show_handoff: POST "/handoff/show" [public] ((), EmptyQuery, SignInCodeInput) -> Data<SignInCodeOwner>;
    /// Creates the owner of a new panel with the token that the server printed. Works only once.
    Setup setup: POST "/setup" [public] ((), EmptyQuery, SetupInput) -> SignInResponse;
    /// Emails a link to set a new password if a staff member has this email address. The response is always the same.
    RequestPasswordReset request_password_reset: POST "/password-resets" [public] ((), EmptyQuery, PasswordResetInput) -> EmptyBody;
    /// Retrieves the staff member whose password can be set by an emailed link. The link remains valid.
    ShowPasswordLink show_password_link: POST "/password-links/show" [public] ((), EmptyQuery, PasswordLinkInput) -> Data<PasswordLink>;
    /// Sets a password by an emailed link, which can be used once, and ends all sessions of the account. Does not sign in.
    UsePasswordLink use_password_link: POST "/password-links/use" [public] ((), EmptyQuery, PasswordByLinkInput) -> EmptyBody;
    /// Retrieves the public settings of the panel.
    GetPublicSettings public_settings: GET "/settings" [public] ((), EmptyQuery, EmptyBody) -> Data<PublicSettings>;
    /// Retrieves the signed-in staff member with all permissions.
    GetProfile profile: GET "/api/v1/profile" [bearer] ((), EmptyQuery, EmptyBody) -> Data<Profile>;
    /// Updates your name, language and time zone.
    UpdateOwnProfile update_own_profile: PATCH "/api/v1/profile" [bearer] ((), DryRun, OwnProfileInput) -> Data<Profile>;
    /// Changes your password; requires the current password and ends your other sessions.
    ChangeOwnPassword change_own_password: POST "/api/v1/profile/password" [bearer] ((), DryRun, OwnPasswordInput) -> EmptyBody;
    /// Confirms your identity by password or second factor for ten minutes. Sensitive endpoints require a confirmation.
    ConfirmProfile confirm_profile: POST "/api/v1/profile/confirm" [bearer] ((), EmptyQuery, ConfirmInput) -> Data<Confirmation>;
    /// Lists your active sessions, the current one first.
    ListOwnSessions own_sessions: GET "/api/v1/profile/sessions" [bearer] ((), EmptyQuery, EmptyBody) -> Data<Vec<OwnSession>>;
    /// Ends one of your sessions, except the current one.
    EndOwnSession end_own_session: DELETE "/api/v1/profile/sessions/{id}" [bearer] confirmed (SessionId, EmptyQuery, EmptyBody) -> EmptyBody;
    /// Ends all of your sessions except the current one.
    EndOtherSessions end_other_sessions: DELETE "/api/v1/profile/sessions" [bearer] confirmed ((), EmptyQuery, EmptyBody) -> EndedSessions;
    /// Authorizes a subscription to a private channel of the Pusher protocol. The body is a form or JSON.
    AuthorizeChannel authorize_channel: POST "/broadcasting/auth" [bearer] ((), EmptyQuery, BroadcastingInput) -> BroadcastingAuth;
    /// Lists countries by ISO code.
    ListCountries countries: GET "/api/v1/countries" [bearer] ((), EmptyQuery, EmptyBody) -> Data<Vec<Country>>;
    /// Lists user statuses and languages.
    GetApplication application: GET "/api/v1/admin/application" [bearer] ((), EmptyQuery, EmptyBody) -> Data<Application>;
    /// Lists the languages of the user interface.
    ListLocales locales: GET "/api/v1/admin/locales" [bearer] ((), EmptyQuery, EmptyBody) -> Data<Vec<Locale>>;
    /// Retrieves the current counters. Changes of the counters are sent over the WebSocket.
    GetCounters counters: GET "/api/v1/admin/websockets/init" [bearer] ((), EmptyQuery, EmptyBody) -> Data<Counters>;
    /// Creates a single-use sign-in code for the console, valid for 60 seconds.
    CreateHandoffCode create_handoff_code: POST "/api/v1/admin/handoff-codes" [bearer] ((), EmptyQuery, EmptyBody) -> Data<SignInCode>;
    /// Logs an unexpected error of the console, for operators.
    ReportClientError report_client_error: POST "/api/v1/admin/client-errors" [bearer] ((), EmptyQuery, ClientErrorInput) -> EmptyBody;
}
