// Opens every dialog of every screen and of the first row of every list. Checks that the focus moves into the dialog, that Escape closes
// the dialog, and that the focus returns. The tests find new screens and actions automatically.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { Navigator } from './navigator';
import { expect, REJECTED_REQUEST, test } from './panel';

const AREAS = ['operations', 'catalogue', 'supply', 'marketing', 'configuration'];
/** The record ids for paths of which the demo has no record with the id 1. */
const DEMO_IDS: Readonly<Record<string, number>> = { '/payment-methods/:id': 3, '/payment-method-bonuses/:id': 3 };
/** Matches the names of buttons that act immediately and do not open a dialog. */
const BUTTONS_WITHOUT_DIALOG =
  /fetch|verify|refresh|synchron|look now|mark all|translate|sign out|copy|export|save|discard/i;

const readScreenFile = (area: string) => readFileSync(join(import.meta.dirname, `../src/${area}/screens.ts`), 'utf8');

for (const area of AREAS) {
  test(`dialogs of the ${area} screens receive the focus and return it`, async ({ staff, page, allowedLogs }) => {
    test.setTimeout(240_000);
    allowedLogs.push(/Failed to load resource/);
    const navigator = new Navigator(page);
    await staff.signIn();
    const { data } = await staff.get<{ data: { id: number; user: { id: number } }[] }>('/api/v1/admin/orders?length=1');
    const ids: Readonly<Record<string, number | undefined>> = {
      ...DEMO_IDS,
      '/orders/:id': data[0]?.id,
      '/users/:id/:tab?': data[0]?.user.id,
    };
    const errors: string[] = [];
    let dialogCount = 0;
    for (const [, pattern = ''] of readScreenFile(area).matchAll(/\bpath: '([^']+)'/g)) {
      const path = pattern
        .replace('/:tab?', '')
        .replace(':place', 'sidebar')
        .replace(':id', String(ids[pattern] ?? 1));
      await navigator.goTo(path);
      const reportError = (name: string) => (error: string) => errors.push(`${path} · ${name}: ${error}`);
      const buttons = page.locator('main').locator('.toolbar, .record-actions, .record-head').getByRole('button');
      for (let index = 0; index < (await buttons.count()); index += 1) {
        const button = buttons.nth(index);
        const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
        if (BUTTONS_WITHOUT_DIALOG.test(name) || (await button.getAttribute('aria-disabled')) === 'true') continue;
        await button.click();
        if (await checkFocus(page, button, reportError(name))) dialogCount += 1;
        if ((await navigator.getCurrentPath()) !== path) await navigator.goTo(path);
      }
      const rowMenuButton = page.locator('main table.grid tbody tr[data-id]').first().locator('.grid-menu button');
      if ((await rowMenuButton.count()) === 0) continue;
      await rowMenuButton.click();
      const menuItems = page.locator('.p-menu').getByRole('menuitem');
      await expect(menuItems.first()).toBeVisible();
      const names = (await menuItems.allInnerTexts()).filter((name) => !/^(Open|Copy ID)/.test(name));
      await page.keyboard.press('Escape');
      for (const name of names) {
        await expect(page.locator('.p-menu')).toHaveCount(0);
        await rowMenuButton.click();
        await menuItems.filter({ hasText: name }).first().click();
        if (await checkFocus(page, rowMenuButton, reportError(name))) dialogCount += 1;
      }
    }
    expect(errors).toEqual([]);
    expect(dialogCount, 'number of opened dialogs').toBeGreaterThan(5);
  });
}

test('frequently used dialogs receive the focus and return it', async ({ staff, page }) => {
  const navigator = new Navigator(page);
  const [orderId = 0] = await staff.fetchOrderIds('in_processing', 1);
  const { data } = await staff.get<{ data: { user: { id: number } } }>(`/api/v1/admin/orders/${orderId}`);
  const members = await staff.get<{ data: { id: number }[] }>('/api/v1/admin/staffs?length=2');
  await staff.signIn();
  const dialogs = [
    [`/orders/${orderId}`, 'Cancel'],
    ['/orders', 'New order'],
    ['/external-panels', 'Connect a panel'],
    ['/transactions', 'New payment'],
    [`/users/${data.user.id}`, 'Account manager and contact'],
    [`/staff/${members.data.at(-1)?.id}`, 'Roles and permissions'],
  ] as const;
  for (const [path, name] of dialogs) {
    await navigator.goTo(path);
    const button = page.locator('main').getByRole('button', { name, exact: true });
    await button.click();
    await expect(page.locator('.dialog'), `${path} · ${name}`).toBeVisible();
    const errors: string[] = [];
    await checkFocus(page, button, (error) => errors.push(error));
    expect(errors, `${path} · ${name}`).toEqual([]);
  }
});

test('bulk dialogs receive the focus and return it', async ({ staff, page, allowedLogs }) => {
  test.setTimeout(120_000);
  // The server rejects the dry run for records that do not allow the action.
  allowedLogs.push(REJECTED_REQUEST);
  const navigator = new Navigator(page);
  await staff.signIn();
  const errors: string[] = [];
  let dialogCount = 0;
  for (const path of [
    '/orders?status=in_processing',
    '/users',
    '/services',
    '/packages',
    '/cancel-requests',
    '/staff',
  ]) {
    await navigator.goTo(path);
    await expect(staff.rows().first()).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    const bulkBar = page.getByRole('group', { name: 'Selected records' });
    await expect(bulkBar).toBeVisible();
    const buttons = bulkBar.getByRole('button');
    for (let index = 0; index < (await buttons.count()); index += 1) {
      const button = buttons.nth(index);
      const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
      if (/select/i.test(name) || (await button.getAttribute('aria-disabled')) === 'true') continue;
      await button.click();
      if (await checkFocus(page, button, (error) => errors.push(`${path} · ${name}: ${error}`))) dialogCount += 1;
    }
  }
  expect(errors).toEqual([]);
  expect(dialogCount, 'number of opened dialogs').toBeGreaterThan(10);
});

/** Checks the focus of the dialog that `opener` has opened, and reports errors. Returns false if no dialog is open. */
async function checkFocus(page: Page, opener: Locator, report: (error: string) => void): Promise<boolean> {
  const dialog = page.locator('.dialog');
  const isOpen = await dialog
    .waitFor({ state: 'visible', timeout: 500 })
    .then(() => true)
    .catch(() => false);
  if (!isOpen) {
    await page.keyboard.press('Escape');
    return false;
  }
  const isFocusInside = () => dialog.evaluate((dialog) => dialog.contains(document.activeElement));
  await expect
    .poll(isFocusInside, { timeout: 2_000 })
    .toBe(true)
    .catch(() => report('the focus does not move into the dialog'));
  await page.keyboard.press('Escape');
  const isClosed = await expect(dialog)
    .toHaveCount(0, { timeout: 2_000 })
    .then(() => true)
    .catch(() => false);
  if (!isClosed) {
    report('Escape does not close the dialog');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toHaveCount(0);
    return true;
  }
  await expect(opener)
    .toBeFocused({ timeout: 2_000 })
    .catch(() => report('the focus does not return to the button'));
  return true;
}
