//! Endpoints of webhooks and their deliveries.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{WebhookDeliveryId, WebhookId};
use crate::table::{Page, TableQuery};
use crate::webhooks::*;

crate::endpoints! { $ for_each_webhooks_endpoint "webhooks";
    /// Lists webhooks, without their secrets.
    ListWebhooks list_webhooks: GET "/api/v1/admin/webhooks" [ManageWebhooks] ((), TableQuery, EmptyBody) -> Page<Webhook>;
    /// Creates a webhook; only this response contains its secret.
    CreateWebhook create_webhook: POST "/api/v1/admin/webhooks" [ManageWebhooks] confirmed ((), EmptyQuery, WebhookInput) -> Data<Webhook>;
    /// Updates a webhook, or enables or disables it.
    UpdateWebhook update_webhook: PUT "/api/v1/admin/webhooks/{id}" [ManageWebhooks] partly_confirmed (WebhookId, DryRun, WebhookInput) -> Data<Webhook>;
    /// Deletes a webhook with its deliveries.
    DeleteWebhook delete_webhook: DELETE "/api/v1/admin/webhooks/{id}" [ManageWebhooks] (WebhookId, DryRun, EmptyBody) -> EmptyBody;
    /// Lists the event types of webhooks.
    ListWebhookTypes list_webhook_types: GET "/api/v1/admin/webhook-types" [ManageWebhooks] ((), EmptyQuery, EmptyBody) -> Data<Vec<WebhookType>>;
    /// Sends a test event once and returns the result.
    TestWebhook test_webhook: POST "/api/v1/admin/webhooks/{id}/test" [ManageWebhooks] (WebhookId, EmptyQuery, EmptyBody) -> Data<WebhookDelivery>;
    /// Creates a new secret, which only this response contains. For one day both secrets sign deliveries.
    RotateWebhookSecret rotate_webhook_secret: POST "/api/v1/admin/webhooks/{id}/rotate-secret" [ManageWebhooks] confirmed (WebhookId, DryRun, EmptyBody) -> Data<Webhook>;
    /// Lists the deliveries of a webhook with their responses, newest first.
    ListWebhookDeliveries list_webhook_deliveries: GET "/api/v1/admin/webhooks/{id}/deliveries" [ManageWebhooks] (WebhookId, TableQuery, EmptyBody) -> Page<WebhookDelivery>;
    /// Delivers an event again: sends the same message as a new delivery with its own attempts.
    RedeliverWebhook redeliver_webhook: POST "/api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver" [ManageWebhooks] ((WebhookId, WebhookDeliveryId), DryRun, EmptyBody) -> Data<WebhookDelivery>;
}
