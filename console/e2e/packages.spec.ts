// Edits, sells and imports packages in the browser, and checks the result on the server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, REJECTED_REQUEST, type Staff, test } from './panel';

interface Package {
  id: number;
  name: string;
  total_cost: string;
  fixed_cost: string | null;
  discount_fraction: string;
  is_archived: boolean;
  package_contents: { id: number; quantity: number; price: string | null }[];
}

const fetchPackage = (staff: Staff, id: number) =>
  staff.get<{ data: Package }>(`/api/v1/admin/packages/${id}`).then(({ data }) => data);

test("the package editor shows the server's price while contents are edited", async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(/422/);
  await staff.signIn('admin', '/packages/create');
  await page.getByLabel('Name', { exact: true }).fill('Weekend');
  await page.locator('.p-dropdown', { has: page.locator('input[aria-label="Network"]') }).click();
  await page.getByRole('option', { name: 'YouTube' }).click();
  await page.getByLabel('Add service').fill('5');
  await page.getByRole('option', { name: '· 5 ·' }).click();
  const cost = page.getByRole('region', { name: 'Cost' });
  await expect(cost.locator('dd').first()).not.toHaveText('–');
  const quantity = page.getByLabel(/^Quantity:/);
  await quantity.fill('7');
  await expect(page.getByText('in steps of').first()).toBeVisible();
  await quantity.fill('1000');
  await page.getByLabel(/^Price in the package:/).fill('12.34');
  await page.getByLabel('Discount, %').fill('50');
  await expect(cost).toContainText('6.17');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Weekend' })).toBeVisible();
  await expect(page).toHaveURL(/\/packages\/\d+$/);
  const newPackage = await fetchPackage(staff, Number(page.url().split('/').pop()));
  expect([newPackage.total_cost, newPackage.discount_fraction]).toEqual(['6.17', '0.5']);
  expect(newPackage.package_contents).toMatchObject([{ id: 5, quantity: 1000, price: '12.34' }]);
});

test('a bulk action sets the discount of several packages', async ({ staff, page }) => {
  await staff.signIn('admin', '/packages');
  const row = (id: number) => page.locator(`tbody tr[data-id="${id}"]`);
  await row(1).getByRole('checkbox').check();
  await row(2).getByRole('checkbox').check();
  await page.getByRole('button', { name: /^Edit \d/ }).click();
  await page.getByLabel('Discount, %', { exact: true }).fill('12.5');
  await page.getByRole('button', { name: 'Edit 2 packages' }).click();
  await expect(page.getByText('2 packages updated.').first()).toBeVisible();
  expect([(await fetchPackage(staff, 1)).discount_fraction, (await fetchPackage(staff, 2)).discount_fraction]).toEqual([
    '0.125',
    '0.125',
  ]);
});

