// Opens the system status with its queues and jobs, and retries a failed job.
import { expect, test } from './panel';

test('the system status shows queues and jobs, and a job can be retried', async ({ staff, page }) => {
  // The webhook has no running receiver, so its delivery fails and waits for a retry.
  const body = { url: 'http://127.0.0.1:9/hook', webhook_types: ['order.completed'] };
  expect(await staff.post('/api/v1/admin/webhooks', body)).toBe(200);
  const [orderId] = await staff.fetchOrderIds('in_processing', 1);
  expect(await staff.post(`/api/v1/admin/orders/${orderId}/complete`, {})).toBe(200);
  await expect
    .poll(
      async () =>
        (await staff.get<{ data: { last_error: string | null }[] }>('/api/v1/admin/jobs')).data[0]?.last_error,
    )
    .toContain('did not respond');
  await staff.signIn('admin', '/system-status');
  await expect(page.getByText('SQLite', { exact: false })).toBeVisible();
  const queue = page.locator('table.small tbody tr').filter({ hasText: 'Webhook deliveries' });
  await expect(queue).toBeVisible();
  const row = staff.rows().filter({ hasText: 'The receiver did not respond' }).first();
  await expect(row).toContainText('Waiting');
  const id = await row.getAttribute('data-id');
  await page.getByRole('button', { name: `Actions for ${id}` }).click();
  await page.getByRole('menuitem', { name: 'Retry' }).click();
  await page.locator('.dialog').getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('1 job will be retried now.')).toBeVisible();
});

test('staff without permission are redirected from the system status', async ({ staff, page }) => {
  await staff.signIn('finance', '/system-status');
  await expect(page.getByRole('link', { name: 'System status' })).toHaveCount(0);
  await expect(page).not.toHaveURL(/system-status/);
});
