// The page that a user opened before the sign-in. Only paths of this console are followed (no open redirects).
const STORAGE_KEY = 'panel.destination';

/** Control characters, which browsers remove from URLs, and the backslash, which they treat as a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected.
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

/** Returns `text` as a path of this console with query and fragment, or null when it leads to another origin. */
export function internalPath(text: string | null | undefined): string | null {
  if (!text?.startsWith('/') || text.startsWith('//') || FORBIDDEN.test(text)) return null;
  try {
    const url = new URL(text, location.origin);
    // Dot segments may leave two slashes at the start: `/.//other.example`.
    const isInternal = url.origin === location.origin && !url.pathname.startsWith('//');
    return isInternal ? url.pathname + url.search + url.hash : null;
  } catch {
    return null;
  }
}

export function saveDestination(path: string, search: string): void {
  if (path !== '/' || search) sessionStorage.setItem(STORAGE_KEY, search ? `${path}?${search}` : path);
}

export function consumeDestination(): string {
  const saved = sessionStorage.getItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  return internalPath(saved) ?? '/';
}
