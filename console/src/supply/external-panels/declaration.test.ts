import { expect, it } from 'vitest';
import { readState, rememberedState, toTableQuery } from '@/table/state';
import { EXTERNAL_PANELS } from './declaration';

it('leaves archived panels out at the first visit, and takes them in once their status is chosen', () => {
  const first = readState(EXTERNAL_PANELS, rememberedState(EXTERNAL_PANELS));
  expect(toTableQuery(EXTERNAL_PANELS, first).filters).toEqual({ status: 'active,error,disabled' });
  const chosen = readState(EXTERNAL_PANELS, 'status=archived');
  expect(toTableQuery(EXTERNAL_PANELS, chosen).filters).toEqual({ status: 'archived' });
});
