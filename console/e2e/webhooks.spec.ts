// Creates webhooks, whose secret is shown once, and verifies the deliveries with a third-party library.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, test } from './panel';

interface ReceivedMessage {
  headers: IncomingHttpHeaders;
  body: string;
}

interface WebhookReceiver {
  url: string;
  messages: ReceivedMessage[];
  /** Sets the status of all later responses. */
  setResponseStatus: (status: number) => void;
  server: Server;
}

/** Starts a webhook receiver on this machine. */
async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = [];
  let status = 204;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      messages.push({ headers: request.headers, body });
      response.writeHead(status).end(status === 204 ? undefined : 'internal error');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return {
    url,
    messages,
    server,
    setResponseStatus: (newStatus) => {
      status = newStatus;
    },
  };
}

/** Verifies the signature of a message, and returns the event. */
const verifySignature = (secret: string, { headers, body }: ReceivedMessage) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string;
    data: { id: number; previous_status?: string };
  };

test('a third-party library verifies the signatures of deliveries', async ({ staff, page }) => {
  // This test creates, uses and deletes a webhook, and waits for several deliveries.
  test.slow();
  const { url, messages, setResponseStatus, server } = await startWebhookReceiver();
  await staff.signIn('admin', '/webhooks');
  await page.getByRole('button', { name: 'New webhook' }).click();
  const formDialog = page.getByRole('dialog', { name: 'New webhook' });
  await formDialog.getByLabel('URL').fill(url);
  await formDialog.getByLabel('Order completed').check();
  await formDialog.getByRole('button', { name: 'Save' }).click();
  const secretDialog = page.getByRole('dialog', { name: 'Webhook secret' });
  const secret = (await secretDialog.locator('code').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_.{44}$/);
  await secretDialog.getByRole('button', { name: 'I saved the secret' }).click();
  await expect(page.getByText(secret)).toHaveCount(0);
  await staff.rows().filter({ hasText: url }).getByRole('link', { name: url }).click();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText('Test delivered. The receiver answered 204.')).toBeVisible();
  expect(verifySignature(secret, messages[0] as ReceivedMessage).type).toBe('webhook.test');
  // The library rejects another secret and a modified body.
  const otherSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  expect(() => verifySignature(otherSecret, messages[0] as ReceivedMessage)).toThrow();
  expect(() => verifySignature(secret, { ...(messages[0] as ReceivedMessage), body: '{}' })).toThrow();

  const [orderId] = await staff.fetchOrderIds('in_processing', 1);
  expect(await staff.post(`/api/v1/admin/orders/${orderId}/complete`, {})).toBe(200);
  await expect.poll(() => messages.length).toBe(2);
  const event = verifySignature(secret, messages[1] as ReceivedMessage);
  expect(event).toMatchObject({ type: 'order.completed', data: { id: orderId, previous_status: 'in_processing' } });

  await page.reload();
  const rows = staff.rows();
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('Delivered');
  await rows.first().getByRole('button', { name: 'Order completed' }).click();
  const deliveryDialog = page.getByRole('dialog', { name: 'Order completed' });
  await expect(deliveryDialog.getByText('"previous_status": "in_processing"')).toBeVisible();
  await deliveryDialog.getByRole('button', { name: 'Close' }).last().click();

  // For a day after the rotation, the server signs with both secrets.
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('button', { name: 'Create new secret' }).click();
  const newSecret = (await secretDialog.locator('code').textContent()) ?? '';
  await secretDialog.getByRole('button', { name: 'I saved the secret' }).click();
  setResponseStatus(500);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText('The receiver responded with 500.').first()).toBeVisible();
  for (const validSecret of [secret, newSecret])
    expect(verifySignature(validSecret, messages[2] as ReceivedMessage).type).toBe('webhook.test');
  // A failed test delivery does not change the status of the webhook.
  await expect(page.getByText('Failing', { exact: true })).toHaveCount(0);

  await page.getByRole('button', { name: 'Disable' }).click();
  await page.locator('.dialog').getByRole('button', { name: 'Disable' }).click();
  await expect(page.getByText('Disabled', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete webhook' }).click();
  await expect(page).toHaveURL(/\/webhooks$/);
  await expect(staff.rows().filter({ hasText: url })).toHaveCount(0);
  server.close();
});

test('a webhook that the server has disabled shows the reason', async ({ staff, page }) => {
  await staff.signIn('admin', '/webhooks/1');
  await expect(page.getByText('Disabled after failures', { exact: true })).toBeVisible();
  await expect(page.getByText('Every delivery failed for 5 days.', { exact: false })).toBeVisible();
  await expect(staff.rows().filter({ hasText: 'The receiver responded with 503.' }).first()).toBeVisible();
});

test('staff without permission are redirected from webhooks', async ({ staff, page }) => {
  await staff.signIn('moderator', '/webhooks');
  await expect(page.getByRole('link', { name: 'Webhooks' })).toHaveCount(0);
  await expect(page).toHaveURL(/\/services(\?|$)/);
});
