// Webhooks: a secret that is shown once, deliveries that a third-party library verifies, and their log.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, test } from './panel';

interface Message {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A webhook receiver on this machine. */
async function receiver(): Promise<{ url: string; got: Message[]; answer: (status: number) => void; server: Server }> {
  const got: Message[] = [];
  let status = 204;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      response.writeHead(status).end(status === 204 ? undefined : 'no such luck');
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return {
    url,
    got,
    server,
    answer: (next) => {
      status = next;
    },
  };
}

const verified = (secret: string, { headers, body }: Message) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string;
    data: { id: number; previous_status?: string };
  };

test('a third-party library verifies deliveries', async ({ staff, page }) => {
  // The life cycle of a webhook, which includes waiting for deliveries.
  test.slow();
  const { url, got, answer, server } = await receiver();
  await staff.signIn('admin', '/webhooks');
  await page.getByRole('button', { name: 'New webhook' }).click();
  const form = page.getByRole('dialog', { name: 'New webhook' });
  await form.getByLabel('URL').fill(url);
  await form.getByLabel('Order completed').check();
  await form.getByRole('button', { name: 'Save' }).click();
  const shown = page.getByRole('dialog', { name: 'Webhook secret' });
  const secret = (await shown.locator('code').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_.{44}$/);
  await shown.getByRole('button', { name: 'I saved the secret' }).click();
  await expect(page.getByText(secret)).toHaveCount(0);
  await staff.rows().filter({ hasText: url }).getByRole('link', { name: url }).click();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText('Test delivered. The receiver answered 204.')).toBeVisible();
  expect(verified(secret, got[0] as Message).type).toBe('webhook.test');
  // The library rejects another secret and a modified body.
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  expect(() => verified(other, got[0] as Message)).toThrow();
  expect(() => verified(secret, { ...(got[0] as Message), body: '{}' })).toThrow();

  const [order] = await staff.orders('in_processing', 1);
  expect(await staff.post(`/api/v1/admin/orders/${order}/complete`, {})).toBe(200);
  await expect.poll(() => got.length).toBe(2);
  const event = verified(secret, got[1] as Message);
  expect(event).toMatchObject({ type: 'order.completed', data: { id: order, previous_status: 'in_processing' } });

  await page.reload();
  const rows = staff.rows();
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('Delivered');
  await rows.first().getByRole('button', { name: 'Order completed' }).click();
  const message = page.getByRole('dialog', { name: 'Order completed' });
  await expect(message.getByText('"previous_status": "in_processing"')).toBeVisible();
  await message.getByRole('button', { name: 'Close' }).last().click();

  // After a rotation, both secrets sign for a day.
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('button', { name: 'Create new secret' }).click();
  const second = (await shown.locator('code').textContent()) ?? '';
  await shown.getByRole('button', { name: 'I saved the secret' }).click();
  answer(500);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText('The receiver answered 500.').first()).toBeVisible();
  for (const key of [secret, second]) expect(verified(key, got[2] as Message).type).toBe('webhook.test');
  // A test delivery does not change the status; only a failed delivery does.
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

test('a receiver that failed for days is shown as such, and its deliveries can be resent', async ({ staff, page }) => {
  await staff.signIn('admin', '/webhooks/1');
  await expect(page.getByText('Disabled', { exact: true })).toBeVisible();
  await expect(page.getByText('Every delivery failed for 5 days.', { exact: false })).toBeVisible();
  await expect(staff.rows().filter({ hasText: 'The receiver answered 503.' }).first()).toBeVisible();
});

test('staff without permission are redirected', async ({ staff, page }) => {
  await staff.signIn('moderator', '/webhooks');
  await expect(page.getByRole('link', { name: 'Webhooks' })).toHaveCount(0);
  await expect(page).toHaveURL(/\/services(\?|$)/);
});
