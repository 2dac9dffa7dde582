// Prepares the test environment: adds browser APIs that jsdom does not have, and clears the local storage after each test.
import { afterEach } from 'vitest';

window.matchMedia ??= ((query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
})) as unknown as typeof window.matchMedia;

afterEach(() => {
  localStorage.clear();
});