test('a package is archived on its page, and undo restores it', async ({ staff, page }) => {
  await staff.signIn('admin', '/packages/3');
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Archive package' }).click();
  await expect(page.locator('.record-head')).toContainText('Archived');
  expect((await fetchPackage(staff, 3)).is_archived).toBe(true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.record-head')).not.toContainText('Archived');
});

test('a package is sold to a customer after a price preview, and a double click sells it only once', async ({
  staff,
  page,
}) => {
  const users = await staff.get<{ data: { id: number; balance: string }[] }>(
    '/api/v1/admin/users?columns[0][data]=status&columns[0][search][value]=active&columns[1][data]=balance&order[0][column]=1&order[0][dir]=desc&length=1',
  );
  const user = users.data[0];
  if (!user) throw new Error('The demo has no users.');
  const { total_cost } = await fetchPackage(staff, 2);
  await staff.signIn('admin', '/packages/2');
  await page.getByRole('button', { name: 'Sell to a customer' }).click();
  const dialog = page.getByRole('dialog', { name: /^Sell / });
  await dialog.getByRole('combobox', { name: 'Customer' }).fill(String(user.id));
  await page.getByRole('option', { name: new RegExp(` · ${user.id}$`) }).click();
  await dialog.getByLabel('Link').fill('https://video.example/watch');
  await dialog.getByRole('button', { name: 'Calculate cost' }).click();
  await expect(dialog.getByText(/will pay \$/)).toBeVisible();
  await dialog.getByRole('button', { name: /^Place order for \$/ }).dblclick();
  await expect(page.getByText(/Combo order \d+ placed for \$/)).toBeVisible();
  await expect(dialog).toBeHidden();
  const customer = await staff.get<{ data: { balance: string } }>(`/api/v1/admin/users/${user.id}`);
  const toMillionths = (amount: string) => Math.round(Number(amount) * 1_000_000);
  expect(toMillionths(user.balance) - toMillionths(customer.data.balance)).toBeLessThanOrEqual(
    toMillionths(total_cost),
  );
  expect(toMillionths(user.balance)).toBeGreaterThan(toMillionths(customer.data.balance));
});

/** A GIF of one pixel. */
const ICON = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Starts a fake external panel that sells one package. A test can rename the package by changing `soldPackage.name`. */
async function startFakeExternalPanel() {
  const soldPackage = { name: 'Pack of likes' };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/favicon.ico') {
        response.end(ICON);
        return;
      }
      response.setHeader('content-type', 'application/json');
      const service = { service: 7, type: 'Package', category: 'All', rate: '5', min: '1', max: '1', ...soldPackage };
      response.end(JSON.stringify([service]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { soldPackage, url: `http://127.0.0.1:${port}/api/v2`, close: () => server.close() };
}

test('a package is imported into a network, and a sync renames it', async ({ staff, page }) => {
  const fakeExternalPanel = await startFakeExternalPanel();
  const externalPanelsPath = '/api/v1/admin/external-panels';
  const externalPanel = {
    name: 'Packer',
    endpoint: fakeExternalPanel.url,
    api_token: 'token-of-ours',
    currency: 'USD',
  };
  expect(await staff.post(externalPanelsPath, externalPanel)).toBe(200);
  const externalPanelList = await staff.get<{ data: { id: number; name: string }[] }>(
    `${externalPanelsPath}?length=100`,
  );
  const externalPanelId = externalPanelList.data.find(({ name }) => name === 'Packer')?.id;
  expect(await staff.post(`${externalPanelsPath}/${externalPanelId}/available-services`, {})).toBe(200);
  const services = await staff.get<{ data: { id: number }[] }>(`${externalPanelsPath}/${externalPanelId}/services`);
  const serviceId = services.data[0]?.id;
  const externalPanelReference = { external_panel_id: externalPanelId };
  const serviceImport = { services: [{ id: serviceId }], service_type_id: 1, margin_fraction: '0.3' };
  expect(
    await staff.post(`${externalPanelsPath}/import-services`, { ...externalPanelReference, ...serviceImport }),
  ).toBe(200);
  expect(
    await staff.post(`${externalPanelsPath}/import-packages`, {
      ...externalPanelReference,
      packages: [{ id: serviceId }],
    }),
  ).toBe(200);
  await staff.signIn('admin', '/packages/providers');
  const row = page.locator('tbody tr', { hasText: 'Pack of likes' });
  await row.getByRole('button', { name: 'Create package' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create package' });
  await dialog.locator('.p-dropdown').click();
  await staff.selectOption('YouTube');
  await dialog.getByText('Sync with external panel').click();
  await dialog.getByRole('button', { name: 'Create package' }).click();
  await expect(page).toHaveURL(/\/packages\/\d+$/);
  const packageId = Number(page.url().split('/').pop());
  expect((await fetchPackage(staff, packageId)).name).toBe('Pack of likes');
  fakeExternalPanel.soldPackage.name = 'Pack of hearts';
  expect(await staff.post(`${externalPanelsPath}/${externalPanelId}/sync`, {})).toBe(200);
  await expect
    .poll(async () => (await fetchPackage(staff, packageId)).name, { timeout: 20_000 })
    .toBe('Pack of hearts');
  fakeExternalPanel.close();
});

test('packages of an external panel are edited separately before the import', async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(REJECTED_REQUEST);
  const fakeExternalPanel = await startFakeExternalPanel();
  const externalPanelsPath = '/api/v1/admin/external-panels';
  const externalPanel = {
    name: 'Edited',
    endpoint: fakeExternalPanel.url,
    api_token: 'token-of-ours',
    currency: 'USD',
  };
  expect(await staff.post(externalPanelsPath, externalPanel)).toBe(200);
  const externalPanelList = await staff.get<{ data: { id: number; name: string }[] }>(
    `${externalPanelsPath}?length=100`,
  );
  const externalPanelId = externalPanelList.data.find(({ name }) => name === 'Edited')?.id;
  expect(await staff.post(`${externalPanelsPath}/${externalPanelId}/available-services`, {})).toBe(200);
  await staff.signIn('admin', `/external-panels/${externalPanelId}/services`);
  // The server downloads the icon from the host of the external panel.
  await expect(page.locator('.record-head img')).toHaveAttribute('src', /^blob:/);
  await page.locator('tbody tr[data-id]').getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Import packages' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Ready to import: 1')).toBeVisible();
  await dialog.getByLabel(/^Name of/).fill('Begin');
  await dialog.getByLabel(/^Start of/).selectOption('manual');
  await dialog.getByLabel('Network', { exact: true }).selectOption({ index: 1 });
  const cost = dialog.getByLabel(/^Fixed cost of/);
  await cost.fill('7.505');
  await dialog.getByRole('button', { name: 'Import (1)' }).click();
  await expect(dialog.getByText('Rows to correct: 1. Nothing was imported.')).toBeVisible();
  await expect(cost).toBeFocused();
  await expect(cost).toHaveValue('7.505');
  await expect(dialog.getByLabel(/^Name of/)).toHaveValue('Begin');
  await cost.fill('7.5');
  await expect(dialog.getByText('Ready to import: 1')).toBeVisible();
  await dialog.getByRole('button', { name: 'Import (1)' }).click();
  await expect(dialog.getByText('Imported: 1')).toBeVisible();
  await dialog.getByRole('button', { name: 'Done' }).click();
  type ImportedPackage = { name: string; type: string; fixed_cost: string; network: { id: number } | null };
  const packageList = await staff.get<{ data: ImportedPackage[] }>('/api/v1/admin/providers-packages?length=1');
  expect(packageList.data).toMatchObject([{ name: 'Begin', type: 'manual', fixed_cost: '7.5' }]);
  expect(packageList.data[0]?.network).not.toBeNull();
  fakeExternalPanel.close();
});

test('staff without permission are redirected from packages', async ({ staff, page }) => {
  await staff.signIn('finance', '/packages');
  await expect(page.getByRole('heading', { name: 'Packages' })).toHaveCount(0);
});
