// The system status: queues, jobs, and the retry of a failed job.
import { expect, test } from './panel';

test('queues and jobs are shown, and a job is retried', async ({ staff, page }) => {
  // A webhook without a running receiver: its delivery fails and is retried later.
  const body = { url: 'http://127.0.0.1:9/hook', webhook_types: ['order.completed'] };
  expect(await staff.post('/api/v1/admin/webhooks', body)).toBe(200);
  const [orderId] = await staff.orderIds('in_processing', 1);
  expect(await staff.post(`/api/v1/admin/orders/${orderId}/complete`, {})).toBe(200);
  await expect
    .poll(
      async () =>
        (await staff.get<{ data: { last_error: string | null }[] }>('/api/v1/admin/jobs')).data[0]?.last_error,
    )
    .toContain('did not answer');
  await staff.signIn('admin', '/system-status');
  await expect(page.getByText('SQLite', { exact: false })).toBeVisible();
  const queue = page.locator('table.small tbody tr').filter({ hasText: 'Webhook deliveries' });
  await expect(queue).toBeVisible();
  const row = staff.rows().filter({ hasText: 'The receiver did not answer' }).first();
  await expect(row).toContainText('Waiting');
  const id = await row.getAttribute('data-id');
  await page.getByRole('button', { name: `Actions for ${id}` }).click();
  await page.getByRole('menuitem', { name: 'Retry' }).click();
  await page.locator('.dialog').getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('1 job will be retried now.')).toBeVisible();
});

test('staff without permission are redirected', async ({ staff, page }) => {
  await staff.signIn('finance', '/system-status');
  await expect(page.getByRole('link', { name: 'System status' })).toHaveCount(0);
  await expect(page).not.toHaveURL(/system-status/);
});
