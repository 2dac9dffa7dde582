// Sorting the three levels of the catalogue by keyboard and dragging, and editing networks and service types.
import { expect, type Staff, test } from './panel';

interface Named {
  id: number;
  name: string;
}

const names = async (staff: Staff, path: string) =>
  (await staff.get<{ data: Named[] }>(`/api/v1/admin/${path}`)).data.map((one) => one.name);

test('networks are moved by keyboard and saved for all staff', async ({ staff, page }) => {
  const before = await names(staff, 'networks');
  await staff.signIn('catalogue', '/services/positions');
  const level = page.getByRole('region', { name: 'Networks' });
  const handle = level.getByRole('button', { name: `Move ${before[0]}`, exact: true });
  await handle.press('ArrowDown');
  await expect(handle).toBeFocused();
  await expect(level.getByRole('status')).toHaveText(`${before[0]} moved to position 2 of ${before.length}.`);
  await handle.press('End');
  await level.getByRole('button', { name: 'Save order' }).click();
  await expect(page.getByText('Order saved.')).toBeVisible();
  expect(await names(staff, 'networks')).toEqual([...before.slice(1), before[0]]);
});

test('service types are dragged, and discarding restores the order', async ({ staff, page }) => {
  const [network] = (await staff.get<{ data: Named[] }>('/api/v1/admin/networks')).data;
  const path = `networks/${network?.id}/service-types`;
  const before = await names(staff, path);
  await staff.signIn('catalogue', '/services/positions');
  const level = page.getByRole('region', { name: 'Service types' });
  const rows = level.getByRole('listitem');
  await expect(rows).toHaveCount(before.length);
  const drag = () => rows.nth(0).getByRole('button').first().dragTo(rows.nth(2));
  await drag();
  await expect(rows.nth(2)).toContainText(before[0] ?? '');
  page.once('dialog', (dialog) => dialog.accept());
  await level.getByRole('button', { name: 'Discard' }).click();
  await expect(rows.nth(0)).toContainText(before[0] ?? '');
  await drag();
  await level.getByRole('button', { name: 'Save order' }).click();
  await expect(page.getByText('Order saved.')).toBeVisible();
  expect((await names(staff, path))[2]).toBe(before[0]);
});

test('an unsaved order is protected when another network is selected', async ({ staff, page }) => {
  const [here, other] = (await staff.get<{ data: Named[] }>('/api/v1/admin/networks')).data;
  const [first = ''] = await names(staff, `networks/${here?.id}/service-types`);
  await staff.signIn('catalogue', '/services/positions');
  const level = page.getByRole('region', { name: 'Service types' });
  const rows = level.getByRole('listitem');
  await level.getByRole('button', { name: `Move ${first}`, exact: true }).press('ArrowDown');
  await expect(rows.nth(1)).toContainText(first);
  const networks = page.getByRole('list', { name: 'Networks' });
  const choose = networks.getByRole('button', { name: other?.name ?? '', exact: true });
  page.once('dialog', (dialog) => dialog.dismiss());
  await choose.click();
  await expect(rows.nth(1)).toContainText(first);
  page.once('dialog', (dialog) => dialog.accept());
  await choose.click();
  await expect(level.getByRole('button', { name: 'Save order' })).toHaveCount(0);
});

test('a network and a service type are created; a rejected field keeps the input', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  await staff.signIn('catalogue', '/services/positions');
  await page.getByRole('button', { name: 'New network' }).click();
  const network = page.getByRole('dialog', { name: 'New network' });
  await network.getByLabel('Name', { exact: true }).fill('Podcasts');
  await network.getByLabel('Color').fill('red');
  await network.getByRole('button', { name: 'Save' }).click();
  await expect(network.locator('.field-error')).toHaveCount(1);
  await network.getByLabel('Color').fill('#ff0033');
  await network.getByRole('button', { name: 'Save' }).click();
  await expect(network).toHaveCount(0);
  await page.getByRole('button', { name: 'Podcasts', exact: true }).click();
  await expect(page.getByText('This network has no service types yet.')).toBeVisible();
  await page.getByRole('button', { name: 'New service type' }).click();
  const type = page.getByRole('dialog', { name: 'New service type' });
  await type.getByLabel('Name', { exact: true }).fill('Listeners');
  await type.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Listeners', exact: true })).toBeVisible();
});

test('staff with read permission cannot change the order', async ({ staff, page }) => {
  await staff.signIn('readonly', '/services/positions');
  await expect(page.getByRole('region', { name: 'Networks' }).getByRole('listitem').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Move / })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'New network' })).toHaveCount(0);
});
