// Tests the common functions of all lists with the list of orders: filters in the URL, sort order, pages, columns, views and exports.
import { readFile } from 'node:fs/promises';
import { expect, REJECTED_REQUEST, test } from './panel';

test('the URL contains filters, sort order and page, and the Back button reverts them', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders');
  await page
    .getByRole('combobox', { name: 'Filter by Status' })
    .or(page.getByLabel('Filter by Status'))
    .first()
    .click();
  await page.getByRole('option', { name: 'Canceled' }).click();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/status=canceled/);
  await expect(page.getByRole('status').filter({ hasText: 'records' })).not.toHaveText(/^3.000 /);
  await page.getByRole('button', { name: 'Cost', exact: true }).click();
  await expect(page).toHaveURL(/sort=cost/);
  await expect(page.getByRole('columnheader', { name: 'Cost' })).toHaveAttribute('aria-sort', 'ascending');
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2/);
  await page.goBack();
  await expect(page).not.toHaveURL(/page=2/);
  await page.goBack();
  await expect(page).not.toHaveURL(/sort=/);
});

test('a search sends only one request, after the last keystroke', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders');
  await expect(staff.rows()).toHaveCount(30);
  const requests: string[] = [];
  page.on('request', (request) => request.url().includes('/api/v1/admin/orders?') && requests.push(request.url()));
  // A fake clock, because typing is slow on a busy machine.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
  await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('youtube');
  expect(requests).toHaveLength(0);
  await page.clock.resume();
  await expect(page).toHaveURL(/q=youtube/);
  await expect(page.locator('.grid')).not.toHaveAttribute('data-stale', 'true');
  expect(requests).toHaveLength(1);
});

test('filters survive a visit to another screen, and can be reset', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders?status=stopped');
  await expect(staff.rows().first()).toBeVisible();
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await page.getByRole('searchbox', { name: 'Search' }).fill('a');
  await expect(page).toHaveURL(/q=a/);
  await menu.getByRole('link', { name: 'Home' }).click();
  await menu.getByRole('link', { name: 'Orders', exact: true }).click();
  await expect(page).toHaveURL(/q=a&status=stopped/);
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Status: Stopped');
  await page.getByRole('list', { name: 'Filters' }).getByRole('button', { name: 'Reset filter' }).click();
  await expect(page).toHaveURL(`${staff.url}/orders`);
});

test('the list of customers shows active customers by default, and the filter can be removed', async ({
  staff,
  page,
}) => {
  await staff.signIn('admin', '/users');
  await expect(page).toHaveURL(/status=active/);
  await page.getByRole('button', { name: 'Remove filter Status' }).click();
  await expect(page).toHaveURL(`${staff.url}/users`);
  await page.reload();
  await expect(page).toHaveURL(`${staff.url}/users`);
});

test('the filter by id accepts pasted lines', async ({ staff, page, context }) => {
  const ids = await staff.fetchOrderIds('completed', 3);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await staff.signIn('admin', '/orders');
  await page.evaluate((text) => navigator.clipboard.writeText(text), ids.join('\n'));
  await page.getByRole('textbox', { name: 'Filter by ID' }).focus();
  await page.keyboard.press('Control+V');
  await expect(staff.rows()).toHaveCount(3);
});

test('the filter by date uses days in UTC', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders');
  await page.getByRole('button', { name: /Filter by Created/ }).click();
  await page.getByRole('button', { name: 'Today' }).click();
  const today = new Date().toISOString().slice(0, 10);
  await expect(page).toHaveURL(new RegExp(`created_at=${today}`));
  const { recordsFiltered } = await staff.get<{ recordsFiltered: number }>(
    `/api/v1/admin/orders?columns[0][data]=created_at&columns[0][search][value]=${today}&length=1`,
  );
  expect(recordsFiltered).toBeGreaterThan(0);
  await expect(staff.rows()).toHaveCount(Math.min(recordsFiltered, 30));
  // The previous rows are visible until the response arrives.
  await expect(page.locator('tbody time').filter({ hasNotText: today })).toHaveCount(0);
});

