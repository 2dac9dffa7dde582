// Free trials: requests are decided from the counter; quests are created and archived.
import { expect, REJECTED_REQUEST, test } from './panel';

interface Trial {
  id: number;
  order_id: number | null;
}

test('a request is approved and becomes an order; another one is rejected', async ({ staff, page, allowedLogs }) => {
  // Dry runs during typing are rejected until the input is valid.
  allowedLogs.push(REJECTED_REQUEST);
  const query = 'columns[0][data]=status&columns[0][search][value]=pending&length=10';
  const { data } = await staff.get<{ data: Trial[] }>(`/api/v1/admin/free-trials?${query}`);
  const [first, second] = data;
  if (!first || !second) throw new Error('The demo has no requests.');
  await staff.signIn();
  const pill = page.getByRole('navigation').getByRole('link', { name: /free-trial requests?/ });
  const before = Number(await pill.textContent());
  await pill.click();
  await expect(page).toHaveURL(/\/requests\?status=pending/);
  const act = async (id: number, name: string) => {
    await page.getByRole('button', { name: `Actions for ${id}`, exact: true }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await act(first.id, 'Approve');
  await expect(page.getByText('Each request becomes a free order.')).toBeVisible();
  await page.getByLabel('Quantity').last().fill('7');
  await page.getByRole('button', { name: 'Approve request' }).click();
  await expect(page.getByRole('alertdialog').locator('.field-error')).toBeVisible();
  await page.getByLabel('Quantity').last().fill('');
  await page.getByRole('button', { name: 'Approve request' }).click();
  await expect(page.getByText('1 request approved.')).toBeVisible();
  await expect(pill).toHaveText(String(before - 1));
  await act(second.id, 'Reject');
  await page.getByRole('button', { name: 'Reject request' }).click();
  await expect(page.getByText('1 request rejected.')).toBeVisible();
  await staff.open(`/requests?id=${first.id}`);
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
  await expect(page.getByRole('alertdialog').getByText('1 of 1 selected will be changed.')).toBeVisible();
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
