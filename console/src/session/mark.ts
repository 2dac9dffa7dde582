// Whether this browser may have a session. The session's cookie cannot be read by a script, so a readable one beside it says
// that there is something to ask the server for: without it a visitor's start would only be refused. It is worth nothing by
// itself, and is cleared with the other cookies at sign-out.
const NAME = 'panel_signed_in';
/** Longer than any session lasts. */
const MAX_AGE_SECS = 34_560_000;

function write(value: string, maxAgeSecs: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store of scripts is missing in some browsers that we support.
  document.cookie = `${NAME}=${value}; Path=/; SameSite=Strict; Max-Age=${maxAgeSecs}${secure}`;
}

export const markSignedIn = (): void => write('1', MAX_AGE_SECS);
export const clearMark = (): void => write('', 0);
export const isMarked = (): boolean => document.cookie.split('; ').includes(`${NAME}=1`);
