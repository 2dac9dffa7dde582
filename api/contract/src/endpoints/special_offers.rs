//! Endpoints of special offers.

use crate::common::{Data, DryRun, NamedRef};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{NetworkId, ServiceTypeId, SpecialOfferId};
use crate::special_offers::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_special_offers_endpoint "special-offers";
    /// Lists special offers, newest first.
    ListSpecialOffers list_special_offers: GET "/api/v1/admin/special-offers" [ManageDiscounts] ((), TableQuery, EmptyBody) -> Page<SpecialOfferRow>;
    /// Creates a special offer.
    CreateSpecialOffer create_special_offer: POST "/api/v1/admin/special-offers" [ManageDiscounts] ((), EmptyQuery, SpecialOfferInput) -> Data<SpecialOffer>;
    /// Lists pages and positions of special offers.
    GetSpecialOfferCollection special_offer_collection: GET "/api/v1/admin/special-offers/collection" [ManageDiscounts] ((), EmptyQuery, EmptyBody) -> Data<SpecialOfferCollection>;
    /// Lists services that a special offer can have, page by page.
    ListOfferServices special_offer_services: GET "/api/v1/admin/special-offers/services" [ManageDiscounts] ((), OfferServicesQuery, EmptyBody) -> OfferServices;
    /// Lists service types that a special offer can have.
    ListOfferTypes special_offer_types: GET "/api/v1/admin/special-offers/service-types" [ManageDiscounts] ((), OfferTypesQuery, EmptyBody) -> Data<Vec<NamedRef<ServiceTypeId>>>;
    /// Lists networks that a special offer can have.
    ListOfferNetworks special_offer_networks: GET "/api/v1/admin/special-offers/networks" [ManageDiscounts] ((), EmptyQuery, EmptyBody) -> Data<Vec<NamedRef<NetworkId>>>;
    /// Retrieves a special offer with its texts.
    GetSpecialOffer get_special_offer: GET "/api/v1/admin/special-offers/{id}" [ManageDiscounts] (SpecialOfferId, EmptyQuery, EmptyBody) -> Data<SpecialOffer>;
    /// Updates a special offer.
    UpdateSpecialOffer update_special_offer: PUT "/api/v1/admin/special-offers/{id}" [ManageDiscounts] (SpecialOfferId, EmptyQuery, SpecialOfferInput) -> Data<SpecialOffer>;
    /// Deletes an archived special offer permanently.
    DeleteSpecialOffer delete_special_offer: DELETE "/api/v1/admin/special-offers/{id}" [ManageDiscounts] (SpecialOfferId, DryRun, EmptyBody) -> EmptyBody;
    /// Enables a special offer, so that customers see it.
    EnableSpecialOffer enable_special_offer: POST "/api/v1/admin/special-offers/{id}/enable" [ManageDiscounts] (SpecialOfferId, DryRun, EmptyBody) -> Data<SpecialOffer>;
    /// Disables a special offer, so that customers do not see it.
    DisableSpecialOffer disable_special_offer: POST "/api/v1/admin/special-offers/{id}/disable" [ManageDiscounts] (SpecialOfferId, DryRun, EmptyBody) -> Data<SpecialOffer>;
    /// Archives a special offer.
    ArchiveSpecialOffer archive_special_offer: POST "/api/v1/admin/special-offers/{id}/archive" [ManageDiscounts] (SpecialOfferId, DryRun, EmptyBody) -> Data<SpecialOffer>;
    /// Restores an archived special offer.
    UnarchiveSpecialOffer unarchive_special_offer: POST "/api/v1/admin/special-offers/{id}/unarchive" [ManageDiscounts] (SpecialOfferId, DryRun, EmptyBody) -> Data<SpecialOffer>;
}
