//! Endpoints of external panels and of what was paid to them.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::external_panels::*;
use crate::ids::{ExternalPanelId, ExternalPanelPaymentId};
use crate::rejections::RejectionMessage;
use crate::table::{Page, TableQuery};
use crate::upload::FileBytes;

crate::endpoints! { $ for_each_external_panels_endpoint "external-panels";
    /// External panels; their tokens are not in it.
    ListExternalPanels list_external_panels: GET "/api/v1/admin/external-panels" [ManageExternalPanels] ((), TableQuery, NoBody) -> Page<ExternalPanel>;
    /// Connects an external panel.
    CreateExternalPanel create_external_panel: POST "/api/v1/admin/external-panels" [ManageExternalPanels] confirmed ((), NoQuery, ExternalPanelInput) -> Data<ExternalPanel>;
    /// Currencies, statistic types and types of panels, for forms.
    ExternalPanelCollectionsOp external_panel_collections: GET "/api/v1/admin/external-panels/collections" [ManageExternalPanels] ((), NoQuery, NoBody) -> Data<ExternalPanelCollections>;
    /// Kinds of panels that are known, to begin with.
    ListPresetPanels list_preset_panels: GET "/api/v1/admin/external-panels/preset-panels" [ManageExternalPanels] ((), NoQuery, NoBody) -> Data<Vec<PresetPanel>>;
    /// Asks whether a panel answers at an address, and with a token, whether it knows us.
    ValidateExternalPanel validate_external_panel: POST "/api/v1/admin/external-panels/validate" [ManageExternalPanels] ((), NoQuery, ValidatePanelInput) -> Data<ValidatedPanel>;
    /// Asks a panel of this product for an account; its token is in the answer, and nowhere else.
    CreateExternalAccount create_external_account: POST "/api/v1/admin/external-panels/create-account" [ManageExternalPanels] confirmed ((), NoQuery, CreateAccountInput) -> Data<CreatedAccount>;
    /// One external panel.
    GetExternalPanel get_external_panel: GET "/api/v1/admin/external-panels/{id}" [ManageExternalPanels] (ExternalPanelId, NoQuery, NoBody) -> Data<ExternalPanel>;
    /// The icon of an external panel, read from its host and remembered for a day; 204 where it has none.
    ShowExternalPanelIcon show_external_panel_icon: GET "/api/v1/admin/external-panels/{id}/icon" [ManageExternalPanels] (ExternalPanelId, NoQuery, NoBody) -> FileBytes;
    /// Changes an external panel; what is left out stays.
    UpdateExternalPanel update_external_panel: PATCH "/api/v1/admin/external-panels/{id}" [ManageExternalPanels] partly_confirmed (ExternalPanelId, NoQuery, ExternalPanelInput) -> Data<ExternalPanel>;
    /// Adds a message by which an external panel says that it did not take an order. It counts for answers from now on.
    AddRejectionMessage add_rejection_message: POST "/api/v1/admin/external-panels/{id}/rejection-messages" [ManageExternalPanels] (ExternalPanelId, NoQuery, RejectionMessage) -> Data<ExternalPanel>;
    /// Puts an external panel away that nothing uses any more.
    ArchiveExternalPanel archive_external_panel: POST "/api/v1/admin/external-panels/{id}/archive" [ManageExternalPanels] (ExternalPanelId, DryRun, NoBody) -> Data<ExternalPanel>;
    /// Brings an archived external panel back.
    UnarchiveExternalPanel unarchive_external_panel: POST "/api/v1/admin/external-panels/{id}/unarchive" [ManageExternalPanels] (ExternalPanelId, DryRun, NoBody) -> Data<ExternalPanel>;
    /// What was paid to an external panel; `external_panel_id` says to which.
    ListExternalPanelPayments list_external_panel_payments: GET "/api/v1/admin/external-panel-payments" [ManageExternalPanels] ((), TableQuery, NoBody) -> Page<ExternalPanelPayment>;
    /// Writes down something paid to an external panel.
    AddExternalPanelPayment add_external_panel_payment: POST "/api/v1/admin/external-panel-payments" [ManageExternalPanels] ((), NoQuery, ExternalPanelPaymentInput) -> Data<ExternalPanelPayment>;
    /// Changes what was written down.
    UpdateExternalPanelPayment update_external_panel_payment: PUT "/api/v1/admin/external-panel-payments/{id}" [ManageExternalPanels] (ExternalPanelPaymentId, NoQuery, ExternalPanelPaymentInput) -> Data<ExternalPanelPayment>;
    /// Takes it out again.
    DeleteExternalPanelPayment delete_external_panel_payment: DELETE "/api/v1/admin/external-panel-payments/{id}" [ManageExternalPanels] (ExternalPanelPaymentId, DryRun, NoBody) -> NoBody;
}
