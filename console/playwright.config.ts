import { defineConfig } from '@playwright/test';

// The day selects parts of the tests that vary, such as the language. Workers inherit the variable, so that a run does not change at
// midnight.
process.env.PANEL_TEST_DAY ??= new Date().toISOString().slice(0, 10);

// End-to-end tests with the real server on SQLite and headless Chromium, without mocks. Each worker has its own panel.
export default defineConfig({
  testDir: 'e2e',
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  // No retries, because they would hide flaky tests.
  retries: 0,
  timeout: 30_000,
  reporter: process.env.CI ? 'dot' : 'list',
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    actionTimeout: 8_000,
    navigationTimeout: 10_000,
    // The console shows days in UTC. This time zone checks that the time zone of the browser does not change them.
    timezoneId: 'America/Los_Angeles',
    // Without reduced motion, elements that are still fading in would fail the contrast checks.
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
