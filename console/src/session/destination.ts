// Where someone wanted to go before they had to sign in. Only paths of this console are followed.
const KEY = 'panel.destination';

export function saveDestination(path: string, search: string): void {
  if (path !== '/' || search) sessionStorage.setItem(KEY, search ? `${path}?${search}` : path);
}

export function takeDestination(): string {
  const saved = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return saved?.startsWith('/') && !saved.startsWith('//') ? saved : '/';
}
