// Approves and rejects free-trial requests, and creates and archives quests.
import { expect, REJECTED_REQUEST, test } from './panel';

interface FreeTrial {
  id: number;
  order_id: number | null;
}

test('an approved free-trial request becomes an order, and another request is rejected', async ({
  staff,
  page,
  allowedLogs,
}) => {
  // While the user types, the server rejects dry runs until the input is valid.
  allowedLogs.push(REJECTED_REQUEST);
  const query = 'columns[0][data]=status&columns[0][search][value]=pending&length=10';
  const { data } = await staff.get<{ data: FreeTrial[] }>(`/api/v1/admin/free-trials?${query}`);
  const [requestToApprove, requestToReject] = data;
  if (!requestToApprove || !requestToReject) throw new Error('The demo has too few requests.');
  await staff.signIn();
  const counter = page.getByRole('navigation').getByRole('link', { name: /free-trial requests?/ });
  const initialCount = Number(await counter.textContent());
  await counter.click();
  await expect(page).toHaveURL(/\/requests\?status=pending/);
  const selectAction = async (id: number, name: string) => {
    await page.getByRole('button', { name: `Actions for ${id}`, exact: true }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await selectAction(requestToApprove.id, 'Approve');
  await expect(page.getByText('Each request becomes a free order.')).toBeVisible();
  await page.getByLabel('Quantity').last().fill('7');
  await page.getByRole('button', { name: 'Approve request' }).click();
  await expect(page.getByRole('alertdialog').locator('.field-error')).toBeVisible();
  await page.getByLabel('Quantity').last().fill('');
  await page.getByRole('button', { name: 'Approve request' }).click();
  await expect(page.getByText('1 request approved.')).toBeVisible();
  await expect(counter).toHaveText(String(initialCount - 1));
  await selectAction(requestToReject.id, 'Reject');
  await page.getByRole('button', { name: 'Reject request' }).click();
  await expect(page.getByText('1 request rejected.')).toBeVisible();
  await staff.open(`/requests?id=${requestToApprove.id}`);
  await staff.rows().first().locator('a[href^="/orders/"]').click();
  await expect(page.getByText('Free trial', { exact: true }).first()).toBeVisible();
});

test('a quest is created, changed and archived', async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(REJECTED_REQUEST);
  await staff.signIn('admin', '/quests');
  await page.getByRole('button', { name: 'New quest' }).click();
  const dialog = page.getByRole('dialog', { name: 'New quest' });
  await dialog.getByRole('button', { name: 'New quest' }).click();
  await expect(dialog.locator('.field-error').first()).toBeVisible();
  await dialog.getByLabel('Name', { exact: true }).fill('Tell a friend');
  await dialog.getByLabel('Service').fill('YouTube likes');
  await page.locator('.p-autocomplete-item').first().click();
  await dialog.getByLabel('Quantity').fill('100');
  await dialog.getByRole('button', { name: 'New quest' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await page.getByRole('button', { name: 'Tell a friend' }).click();
  const editor = page.getByRole('dialog', { name: 'Edit quest' });
  await editor.getByLabel('Can be repeated').check();
  await editor.getByRole('button', { name: 'Save' }).click();
  const row = staff.rows().filter({ hasText: 'Tell a friend' });
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Archive quest' }).click();
  await expect(page.getByText('1 quest archived.')).toBeVisible();
  await expect(row).toHaveCount(0);
  await staff.open('/quests?is_archived=true');
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Restore' }).click();
  await expect(page.getByRole('alertdialog').getByText('1 quest will be restored.')).toBeVisible();
  await page.getByRole('button', { name: 'Restore quest' }).click();
  await expect(page.getByText('1 quest restored.')).toBeVisible();
  await staff.open('/quests');
  await expect(row).toBeVisible();
});

test('staff without permission do not see free trials', async ({ staff, page }) => {
  await staff.signIn('finance', '/requests');
  await expect(page).not.toHaveURL(/requests/);
  await expect(page.getByRole('link', { name: 'Quests', exact: true })).toHaveCount(0);
});
