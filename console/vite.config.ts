import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const serverUrl = process.env.PANEL_SERVER ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  resolve: { tsconfigPaths: true },
  // Assets are not inlined, because the content security policy forbids data URLs for fonts, and browsers cache hashed files anyway.
  build: { target: 'es2023', assetsInlineLimit: 0, chunkSizeWarningLimit: 700 },
  server: {
    proxy: Object.fromEntries(
      [
        '/api',
        '/login',
        '/logout',
        '/refresh',
        '/handoff',
        '/setup',
        '/password-resets',
        '/password-links',
        '/settings',
        '/broadcasting',
      ]
        .map((path) => [
          path,
          {
            target: serverUrl,
            // Page loads such as `/login` render the console. Only API requests go to the server.
            bypass: (request: { method?: string; headers: Record<string, unknown>; url?: string }) =>
              request.method === 'GET' && String(request.headers.accept).includes('text/html')
                ? request.url
                : undefined,
          },
        ])
        .concat([['/ws', { target: serverUrl, ws: true } as never]]),
    ),
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test-setup.ts'],
    // The timeout is long, because the Rust tests run at the same time with a higher priority.
    testTimeout: 30_000,
  },
});
