//! Endpoints of webhooks and their deliveries.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{WebhookDeliveryId, WebhookId};
use crate::table::{Page, TableQuery};
use crate::webhooks::*;

crate::endpoints! { $ for_each_webhooks_endpoint "webhooks";
    /// Webhooks; their secrets are not in it.
    ListWebhooks list_webhooks: GET "/api/v1/admin/webhooks" [ManageWebhooks] ((), TableQuery, NoBody) -> Page<Webhook>;
    /// Makes a webhook; its secret is in the answer, and nowhere else.
    CreateWebhook create_webhook: POST "/api/v1/admin/webhooks" [ManageWebhooks] confirmed ((), NoQuery, WebhookInput) -> Data<Webhook>;
    /// Changes a webhook, or switches it on or off.
    UpdateWebhook update_webhook: PUT "/api/v1/admin/webhooks/{id}" [ManageWebhooks] partly_confirmed (WebhookId, DryRun, WebhookInput) -> Data<Webhook>;
    /// Deletes a webhook with its deliveries.
    DeleteWebhook delete_webhook: DELETE "/api/v1/admin/webhooks/{id}" [ManageWebhooks] (WebhookId, DryRun, NoBody) -> NoBody;
    /// What a webhook can be told of.
    ListWebhookTypes list_webhook_types: GET "/api/v1/admin/webhook-types" [ManageWebhooks] ((), NoQuery, NoBody) -> Data<Vec<WebhookType>>;
    /// Sends a test event now, once, and says what came of it.
    TestWebhook test_webhook: POST "/api/v1/admin/webhooks/{id}/test" [ManageWebhooks] (WebhookId, NoQuery, NoBody) -> Data<WebhookDelivery>;
    /// Makes another secret, shown once; for a day both sign.
    RotateWebhookSecret rotate_webhook_secret: POST "/api/v1/admin/webhooks/{id}/rotate-secret" [ManageWebhooks] confirmed (WebhookId, DryRun, NoBody) -> Data<Webhook>;
    /// What was sent to a webhook and what it answered, newest first.
    ListWebhookDeliveries list_webhook_deliveries: GET "/api/v1/admin/webhooks/{id}/deliveries" [ManageWebhooks] (WebhookId, TableQuery, NoBody) -> Page<WebhookDelivery>;
    /// Delivers once more: the same message, from the first attempt.
    RedeliverWebhook redeliver_webhook: POST "/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver" [ManageWebhooks] ((WebhookId, WebhookDeliveryId), DryRun, NoBody) -> Data<WebhookDelivery>;
}
