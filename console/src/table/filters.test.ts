import { expect, it } from 'vitest';
import { createTableParameters, getFilterErrors } from '@/api/table';
import { toCommaList } from './FilterControl';
import { formatDayRange, parseDayRange } from './TimeFilter';

it('converts pasted ids separated by lines, tabs, spaces or semicolons to a comma-separated list', () => {
  expect(toCommaList('12\n13\t14, 15;16  ')).toBe('12,13,14,15,16');
});

it('formats and parses ranges of days', () => {
  expect([
    formatDayRange('2026-11-01', '2026-11-20'),
    formatDayRange('2026-11-01', '2026-11-01'),
    formatDayRange('', '2026-11-20'),
    formatDayRange('', ''),
  ]).toEqual(['2026-11-01..2026-11-20', '2026-11-01', '..2026-11-20', '']);
  expect(parseDayRange('2026-11-01..')).toEqual(['2026-11-01', '']);
  expect(parseDayRange('2026-11-01')).toEqual(['2026-11-01', '2026-11-01']);
});

it('converts a query to parameters of the DataTables protocol', () => {
  const parameters = createTableParameters({
    search: 'a b',
    filters: { status: 'completed' },
    parameters: { drip_feed_id: '4' },
    sort: [{ column: 'cost', descending: true }],
  });
  expect(Object.fromEntries(parameters)).toEqual({
    'columns[0][data]': 'status',
    'columns[0][search][value]': 'completed',
    'columns[1][data]': 'cost',
    'order[0][column]': '1',
    'order[0][dir]': 'desc',
    'search[value]': 'a b',
    drip_feed_id: '4',
  });
});

it('assigns errors of column indexes to the filters of these columns', () => {
  const query = {
    search: '',
    filters: { status: 'completed', cost: 'cheap' },
    parameters: { drip_feed_id: 'x' },
    sort: [{ column: 'id', descending: true }],
  };
  const errors = { 'columns.1.search': ['No amount.'], drip_feed_id: ['No id.'], search: ['Too many words.'] };
  expect(getFilterErrors(query, errors)).toEqual({
    cost: ['No amount.'],
    drip_feed_id: ['No id.'],
    search: ['Too many words.'],
  });
});
