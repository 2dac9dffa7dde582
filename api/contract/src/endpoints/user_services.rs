//! Endpoints of the individual prices and refill settings of customers for services.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{UserId, UserServiceId};
use crate::user_services::*;

crate::endpoints! { $ for_each_user_services_endpoint "users";
    /// Lists the individual terms of a customer, sorted by the name of the service.
    ListUserServices list_user_services: GET "/api/v1/admin/users/{id}/user-services" [ViewUsers] (UserId, EmptyQuery, EmptyBody) -> Data<Vec<UserService>>;
    /// Creates individual terms of a customer for a service.
    CreateUserService create_user_service: POST "/api/v1/admin/users/{id}/user-services" [ManageUsers] (UserId, EmptyQuery, UserServiceInput) -> Data<UserService>;
    /// Sets individual prices of a customer in bulk.
    SetUserServices set_user_services: POST "/api/v1/admin/users/{id}/user-services/bulk" [ManageUsers] (UserId, EmptyQuery, UserServicesInput) -> Data<Vec<UserService>>;
    /// Updates individual terms.
    UpdateUserService update_user_service: PATCH "/api/v1/admin/users/{id}/user-services/{user_service_id}" [ManageUsers] ((UserId, UserServiceId), EmptyQuery, UserServicePatch) -> Data<UserService>;
    /// Deletes individual terms: the prices and settings of the service apply again.
    DeleteUserService delete_user_service: DELETE "/api/v1/admin/users/{id}/user-services/{user_service_id}" [ManageUsers] ((UserId, UserServiceId), DryRun, EmptyBody) -> EmptyBody;
}
