import { expect, it } from 'vitest';
import { getLastQuery, parseState, toTableQuery } from '@/table/listState';
import { EXTERNAL_PANELS } from './externalPanelList';

it('hides archived external panels on the first visit, and shows them if the user selects their status', () => {
  const firstVisitState = parseState(EXTERNAL_PANELS, getLastQuery(EXTERNAL_PANELS));
  expect(toTableQuery(EXTERNAL_PANELS, firstVisitState).filters).toEqual({ status: 'active,error,disabled' });
  const filteredState = parseState(EXTERNAL_PANELS, 'status=archived');
  expect(toTableQuery(EXTERNAL_PANELS, filteredState).filters).toEqual({ status: 'archived' });
});
