//! Endpoints of payment methods and their bonuses.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{BonusId, PaymentMethodId};
use crate::payment_methods::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_payment_methods_endpoint "payment-methods";
    /// Lists payment methods, in their order.
    ListPaymentMethods list_payment_methods: GET "/api/v1/admin/payment-methods" [ViewPaymentMethods | ManagePaymentMethods] ((), TableQuery, EmptyBody) -> Page<PaymentMethod>;
    /// Creates a payment method, as JSON or multipart with its images.
    CreatePaymentMethod create_payment_method: POST "/api/v1/admin/payment-methods" [ManagePaymentMethods] confirmed ((), EmptyQuery, PaymentMethodInput) -> Data<PaymentMethod>;
    /// Lists types, strategies, charge types and currencies of payment methods.
    GetPaymentMethodCollections payment_method_collections: GET "/api/v1/admin/payment-methods/collections" [ViewPaymentMethods | ManagePaymentMethods] ((), EmptyQuery, EmptyBody) -> Data<PaymentMethodCollections>;
    /// Lists enabled payment methods in their order, for order widgets.
    PaymentMethodsForOrderWidget payment_methods_for_order_widget: GET "/api/v1/admin/payment-methods/get-available-for-order-widget" [ManageOrderWidgets | ManagePaymentMethods] ((), EmptyQuery, EmptyBody) -> Data<Vec<AvailablePaymentMethod>>;
    /// Sorts all payment methods. The response is 409 if the list is incomplete or outdated.
    SortPaymentMethods sort_payment_methods: POST "/api/v1/admin/payment-methods/sort" [ManagePaymentMethods] ((), EmptyQuery, SortPaymentMethodsInput) -> EmptyBody;
    /// Retrieves a payment method and which secrets are set, without the secrets.
    GetPaymentMethod get_payment_method: GET "/api/v1/admin/payment-methods/{id}" [ViewPaymentMethods | ManagePaymentMethods] (PaymentMethodId, EmptyQuery, EmptyBody) -> Data<PaymentMethod>;
    /// Updates a payment method, as JSON or multipart with `_method=PUT`.
    UpdatePaymentMethod update_payment_method: POST "/api/v1/admin/payment-methods/{id}" [ManagePaymentMethods] confirmed (PaymentMethodId, EmptyQuery, PaymentMethodInput) -> Data<PaymentMethod>;
    /// Enables a payment method for customers.
    EnablePaymentMethod enable_payment_method: POST "/api/v1/admin/payment-methods/{id}/enable" [ManagePaymentMethods] confirmed (PaymentMethodId, DryRun, EmptyBody) -> Data<PaymentMethod>;
    /// Disables a payment method for customers.
    DisablePaymentMethod disable_payment_method: POST "/api/v1/admin/payment-methods/{id}/disable" [ManagePaymentMethods] confirmed (PaymentMethodId, DryRun, EmptyBody) -> Data<PaymentMethod>;
    /// Creates and updates bonuses of a payment method.
    SetPaymentMethodBonuses set_payment_method_bonuses: POST "/api/v1/admin/payment-method-bonuses" [ManagePaymentMethods] ((), EmptyQuery, BonusesInput) -> Data<PaymentMethod>;
    /// Deletes a bonus of a payment method.
    DeletePaymentMethodBonus delete_payment_method_bonus: DELETE "/api/v1/admin/payment-method-bonuses/{id}" [ManagePaymentMethods] (BonusId, DryRun, EmptyBody) -> EmptyBody;
}
