// The token of a link from an email. It comes in the fragment, which browsers send to no server, and is taken out of the
// address before anything else can read it.
const PATH = '/set-password';

let token: string | null = null;

/** Takes the token out of the address of the page that the link opens. */
export function takeLinkToken(): void {
  if (location.pathname !== PATH || !location.hash) return;
  token = new URLSearchParams(location.hash.slice(1)).get('token');
  history.replaceState(null, '', PATH);
}

export const linkToken = (): string | null => token;
