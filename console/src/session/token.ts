// Where the token lives: a cookie of this site only, for seven days. The server never reads it as a cookie, so a
// foreign page gains nothing by making the browser send it.
const NAME = 'panel_token';
const DAYS_7 = 7 * 24 * 60 * 60;

/** The token, read anew each time: another tab may have refreshed it. */
export function readToken(): string | null {
  const pair = document.cookie.split('; ').find((part) => part.startsWith(`${NAME}=`));
  return pair ? decodeURIComponent(pair.slice(NAME.length + 1)) || null : null;
}

export function writeToken(token: string | null): void {
  const life = token ? DAYS_7 : 0;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API cannot be read in the moment a call is made.
  document.cookie = `${NAME}=${encodeURIComponent(token ?? '')}; Path=/; Max-Age=${life}; SameSite=Strict${secure}`;
}

/** The token of an answer that signs in. */
export function tokenOf(response: Response): string | null {
  return response.headers.get('authorization')?.replace(/^Bearer /, '') ?? null;
}