test('selected and moved columns survive a reload', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders');
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByRole('checkbox', { name: 'Comment' }).check();
  await dialog.getByRole('checkbox', { name: 'Link' }).uncheck();
  await dialog.getByRole('button', { name: 'Move Status forward' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.reload();
  await expect(page.getByRole('columnheader', { name: 'Comment' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Link' })).toHaveCount(0);
  const headers = await page.getByRole('columnheader').allInnerTexts();
  expect(headers.indexOf('Status')).toBeLessThan(headers.indexOf('Created'));
});

test('a view is saved, opened, deleted and restored', async ({ staff, page }) => {
  await staff.signIn('moderator', '/orders?status=stopped&sort=cost');
  await page.getByRole('button', { name: 'Save view' }).click();
  const name = `Stopped ${test.info().workerIndex}-${test.info().repeatEachIndex}`;
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const views = page.getByRole('navigation', { name: 'Saved views' });
  await views.getByRole('button', { name: 'All', exact: true }).click();
  await expect(page).toHaveURL(`${staff.url}/orders`);
  await views.getByRole('button', { name, exact: true }).click();
  await expect(page).toHaveURL(/status=stopped&sort=cost/);
  await views.getByRole('button', { name: `Delete view ${name}` }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(views.getByRole('button', { name, exact: true })).toBeVisible();
});

test('all matching rows are exported as CSV without formulas', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders?status=stopped');
  await expect(staff.rows().first()).toBeVisible();
  const total = (await page.locator('.toolbar .count').innerText()).replace(/\D/g, '');
  await page.getByRole('button', { name: 'Export' }).click();
  const csvDownload = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /CSV/ }).click();
  const csv = await readFile(await (await csvDownload).path(), 'utf8');
  const lines = csv.trim().split('\n');
  expect(lines).toHaveLength(Number(total) + 1);
  expect(lines.filter((line) => /(^|,)"?[=+@]/.test(line))).toEqual([]);
  expect(lines[0]).toContain('id,created_at,status');
  await page.getByRole('button', { name: 'Export' }).click();
  const xlsxDownload = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /XLSX/ }).click();
  const bytes = await readFile(await (await xlsxDownload).path());
  // XLSX files are ZIP archives.
  expect(bytes.subarray(0, 2).toString()).toBe('PK');
});

test.describe('rejected requests', () => {
  test.use({ allowedLogs: [REJECTED_REQUEST] });

  test('an invalid filter shows the error and keeps the rows', async ({ staff, page }) => {
    await staff.signIn('admin', '/orders');
    await expect(staff.rows()).toHaveCount(30);
    await page.getByRole('textbox', { name: 'Filter by Cost' }).fill('cheap');
    await expect(page.getByRole('alert')).toContainText('plain decimal number');
    await expect(staff.rows()).toHaveCount(30);
  });
});

test('an empty result offers to reset the filters', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders?q=zzzzqqqq');
  await expect(page.getByText('No data found')).toBeVisible();
  await page.locator('.grid-none').getByRole('button', { name: 'Reset filter' }).click();
  await expect(staff.rows()).toHaveCount(30);
});

test('the side panel shows a record, and the arrow keys show the next and the previous record', async ({
  staff,
  page,
}) => {
  const [third = 0, second = 0, first = 0] = (await staff.fetchOrderIds('completed', 3)).sort((a, b) => a - b);
  await staff.signIn('admin', `/orders?id=${first},${second},${third}`);
  await expect(staff.rows()).toHaveCount(3);
  await page.getByRole('heading', { name: 'Orders', exact: true, level: 1 }).focus();
  await page.keyboard.press('j');
  await page.getByRole('button', { name: `Actions for ${first}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Open preview' }).click();
  const preview = page.getByRole('complementary', { name: 'Record preview' });
  await expect(preview.getByRole('heading', { name: `Order ${first}` })).toBeVisible();
  await expect(preview.getByText('1 of 3', { exact: true })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(preview.getByRole('heading', { name: `Order ${second}` })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`open=${second}`));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(preview.getByRole('heading', { name: `Order ${third}` })).toBeVisible();
  await expect(preview.getByRole('button', { name: 'Next row' })).toBeDisabled();
  await page.reload();
  await expect(preview.getByRole('heading', { name: `Order ${third}` })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(preview).toBeHidden();
  await expect(page).not.toHaveURL(/open=/);
});

test('the row density survives a reload', async ({ staff, page }) => {
  await staff.signIn('admin', '/orders');
  const row = staff.rows().first();
  const rowHeight = async () => (await row.boundingBox())?.height ?? 0;
  const heightBefore = await rowHeight();
  await page.getByRole('button', { name: 'Columns', exact: true }).click();
  await page.getByLabel('Comfortable row spacing').check();
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await rowHeight()).toBeGreaterThan(heightBefore + 6);
  await page.reload();
  await expect(row).toBeVisible();
  expect(await rowHeight()).toBeGreaterThan(heightBefore + 6);
});

test('the user can filter by hidden columns', async ({ staff, page }) => {
  await staff.signIn('readonly', '/orders');
  await page.getByRole('button', { name: 'More filters' }).click();
  const dialog = page.getByRole('dialog', { name: 'More filters' });
  await dialog.getByLabel('Filter by Name').fill('zzzz');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('button', { name: 'Remove filter Name' })).toBeVisible();
  await expect(page.getByText('No data found')).toBeVisible();
});

test('the label Live disappears five seconds after the last message of the connection, and returns with the next message', async ({
  staff,
  page,
}) => {
  let areMessagesBlocked = false;
  await page.routeWebSocket(/./, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => !areMessagesBlocked && server.send(message));
    server.onMessage((message) => !areMessagesBlocked && socket.send(message));
  });
  await staff.signIn('admin', '/orders');
  const liveLabel = page.getByText('Live', { exact: true });
  await expect(liveLabel).toBeVisible();
  areMessagesBlocked = true;
  await expect(liveLabel).toBeHidden({ timeout: 5_000 });
  await expect(page.getByText('Offline. Retrying…')).toBeVisible();
  areMessagesBlocked = false;
  await expect(liveLabel).toBeVisible({ timeout: 20_000 });
});

test('rows, range and page number stay consistent if the next page cannot be loaded', async ({
  staff,
  page,
  allowedLogs,
}) => {
  allowedLogs.push(/net::ERR_FAILED/);
  await staff.signIn('admin', '/users?status=active&page=7&size=10');
  const pagination = page.getByRole('navigation', { name: 'Pages' });
  await expect(pagination.getByText(/^61–70 \//)).toBeVisible();
  const rowIds = await staff.rows().evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')));
  expect(rowIds).toHaveLength(10);
  const nextPageUrl = '**/api/v1/admin/users?*start=70*';
  await page.route(nextPageUrl, (route) => route.abort());
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(pagination.getByRole('alert')).toHaveText('Page 8 could not be loaded.');
  await expect(pagination.getByText(/^61–70 \//)).toBeVisible();
  await expect(pagination.getByRole('textbox', { name: 'Page' })).toHaveValue('7');
  expect(await staff.rows().evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')))).toEqual(rowIds);
  await page.unroute(nextPageUrl);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(pagination.getByText(/^71–80 \//)).toBeVisible();
  await expect(pagination.getByRole('textbox', { name: 'Page' })).toHaveValue('8');
  await expect(pagination.getByRole('alert')).toHaveCount(0);
  expect(await staff.rows().first().getAttribute('data-id')).not.toBe(rowIds[0]);
});
