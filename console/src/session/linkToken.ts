// The token of an emailed link. It is in the fragment, which browsers do not send to the server, and is removed from the URL before
// other code can read it.
const PATH = '/set-password';

let token: string | null = null;

/** Removes the token from the URL of the password page and stores it in memory. */
export function extractLinkToken(): void {
  if (location.pathname !== PATH || !location.hash) return;
  token = new URLSearchParams(location.hash.slice(1)).get('token');
  history.replaceState(null, '', PATH);
}

export const linkToken = (): string | null => token;
