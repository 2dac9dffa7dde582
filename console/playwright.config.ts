import { defineConfig } from '@playwright/test';

// The day selects varying parts of the tests, such as languages. Workers inherit it, so that midnight does not change a run.
process.env.PANEL_TEST_DAY ??= new Date().toISOString().slice(0, 10);

// End-to-end tests with the real server on SQLite and headless Chromium, without mocks. Each worker has its own panel.
export default defineConfig({
  testDir: 'e2e',
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  // No retries: they would hide the cause of a flaky failure.
  retries: 0,
  timeout: 30_000,
  reporter: process.env.CI ? 'dot' : 'list',
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    actionTimeout: 8_000,
    navigationTimeout: 10_000,
    // Days are in UTC: another time zone of the browser must not change them.
    timezoneId: 'America/Los_Angeles',
    // Elements that still fade in would fail the contrast checks.
    contextOptions: { reducedMotion: 'reduce' },
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
