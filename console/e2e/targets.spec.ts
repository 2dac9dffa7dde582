// Edits targets, URL checks and the services that use them in the browser, and checks the result on the server.
import { expect, type Staff, test } from './panel';

interface Service {
  targets: { id: number; name: string }[];
  targetable_values: { target_id: number; values: string[] }[];
  target_attachments: { target_id: number; type: string }[];
  promotable_checker_group_id: number | null;
}

const fetchService = (staff: Staff, id: number) =>
  staff.get<{ data: Service }>(`/api/v1/admin/services/${id}`).then(({ data }) => data);

test('a target without required fields is rejected, and is created after they are filled', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  await staff.signIn('admin', '/targets');
  await page.getByRole('button', { name: 'New target' }).click();
  const dialog = page.getByRole('dialog', { name: 'New target' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Choose one of the target types.')).toBeVisible();
  await dialog.getByLabel('Name', { exact: true }).fill('Mood');
  await dialog.locator('.p-dropdown').click();
  await page.getByRole('option', { name: 'Language · Single choice' }).click();
  await dialog.getByLabel('Values to choose from').fill('Good\nBad\nGood');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Good is in the list twice.')).toBeVisible();
  await dialog.getByLabel('Values to choose from').fill('Good\nBad');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('cell', { name: 'Good, Bad' })).toBeVisible();
});

test('a URL check with an invalid pattern is rejected, and is created after a correction', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/422/);
  await staff.signIn('admin', '/targets/groups');
  await page.getByRole('button', { name: 'New group' }).click();
  const dialog = page.getByRole('dialog', { name: 'New group' });
  await dialog.getByLabel('Name', { exact: true }).fill('Tracks');
  await dialog.locator('.p-dropdown').click();
  await page.getByRole('option', { name: 'Spotify' }).click();
  await dialog.getByLabel('Patterns').fill('https://open.spotify.com/track/*');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Remove http:// or https://')).toBeVisible();
  await dialog.getByLabel('Patterns').fill('open.spotify.com/track/*');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: 'Tracks' })).toContainText('open.spotify.com/track/*');
});

test('a service requires a target, offers some of its values, and checks URLs', async ({ staff, page }) => {
  await staff.signIn('catalogue', '/services/9');
  await page.getByRole('tab', { name: 'Targets' }).click();
  await page.locator('.p-dropdown', { has: page.locator('input[aria-label="Link check"]') }).click();
  await page.getByRole('option', { name: 'Posts · Instagram' }).click();
  await page.locator('.p-dropdown', { hasText: 'Add target' }).click();
  await page.getByRole('option', { name: 'Countries' }).click();
  await page.locator('.p-multiselect').click();
  await page.getByRole('option', { name: 'DE', exact: true }).click();
  await page.keyboard.press('Escape');
  await page.locator('[data-target]', { hasText: 'Countries' }).locator('.p-dropdown').click();
  await page.getByRole('option', { name: 'Optional' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  const savedService = await fetchService(staff, 9);
  const target = savedService.targets.find(({ name }) => name === 'Countries');
  expect(savedService.targetable_values).toContainEqual({ target_id: target?.id, values: ['DE'] });
  expect(savedService.target_attachments).toContainEqual({ target_id: target?.id, type: 'optional' });
  expect(savedService.promotable_checker_group_id).toBe(3);
});

test('staff without permission are redirected from targets', async ({ staff, page }) => {
  await staff.signIn('finance', '/targets');
  await expect(page.getByRole('heading', { name: 'Targets' })).toHaveCount(0);
});
