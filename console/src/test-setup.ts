// Polyfills for APIs that components need and jsdom lacks.
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
