// Edits banners in the browser, and checks the result on the server.
import { expect, test } from './panel';

interface Banner {
  place: string;
  type: string;
  scroll_delay: number;
  informations: { id: number; translations: Record<string, Record<string, string>> }[];
}

/** A PNG of one pixel. */
const ONE_PIXEL_IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('slides are sorted by keyboard, and the field of an image shows an error if the image has the wrong size', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  await staff.signIn('admin', '/banners');
  await page.getByRole('link', { name: 'Sidebar' }).click();
  await expect(page.locator('.banner-slide')).toHaveCSS('width', '200px');
  await page.locator('.sortable li .sort-handle').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.locator('input[type="file"]').first().setInputFiles({
    name: 'a.png',
    mimeType: 'image/png',
    buffer: ONE_PIXEL_IMAGE,
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Send an image of 200×200 pixels; this one is 1×1.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove: Background' }).click();
  await page.getByLabel('Seconds per slide').fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const { data } = await staff.get<{ data: Banner[] }>('/api/v1/admin/banners');
  const sidebar = data.find(({ place }) => place === 'sidebar');
  expect([sidebar?.scroll_delay, sidebar?.informations.map(({ id }) => id)]).toEqual([7, [2, 1]]);
});

test('a banner is created for an empty placement, and the placement is disabled after the banner is deleted', async ({
  staff,
  page,
}) => {
  await staff.signIn('admin', '/banners/orders_header');
  await page.getByRole('button', { name: 'Add slide' }).click();
  await page.getByLabel('Title', { exact: true }).fill('Hello');
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Hello');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Delete banner' })).toBeVisible();
  await page.getByRole('button', { name: 'Delete banner' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete banner' }).click();
  await expect(page.locator('tr[data-place="orders_header"]')).toContainText('Disabled');
});

test('staff without write permission cannot edit banners', async ({ staff, page }) => {
  await staff.signIn('moderator', '/banners/sidebar');
  await expect(page.locator('.banner-slide')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await expect(page.getByLabel('Seconds per slide')).toBeDisabled();
});
