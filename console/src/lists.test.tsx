// Every list of the server has a screen that offers all of its filters: compares the declarations generated from openapi.json with
// the lists that screens render. A mocked table records the lists, so that new lists are covered without changes here.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, waitFor } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import type { ListDeclaration } from './api/listDeclaration';
import { deliveriesOf } from './configuration/webhooks/Deliveries';
import type { Webhook } from './configuration/webhooks/declaration';
import { SCREENS } from './shell/screens';
import { Billing } from './supply/external-panels/Billing';
import type { ExternalPanel } from './supply/external-panels/declaration';
import { PanelServices } from './supply/imports/PanelServices';
import { PanelRuns } from './supply/imports/Runs';
import { noCell } from './table/columnFromDeclaration';
import { filterName, type List } from './table/listDefinition';
import { ServerTable } from './table/ServerTable';

// biome-ignore lint/suspicious/noExplicitAny: a list of any rows has filters.
type AnyList = List<any>;

const { renderedLists } = vi.hoisted(() => ({ renderedLists: new Map<string, unknown>() }));
vi.mock('./table/ServerTable', () => ({
  ServerTable: ({ list }: { list: AnyList }) => {
    renderedLists.set(list.path.replace(/\/\d+\//, '/{id}/'), list);
    return null;
  },
}));

/** Lists without a screen. */
const WITHOUT_SCREEN = [
  // The specification's view of the same records as /transactions.
  '/api/v1/admin/payments',
];

const DECLARED = Object.values(import.meta.glob<Record<string, ListDeclaration>>('./api/lists/*.ts', { eager: true }))
  .flatMap((module) => Object.values(module))
  .filter(({ path }) => !WITHOUT_SCREEN.includes(path))
  .map((list) => [list.path, list] as const);

const listAt = (path: string) => renderedLists.get(path) as AnyList;

beforeAll(async () => {
  await initI18n();
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => undefined));
  const show = (children: ReactNode) =>
    render(
      <QueryClientProvider client={new QueryClient()}>
        <Suspense>{children}</Suspense>
      </QueryClientProvider>,
    );
  for (const { path, component: Component } of SCREENS) if (!path.includes(':')) show(<Component params={{}} />);
  // Lists within a record's page.
  show(<ServerTable list={deliveriesOf({ id: 1 } as Webhook)} />);
  show(<Billing panel={{ id: 1, currency: 'USD' } as ExternalPanel} />);
  show(<PanelServices panel={{ id: 1 }} />);
  show(<PanelRuns id={1} />);
  const expected = DECLARED.map(([path]) => path);
  await waitFor(() => expect([...renderedLists.keys()]).toEqual(expect.arrayContaining(expected)), { timeout: 60_000 });
  // Unmount: mounted screens would render lazy parts after the document is gone.
  cleanup();
}, 70_000);

it('renders every list of the server', () => {
  expect(DECLARED.length).toBeGreaterThan(35);
  expect([...renderedLists.keys()].sort()).toEqual(DECLARED.map(([path]) => path).sort());
});

it.each(DECLARED)('%s has every column once', (path) => {
  const names = listAt(path).columns.map((column) => column.name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

it.each(DECLARED)('%s has a cell for every column', (path) => {
  const shown = listAt(path).columns.filter((column) => !column.filterOnly);
  expect(shown.filter((column) => column.cell === noCell).map((column) => column.name)).toEqual([]);
});

it.each(DECLARED)('%s offers all of its filters', (path, { columns }) => {
  const { columns: own, fixedFilters = {} } = listAt(path);
  const offered = own.flatMap((column) => (column.filter ? [filterName(column)] : []));
  const searchable = columns.filter((column) => column.offered !== false && column.searchable !== false);
  const required = searchable.map(({ name, filteredBy }) => filteredBy ?? name);
  // A list within a record's page always filters by that record.
  const isFixed = (name: string) =>
    Object.keys(fixedFilters).some((key) => key.replace(/[._]id$/, '') === name.replace(/[._]id$/, ''));
  expect(required.filter((name) => !offered.includes(name) && !isFixed(name))).toEqual([]);
});

it.each(DECLARED)('%s has only filters that the server supports', (path, { columns, filters }) => {
  const known = [...columns, ...filters].filter(({ searchable }) => searchable !== false).map(({ name }) => name);
  const names = listAt(path).columns.flatMap((column) => (column.filter ? [filterName(column)] : []));
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});
