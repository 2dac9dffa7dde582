// A readable cookie that says whether this browser may have a session. Scripts cannot read the session cookie itself; without this
// one, the first request of every visitor would fail with 401. It grants nothing and is cleared at sign-out.
const NAME = 'panel_signed_in';
/** 400 days: longer than any session. */
const MAX_AGE_SECS = 34_560_000;

function write(value: string, maxAgeSecs: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store of scripts is missing in some browsers that we support.
  document.cookie = `${NAME}=${value}; Path=/; SameSite=Strict; Max-Age=${maxAgeSecs}${secure}`;
}

export const setSignedInCookie = (): void => write('1', MAX_AGE_SECS);
export const clearSignedInCookie = (): void => write('', 0);
export const hasSignedInCookie = (): boolean => document.cookie.split('; ').includes(`${NAME}=1`);
