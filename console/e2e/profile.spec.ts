// Ends sessions of the current user, and edits the profile of the current user.
import { expect, REJECTED_REQUEST, test } from './panel';

test('a user ends one other session, and then all other sessions', async ({ staff, page, request }) => {
  /** Signs in with the user agent of an API client. */
  const signInByApi = async () => {
    const data = { email: 'moderator@panel.test', password: 'panel-demo' };
    const response = await request.post(`${staff.url}/login`, {
      data,
      headers: { 'User-Agent': 'nightly-report/1.0' },
    });
    return { Authorization: response.headers().authorization ?? '' };
  };
  const isSignedIn = async (headers: Record<string, string>) =>
    (await request.get(`${staff.url}/api/v1/profile`, { headers })).ok();
  // Ending all other sessions also ends the session of the shared token.
  staff.clearToken('moderator');
  const firstSession = await signInByApi();
  await staff.signInByForm('moderator');
  await page.locator('.who').click();
  await page.getByRole('menuitem', { name: 'My profile' }).click();
  await expect(page).toHaveURL(`${staff.url}/profile/sessions`);
  await expect(page.getByRole('heading', { name: 'My profile' })).toBeVisible();
  const rows = page.locator('table.small tbody tr');
  await expect(rows.first()).toContainText('This session');
  await expect(rows.first()).toContainText('Chrome');
  const sessionCount = await rows.count();
  const endButtons = page.getByRole('button', { name: 'End session: nightly-report' });
  await endButtons.first().click();
  await expect(page.getByText('Session ended.')).toBeVisible();
  await expect(rows).toHaveCount(sessionCount - 1);
  expect(await isSignedIn(firstSession)).toBe(false);

  const secondSession = await signInByApi();
  await page.reload();
  await page.getByRole('button', { name: 'End all other sessions' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'End all other sessions?' });
  await dialog.getByRole('button', { name: 'End all other sessions' }).click();
  await expect(dialog).toBeHidden();
  await expect(rows).toHaveCount(1);
  expect(await isSignedIn(secondSession)).toBe(false);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'My profile' })).toBeVisible();
});

test('a user changes their own name', async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(REJECTED_REQUEST);
  await staff.signIn('readonly', '/profile/details');
  const name = page.getByLabel('Name', { exact: true });
  const initialName = await name.inputValue();
  await name.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(name).toHaveValue('');
  await name.fill('Rita Reader');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Profile saved.')).toBeVisible();
  await expect(page.locator('.who-name')).toHaveText('Rita Reader');
  await page.reload();
  await expect(name).toHaveValue('Rita Reader');
  await name.fill(initialName);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.who-name')).toHaveText(initialName);
});
