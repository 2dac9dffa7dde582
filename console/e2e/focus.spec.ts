// Every dialog that screens and the first rows of lists open: the keyboard goes into it, Escape closes it, and the keyboard
// is back where it was. A screen or an action that is new is walked by itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { Navigator } from './navigator';
import { expect, REFUSED, test } from './panel';

const WINGS = ['operations', 'catalogue', 'supply', 'marketing', 'configuration'];
/** Records that the demo has at other numbers than 1. */
const IDS: Readonly<Record<string, number>> = { '/payment-methods/:id': 3, '/payment-method-bonuses/:id': 3 };
/** Buttons that do something at once instead of opening a dialog. */
const AT_ONCE = /fetch|verify|refresh|synchron|look now|mark all|translate|sign out|copy|export|save|discard/i;

const tableOf = (wing: string) => readFileSync(join(import.meta.dirname, `../src/${wing}/screens.ts`), 'utf8');

for (const wing of WINGS) {
  test(`dialogs of ${wing} take the keyboard and give it back`, async ({ staff, page, mayLog }) => {
    test.setTimeout(240_000);
    mayLog.push(/Failed to load resource/);
    const navigator = new Navigator(page);
    await staff.signIn();
    const { data } = await staff.get<{ data: { id: number; user: { id: number } }[] }>('/api/v1/admin/orders?length=1');
    const ids: Readonly<Record<string, number | undefined>> = {
      ...IDS,
      '/orders/:id': data[0]?.id,
      '/users/:id/:tab?': data[0]?.user.id,
    };
    const wrong: string[] = [];
    let dialogs = 0;
    for (const [, path = ''] of tableOf(wing).matchAll(/\bpath: '([^']+)'/g)) {
      const to = path
        .replace('/:tab?', '')
        .replace(':place', 'sidebar')
        .replace(':id', String(ids[path] ?? 1));
      await navigator.to(to);
      const where = (what: string) => `${to} · ${what}`;
      const buttons = page.locator('main').locator('.toolbar, .record-actions, .record-head').getByRole('button');
      for (let at = 0; at < (await buttons.count()); at += 1) {
        const button = buttons.nth(at);
        const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
        if (AT_ONCE.test(name) || (await button.getAttribute('aria-disabled')) === 'true') continue;
        await button.click();
        if (await judge(page, button, (what) => wrong.push(`${where(name)}: ${what}`))) dialogs += 1;
        if ((await navigator.path()) !== to) await navigator.to(to);
      }
      const row = page.locator('main table.grid tbody tr[data-id]').first().locator('.grid-menu button');
      if ((await row.count()) === 0) continue;
      await row.click();
      const entries = page.locator('.p-menu').getByRole('menuitem');
      await expect(entries.first()).toBeVisible();
      const names = (await entries.allInnerTexts()).filter((name) => !/^(Open|Copy id)/.test(name));
      await page.keyboard.press('Escape');
      for (const name of names) {
        await expect(page.locator('.p-menu')).toHaveCount(0);
        await row.click();
        await entries.filter({ hasText: name }).first().click();
        if (await judge(page, row, (what) => wrong.push(`${where(name)}: ${what}`))) dialogs += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(dialogs, 'dialogs that were opened').toBeGreaterThan(5);
  });
}

test('the dialogs of orders, panels, money and staff that a person opens most take the keyboard', async ({
  staff,
  page,
}) => {
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
    const wrong: string[] = [];
    await judge(page, button, (what) => wrong.push(what));
    expect(wrong, `${path} · ${name}`).toEqual([]);
  }
});

test('the dialogs of many records take the keyboard and give it back', async ({ staff, page, mayLog }) => {
  test.setTimeout(120_000);
  // A dry run over records that an action does not suit is refused.
  mayLog.push(REFUSED);
  const navigator = new Navigator(page);
  await staff.signIn();
  const wrong: string[] = [];
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
    await page.getByRole('checkbox', { name: 'Select this page' }).check();
    const bar = page.getByRole('group', { name: 'Selected records' });
    await expect(bar).toBeVisible();
    const buttons = bar.getByRole('button');
    for (let at = 0; at < (await buttons.count()); at += 1) {
      const button = buttons.nth(at);
      const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
      if (/select/i.test(name) || (await button.getAttribute('aria-disabled')) === 'true') continue;
      await button.click();
      if (await judge(page, button, (what) => wrong.push(`${path} · ${name}: ${what}`))) dialogs += 1;
    }
  }
  expect(wrong).toEqual([]);
  expect(dialogs, 'dialogs that were opened').toBeGreaterThan(10);
});

/** Whether `opener` opened a dialog; what is wrong with the keyboard in it goes to `say`. */
async function judge(page: Page, opener: Locator, say: (what: string) => void): Promise<boolean> {
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
    .catch(() => say('the keyboard stays behind it'));
  await page.keyboard.press('Escape');
  const isClosed = await expect(dialog)
    .toHaveCount(0, { timeout: 2_000 })
    .then(() => true)
    .catch(() => false);
  if (!isClosed) {
    say('Escape does not close it');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toHaveCount(0);
    return true;
  }
  await expect(opener)
    .toBeFocused({ timeout: 2_000 })
    .catch(() => say('the keyboard is not where it was'));
  return true;
}
