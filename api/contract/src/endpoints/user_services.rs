//! Endpoints of custom prices.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{UserId, UserServiceId};
use crate::user_services::*;

crate::endpoints! { $ for_each_user_services_endpoint "users";
    /// A customer's custom prices, by the services' names.
    ListUserServices list_user_services: GET "/api/v1/admin/users/{id}/user-services" [ViewUsers] (UserId, NoQuery, NoBody) -> Data<Vec<UserService>>;
    /// Gives a customer a price of their own.
    CreateUserService create_user_service: POST "/api/v1/admin/users/{id}/user-services" [ManageUsers] (UserId, NoQuery, UserServiceInput) -> Data<UserService>;
    /// Sets many prices of a customer at once.
    SetUserServices set_user_services: POST "/api/v1/admin/users/{id}/user-services/bulk" [ManageUsers] (UserId, NoQuery, UserServicesInput) -> Data<Vec<UserService>>;
    /// Changes a custom price.
    UpdateUserService update_user_service: PATCH "/api/v1/admin/users/{id}/user-services/{user_service_id}" [ManageUsers] ((UserId, UserServiceId), NoQuery, UserServicePatch) -> Data<UserService>;
    /// Takes a custom price away: the service's own terms count again.
    DeleteUserService delete_user_service: DELETE "/api/v1/admin/users/{id}/user-services/{user_service_id}" [ManageUsers] ((UserId, UserServiceId), DryRun, NoBody) -> NoBody;
}
