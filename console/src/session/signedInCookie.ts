// A cookie that shows the console whether this browser may have a session, because scripts cannot read the session cookie. Without
// this cookie, the first request of every visitor would fail with 401. The server ignores the cookie. It is deleted at sign-out.
const COOKIE_NAME = 'panel_signed_in';
/** 400 days: longer than any session. */
const MAX_AGE_SECS = 34_560_000;

function writeCookie(value: string, maxAgeSecs: number): void {
  const secureAttribute = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: some supported browsers do not have the Cookie Store API.
  document.cookie = `${COOKIE_NAME}=${value}; Path=/; SameSite=Strict; Max-Age=${maxAgeSecs}${secureAttribute}`;
}

export const setSignedInCookie = (): void => writeCookie('1', MAX_AGE_SECS);
export const clearSignedInCookie = (): void => writeCookie('', 0);
export const hasSignedInCookie = (): boolean => document.cookie.split('; ').includes(`${COOKIE_NAME}=1`);
