//! Endpoints of custom prices.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::user_services::*;

crate::endpoints! { $ for_each_user_services_endpoint "users";
    /// A customer's custom prices, by the services' names.
    ListUserServices list_user_services: GET "/api/v1/admin/users/{id}/user-services" [ViewUsers] (i64, NoQuery, NoBody) -> Data<Vec<UserService>>;
    /// Gives a customer a price of their own.
    CreateUserService create_user_service: POST "/api/v1/admin/users/{id}/user-services" [ManageUsers] (i64, NoQuery, UserServiceInput) -> Data<UserService>;
    /// Sets many prices of a customer at once.
    SetUserServices set_user_services: POST "/api/v1/admin/users/{id}/user-services/bulk" [ManageUsers] (i64, NoQuery, UserServicesInput) -> Data<Vec<UserService>>;
    /// Changes a custom price.
    UpdateUserService update_user_service: PATCH "/api/v1/admin/users/{id}/user-services/{user_service_id}" [ManageUsers] ((i64, i64), NoQuery, UserServicePatch) -> Data<UserService>;
    /// Takes a custom price away: the service's own terms count again.
    DeleteUserService delete_user_service: DELETE "/api/v1/admin/users/{id}/user-services/{user_service_id}" [ManageUsers] ((i64, i64), DryRun, NoBody) -> NoBody;
}
