//! Endpoints of the panel's settings.

use crate::common::DryRun;
use crate::endpoint::{NoBody, NoQuery};
use crate::settings::{SettingsAnswer, SettingsInput};

crate::endpoints! { $ for_each_settings_endpoint "settings";
    /// All settings of the panel; secrets only as set or not.
    GetSettings get_settings: GET "/api/v1/admin/settings" [ManagePanelSettings] ((), NoQuery, NoBody) -> SettingsAnswer;
    /// Changes settings; what is left out stays.
    UpdateSettings update_settings: POST "/api/v1/admin/settings" [ManagePanelSettings] partly_confirmed ((), DryRun, SettingsInput) -> SettingsAnswer;
}
