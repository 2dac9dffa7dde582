// The page that a person opened before they had to sign in. Only paths of this console are followed.
const KEY = 'panel.destination';

/** Control characters, which browsers drop from addresses, and the backslash, which they read as a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const REFUSED = /[\u0000-\u001f\u007f\\]/;

/** `text` as a path of this console with its query and hash; null where it leads anywhere else. */
export function ownPath(text: string | null | undefined): string | null {
  if (!text?.startsWith('/') || text.startsWith('//') || REFUSED.test(text)) return null;
  try {
    const address = new URL(text, location.origin);
    // Dots may leave two slashes at the front: `/.//other.example`.
    const isOwn = address.origin === location.origin && !address.pathname.startsWith('//');
    return isOwn ? address.pathname + address.search + address.hash : null;
  } catch {
    return null;
  }
}

export function saveDestination(path: string, search: string): void {
  if (path !== '/' || search) sessionStorage.setItem(KEY, search ? `${path}?${search}` : path);
}

export function takeDestination(): string {
  const saved = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return ownPath(saved) ?? '/';
}
