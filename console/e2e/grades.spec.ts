// Creates, translates, archives and concurrently edits grades.
import { expect, test } from './panel';

interface Grade {
  id: number;
  name: string;
  icon: string | null;
  discount_fraction: string;
  spending_goal: string;
  translations: Record<string, { name: string }>;
  is_archived: boolean;
}

/** A PNG of one red pixel. */
const ONE_PIXEL_IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);

test('a grade is created with an icon and two names, archived, and restored', async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(/422/);
  await staff.signIn('admin', '/loyalty-program');
  await page.getByRole('button', { name: 'New grade' }).click();
  const dialog = page.getByRole('dialog', { name: 'New grade' });
  await dialog.getByRole('tab', { name: 'Deutsch' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Sternstufe');
  await dialog.getByLabel('Discount').fill('2.5');
  await dialog.getByRole('button', { name: 'New grade' }).click();
  // The English name is missing, so the form selects its tab.
  await expect(dialog.getByRole('tab', { name: 'English' })).toHaveAttribute('aria-selected', 'true');
  await expect(dialog.locator('.field-error')).toContainText('English name');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Star');
  await expect(dialog.getByRole('tab', { name: 'Deutsch' })).toHaveAttribute('data-status', 'complete');
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'star.png', mimeType: 'image/png', buffer: ONE_PIXEL_IMAGE });
  await expect(dialog.locator('.image-field img')).toBeVisible();
  await dialog.getByLabel('Spending goal').fill('50000');
  await dialog.getByRole('button', { name: 'New grade' }).click();
  await expect(dialog).toHaveCount(0);
  const { data } = await staff.get<{ data: Grade[] }>('/api/v1/admin/grades?length=1');
  const [newGrade] = data;
  expect(newGrade).toMatchObject({
    discount_fraction: '0.025',
    spending_goal: '50000',
    translations: { en: { name: 'Star' }, de: { name: 'Sternstufe' } },
  });
  expect(newGrade?.icon).toMatch(/^\/uploads\//);

  await page.locator(`tr[data-id="${newGrade?.id}"]`).getByRole('link').first().click();
  await expect(page.getByRole('heading', { name: 'Star' })).toBeVisible();
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Archive grade' }).click();
  await expect(page.locator('.record-head')).toContainText('Archived');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.locator('.record-head')).not.toContainText('Archived');
});

test('saving a grade that another user has changed shows a conflict and keeps the edits', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/409/);
  await staff.signIn('admin', '/loyalty-program/3');
  await page.getByRole('button', { name: 'Edit grade' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit grade' });
  await dialog.getByLabel('Discount').fill('4');
  await dialog.getByRole('tab', { name: 'Español' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Revendedor');
  const concurrentUpdate = await page.request.patch(`${staff.url}/api/v1/admin/grades/3`, {
    data: { discount_fraction: '0.05', spending_goal: '1234' },
    headers: { Authorization: await staff.getToken() },
  });
  expect(concurrentUpdate.status()).toBe(200);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('This grade was changed');
  await dialog.getByRole('button', { name: 'Load the latest version' }).click();
  await expect(dialog.getByLabel('Spending goal')).toHaveValue('1234');
  await expect(dialog.getByLabel('Discount')).toHaveValue('4');
  await expect(dialog.getByText('Current value: 5')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  const { data } = await staff.get<{ data: Grade }>('/api/v1/admin/grades/3');
  expect(data).toMatchObject({ discount_fraction: '0.04', spending_goal: '1234' });
  expect(data.translations.es?.name).toBe('Revendedor');
});

test("a customer's page shows the effective benefits of their grade", async ({ staff, page }) => {
  const { data } = await staff.get<{ data: { id: number; grade: { name: string } | null }[] }>(
    '/api/v1/admin/users?columns[0][data]=grade.name&columns[0][search][value]=Agency&columns[1][data]=status&columns[1][search][value]=active&length=1',
  );
  const id = data[0]?.id;
  await staff.signIn('admin', `/users/${id}`);
  const card = page.locator('.card', { hasText: 'Loyalty program' });
  await expect(card).toContainText('Account manager');
  await card.getByRole('button', { name: 'Change grade' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change grade' });
  await dialog.getByLabel('Grade discount enabled').uncheck();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(card).toContainText('disabled for this customer');
});

test('staff without permission are redirected from grades', async ({ staff, page }) => {
  await staff.signIn('finance', '/loyalty-program');
  await expect(page).toHaveURL(`${staff.url}/`);
  await expect(page.getByRole('link', { name: 'Loyalty program' })).toHaveCount(0);
});
