//! Endpoints of labels.

use crate::common::{Data, DryRun, NamedRef};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{LabelId, ServiceId};
use crate::labels::*;

crate::endpoints! { $ for_each_labels_endpoint "labels";
    /// Lists all labels, sorted by name.
    ListLabels list_labels: GET "/api/v1/admin/services/labels" [ViewServices] ((), EmptyQuery, EmptyBody) -> Data<Vec<LabelRow>>;
    /// Creates a label.
    CreateLabel create_label: POST "/api/v1/admin/services/labels" [ManageServicesAndProviders] ((), EmptyQuery, LabelInput) -> Data<Label>;
    /// Lists labels that a service can have, for selection fields.
    ListAvailableLabels list_available_labels: GET "/api/v1/admin/services/labels/available-labels" [ViewServices] ((), EmptyQuery, EmptyBody) -> Data<Vec<NamedRef<LabelId>>>;
    /// Lists the services with a label.
    ListServicesOfLabel list_services_of_label: GET "/api/v1/admin/services/labels/used-services/{id}" [ViewServices] (LabelId, EmptyQuery, EmptyBody) -> Data<Vec<NamedRef<ServiceId>>>;
    /// Retrieves a label with its services and translations.
    GetLabel get_label: GET "/api/v1/admin/services/labels/{id}" [ViewServices] (LabelId, EmptyQuery, EmptyBody) -> Data<Label>;
    /// Updates a label.
    UpdateLabel update_label: PUT "/api/v1/admin/services/labels/{id}" [ManageServicesAndProviders] (LabelId, EmptyQuery, LabelInput) -> Data<Label>;
    /// Removes a label from its services and deletes it.
    DeleteLabel delete_label: DELETE "/api/v1/admin/services/labels/{id}" [ManageServicesAndProviders] (LabelId, DryRun, EmptyBody) -> EmptyBody;
}
