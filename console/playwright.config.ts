import { defineConfig } from '@playwright/test';

// Chooses what is tested today, such as languages. The workers inherit it, so midnight does not change a run.
process.env.PANEL_TEST_DAY ??= new Date().toISOString().slice(0, 10);

// The real server on SQLite, Debian's Chromium without a window, no mock API. Each worker has a panel of its own.
export default defineConfig({
  testDir: 'e2e',
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  // A test that fails once has a cause, which a retry would hide.
  retries: 0,
  timeout: 30_000,
  reporter: process.env.CI ? 'dot' : 'list',
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    actionTimeout: 8_000,
    navigationTimeout: 10_000,
    // Days are days in UTC, wherever the browser stands.
    timezoneId: 'America/Los_Angeles',
    // What is still fading in has no contrast yet.
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
