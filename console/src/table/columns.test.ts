import { expect, it } from 'vitest';
import { arrange } from './columns';
import type { Column } from './listDefinition';

const column = (name: string, hidden?: true): Column<unknown> => ({
  name,
  label: name,
  width: 1,
  cell: () => null,
  ...(hidden ? { hidden } : {}),
});
const names = (columns: readonly Column<unknown>[]) => columns.map((one) => one.name);

it('shows the declared columns without a stored layout, and adds new columns to a stored one', () => {
  const columns = [column('id'), column('url'), column('comment', true)];
  expect(names(arrange(columns, null).shown)).toEqual(['id', 'url']);
  const arranged = { order: ['url', 'id', 'comment'], hidden: ['id'] };
  expect(names(arrange(columns, arranged).shown)).toEqual(['url', 'comment']);
  expect(names(arrange([...columns, column('cost')], arranged).shown)).toEqual(['url', 'comment', 'cost']);
});
