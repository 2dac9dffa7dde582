// The token of a link from an email. It is in the fragment of the URL, which browsers do not send to the server. It is removed from
// the URL before other scripts can read it.
const SET_PASSWORD_PATH = '/set-password';

let token: string | null = null;

/** Removes the token from the URL of the password page and stores it in memory. */
export function extractLinkToken(): void {
  if (location.pathname !== SET_PASSWORD_PATH || !location.hash) return;
  token = new URLSearchParams(location.hash.slice(1)).get('token');
  history.replaceState(null, '', SET_PASSWORD_PATH);
}

export const linkToken = (): string | null => token;
