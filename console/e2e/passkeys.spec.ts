// Adds a passkey in the profile, signs in with it, and confirms an action with it. Uses the virtual authenticator of the browser.
import { createServer } from 'node:net';
import { test as base, expect, type Page } from '@playwright/test';
import { withEmptyPanel } from './emptyPanel';

const EMAIL = 'olga@acme.example';
const PASSWORD = 'a much longer secret 7';

/** Finds a free port, because the settings of a panel with passkeys must contain its URL. */
const findFreePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

const test = base.extend<{ setupUrl: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires an object pattern.
  setupUrl: async ({}, use) => {
    const port = await findFreePort();
    // Browsers allow passkeys on `localhost`, but not on an IP address.
    const settings = { PANEL_LISTEN: `127.0.0.1:${port}`, PANEL_PUBLIC_URL: `http://localhost:${port}` };
    await withEmptyPanel(settings, use);
  },
});

/** Adds a virtual authenticator that approves every request. */
async function addAuthenticator(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test('a user adds a passkey, signs in with it, and confirms its removal with it', async ({ page, setupUrl }) => {
  await addAuthenticator(page);
  const { origin } = new URL(setupUrl);
  expect(origin).toContain('localhost');
  await page.goto(setupUrl);
  await page.getByLabel('Panel name').fill('Acme SMM');
  await page.getByLabel('Your name').fill('Olga Owner');
  await page.getByLabel('Your email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  // If the panel requires a second factor, the server does not remove the last second factor of a user.
  await page.getByLabel('Require a second factor from all staff, including you').uncheck();
  await page.getByRole('button', { name: 'Create owner account' }).click();
  await expect(page.getByRole('heading', { name: 'Hello, Olga Owner' })).toBeVisible();

  await page.goto(`${origin}/profile/second-factor`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const addDialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await addDialog.getByLabel('Name').fill('Work laptop');
  await addDialog.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'I saved the codes' }).click();
  const row = page.locator('table.small tbody tr');
  await expect(row).toContainText('Work laptop');
  await expect(row).toContainText('Never');

  await page.locator('.who').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();

  await page.goto(`${origin}/profile/second-factor`);
  await expect(row).not.toContainText('Never');
  await page.getByRole('button', { name: 'Rename passkey Work laptop' }).click();
  const renameDialog = page.getByRole('dialog', { name: 'Rename passkey Work laptop' });
  await renameDialog.getByLabel('Name').fill('Old laptop');
  await renameDialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'Remove passkey Old laptop' }).click();
  const removeDialog = page.getByRole('dialog', { name: 'Remove passkey Old laptop' });
  await removeDialog.getByLabel('Password').fill(PASSWORD);
  // If the user enters no code, the browser confirms with the passkey.
  await removeDialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByText('Passkey removed.')).toBeVisible();
  await expect(row).toHaveCount(0);
  await expect(page.getByText('Your password alone signs you in', { exact: false })).toBeVisible();
});
