//! Endpoints of special offers.

use crate::common::{Data, DryRun, Named};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{NetworkId, ServiceTypeId, SpecialOfferId};
use crate::special_offers::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_special_offers_endpoint "special-offers";
    /// Special offers, newest first.
    ListSpecialOffers list_special_offers: GET "/api/v1/admin/special-offers" [ManageDiscounts] ((), TableQuery, NoBody) -> Page<SpecialOfferRow>;
    /// A new special offer.
    CreateSpecialOffer create_special_offer: POST "/api/v1/admin/special-offers" [ManageDiscounts] ((), NoQuery, SpecialOfferInput) -> Data<SpecialOffer>;
    /// Places and positions.
    GetSpecialOfferCollection special_offer_collection: GET "/api/v1/admin/special-offers/collection" [ManageDiscounts] ((), NoQuery, NoBody) -> Data<SpecialOfferCollection>;
    /// Services that an offer can have, page by page.
    ListOfferServices special_offer_services: GET "/api/v1/admin/special-offers/services" [ManageDiscounts] ((), OfferServicesQuery, NoBody) -> OfferServices;
    /// Service types that an offer can have.
    ListOfferTypes special_offer_types: GET "/api/v1/admin/special-offers/service-types" [ManageDiscounts] ((), OfferTypesQuery, NoBody) -> Data<Vec<Named<ServiceTypeId>>>;
    /// Networks that an offer can have.
    ListOfferNetworks special_offer_networks: GET "/api/v1/admin/special-offers/networks" [ManageDiscounts] ((), NoQuery, NoBody) -> Data<Vec<Named<NetworkId>>>;
    /// One special offer with everything about it.
    GetSpecialOffer get_special_offer: GET "/api/v1/admin/special-offers/{id}" [ManageDiscounts] (SpecialOfferId, NoQuery, NoBody) -> Data<SpecialOffer>;
    /// Changes a special offer.
    UpdateSpecialOffer update_special_offer: PUT "/api/v1/admin/special-offers/{id}" [ManageDiscounts] (SpecialOfferId, NoQuery, SpecialOfferInput) -> Data<SpecialOffer>;
    /// Deletes an archived special offer for good.
    DeleteSpecialOffer delete_special_offer: DELETE "/api/v1/admin/special-offers/{id}" [ManageDiscounts] (SpecialOfferId, DryRun, NoBody) -> NoBody;
    /// Shows a special offer.
    EnableSpecialOffer enable_special_offer: POST "/api/v1/admin/special-offers/{id}/enable" [ManageDiscounts] (SpecialOfferId, DryRun, NoBody) -> Data<SpecialOffer>;
    /// Hides a special offer.
    DisableSpecialOffer disable_special_offer: POST "/api/v1/admin/special-offers/{id}/disable" [ManageDiscounts] (SpecialOfferId, DryRun, NoBody) -> Data<SpecialOffer>;
    /// Puts a special offer away.
    ArchiveSpecialOffer archive_special_offer: POST "/api/v1/admin/special-offers/{id}/archive" [ManageDiscounts] (SpecialOfferId, DryRun, NoBody) -> Data<SpecialOffer>;
    /// Brings an archived special offer back.
    UnarchiveSpecialOffer unarchive_special_offer: POST "/api/v1/admin/special-offers/{id}/unarchive" [ManageDiscounts] (SpecialOfferId, DryRun, NoBody) -> Data<SpecialOffer>;
}
