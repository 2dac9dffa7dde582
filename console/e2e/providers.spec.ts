// Edits providers and opens external panel orders in the browser, and checks the result on the server.
import { expect, type Staff, test } from './panel';

interface Provider {
  id: number;
  name: string;
  status: string;
  source_price: { amount: string; currency: string };
  external_panel_service_id?: string;
  services: { id: number; name: string }[];
}

const fetchProvider = (staff: Staff, id: number) =>
  staff.get<{ data: Provider }>(`/api/v1/admin/providers/${id}`).then(({ data }) => data);

test('a provider is created and changed, and the archive dialog shows the services that use the provider', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  await staff.signIn('admin', '/providers');
  await page.getByRole('button', { name: 'New provider' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('Boost likes');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Choose an external panel.')).toBeVisible();
  await dialog.locator('.p-dropdown', { has: page.locator('input[aria-label="External panel"]') }).click();
  await page.getByRole('option', { name: 'Followiz' }).click();
  const { data: externalPanels } = await staff.get<{ data: { id: number; name: string }[] }>(
    '/api/v1/admin/external-panels?length=100',
  );
  const externalPanelId = externalPanels.find(({ name }) => name === 'Followiz')?.id;
  const { data: externalServices } = await staff.get<{ data: { external_panel_service_id: string; name: string }[] }>(
    `/api/v1/admin/external-panels/${externalPanelId}/services?length=1`,
  );
  await dialog.getByRole('combobox', { name: 'External service ID' }).fill(externalServices[0]?.name ?? '');
  await page
    .getByRole('option', { name: ` · ${externalServices[0]?.external_panel_service_id} · ` })
    .first()
    .click();
  await dialog.getByLabel('Provider price').fill('0,9');
  await dialog.getByLabel('Add service').fill('5');
  await page.getByRole('option', { name: '· 5 ·' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Boost likes' })).toBeVisible();
  const id = Number(page.url().split('/').pop());
  const newProvider = await fetchProvider(staff, id);
  expect([newProvider.source_price.amount, newProvider.services[0]?.id]).toEqual(['0.9', 5]);
  expect(newProvider.external_panel_service_id).toBe(externalServices[0]?.external_panel_service_id);
  await page.getByRole('button', { name: 'Edit provider' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Boost likes 2');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Boost likes 2' })).toBeVisible();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  const confirmation = page.getByRole('alertdialog');
  await expect(confirmation.getByText('Services that use this provider: 1.')).toBeVisible();
  await confirmation.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByText('1 provider archived.').first()).toBeVisible();
  expect((await fetchProvider(staff, id)).status).toBe('archived');
});

test('the report is grouped by provider or by external panel', async ({ staff, page }) => {
  await staff.signIn('admin', '/providers/report');
  await expect(page.getByRole('heading', { name: 'By provider' })).toBeVisible();
  await page.locator('.p-dropdown', { has: page.locator('input[aria-label="Group by"]') }).click();
  await page.getByRole('option', { name: 'By external panel' }).click();
  await expect(page).toHaveURL(/by=panel/);
  await expect(page.getByRole('columnheader', { name: 'Our balance at the panel' })).toBeVisible();
});

test('a link shows the stuck external panel orders, and the page of an order shows its last request', async ({
  staff,
  page,
}) => {
  await staff.signIn('admin', '/external-panel-orders');
  await expect(page.locator('tbody tr[data-id]').first()).toBeVisible();
  await page.getByRole('link', { name: 'Stuck' }).click();
  await expect(page).toHaveURL(/stuck=1/);
  const row = page.locator('tbody tr[data-id]').first();
  await expect(row.getByRole('img', { name: 'Needs attention' })).toBeVisible();
  const id = await row.getAttribute('data-id');
  await staff.open(`/external-panel-orders/${id}`);
  await expect(page.getByRole('heading', { name: `External panel order ${id}` })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Last request' })).toContainText('action=add');
});

test('staff without permission see neither providers nor external panel orders', async ({ staff, page }) => {
  await staff.signIn('finance', '/');
  await expect(page.getByRole('link', { name: 'Providers' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'External panel orders' })).toHaveCount(0);
});
