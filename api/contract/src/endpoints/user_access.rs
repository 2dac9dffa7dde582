//! Endpoints of what a customer may use.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::UserId;
use crate::user_access::*;

crate::endpoints! { $ for_each_user_access_endpoint "users";
    /// Every payment method, and whether the customer is offered it.
    ListUserPaymentMethods list_user_payment_methods: GET "/api/v1/admin/users/{id}/payment-methods" [ViewPaymentMethods] (UserId, NoQuery, NoBody) -> Data<Vec<OfferedMethod>>;
    /// Sets the payment methods that a customer is offered.
    SyncPaymentMethods sync_payment_methods: PATCH "/api/v1/admin/users/{id}/sync-payment-methods" [ManageUsers] (UserId, NoQuery, UserPaymentMethodsInput) -> Data<UserPaymentMethods>;
    /// Makes a new key to the reseller API; it is shown once, the old one stops, and the customer gets an email.
    MakeApiKey make_api_key: POST "/api/v1/admin/users/{id}/api-key" [ManageApiKeys] confirmed (UserId, NoQuery, NoBody) -> Data<ApiKey>;
    /// Takes the key to the reseller API away; the customer gets an email.
    RemoveApiKey remove_api_key: DELETE "/api/v1/admin/users/{id}/api-key" [ManageApiKeys] confirmed (UserId, NoQuery, NoBody) -> NoBody;
}
