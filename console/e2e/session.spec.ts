// Signs in and out, and checks which URLs a user may open (specification, section 2).
import { Navigator } from './navigator';
import { createSessionCookie, expect, REJECTED_REQUEST, test } from './panel';

test('a protected URL redirects to the sign-in page, and the sign-in returns to the URL', async ({ staff, page }) => {
  await staff.signInByForm('admin', '/orders?status=canceled&size=10');
  await expect(page).toHaveURL(/\/orders\?status=canceled&size=10/);
  await expect(page.getByRole('heading', { name: 'Orders' })).toBeVisible();
  await expect(staff.rows()).toHaveCount(10);
});

test.describe('rejected requests', () => {
  test.use({ allowedLogs: [REJECTED_REQUEST] });

  test('a wrong password shows an error, and the form keeps the input', async ({ staff, page }) => {
    await staff.open('/login');
    await page.getByLabel('Email').fill('admin@panel.test');
    await page.getByLabel('Password').fill('not it');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.locator('.field-error, .problem-bar').first()).toBeVisible();
    await expect(page.getByLabel('Email')).toHaveValue('admin@panel.test');
  });

  // The server may reject requests that are pending while the user signs out.
  test('signing out ends the session and shows the sign-in page', async ({ staff, page, context }) => {
    await staff.signInByForm();
    await page.getByRole('button', { name: /Ada Admin/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    expect((await context.cookies()).find((cookie) => cookie.name === 'panel_session')).toBeUndefined();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  });

  test('a form is sent after the user signs in again if the session has expired', async ({ staff, page, context }) => {
    const navigator = new Navigator(page);
    const [id] = await staff.fetchOrderIds('in_processing', 1);
    await staff.signInByForm('admin', `/orders/${id}`);
    // Waits until the WebSocket is connected, so that the save is the first request with the expired session.
    await expect(page.locator('.live')).toHaveAttribute('data-connection', 'connected');
    await navigator.waitUntilLoaded();
    await page.getByRole('button', { name: 'Edit comment' }).click();
    await page.getByRole('textbox', { name: 'Comment' }).fill('typed before the session ended');
    await context.addCookies([createSessionCookie(staff.url, 'pnl_ended')]);
    await page.getByRole('button', { name: 'Save' }).click();
    const signInDialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await signInDialog.getByLabel('Password').fill('panel-demo');
    await signInDialog.getByRole('button', { name: 'Sign in' }).click();
    await expect(signInDialog).toBeHidden();
    await expect(page.getByText('typed before the session ended')).toBeVisible();
  });
});

test('no script can read the session', async ({ staff, page, context }) => {
  await staff.signInByForm();
  const [cookie] = (await context.cookies()).filter(({ name }) => name === 'panel_session');
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  expect(await page.evaluate(() => document.cookie)).not.toContain('session');
  const storage = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(storage).not.toContain('pnl_');
  // A script cannot request a token either.
  const authorization = await page.evaluate(async () => (await fetch('/refresh')).headers.get('authorization'));
  expect(authorization).toBeNull();
});

test('a refreshed token works in another tab, and a sign-out signs out both tabs', async ({ staff, page, context }) => {
  await staff.signInByForm();
  const otherTab = await context.newPage();
  await otherTab.goto(staff.url);
  await expect(otherTab.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await otherTab.getByRole('link', { name: 'Orders', exact: true }).click();
  await expect(otherTab.getByRole('heading', { name: 'Orders' })).toBeVisible();
  await page.getByRole('button', { name: /Ada Admin/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(otherTab.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('a failed sign-out shows an error, and the user stays signed in', async ({ staff, page, allowedLogs }) => {
  allowedLogs.push(/Failed to load resource/);
  await staff.signInByForm();
  await page.route('**/logout', (route) => route.abort());
  await page.getByRole('button', { name: /Ada Admin/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByText('You are still signed in')).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
});

test('the sign-in page redirects signed-in users, and unknown paths redirect to the home page', async ({
  staff,
  page,
}) => {
  await staff.signInByForm();
  await staff.open('/login');
  await expect(page.getByRole('heading', { name: /Hello/ })).toBeVisible();
  await staff.open('/no/such/place');
  await expect(page).toHaveURL(`${staff.url}/`);
  await staff.open('/finances?type=refund');
  await expect(page).toHaveURL(/\/transactions\?type=refund/);
});

test('a screen redirects users without permission to services, and is not in their menu', async ({ staff, page }) => {
  await staff.signInByForm('catalogue', '/transactions');
  await expect(page).toHaveURL(/\/services/);
  await expect(
    page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Transactions' }),
  ).toHaveCount(0);
});

test('staff with read-only permission see orders without actions', async ({ staff, page }) => {
  await staff.signInByForm('readonly', '/orders?status=in_processing');
  await staff
    .rows()
    .first()
    .getByRole('button', { name: /Actions for/ })
    .click();
  await expect(page.getByRole('menuitem', { name: 'Open', exact: true })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Cancel' })).toHaveCount(0);
});

test('a sign-in code signs in after a confirmation, and disappears from the URL', async ({ staff, page, request }) => {
  const headers = { Authorization: await staff.getToken() };
  const handoffResponse = await (await request.post(`${staff.url}/api/v1/admin/handoff-codes`, { headers })).json();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.url()} ${request.headers().referer ?? ''}`));
  await staff.open(`/orders?status=completed&token=${handoffResponse.data.code}`);
  await expect(page).toHaveURL(`${staff.url}/orders?status=completed`);
  await page.getByRole('button', { name: 'Continue as' }).click();
  await expect(staff.rows().first()).toBeVisible();
  // Only the first request, which loads the page, may contain the code.
  expect(requests.slice(1).filter((line) => line.includes(handoffResponse.data.code))).toEqual([]);
});

test('the theme survives a reload', async ({ staff, page }) => {
  await staff.signInByForm();
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('button', { name: 'Light theme' })).toBeVisible();
});

test('the link that `panelctl open` prints signs in and opens the screen', async ({ staff, page, request }) => {
  const headers = { Authorization: await staff.getToken() };
  const handoffResponse = await (await request.post(`${staff.url}/api/v1/admin/handoff-codes`, { headers })).json();
  await staff.open(
    `/login?token=${handoffResponse.data.code}&redirect=${encodeURIComponent('/orders?status=stopped')}`,
  );
  await page.getByRole('button', { name: 'Continue as' }).click();
  await expect(page).toHaveURL(`${staff.url}/orders?status=stopped`);
  await expect(staff.rows().first()).toBeVisible();
});

test('a visitor can request a new password, and an invalid link shows an error', async ({
  staff,
  page,
  allowedLogs,
}) => {
  await staff.open('/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByLabel('Email').fill('unknown@panel.test');
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText('Check your email')).toBeVisible();
  allowedLogs.push(REJECTED_REQUEST);
  await staff.open('/set-password#token=worthless');
  await expect(page.getByText('This link no longer works')).toBeVisible();
  await expect(page).toHaveURL(`${staff.url}/set-password`);
});
