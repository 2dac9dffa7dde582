// Every list of the server has a screen, and the screen offers what the list can be filtered by: the declarations that are made
// from openapi.json are compared with the lists that the screens draw. The screens are drawn with a table that only notes its list,
// so that a new list is compared without a line here.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, waitFor } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import type { Declared } from './api/declared';
import { deliveriesOf } from './configuration/webhooks/Deliveries';
import type { Webhook } from './configuration/webhooks/declaration';
import { SCREENS } from './shell/screens';
import { Billing } from './supply/external-panels/Billing';
import type { ExternalPanel } from './supply/external-panels/declaration';
import { PanelServices } from './supply/imports/PanelServices';
import { PanelRuns } from './supply/imports/Runs';
import { undrawn } from './table/cellOf';
import { filterName, type List } from './table/declare';
import { ServerTable } from './table/ServerTable';

// biome-ignore lint/suspicious/noExplicitAny: a list of any rows has filters.
type AnyList = List<any>;

const { drawn } = vi.hoisted(() => ({ drawn: new Map<string, unknown>() }));
vi.mock('./table/ServerTable', () => ({
  ServerTable: ({ list }: { list: AnyList }) => {
    drawn.set(list.path.replace(/\/\d+\//, '/{id}/'), list);
    return null;
  },
}));

/** Lists that no screen shows. */
const WITHOUT_SCREEN = [
  // The specification's view of the same records as /transactions.
  '/api/v1/admin/payments',
];

const DECLARED = Object.values(import.meta.glob<Record<string, Declared>>('./api/lists/*.ts', { eager: true }))
  .flatMap((module) => Object.values(module))
  .filter(({ path }) => !WITHOUT_SCREEN.includes(path))
  .map((list) => [list.path, list] as const);

const listAt = (path: string) => drawn.get(path) as AnyList;

beforeAll(async () => {
  await startTexts();
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => undefined));
  const draw = (children: ReactNode) =>
    render(
      <QueryClientProvider client={new QueryClient()}>
        <Suspense>{children}</Suspense>
      </QueryClientProvider>,
    );
  for (const { path, draw: Draw } of SCREENS) if (!path.includes(':')) draw(<Draw params={{}} />);
  // Lists within a record's page.
  draw(<ServerTable list={deliveriesOf({ id: 1 } as Webhook)} />);
  draw(<Billing panel={{ id: 1, currency: 'USD' } as ExternalPanel} />);
  draw(<PanelServices panel={{ id: 1 }} />);
  draw(<PanelRuns id={1} />);
  const awaited = DECLARED.map(([path]) => path);
  await waitFor(() => expect([...drawn.keys()]).toEqual(expect.arrayContaining(awaited)), { timeout: 60_000 });
  // The lists are noted. Screens that stayed mounted would draw their late parts when the document is gone.
  cleanup();
}, 70_000);

it('knows every list of the server', () => {
  expect(DECLARED.length).toBeGreaterThan(35);
  expect([...drawn.keys()].sort()).toEqual(DECLARED.map(([path]) => path).sort());
});

it.each(DECLARED)('%s has each column once', (path) => {
  const names = listAt(path).columns.map((column) => column.name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

it.each(DECLARED)('%s draws each column', (path) => {
  const shown = listAt(path).columns.filter((column) => !column.filterOnly);
  expect(shown.filter((column) => column.cell === undrawn).map((column) => column.name)).toEqual([]);
});

it.each(DECLARED)('%s offers all its filters', (path, { columns }) => {
  const { columns: own, fixed = {} } = listAt(path);
  const offered = own.flatMap((column) => (column.filter ? [filterName(column)] : []));
  const searchable = columns.filter((column) => column.offered !== false && column.searchable !== false);
  const asked = searchable.map(({ name, filteredBy }) => filteredBy ?? name);
  // A list within a record's page asks for that record by itself.
  const isFixed = (name: string) =>
    Object.keys(fixed).some((key) => key.replace(/[._]id$/, '') === name.replace(/[._]id$/, ''));
  expect(asked.filter((name) => !offered.includes(name) && !isFixed(name))).toEqual([]);
});

it.each(DECLARED)('%s filters by what the server knows', (path, { columns, filters }) => {
  const known = [...columns, ...filters].filter(({ searchable }) => searchable !== false).map(({ name }) => name);
  const names = listAt(path).columns.flatMap((column) => (column.filter ? [filterName(column)] : []));
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});
