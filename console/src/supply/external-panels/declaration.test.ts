import { expect, it } from 'vitest';
import { parseState, rememberedQuery, toTableQuery } from '@/table/state';
import { EXTERNAL_PANELS } from './declaration';

it('hides archived panels at the first visit and shows them when the user selects their status', () => {
  const firstVisitState = parseState(EXTERNAL_PANELS, rememberedQuery(EXTERNAL_PANELS));
  expect(toTableQuery(EXTERNAL_PANELS, firstVisitState).filters).toEqual({ status: 'active,error,disabled' });
  const filteredState = parseState(EXTERNAL_PANELS, 'status=archived');
  expect(toTableQuery(EXTERNAL_PANELS, filteredState).filters).toEqual({ status: 'archived' });
});
