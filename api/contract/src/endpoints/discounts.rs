//! Endpoints of discounts.

use crate::common::{Data, DryRun};
use crate::discounts::*;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::DiscountId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_discounts_endpoint "discounts";
    /// Lists discounts, newest first.
    ListDiscounts list_discounts: GET "/api/v1/admin/discounts" [ManageDiscounts] ((), TableQuery, EmptyBody) -> Page<DiscountRow>;
    /// Creates a discount.
    CreateDiscount create_discount: POST "/api/v1/admin/discounts" [ManageDiscounts] ((), DryRun, DiscountInput) -> Data<Discount>;
    /// Retrieves a discount with its services and overlaps.
    GetDiscount get_discount: GET "/api/v1/admin/discounts/{id}" [ManageDiscounts] (DiscountId, EmptyQuery, EmptyBody) -> Data<Discount>;
    /// Updates a discount.
    UpdateDiscount update_discount: PUT "/api/v1/admin/discounts/{id}" [ManageDiscounts] (DiscountId, DryRun, DiscountInput) -> Data<Discount>;
    /// Completes a discount permanently.
    CompleteDiscount complete_discount: POST "/api/v1/admin/discounts/{id}/complete" [ManageDiscounts] (DiscountId, DryRun, EmptyBody) -> Data<Discount>;
    /// Archives a discount; it no longer applies.
    ArchiveDiscount archive_discount: POST "/api/v1/admin/discounts/{id}/archive" [ManageDiscounts] (DiscountId, DryRun, EmptyBody) -> Data<Discount>;
    /// Restores an archived discount; its start and end apply again.
    UnarchiveDiscount unarchive_discount: POST "/api/v1/admin/discounts/{id}/unarchive" [ManageDiscounts] (DiscountId, DryRun, EmptyBody) -> Data<Discount>;
}
