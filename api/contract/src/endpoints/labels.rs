//! Endpoints of labels.

use crate::common::{Data, DryRun, Named};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{LabelId, ServiceId};
use crate::labels::*;

crate::endpoints! { $ for_each_labels_endpoint "labels";
    /// All labels, by name.
    ListLabels list_labels: GET "/api/v1/admin/services/labels" [ViewServices] ((), NoQuery, NoBody) -> Data<Vec<LabelRow>>;
    /// A new label.
    CreateLabel create_label: POST "/api/v1/admin/services/labels" [ManageServicesAndProviders] ((), NoQuery, LabelInput) -> Data<Label>;
    /// Labels that a service can have, for pickers.
    ListAvailableLabels list_available_labels: GET "/api/v1/admin/services/labels/available-labels" [ViewServices] ((), NoQuery, NoBody) -> Data<Vec<Named<LabelId>>>;
    /// The services that have a label.
    ListServicesOfLabel list_services_of_label: GET "/api/v1/admin/services/labels/used-services/{id}" [ViewServices] (LabelId, NoQuery, NoBody) -> Data<Vec<Named<ServiceId>>>;
    /// One label with everything about it.
    GetLabel get_label: GET "/api/v1/admin/services/labels/{id}" [ViewServices] (LabelId, NoQuery, NoBody) -> Data<Label>;
    /// Changes a label.
    UpdateLabel update_label: PUT "/api/v1/admin/services/labels/{id}" [ManageServicesAndProviders] (LabelId, NoQuery, LabelInput) -> Data<Label>;
    /// Takes a label from its services and deletes it.
    DeleteLabel delete_label: DELETE "/api/v1/admin/services/labels/{id}" [ManageServicesAndProviders] (LabelId, DryRun, NoBody) -> NoBody;
}
