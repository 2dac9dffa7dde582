// The token of a password link from an email. It is in the fragment of the URL, which browsers do not send to the server, and is
// removed from the URL before other scripts can read it.
const SET_PASSWORD_PATH = '/set-password';

let token: string | null = null;

/** Moves the token from the URL of the password page into memory. */
export function storePasswordLinkToken(): void {
  if (location.pathname !== SET_PASSWORD_PATH || !location.hash) return;
  token = new URLSearchParams(location.hash.slice(1)).get('token');
  history.replaceState(null, '', SET_PASSWORD_PATH);
}

export const getPasswordLinkToken = (): string | null => token;
