//! Endpoints of the panel's settings.

use crate::common::DryRun;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::settings::{SettingsInput, SettingsResponse};

crate::endpoints! { $ for_each_settings_endpoint "settings";
    /// Lists all settings of the panel; for a secret, only whether it is set.
    GetSettings get_settings: GET "/api/v1/admin/settings" [ManagePanelSettings] ((), EmptyQuery, EmptyBody) -> SettingsResponse;
    /// Updates settings. Absent settings keep their value.
    UpdateSettings update_settings: POST "/api/v1/admin/settings" [ManagePanelSettings] partly_confirmed ((), DryRun, SettingsInput) -> SettingsResponse;
}
