//! Endpoints of payment methods and their bonuses.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{BonusId, PaymentMethodId};
use crate::payment_methods::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_payment_methods_endpoint "payment-methods";
    /// Payment methods in their order.
    ListPaymentMethods list_payment_methods: GET "/api/v1/admin/payment-methods" [ViewPaymentMethods | ManagePaymentMethods] ((), TableQuery, NoBody) -> Page<PaymentMethod>;
    /// Makes a payment method, as JSON or multipart with its images.
    CreatePaymentMethod create_payment_method: POST "/api/v1/admin/payment-methods" [ManagePaymentMethods] confirmed ((), NoQuery, PaymentMethodInput) -> Data<PaymentMethod>;
    /// Types, strategies, charge types and currencies.
    PaymentMethodCollectionsOp payment_method_collections: GET "/api/v1/admin/payment-methods/collections" [ViewPaymentMethods | ManagePaymentMethods] ((), NoQuery, NoBody) -> Data<PaymentMethodCollections>;
    /// Enabled payment methods in their order, for order widgets.
    PaymentMethodsForOrderWidget payment_methods_for_order_widget: GET "/api/v1/admin/payment-methods/get-available-for-order-widget" [ManageOrderWidgets | ManagePaymentMethods] ((), NoQuery, NoBody) -> Data<Vec<AvailablePaymentMethod>>;
    /// Puts all payment methods in order; a list that misses or adds one is a 409.
    SortPaymentMethods sort_payment_methods: POST "/api/v1/admin/payment-methods/sort" [ManagePaymentMethods] ((), NoQuery, SortPaymentMethodsInput) -> NoBody;
    /// A payment method; which secrets are set, never what they are.
    GetPaymentMethod get_payment_method: GET "/api/v1/admin/payment-methods/{id}" [ViewPaymentMethods | ManagePaymentMethods] (PaymentMethodId, NoQuery, NoBody) -> Data<PaymentMethod>;
    /// Changes a payment method, as JSON or multipart with `_method=PUT`.
    UpdatePaymentMethod update_payment_method: POST "/api/v1/admin/payment-methods/{id}" [ManagePaymentMethods] confirmed (PaymentMethodId, NoQuery, PaymentMethodInput) -> Data<PaymentMethod>;
    /// Customers can use it.
    EnablePaymentMethod enable_payment_method: POST "/api/v1/admin/payment-methods/{id}/enable" [ManagePaymentMethods] confirmed (PaymentMethodId, DryRun, NoBody) -> Data<PaymentMethod>;
    /// Customers can no longer use it.
    DisablePaymentMethod disable_payment_method: POST "/api/v1/admin/payment-methods/{id}/disable" [ManagePaymentMethods] confirmed (PaymentMethodId, DryRun, NoBody) -> Data<PaymentMethod>;
    /// Makes and changes bonuses of a payment method.
    SetPaymentMethodBonuses set_payment_method_bonuses: POST "/api/v1/admin/payment-method-bonuses" [ManagePaymentMethods] ((), NoQuery, BonusesInput) -> Data<PaymentMethod>;
    /// Deletes a bonus.
    DeletePaymentMethodBonus delete_payment_method_bonus: DELETE "/api/v1/admin/payment-method-bonuses/{id}" [ManagePaymentMethods] (BonusId, DryRun, NoBody) -> NoBody;
}
