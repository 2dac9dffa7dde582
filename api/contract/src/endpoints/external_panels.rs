//! Endpoints of external panels and of payments to them.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::external_panels::*;
use crate::ids::{ExternalPanelId, ExternalPanelPaymentId};
use crate::rejections::RejectionMessage;
use crate::table::{Page, TableQuery};
use crate::upload::FileBytes;

crate::endpoints! { $ for_each_external_panels_endpoint "external-panels";
    /// Lists external panels, without their API tokens.
    ListExternalPanels list_external_panels: GET "/api/v1/admin/external-panels" [ManageExternalPanels] ((), TableQuery, EmptyBody) -> Page<ExternalPanel>;
    /// Adds an external panel.
    CreateExternalPanel create_external_panel: POST "/api/v1/admin/external-panels" [ManageExternalPanels] confirmed ((), EmptyQuery, ExternalPanelInput) -> Data<ExternalPanel>;
    /// Lists the options of the external panel form.
    GetExternalPanelCollections external_panel_collections: GET "/api/v1/admin/external-panels/collections" [ManageExternalPanels] ((), EmptyQuery, EmptyBody) -> Data<ExternalPanelCollections>;
    /// Lists presets for adding external panels.
    ListPresetPanels list_preset_panels: GET "/api/v1/admin/external-panels/preset-panels" [ManageExternalPanels] ((), EmptyQuery, EmptyBody) -> Data<Vec<PanelPreset>>;
    /// Tests whether a panel responds at a URL and, with an API token, whether the token is valid.
    ValidateExternalPanel validate_external_panel: POST "/api/v1/admin/external-panels/validate" [ManageExternalPanels] ((), EmptyQuery, ValidatePanelInput) -> Data<ValidatedPanel>;
    /// Requests an account at a panel of this product; only this response contains its API token.
    CreateExternalAccount create_external_account: POST "/api/v1/admin/external-panels/create-account" [ManageExternalPanels] confirmed ((), EmptyQuery, CreateAccountInput) -> Data<CreatedAccount>;
    /// Retrieves an external panel.
    GetExternalPanel get_external_panel: GET "/api/v1/admin/external-panels/{id}" [ManageExternalPanels] (ExternalPanelId, EmptyQuery, EmptyBody) -> Data<ExternalPanel>;
    /// Retrieves the icon of an external panel, which the server fetches and caches for a day; 204 if there is no icon.
    ShowExternalPanelIcon show_external_panel_icon: GET "/api/v1/admin/external-panels/{id}/icon" [ManageExternalPanels] (ExternalPanelId, EmptyQuery, EmptyBody) -> FileBytes;
    /// Updates an external panel. Absent fields keep their value.
    UpdateExternalPanel update_external_panel: PATCH "/api/v1/admin/external-panels/{id}" [ManageExternalPanels] partly_confirmed (ExternalPanelId, EmptyQuery, ExternalPanelInput) -> Data<ExternalPanel>;
    /// Adds a message with which an external panel rejects orders. The message applies to future responses only.
    AddRejectionMessage add_rejection_message: POST "/api/v1/admin/external-panels/{id}/rejection-messages" [ManageExternalPanels] (ExternalPanelId, EmptyQuery, RejectionMessage) -> Data<ExternalPanel>;
    /// Archives an external panel that is no longer in use.
    ArchiveExternalPanel archive_external_panel: POST "/api/v1/admin/external-panels/{id}/archive" [ManageExternalPanels] (ExternalPanelId, DryRun, EmptyBody) -> Data<ExternalPanel>;
    /// Restores an archived external panel.
    UnarchiveExternalPanel unarchive_external_panel: POST "/api/v1/admin/external-panels/{id}/unarchive" [ManageExternalPanels] (ExternalPanelId, DryRun, EmptyBody) -> Data<ExternalPanel>;
    /// Lists payments to the external panel of `external_panel_id`.
    ListExternalPanelPayments list_external_panel_payments: GET "/api/v1/admin/external-panel-payments" [ManageExternalPanels] ((), TableQuery, EmptyBody) -> Page<ExternalPanelPayment>;
    /// Records a payment to an external panel.
    AddExternalPanelPayment add_external_panel_payment: POST "/api/v1/admin/external-panel-payments" [ManageExternalPanels] ((), EmptyQuery, ExternalPanelPaymentInput) -> Data<ExternalPanelPayment>;
    /// Updates a recorded payment to an external panel.
    UpdateExternalPanelPayment update_external_panel_payment: PUT "/api/v1/admin/external-panel-payments/{id}" [ManageExternalPanels] (ExternalPanelPaymentId, EmptyQuery, ExternalPanelPaymentInput) -> Data<ExternalPanelPayment>;
    /// Deletes a recorded payment to an external panel.
    DeleteExternalPanelPayment delete_external_panel_payment: DELETE "/api/v1/admin/external-panel-payments/{id}" [ManageExternalPanels] (ExternalPanelPaymentId, DryRun, EmptyBody) -> EmptyBody;
}
