// The usual columns by kind: an id, a moment, money, a number, a person, a status. Each has its width, its side, its
// filter and its cell; what is special about a column stays with its list.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { count, money } from '@/i18n/format';
import { Flag, UserLink } from '@/ui/cells';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import type { Column } from './declare';
import type { RecordKind } from './records';

/** The names of fields whose value is a `Value`. */
type Field<Row, Value> = { [Name in keyof Row]-?: Row[Name] extends Value ? Name : never }[keyof Row] & string;
type Maybe<Value> = Value | null | undefined;
type More<Row> = Partial<Column<Row>>;
type Person = { id: number; name: string; email?: string };

/** What a missing value looks like. */
const NONE = '–';

/** Columns of a list whose headings stand under `<texts>.columns`. */
export function columnsOf<Row extends { id: number }>(texts: string) {
  const column = (
    name: string,
    label: string,
    width: number,
    cell: (row: Row) => ReactNode,
    more?: More<Row>,
  ): Column<Row> => ({ name, label: `${texts}.columns.${label}`, width, cell, ...more });
  return {
    /** The record's number; with `to` it leads there. */
    id: (width: number, to?: (row: Row) => string, more?: More<Row>) =>
      column('id', 'id', width, (row) => (to ? <Link href={to(row)}>{row.id}</Link> : row.id), {
        filter: { kind: 'ids' },
        ...more,
      }),
    time: (name: Field<Row, Maybe<string>>, label: string, more?: More<Row>) =>
      column(name, label, 168, (row) => <When at={row[name] as Maybe<string>} />, {
        filter: { kind: 'time' },
        ...more,
      }),
    money: (name: Field<Row, Maybe<string>>, label: string, width = 110, more?: More<Row>) =>
      column(name, label, width, (row) => given(row[name] as Maybe<string>, money), {
        align: 'end',
        filter: { kind: 'money' },
        ...more,
      }),
    number: (name: Field<Row, Maybe<number>>, label: string, width = 90, more?: More<Row>) =>
      column(name, label, width, (row) => given(row[name] as Maybe<number>, count), {
        align: 'end',
        filter: { kind: 'number' },
        ...more,
      }),
    text: (name: Field<Row, Maybe<string>>, label: string, width: number, more?: More<Row>) =>
      column(name, label, width, (row) => (row[name] as Maybe<string>) || NONE, { filter: { kind: 'text' }, ...more }),
    flag: (name: Field<Row, boolean>, label: string, width = 92, more?: More<Row>, bad = false) =>
      column(name, label, width, (row) => <Flag on={row[name] as boolean} bad={bad} />, {
        filter: { kind: 'flag' },
        ...more,
      }),
    status: (name: Field<Row, string>, label: string, words: readonly string[], more?: More<Row>) =>
      column(name, label, 130, (row) => <StatusTag status={row[name] as string} />, {
        filter: { kind: 'words', words, texts: 'status' },
        ...more,
      }),
    /** Something with a name, such as a service: `service.name` on the wire. */
    named: (name: Field<Row, Maybe<{ name: string }>>, label: string, width: number, more?: More<Row>) =>
      column(`${name}.name`, label, width, (row) => (row[name] as Maybe<{ name: string }>)?.name ?? NONE, {
        filter: { kind: 'text' },
        filterName: name,
        ...more,
      }),
    /** A record of a kind that can be looked up: what it is filtered by is picked, not typed. */
    record: (
      of: RecordKind,
      name: Field<Row, Maybe<{ name: string }>>,
      label: string,
      width: number,
      more?: More<Row>,
    ) =>
      column(`${name}.name`, label, width, (row) => (row[name] as Maybe<{ name: string }>)?.name ?? NONE, {
        filter: { kind: 'record', of },
        filterName: name,
        ...more,
      }),
    person: (name: Field<Row, Maybe<Person>>, label: string, width = 150, more?: More<Row>) =>
      column(
        `${name}.name`,
        label,
        width,
        (row) => given(row[name] as Maybe<Person>, (user) => <UserLink user={user} />),
        {
          filter: { kind: 'record', of: 'user' },
          filterName: name,
          ...more,
        },
      ),
  };
}

function given<Value>(value: Maybe<Value>, shown: (value: Value) => ReactNode): ReactNode {
  return value === null || value === undefined ? NONE : shown(value);
}
