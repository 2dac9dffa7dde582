//! Endpoints of banners.

use crate::banners::*;
use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::BannerId;

crate::endpoints! { $ for_each_banners_endpoint "banners";
    /// Lists all banners with their slides, and all placements.
    ListBanners list_banners: GET "/api/v1/admin/banners" [bearer] ((), EmptyQuery, EmptyBody) -> Banners;
    /// Creates a banner for a placement that has none, as JSON or multipart.
    CreateBanner create_banner: POST "/api/v1/admin/banners" [ManagePanelSettings] ((), EmptyQuery, BannerInput) -> Data<Banner>;
    /// Updates a banner, as JSON or multipart with `_method=PUT`.
    UpdateBanner update_banner: POST "/api/v1/admin/banners/{id}" [ManagePanelSettings] (BannerId, EmptyQuery, BannerInput) -> Data<Banner>;
    /// Deletes a banner with its slides.
    DeleteBanner delete_banner: DELETE "/api/v1/admin/banners/{id}" [ManagePanelSettings] (BannerId, DryRun, EmptyBody) -> EmptyBody;
}
