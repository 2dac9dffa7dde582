import { expect, it } from 'vitest';
import { parameters, wrongFilters } from '@/api/table';
import { listed } from './FilterControl';
import { ends, range } from './TimeFilter';

it('takes pasted ids by lines, tabs, spaces and commas', () => {
  expect(listed('12\n13\t14, 15;16  ')).toBe('12,13,14,15,16');
});

it('writes and reads ranges of days', () => {
  expect([
    range('2026-11-01', '2026-11-20'),
    range('2026-11-01', '2026-11-01'),
    range('', '2026-11-20'),
    range('', ''),
  ]).toEqual(['2026-11-01..2026-11-20', '2026-11-01', '..2026-11-20', '']);
  expect(ends('2026-11-01..')).toEqual(['2026-11-01', '']);
  expect(ends('2026-11-01')).toEqual(['2026-11-01', '2026-11-01']);
});

it('asks as the DataTables protocol does', () => {
  const asked = parameters({
    search: 'a b',
    filters: { status: 'completed' },
    plain: { drip_feed_id: '4' },
    sort: [{ column: 'cost', descending: true }],
  });
  expect(Object.fromEntries(asked)).toEqual({
    'columns[0][data]': 'status',
    'columns[0][search][value]': 'completed',
    'columns[1][data]': 'cost',
    'order[0][column]': '1',
    'order[0][dir]': 'desc',
    'search[value]': 'a b',
    drip_feed_id: '4',
  });
});

it('names the filter that was refused, whose column the server calls by its place', () => {
  const query = {
    search: '',
    filters: { status: 'completed', cost: 'cheap' },
    plain: { drip_feed_id: 'x' },
    sort: [{ column: 'id', descending: true }],
  };
  const said = { 'columns.1.search': ['No amount.'], drip_feed_id: ['No id.'], search: ['Too many words.'] };
  expect(wrongFilters(query, said)).toEqual({
    cost: ['No amount.'],
    drip_feed_id: ['No id.'],
    search: ['Too many words.'],
  });
});
