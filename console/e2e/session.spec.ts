// Signing in and out, and the guards of the specification, section 2.
import { Navigator } from './navigator';
import { expect, REFUSED, sessionCookie, test } from './panel';

test('a protected address leads to sign-in and then to where one wanted to go', async ({ staff, page }) => {
  await staff.signInByForm('admin', '/orders?status=canceled&size=10');
  await expect(page).toHaveURL(/\/orders\?status=canceled&size=10/);
  await expect(page.getByRole('heading', { name: 'Orders' })).toBeVisible();
  await expect(staff.rows()).toHaveCount(10);
});

test.describe('refused', () => {
  test.use({ mayLog: [REFUSED] });

  test('a wrong password is told at its field, and what was typed stays', async ({ staff, page }) => {
    await staff.open('/login');
    await page.getByLabel('Email').fill('admin@panel.test');
    await page.getByLabel('Password').fill('not it');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.locator('.field-error, .problem-bar').first()).toBeVisible();
    await expect(page.getByLabel('Email')).toHaveValue('admin@panel.test');
  });

  // What was under way may still be refused.
  test('signing out leads to sign-in and ends the session', async ({ staff, page, context }) => {
    await staff.signInByForm();
    await page.getByRole('button', { name: /Ada Admin/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    expect((await context.cookies()).find((cookie) => cookie.name === 'panel_session')).toBeUndefined();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  });

  test('a session that ends under a form is taken up again over it, and the form is sent', async ({
    staff,
    page,
    context,
  }) => {
    const navigator = new Navigator(page);
    const [id] = await staff.orders('in_processing', 1);
    await staff.signInByForm('admin', `/orders/${id}`);
    // The page asks once more when its live channel has opened; only saving is to find the session ended.
    await expect(page.locator('.live')).toHaveAttribute('data-link', 'live');
    await navigator.settle();
    await page.getByRole('button', { name: 'Edit comment' }).click();
    await page.getByRole('textbox', { name: 'Comment' }).fill('typed before the session ended');
    await context.addCookies([sessionCookie(staff.url, 'pnl_ended')]);
    await page.getByRole('button', { name: 'Save' }).click();
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.getByLabel('Password').fill('panel-demo');
    await again.getByRole('button', { name: 'Sign in' }).click();
    await expect(again).toBeHidden();
    await expect(page.getByText('typed before the session ended')).toBeVisible();
  });
});

test('no script can read the session', async ({ staff, page, context }) => {
  await staff.signInByForm();
  const [cookie] = (await context.cookies()).filter(({ name }) => name === 'panel_session');
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  expect(await page.evaluate(() => document.cookie)).not.toContain('session');
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toContain('pnl_');
  // Neither can it get a token by asking for one.
  const header = await page.evaluate(async () => (await fetch('/refresh')).headers.get('authorization'));
  expect(header).toBeNull();
});

test('another tab stays signed in while one replaces the session, and is signed out with it', async ({
  staff,
  page,
  context,
}) => {
  await staff.signInByForm();
  const other = await context.newPage();
  await other.goto(staff.url);
  await expect(other.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await other.getByRole('link', { name: 'Orders', exact: true }).click();
  await expect(other.getByRole('heading', { name: 'Orders' })).toBeVisible();
  await page.getByRole('button', { name: /Ada Admin/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('a sign-out that fails is reported, and the person stays signed in', async ({ staff, page, mayLog }) => {
  mayLog.push(/Failed to load resource/);
  await staff.signInByForm();
  await page.route('**/logout', (route) => route.abort());
  await page.getByRole('button', { name: /Ada Admin/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByText('You are still signed in')).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('who is signed in does not see the sign-in page; unknown paths lead home', async ({ staff, page }) => {
  await staff.signInByForm();
  await staff.open('/login');
  await expect(page.getByRole('heading', { name: /Hello/ })).toBeVisible();
  await staff.open('/no/such/place');
  await expect(page).toHaveURL(`${staff.url}/`);
  await staff.open('/finances?type=refund');
  await expect(page).toHaveURL(/\/transactions\?type=refund/);
});

test('without the permission one comes to services, and the menu does not offer it', async ({ staff, page }) => {
  await staff.signInByForm('catalogue', '/transactions');
  await expect(page).toHaveURL(/\/services/);
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Transactions' })).toHaveCount(
    0,
  );
});

test('a reader sees orders, but no action', async ({ staff, page }) => {
  await staff.signInByForm('readonly', '/orders?status=in_processing');
  await staff
    .rows()
    .first()
    .getByRole('button', { name: /Actions of/ })
    .click();
  await expect(page.getByRole('menuitem', { name: 'Open', exact: true })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Cancel' })).toHaveCount(0);
});

test('a handoff code asks, signs in once and is gone from the address', async ({ staff, page, request }) => {
  const headers = { Authorization: await staff.token() };
  const made = await (await request.post(`${staff.url}/api/v1/admin/handoff-codes`, { headers })).json();
  const seen: string[] = [];
  page.on('request', (sent) => seen.push(`${sent.url()} ${sent.headers().referer ?? ''}`));
  await staff.open(`/orders?status=completed&token=${made.data.code}`);
  await expect(page).toHaveURL(`${staff.url}/orders?status=completed`);
  await page.getByRole('button', { name: 'Continue as' }).click();
  await expect(staff.rows().first()).toBeVisible();
  // Only the page's own address ever carried it.
  expect(seen.slice(1).filter((line) => line.includes(made.data.code))).toEqual([]);
});

test('theme and language are remembered', async ({ staff, page }) => {
  await staff.signInByForm();
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('button', { name: 'Light theme' })).toBeVisible();
});

test('panelctl open leads where it says, signed in', async ({ staff, page, request }) => {
  const headers = { Authorization: await staff.token() };
  const made = await (await request.post(`${staff.url}/api/v1/admin/handoff-codes`, { headers })).json();
  await staff.open(`/login?token=${made.data.code}&redirect=${encodeURIComponent('/orders?status=stopped')}`);
  await page.getByRole('button', { name: 'Continue as' }).click();
  await expect(page).toHaveURL(`${staff.url}/orders?status=stopped`);
  await expect(staff.rows().first()).toBeVisible();
});

test('a visitor finds the way to a new password, and a link that is over says so', async ({ staff, page, mayLog }) => {
  await staff.open('/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByLabel('Email').fill('nobody-at-all@panel.test');
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(page.getByText('Check your email')).toBeVisible();
  mayLog.push(REFUSED);
  await staff.open('/set-password#token=worthless');
  await expect(page.getByText('This link no longer works')).toBeVisible();
  await expect(page).toHaveURL(`${staff.url}/set-password`);
});
