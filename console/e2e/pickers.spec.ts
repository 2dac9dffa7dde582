// Selects records with pickers: in the filters of a list, and in the form of a service.
import { expect, test } from './panel';

interface Service {
  id: number;
  name: string;
}

test('a filter selects one of several services with the same name, and survives a reload', async ({ staff, page }) => {
  const { data: orders } = await staff.get<{ data: { service: Service }[] }>('/api/v1/admin/orders?length=1');
  const service = orders[0]?.service as Service;
  await staff.signIn('admin', '/orders');
  const filter = page.getByRole('combobox', { name: 'Filter by Service' });
  await filter.fill(service.name.slice(0, 6));
  await expect(page.locator('#overlays').getByRole('option').first()).toContainText('$');
  await filter.fill(String(service.id));
  await page.getByRole('option', { name: new RegExp(` · ${service.id} · `) }).click();
  await expect(page).toHaveURL(new RegExp(`[?&]service=${service.id}(&|$)`));
  const chip = page.getByRole('list', { name: 'Filters' }).getByText(` · ${service.id} · `);
  await expect(chip).toContainText(service.name);
  await page.reload();
  await expect(chip).toContainText(service.name);
  const query = `columns[0][data]=service.id&columns[0][search][value]=${service.id}&length=1`;
  const { recordsFiltered } = await staff.get<{ recordsFiltered: number }>(`/api/v1/admin/orders?${query}`);
  await expect(page.getByRole('status').filter({ hasText: 'record' }).first()).toContainText(String(recordsFiltered));
  await page.getByRole('button', { name: 'Remove filter Service' }).click();
  await expect(chip).toHaveCount(0);
});

test('a service links to its orders', async ({ staff, page }) => {
  await staff.signIn('admin', '/services/1');
  await page.locator('.record-actions').getByRole('link', { name: 'Orders' }).click();
  await expect(page).toHaveURL(/\/orders\?service=1$/);
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText(' · 1 · ');
});

test('the provider picker shows the external panel, price and margin of a provider', async ({ staff, page }) => {
  await staff.signIn('catalogue', '/services/1');
  await page.getByRole('tab', { name: 'Delivery' }).click();
  const { data } = await staff.get<{ data: { id: number; name: string }[] }>(
    '/api/v1/admin/providers?length=100&is_archived=0',
  );
  const lastProvider = data.at(-1);
  await page.getByRole('combobox', { name: 'Add provider' }).fill(String(lastProvider?.id));
  const option = page.getByRole('option', { name: new RegExp(` · ${lastProvider?.id} · .* for .* · margin `) });
  await option.click();
  await expect(page.getByRole('group', { name: 'Providers' })).toContainText(lastProvider?.name ?? '');
});
