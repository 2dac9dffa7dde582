// Stores the page that the user has opened before the sign-in. It must be a path of this console, because an open redirect could
// lead to another site.
const STORAGE_KEY = 'panel.destination';

/** Control characters, because browsers remove them from URLs, and the backslash, because browsers treat it as a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected.
const FORBIDDEN_CHARACTERS = /[\u0000-\u001f\u007f\\]/;

/** Parses a path of this console with query and fragment. Returns null if the text leads to another origin or is no path. */
export function parseInternalPath(text: string | null | undefined): string | null {
  if (!text?.startsWith('/') || text.startsWith('//') || FORBIDDEN_CHARACTERS.test(text)) return null;
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
  const destination = sessionStorage.getItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  return parseInternalPath(destination) ?? '/';
}
