import { expect, it } from 'vitest';
import { arrange } from './columns';
import type { Column } from './declare';

const column = (name: string, hidden?: true): Column<unknown> => ({
  name,
  label: name,
  width: 1,
  cell: () => null,
  ...(hidden ? { hidden } : {}),
});
const names = (columns: readonly Column<unknown>[]) => columns.map((one) => one.name);

it('shows what is declared until someone arranges it, and then what is new as well', () => {
  const columns = [column('id'), column('url'), column('comment', true)];
  expect(names(arrange(columns, null).shown)).toEqual(['id', 'url']);
  const arranged = { order: ['url', 'id', 'comment'], hidden: ['id'] };
  expect(names(arrange(columns, arranged).shown)).toEqual(['url', 'comment']);
  expect(names(arrange([...columns, column('cost')], arranged).shown)).toEqual(['url', 'comment', 'cost']);
});
