import { expect, it } from 'vitest';
import { queryOf, read, remembered } from '@/table/state';
import { EXTERNAL_PANELS } from './declaration';

it('leaves archived panels out at the first visit, and takes them in once their status is chosen', () => {
  const first = read(EXTERNAL_PANELS, remembered(EXTERNAL_PANELS));
  expect(queryOf(EXTERNAL_PANELS, first).filters).toEqual({ status: 'active,error,disabled' });
  const chosen = read(EXTERNAL_PANELS, 'status=archived');
  expect(queryOf(EXTERNAL_PANELS, chosen).filters).toEqual({ status: 'archived' });
});
