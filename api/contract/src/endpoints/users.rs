//! Endpoints of users.

use crate::common::{BulkOutcome, Choice, Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::UserId;
use crate::table::{Page, TableQuery};
use crate::users::*;

crate::endpoints! { $ for_each_users_endpoint "users";
    /// Lists users, newest first.
    ListUsers list_users: GET "/api/v1/admin/users" [ViewUsers] exports_confirmed ((), TableQuery, EmptyBody) -> Page<UserRow>;
    /// Searches users by name, email or id; returns up to 20 users.
    SearchUsers search_users: GET "/api/v1/admin/users/search" [ViewUsers | ManageOrderWidgets] ((), UserSearchQuery, EmptyBody) -> Data<Vec<UserSearchResult>>;
    /// Retrieves a user with balances, affiliates, roles and permissions.
    GetUser get_user: GET "/api/v1/admin/users/{id}" [ViewUsers] (UserId, EmptyQuery, EmptyBody) -> Data<User>;
    /// Lists staff members who can be account managers of customers.
    ListAvailableSellers list_available_sellers: GET "/api/v1/admin/users/available-sellers" [ViewUsers] ((), EmptyQuery, EmptyBody) -> Data<Vec<UserSearchResult>>;
    /// Lists the steps of the sales contact with a user.
    ListContactSteps list_contact_steps: GET "/api/v1/admin/users/contact-steps" [ViewUsers] ((), EmptyQuery, EmptyBody) -> Data<Vec<Choice>>;
    /// Updates up to 10,000 users; each field requires its own permission.
    BulkUpdateUsers bulk_update_users: POST "/api/v1/admin/users/bulk-actions" [ManageUsers | FreezeUsers | DeactivateUsers | ActivateUsers | ManageGradesForUser] partly_confirmed ((), DryRun, BulkUsersInput) -> BulkOutcome;
    /// Updates the profile of a user. Balance, roles and permissions cannot be changed by this request.
    UpdateUser update_user: PATCH "/api/v1/admin/users/{id}" [ManageUsers] partly_confirmed (UserId, EmptyQuery, UserInput) -> Data<User>;
    /// Freezes a user: they can sign in but not place orders.
    FreezeUser freeze_user: POST "/api/v1/admin/users/{id}/freeze" [FreezeUsers] partly_confirmed (UserId, DryRun, EmptyBody) -> Data<User>;
    /// Deactivates a user: they cannot sign in, and all their tokens are revoked.
    DeactivateUser deactivate_user: POST "/api/v1/admin/users/{id}/deactivate" [DeactivateUsers] partly_confirmed (UserId, DryRun, EmptyBody) -> Data<User>;
    /// Reactivates a frozen or deactivated user.
    ActivateUser activate_user: POST "/api/v1/admin/users/{id}/activate" [ActivateUsers] partly_confirmed (UserId, DryRun, EmptyBody) -> Data<User>;
    /// Changes the grade of a user, and whether grades and the discount of the grade apply to the user.
    ChangeGrade change_grade: POST "/api/v1/admin/users/{id}/change-grade" [ManageGradesForUser] (UserId, EmptyQuery, UserGradeInput) -> Data<User>;
    /// Updates account manager, sales status and sales contact step of a user.
    UpdateSeller update_seller: POST "/api/v1/admin/users/{id}/update-seller" [ManageUsers] (UserId, EmptyQuery, SellerInput) -> Data<User>;
    /// Retrieves the individual discount of a user.
    GetUserDiscount get_user_discount: GET "/api/v1/admin/users/{id}/user-discount" [ViewUsers] (UserId, EmptyQuery, EmptyBody) -> Data<UserDiscount>;
    /// Sets or removes the individual discount of a user.
    SetUserDiscount set_user_discount: POST "/api/v1/admin/users/{id}/user-discount" [ManageUsers] (UserId, EmptyQuery, UserDiscountInput) -> Data<UserDiscount>;
}
