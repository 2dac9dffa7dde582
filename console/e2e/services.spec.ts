// Edits services and labels in the browser, and checks the result on the server.
import { expect, type Staff, test } from './panel';

interface Service {
  id: number;
  name: string;
  default_price: string;
  is_enabled: boolean;
  is_archived: boolean;
  labels: number[];
  auto_refill_once_fill_fraction: string | null;
  translations: Record<string, Record<string, string>>;
}

const fetchService = (staff: Staff, id: number) =>
  staff.get<{ data: Service }>(`/api/v1/admin/services/${id}`).then(({ data }) => data);

test('the service editor opens the tab of an invalid field', async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(/422/);
  const originalService = await fetchService(staff, 5);
  await staff.signIn('catalogue', '/services/5');
  const findTab = (name: string) => page.getByRole('tab', { name });
  await findTab('Refill').click();
  await page.getByLabel('Maximum per refill, %').fill('12.5');
  await findTab('Prices and quantities').click();
  await page.getByLabel('Minimum price').fill('9999');
  await findTab('General').click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(findTab('Prices and quantities')).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.field-error')).toHaveCount(1);
  await page.getByLabel('Minimum price').fill('0');
  await page.getByLabel('Price', { exact: true }).fill('7.5');
  await expect(page.getByRole('region', { name: 'What customers pay' })).toContainText('7.5');
  await findTab('Texts').click();
  await page.getByRole('tab', { name: 'Deutsch' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Gefällt mir');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const savedService = await fetchService(staff, 5);
  expect([savedService.default_price, savedService.auto_refill_once_fill_fraction]).toEqual(['7.5', '0.125']);
  expect([savedService.translations.de?.name, savedService.translations.en?.name]).toEqual([
    'Gefällt mir',
    originalService.name,
  ]);
});

test('a service without required fields is rejected, and is created after they are filled', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  await staff.signIn('catalogue', '/services');
  await page.getByRole('button', { name: 'New service' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Made in a test');
  await page.getByRole('button', { name: 'Create service' }).click();
  await page.getByRole('tab', { name: 'General' }).click();
  await expect(page.getByText('Choose a service type.')).toBeVisible();
  await page.locator('.p-dropdown').first().click();
  await page.getByRole('option', { name: '·' }).first().click();
  await page.getByRole('tab', { name: 'Prices and quantities' }).click();
  await page.getByLabel('Price', { exact: true }).fill('2');
  await page.getByLabel('Minimum quantity').fill('10');
  await page.getByLabel('Maximum quantity').fill('500');
  await page.getByRole('button', { name: 'Create service' }).click();
  await expect(page.getByRole('heading', { name: 'Made in a test' })).toBeVisible();
  await expect(page).toHaveURL(/\/services\/\d+$/);
});

/** Finds the first unused service whose id is at least `minId`. Staff can archive only unused services. */
async function findUnusedService(staff: Staff, minId: number): Promise<number> {
  for (let id = minId; id < minId + 100; id++) {
    if ((await staff.post(`/api/v1/admin/services/${id}/archive`, {})) !== 200) continue;
    expect(await staff.post(`/api/v1/admin/services/${id}/unarchive`, {})).toBe(200);
    return id;
  }
  throw new Error(`No service with an id from ${minId} to ${minId + 99} is unused.`);
}

test('a service is archived on its page, and undo restores it', async ({ staff, page }) => {
  const id = await findUnusedService(staff, 7);
  await staff.signIn('catalogue', `/services/${id}`);
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Archive service' }).click();
  await expect(page.locator('.record-head')).toContainText('Archived');
  expect((await fetchService(staff, id)).is_archived).toBe(true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.record-head')).not.toContainText('Archived');
  expect((await fetchService(staff, id)).is_archived).toBe(false);
});

test('archiving and restoring a service keeps the unsaved edits, which can be saved afterwards', async ({
  staff,
  page,
}) => {
  const id = await findUnusedService(staff, 300);
  await staff.signIn('catalogue', `/services/${id}`);
  const slug = page.getByLabel('Slug');
  await slug.fill('unsaved-slug');
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Archive service' }).click();
  await expect(page.locator('.record-head')).toContainText('Archived');
  await expect(slug).toHaveValue('unsaved-slug');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.record-head')).not.toContainText('Archived');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await expect(slug).toHaveValue('unsaved-slug');
  expect(await fetchService(staff, id)).toMatchObject({ slug: 'unsaved-slug', is_archived: false });
});

test('a label is created with a service, and the delete dialog lists the services of a label', async ({
  staff,
  page,
}) => {
  await staff.signIn('catalogue', '/services/labels');
  await page.getByRole('button', { name: 'New label' }).click();
  const dialog = page.getByRole('dialog', { name: 'New label' });
  await dialog.getByLabel('Name', { exact: true }).fill('Brand new');
  await dialog.getByRole('combobox', { name: 'Services' }).fill('5');
  await page.getByRole('option', { name: '· 5 ·' }).first().click();
  await expect(dialog.getByRole('listitem')).toHaveCount(1);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('cell', { name: 'Brand new', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Delete Custom comments' }).click();
  const confirmation = page.getByRole('alertdialog', { name: 'Delete Custom comments' });
  await expect(confirmation.getByRole('listitem').first()).toBeVisible();
  await confirmation.getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('button', { name: 'Delete Brand new' }).click();
  await page.getByRole('button', { name: 'Delete label' }).click();
  await expect(page.getByText('Brand new deleted.')).toBeVisible();
});

test('staff with read-only permission cannot edit a service', async ({ staff, page }) => {
  await staff.signIn('readonly', '/services/5');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await expect(page.getByLabel('Slug')).toBeDisabled();
});
