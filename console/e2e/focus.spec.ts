// Focus of every dialog that screens and the first rows of lists open: it moves into the dialog, Escape closes the dialog, and the
// focus returns. New screens and actions are covered automatically.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { Navigator } from './navigator';
import { expect, REJECTED_REQUEST, test } from './panel';

const AREAS = ['operations', 'catalogue', 'supply', 'marketing', 'configuration'];
/** Ids of demo records that are not 1. */
const IDS: Readonly<Record<string, number>> = { '/payment-methods/:id': 3, '/payment-method-bonuses/:id': 3 };
/** Buttons that act immediately and open no dialog. */
const IMMEDIATE = /fetch|verify|refresh|synchron|look now|mark all|translate|sign out|copy|export|save|discard/i;

const tableOf = (area: string) => readFileSync(join(import.meta.dirname, `../src/${area}/screens.ts`), 'utf8');

for (const area of AREAS) {
  test(`dialogs of ${area} get the focus and return it`, async ({ staff, page, allowedLogs }) => {
    test.setTimeout(240_000);
    allowedLogs.push(/Failed to load resource/);
    const navigator = new Navigator(page);
    await staff.signIn();
    const { data } = await staff.get<{ data: { id: number; user: { id: number } }[] }>('/api/v1/admin/orders?length=1');
    const ids: Readonly<Record<string, number | undefined>> = {
      ...IDS,
      '/orders/:id': data[0]?.id,
      '/users/:id/:tab?': data[0]?.user.id,
    };
    const errors: string[] = [];
    let dialogs = 0;
    for (const [, path = ''] of tableOf(area).matchAll(/\bpath: '([^']+)'/g)) {
      const to = path
        .replace('/:tab?', '')
        .replace(':place', 'sidebar')
        .replace(':id', String(ids[path] ?? 1));
      await navigator.to(to);
      const where = (detail: string) => `${to} · ${detail}`;
      const buttons = page.locator('main').locator('.toolbar, .record-actions, .record-head').getByRole('button');
      for (let at = 0; at < (await buttons.count()); at += 1) {
        const button = buttons.nth(at);
        const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
        if (IMMEDIATE.test(name) || (await button.getAttribute('aria-disabled')) === 'true') continue;
        await button.click();
        if (await checkFocus(page, button, (error) => errors.push(`${where(name)}: ${error}`))) dialogs += 1;
        if ((await navigator.path()) !== to) await navigator.to(to);
      }
      const row = page.locator('main table.grid tbody tr[data-id]').first().locator('.grid-menu button');
      if ((await row.count()) === 0) continue;
      await row.click();
      const entries = page.locator('.p-menu').getByRole('menuitem');
      await expect(entries.first()).toBeVisible();
      const names = (await entries.allInnerTexts()).filter((name) => !/^(Open|Copy ID)/.test(name));
      await page.keyboard.press('Escape');
      for (const name of names) {
        await expect(page.locator('.p-menu')).toHaveCount(0);
        await row.click();
        await entries.filter({ hasText: name }).first().click();
        if (await checkFocus(page, row, (error) => errors.push(`${where(name)}: ${error}`))) dialogs += 1;
      }
    }
    expect(errors).toEqual([]);
    expect(dialogs, 'dialogs that were opened').toBeGreaterThan(5);
  });
}

test('frequently used dialogs of orders, panels, money and staff get the focus', async ({ staff, page }) => {
  const navigator = new Navigator(page);
  const [order = 0] = await staff.orders('in_processing', 1);
  const { data } = await staff.get<{ data: { user: { id: number } } }>(`/api/v1/admin/orders/${order}`);
  const member = await staff.get<{ data: { id: number }[] }>('/api/v1/admin/staffs?length=2');
  await staff.signIn();
  const dialogs = [
    [`/orders/${order}`, 'Cancel'],
    ['/orders', 'New order'],
    ['/external-panels', 'Connect a panel'],
    ['/transactions', 'New payment'],
    [`/users/${data.user.id}`, 'Manager and contact'],
    [`/staff/${member.data.at(-1)?.id}`, 'Roles and permissions'],
  ] as const;
  for (const [path, name] of dialogs) {
    await navigator.to(path);
    const button = page.locator('main').getByRole('button', { name, exact: true });
    await button.click();
    await expect(page.locator('.dialog'), `${path} · ${name}`).toBeVisible();
    const errors: string[] = [];
    await checkFocus(page, button, (error) => errors.push(error));
    expect(errors, `${path} · ${name}`).toEqual([]);
  }
});

test('bulk dialogs get the focus and return it', async ({ staff, page, allowedLogs }) => {
  test.setTimeout(120_000);
  // A dry run over records that do not allow the action is rejected.
  allowedLogs.push(REJECTED_REQUEST);
  const navigator = new Navigator(page);
  await staff.signIn();
  const errors: string[] = [];
  let dialogs = 0;
  for (const path of [
    '/orders?status=in_processing',
    '/users',
    '/services',
    '/packages',
    '/cancel-requests',
    '/staff',
  ]) {
    await navigator.to(path);
    await expect(staff.rows().first()).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    const bar = page.getByRole('group', { name: 'Selected records' });
    await expect(bar).toBeVisible();
    const buttons = bar.getByRole('button');
    for (let at = 0; at < (await buttons.count()); at += 1) {
      const button = buttons.nth(at);
      const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
      if (/select/i.test(name) || (await button.getAttribute('aria-disabled')) === 'true') continue;
      await button.click();
      if (await checkFocus(page, button, (error) => errors.push(`${path} · ${name}: ${error}`))) dialogs += 1;
    }
  }
  expect(errors).toEqual([]);
  expect(dialogs, 'dialogs that were opened').toBeGreaterThan(10);
});

/** Returns whether `opener` opened a dialog, and reports focus errors. */
async function checkFocus(page: Page, opener: Locator, report: (error: string) => void): Promise<boolean> {
  const dialog = page.locator('.dialog');
  const opened = await dialog
    .waitFor({ state: 'visible', timeout: 500 })
    .then(() => true)
    .catch(() => false);
  if (!opened) {
    await page.keyboard.press('Escape');
    return false;
  }
  const isInside = () => dialog.evaluate((dialog) => dialog.contains(document.activeElement));
  await expect
    .poll(isInside, { timeout: 2_000 })
    .toBe(true)
    .catch(() => report('the focus stays outside of it'));
  await page.keyboard.press('Escape');
  const isClosed = await expect(dialog)
    .toHaveCount(0, { timeout: 2_000 })
    .then(() => true)
    .catch(() => false);
  if (!isClosed) {
    report('Escape does not close it');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toHaveCount(0);
    return true;
  }
  await expect(opener)
    .toBeFocused({ timeout: 2_000 })
    .catch(() => report('the focus does not return'));
  return true;
}
