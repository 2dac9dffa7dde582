import { defineConfig } from '@playwright/test';

// The real server on SQLite, Debian's Chromium, no mock API. Each worker has a panel of its own.
export default defineConfig({
  testDir: 'e2e',
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  // A slow machine may be too slow once; it is told as flaky, not hidden.
  retries: process.env.CI ? 1 : 0,
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
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
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
