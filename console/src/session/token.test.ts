import { expect, it, vi } from 'vitest';
import { readToken, writeToken } from './token';

it('keeps the token for seven days, in a cookie of this site only', () => {
  const written = vi.spyOn(document, 'cookie', 'set');
  writeToken('pnl_a b');
  expect(written).toHaveBeenCalledWith('panel_token=pnl_a%20b; Path=/; Max-Age=604800; SameSite=Strict');
  expect(readToken()).toBe('pnl_a b');
  writeToken(null);
  expect(written).toHaveBeenLastCalledWith('panel_token=; Path=/; Max-Age=0; SameSite=Strict');
  expect(readToken()).toBeNull();
  written.mockRestore();
});
