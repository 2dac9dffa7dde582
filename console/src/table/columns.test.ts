import { expect, it } from 'vitest';
import { applyLayout } from './columns';
import type { Column } from './listDefinition';

const createColumn = (name: string, hidden?: true): Column<unknown> => ({
  name,
  label: name,
  width: 1,
  cell: () => null,
  ...(hidden ? { hidden } : {}),
});
const getNames = (columns: readonly Column<unknown>[]) => columns.map(({ name }) => name);

it('shows the declared columns if no layout is stored, and adds new columns to a stored layout', () => {
  const columns = [createColumn('id'), createColumn('url'), createColumn('comment', true)];
  expect(getNames(applyLayout(columns, null).visibleColumns)).toEqual(['id', 'url']);
  const layout = { order: ['url', 'id', 'comment'], hidden: ['id'] };
  expect(getNames(applyLayout(columns, layout).visibleColumns)).toEqual(['url', 'comment']);
  expect(getNames(applyLayout([...columns, createColumn('cost')], layout).visibleColumns)).toEqual([
    'url',
    'comment',
    'cost',
  ]);
});
