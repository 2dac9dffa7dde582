//! Endpoints of payment methods and API keys of a customer.

use crate::common::Data;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::UserId;
use crate::user_access::*;

crate::endpoints! { $ for_each_user_access_endpoint "users";
    /// Lists all payment methods, and whether each is assigned to the customer.
    ListUserPaymentMethods list_user_payment_methods: GET "/api/v1/admin/users/{id}/payment-methods" [ViewPaymentMethods] (UserId, EmptyQuery, EmptyBody) -> Data<Vec<UserPaymentMethod>>;
    /// Replaces the payment methods that are assigned to a customer.
    SyncPaymentMethods sync_payment_methods: PATCH "/api/v1/admin/users/{id}/sync-payment-methods" [ManageUsers] (UserId, EmptyQuery, UserPaymentMethodsInput) -> Data<UserPaymentMethods>;
    /// Creates a key for the reseller API, which is shown once. The previous key stops working, and the customer gets an email.
    CreateUserApiKey create_user_api_key: POST "/api/v1/admin/users/{id}/api-key" [ManageApiKeys] confirmed (UserId, EmptyQuery, EmptyBody) -> Data<ApiKey>;
    /// Revokes the key for the reseller API; the customer gets an email.
    RemoveApiKey remove_api_key: DELETE "/api/v1/admin/users/{id}/api-key" [ManageApiKeys] confirmed (UserId, EmptyQuery, EmptyBody) -> EmptyBody;
}
