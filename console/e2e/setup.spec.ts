// Opens the setup URL that the server of an empty panel prints, and creates the account of the owner.
import { test as base, expect } from '@playwright/test';
import { withEmptyPanel } from './emptyPanel';

const test = base.extend<{ setupUrl: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires an object pattern.
  setupUrl: async ({}, use) => withEmptyPanel({ PANEL_LISTEN: '127.0.0.1:0' }, use),
});

test('the setup URL creates and signs in the owner, and works only once', async ({ page, setupUrl }) => {
  const origin = new URL(setupUrl).origin;
  await page.goto(origin);
  await expect(page.getByText('This panel has no owner yet.', { exact: false })).toBeVisible();
  await page.goto(setupUrl);
  await page.getByLabel('Panel name').fill('Acme SMM');
  await page.getByLabel('Your name').fill('Olga Owner');
  await page.getByLabel('Your email').fill('olga@acme.example');
  const requireSecondFactor = page.getByLabel('Require a second factor from all staff, including you');
  await expect(requireSecondFactor).toBeChecked();
  await requireSecondFactor.uncheck();
  await page.getByLabel('Password').fill('short');
  await page.getByRole('button', { name: 'Create owner account' }).click();
  await expect(page.locator('.field-error')).toBeVisible();
  await expect(page.getByLabel('Your name')).toHaveValue('Olga Owner');
  await page.getByLabel('Password').fill('a much longer secret 7');
  await page.getByRole('button', { name: 'Create owner account' }).click();
  await expect(page.getByRole('heading', { name: 'Hello, Olga Owner' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toContainText('Acme SMM');
  await page.goto(`${origin}/orders`);
  await expect(page.getByText('No data', { exact: true })).toBeVisible();
  await page.context().clearCookies();
  await page.goto(setupUrl);
  await expect(page.getByText('This panel already has an owner.', { exact: false })).toBeVisible();
});
