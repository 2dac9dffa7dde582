// What jsdom lacks and components ask for.
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
