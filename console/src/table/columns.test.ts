import { expect, it } from 'vitest';
import { applyLayout } from './columns';
import type { Column } from './listDefinition';

const column = (name: string, hidden?: true): Column<unknown> => ({
  name,
  label: name,
  width: 1,
  cell: () => null,
  ...(hidden ? { hidden } : {}),
});
const names = (columns: readonly Column<unknown>[]) => columns.map(({ name }) => name);

it('shows the declared columns without a stored layout, and adds new columns to a stored one', () => {
  const columns = [column('id'), column('url'), column('comment', true)];
  expect(names(applyLayout(columns, null).visibleColumns)).toEqual(['id', 'url']);
  const layout = { order: ['url', 'id', 'comment'], hidden: ['id'] };
  expect(names(applyLayout(columns, layout).visibleColumns)).toEqual(['url', 'comment']);
  expect(names(applyLayout([...columns, column('cost')], layout).visibleColumns)).toEqual(['url', 'comment', 'cost']);
});
