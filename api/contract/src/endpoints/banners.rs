//! Endpoints of banners.

use crate::banners::*;
use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::BannerId;

crate::endpoints! { $ for_each_banners_endpoint "banners";
    /// All banners with their slides, and the places there are.
    ListBanners list_banners: GET "/api/v1/admin/banners" [bearer] ((), NoQuery, NoBody) -> Banners;
    /// A new banner for a place that has none, as JSON or multipart.
    CreateBanner create_banner: POST "/api/v1/admin/banners" [ManagePanelSettings] ((), NoQuery, BannerInput) -> Data<Banner>;
    /// Changes a banner, as JSON or multipart with `_method=PUT`.
    UpdateBanner update_banner: POST "/api/v1/admin/banners/{id}" [ManagePanelSettings] (BannerId, NoQuery, BannerInput) -> Data<Banner>;
    /// Deletes a banner with its slides.
    DeleteBanner delete_banner: DELETE "/api/v1/admin/banners/{id}" [ManagePanelSettings] (BannerId, DryRun, NoBody) -> NoBody;
}
