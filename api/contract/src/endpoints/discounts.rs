//! Endpoints of discounts.

use crate::common::{Data, DryRun};
use crate::discounts::*;
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::DiscountId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_discounts_endpoint "discounts";
    /// Discounts, newest first.
    ListDiscounts list_discounts: GET "/api/v1/admin/discounts" [ManageDiscounts] ((), TableQuery, NoBody) -> Page<DiscountRow>;
    /// A new discount.
    CreateDiscount create_discount: POST "/api/v1/admin/discounts" [ManageDiscounts] ((), DryRun, DiscountInput) -> Data<Discount>;
    /// One discount with everything about it.
    GetDiscount get_discount: GET "/api/v1/admin/discounts/{id}" [ManageDiscounts] (DiscountId, NoQuery, NoBody) -> Data<Discount>;
    /// Changes a discount.
    UpdateDiscount update_discount: PUT "/api/v1/admin/discounts/{id}" [ManageDiscounts] (DiscountId, DryRun, DiscountInput) -> Data<Discount>;
    /// Ends a discount now, for good.
    CompleteDiscount complete_discount: POST "/api/v1/admin/discounts/{id}/complete" [ManageDiscounts] (DiscountId, DryRun, NoBody) -> Data<Discount>;
    /// Puts a discount away; it lowers nothing any more.
    ArchiveDiscount archive_discount: POST "/api/v1/admin/discounts/{id}/archive" [ManageDiscounts] (DiscountId, DryRun, NoBody) -> Data<Discount>;
    /// Brings an archived discount back, as its bounds say.
    UnarchiveDiscount unarchive_discount: POST "/api/v1/admin/discounts/{id}/unarchive" [ManageDiscounts] (DiscountId, DryRun, NoBody) -> Data<Discount>;
}
