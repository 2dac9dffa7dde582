//! Endpoints of users.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::table::{Page, TableQuery};
use crate::users::*;

crate::endpoints! { $ for_each_users_endpoint "users";
    /// Users, newest first.
    ListUsers list_users: GET "/api/v1/admin/users" [ViewUsers] ((), TableQuery, NoBody) -> Page<UserRow>;
    /// Up to 20 users whose name, e-mail or id matches, for pickers.
    SearchUsers search_users: GET "/api/v1/admin/users/search" [ViewUsers] ((), UserSearchQuery, NoBody) -> Data<Vec<UserHit>>;
    /// One user with everything about them.
    GetUser get_user: GET "/api/v1/admin/users/{id}" [ViewUsers] (i64, NoQuery, NoBody) -> Data<User>;
}
