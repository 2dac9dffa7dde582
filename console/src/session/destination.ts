// Stores the page that the user requested before the sign-in, to open it after the sign-in. The page must be a path of this
// console: otherwise a link could redirect the user to another site after the sign-in (open redirect).
const STORAGE_KEY = 'panel.destination';

/** Control characters, which browsers remove from URLs, and the backslash, which browsers treat as a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected.
const FORBIDDEN_CHARACTERS = /[\u0000-\u001f\u007f\\]/;

/** Parses a path of this console with query and fragment. Returns null if the text is not a path or leads to another origin. */
export function parseInternalPath(text: string | null | undefined): string | null {
  if (!text?.startsWith('/') || text.startsWith('//') || FORBIDDEN_CHARACTERS.test(text)) return null;
  try {
    const url = new URL(text, location.origin);
    // After the dot segments are removed, the path can start with two slashes: `/.//other.example`.
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
