// Sorts the three levels of the catalogue by keyboard and by dragging, and edits networks and service types.
import { expect, type Staff, test } from './panel';

interface NamedRecord {
  id: number;
  name: string;
}

const fetchNames = async (staff: Staff, path: string) =>
  (await staff.get<{ data: NamedRecord[] }>(`/api/v1/admin/${path}`)).data.map(({ name }) => name);

test('networks are moved by keyboard, and their positions are saved for all staff', async ({ staff, page }) => {
  const initialNames = await fetchNames(staff, 'networks');
  await staff.signIn('catalogue', '/services/positions');
  const level = page.getByRole('region', { name: 'Networks' });
  const handle = level.getByRole('button', { name: `Move ${initialNames[0]}`, exact: true });
  await handle.press('ArrowDown');
  await expect(handle).toBeFocused();
  await expect(level.getByRole('status')).toHaveText(
    `${initialNames[0]} moved to position 2 of ${initialNames.length}.`,
  );
  await handle.press('End');
  await level.getByRole('button', { name: 'Save positions' }).click();
  await expect(page.getByText('Positions saved.')).toBeVisible();
  expect(await fetchNames(staff, 'networks')).toEqual([...initialNames.slice(1), initialNames[0]]);
});

test('service types are dragged, and discarding restores their positions', async ({ staff, page }) => {
  const [network] = (await staff.get<{ data: NamedRecord[] }>('/api/v1/admin/networks')).data;
  const path = `networks/${network?.id}/service-types`;
  const initialNames = await fetchNames(staff, path);
  await staff.signIn('catalogue', '/services/positions');
  const level = page.getByRole('region', { name: 'Service types' });
  const rows = level.getByRole('listitem');
  await expect(rows).toHaveCount(initialNames.length);
  const moveFirstToThird = () => rows.nth(0).getByRole('button').first().dragTo(rows.nth(2));
  await moveFirstToThird();
  await expect(rows.nth(2)).toContainText(initialNames[0] ?? '');
  page.once('dialog', (dialog) => dialog.accept());
  await level.getByRole('button', { name: 'Discard' }).click();
  await expect(rows.nth(0)).toContainText(initialNames[0] ?? '');
  await moveFirstToThird();
  await level.getByRole('button', { name: 'Save positions' }).click();
  await expect(page.getByText('Positions saved.')).toBeVisible();
  expect((await fetchNames(staff, path))[2]).toBe(initialNames[0]);
});

test('selecting another network asks before it discards an unsaved sorting', async ({ staff, page }) => {
  const [currentNetwork, otherNetwork] = (await staff.get<{ data: NamedRecord[] }>('/api/v1/admin/networks')).data;
  const [firstName = ''] = await fetchNames(staff, `networks/${currentNetwork?.id}/service-types`);
  await staff.signIn('catalogue', '/services/positions');
  const level = page.getByRole('region', { name: 'Service types' });
  const rows = level.getByRole('listitem');
  await level.getByRole('button', { name: `Move ${firstName}`, exact: true }).press('ArrowDown');
  await expect(rows.nth(1)).toContainText(firstName);
  const networks = page.getByRole('list', { name: 'Networks' });
  const otherNetworkButton = networks.getByRole('button', { name: otherNetwork?.name ?? '', exact: true });
  page.once('dialog', (dialog) => dialog.dismiss());
  await otherNetworkButton.click();
  await expect(rows.nth(1)).toContainText(firstName);
  page.once('dialog', (dialog) => dialog.accept());
  await otherNetworkButton.click();
  await expect(level.getByRole('button', { name: 'Save positions' })).toHaveCount(0);
});

test('a network with an invalid color is rejected, and a network and a service type are created', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  await staff.signIn('catalogue', '/services/positions');
  await page.getByRole('button', { name: 'New network' }).click();
  const networkDialog = page.getByRole('dialog', { name: 'New network' });
  await networkDialog.getByLabel('Name', { exact: true }).fill('Podcasts');
  await networkDialog.getByLabel('Color').fill('red');
  await networkDialog.getByRole('button', { name: 'Save' }).click();
  await expect(networkDialog.locator('.field-error')).toHaveCount(1);
  await networkDialog.getByLabel('Color').fill('#ff0033');
  await networkDialog.getByRole('button', { name: 'Save' }).click();
  await expect(networkDialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Podcasts', exact: true }).click();
  await expect(page.getByText('This network has no service types yet.')).toBeVisible();
  await page.getByRole('button', { name: 'New service type' }).click();
  const typeDialog = page.getByRole('dialog', { name: 'New service type' });
  await typeDialog.getByLabel('Name', { exact: true }).fill('Listeners');
  await typeDialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Listeners', exact: true })).toBeVisible();
});

test('staff with read-only permission cannot change the sorting', async ({ staff, page }) => {
  await staff.signIn('readonly', '/services/positions');
  await expect(page.getByRole('region', { name: 'Networks' }).getByRole('listitem').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^Move / })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'New network' })).toHaveCount(0);
});
