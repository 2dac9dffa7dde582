//! Endpoints of users.

use crate::common::{BulkOutcome, Choice, Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::UserId;
use crate::table::{Page, TableQuery};
use crate::users::*;

crate::endpoints! { $ for_each_users_endpoint "users";
    /// Users, newest first.
    ListUsers list_users: GET "/api/v1/admin/users" [ViewUsers] exports_confirmed ((), TableQuery, NoBody) -> Page<UserRow>;
    /// Up to 20 users whose name, e-mail or id matches, for pickers.
    SearchUsers search_users: GET "/api/v1/admin/users/search" [ViewUsers | ManageOrderWidgets] ((), UserSearchQuery, NoBody) -> Data<Vec<UserHit>>;
    /// One user with everything about them.
    GetUser get_user: GET "/api/v1/admin/users/{id}" [ViewUsers] (UserId, NoQuery, NoBody) -> Data<User>;
    /// Staff who may look after customers.
    ListAvailableSellers list_available_sellers: GET "/api/v1/admin/users/available-sellers" [ViewUsers] ((), NoQuery, NoBody) -> Data<Vec<UserHit>>;
    /// The steps of the talk with a possible seller.
    ListContactSteps list_contact_steps: GET "/api/v1/admin/users/contact-steps" [ViewUsers] ((), NoQuery, NoBody) -> Data<Vec<Choice>>;
    /// Changes what is set on up to 10,000 users, each part by its own permission.
    BulkUpdateUsers bulk_update_users: POST "/api/v1/admin/users/bulk-actions" [ManageUsers | FreezeUsers | DeactivateUsers | ActivateUsers | ManageGradesForUser] partly_confirmed ((), DryRun, BulkUsersInput) -> BulkOutcome;
    /// Changes a profile; never balance, roles or permissions.
    UpdateUser update_user: PATCH "/api/v1/admin/users/{id}" [ManageUsers] partly_confirmed (UserId, NoQuery, UserInput) -> Data<User>;
    /// They sign in, and cannot order.
    FreezeUser freeze_user: POST "/api/v1/admin/users/{id}/freeze" [FreezeUsers] partly_confirmed (UserId, DryRun, NoBody) -> Data<User>;
    /// They cannot sign in; all their tokens end.
    DeactivateUser deactivate_user: POST "/api/v1/admin/users/{id}/deactivate" [DeactivateUsers] partly_confirmed (UserId, DryRun, NoBody) -> Data<User>;
    /// Frozen or deactivated users come back.
    ActivateUser activate_user: POST "/api/v1/admin/users/{id}/activate" [ActivateUsers] partly_confirmed (UserId, DryRun, NoBody) -> Data<User>;
    /// Another grade, and what of it counts.
    ChangeGrade change_grade: POST "/api/v1/admin/users/{id}/change-grade" [ManageGradesForUser] (UserId, NoQuery, UserGradeInput) -> Data<User>;
    /// Manager, seller status and contact step.
    UpdateSeller update_seller: POST "/api/v1/admin/users/{id}/update-seller" [ManageUsers] (UserId, NoQuery, SellerInput) -> Data<User>;
    /// A user's own discount.
    GetUserDiscount get_user_discount: GET "/api/v1/admin/users/{id}/user-discount" [ViewUsers] (UserId, NoQuery, NoBody) -> Data<UserDiscount>;
    /// Sets or takes away a user's own discount.
    SetUserDiscount set_user_discount: POST "/api/v1/admin/users/{id}/user-discount" [ManageUsers] (UserId, NoQuery, UserDiscountInput) -> Data<UserDiscount>;
}
