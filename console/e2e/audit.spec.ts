// The audit log and the change log: filters, differences, and the verification of the audit chain.
import { expect, test } from './panel';

test('the audit log shows a change of a record as a difference', async ({ staff, page }) => {
  const [id] = await staff.fetchOrderIds('in_processing', 1);
  expect(await staff.post(`/api/v1/admin/orders/${id}/pause`, {})).toBe(200);
  await staff.signIn('admin', `/audit-log?auditable_type=order&auditable_id=${id}`);
  await expect(staff.rows()).toHaveCount(1);
  await expect(staff.rows().first()).toContainText('order.paused');
  await staff
    .rows()
    .first()
    .getByRole('button', { name: /Status/ })
    .click();
  const dialog = page.getByRole('dialog', { name: new RegExp(`order ${id}`) });
  await expect(dialog.locator('del').first()).toHaveText('in_processing');
  await expect(dialog.locator('ins').first()).toHaveText('stopped');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText(/The log is intact/)).toBeVisible();
});

test('the change log lists changes of the catalogue', async ({ staff, page }) => {
  await staff.signIn('admin', '/change-logs?action_type=updated&type=service');
  await expect(staff.rows().first()).toContainText('Updated');
  await expect(staff.rows().first().locator('ins')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Change log' })).toBeVisible();
});

test('staff without permission see neither the audit log nor the change log', async ({ staff, page }) => {
  await staff.signIn('finance', '/audit-log');
  await expect(page.getByRole('link', { name: 'Audit log' })).toHaveCount(0);
  await expect(staff.rows()).toHaveCount(0);
});
