// Checks that every list of the server has a screen that offers all of its filters: compares the declarations that are generated
// from openapi.json with the lists that the screens render. A mocked table records these lists, so that a new list needs no change
// here.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, waitFor } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import type { ListDeclaration } from './api/listDeclaration';
import { defineDeliveryList } from './configuration/webhooks/Deliveries';
import type { Webhook } from './configuration/webhooks/webhookList';
import { SCREENS } from './shell/screens';
import type { ExternalPanel } from './supply/external-panels/declaration';
import { PanelPayments } from './supply/external-panels/PanelPayments';
import { PanelServices } from './supply/imports/PanelServices';
import { PanelSyncRuns } from './supply/imports/SyncRuns';
import { placeholderCell } from './table/columnFromDeclaration';
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

/** Paths of lists that have no screen. */
const WITHOUT_SCREEN = [
  // The same records as /transactions; the specification requires both lists.
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
  const renderScreen = (children: ReactNode) =>
    render(
      <QueryClientProvider client={new QueryClient()}>
        <Suspense>{children}</Suspense>
      </QueryClientProvider>,
    );
  for (const { path, component: Component } of SCREENS)
    if (!path.includes(':')) renderScreen(<Component params={{}} />);
  // Lists on the page of a record.
  renderScreen(<ServerTable list={defineDeliveryList({ id: 1 } as Webhook)} />);
  renderScreen(<PanelPayments panel={{ id: 1, currency: 'USD' } as ExternalPanel} />);
  renderScreen(<PanelServices panel={{ id: 1 }} />);
  renderScreen(<PanelSyncRuns id={1} />);
  const expected = DECLARED.map(([path]) => path);
  await waitFor(() => expect([...renderedLists.keys()]).toEqual(expect.arrayContaining(expected)), { timeout: 60_000 });
  // Unmount the screens: otherwise they would render lazy components after the test has removed the document.
  cleanup();
}, 70_000);

it('renders every list of the server', () => {
  expect(DECLARED.length).toBeGreaterThan(35);
  expect([...renderedLists.keys()].sort()).toEqual(DECLARED.map(([path]) => path).sort());
});

it.each(DECLARED)('%s has every column once', (path) => {
  const names = listAt(path).columns.map((column) => column.name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it.each(DECLARED)('%s has a cell for every column', (path) => {
  const visibleColumns = listAt(path).columns.filter((column) => !column.filterOnly);
  expect(visibleColumns.filter((column) => column.cell === placeholderCell).map((column) => column.name)).toEqual([]);
});

it.each(DECLARED)('%s offers all of its filters', (path, { columns }) => {
  const { columns: screenColumns, fixedFilters = {} } = listAt(path);
  const filterNames = screenColumns.flatMap((column) => (column.filter ? [filterName(column)] : []));
  const searchable = columns.filter((column) => column.hasLabel !== false && column.searchable !== false);
  const required = searchable.map(({ name, filteredBy }) => filteredBy ?? name);
  // A list on the page of a record always filters by that record.
  const isFixed = (name: string) =>
    Object.keys(fixedFilters).some((key) => key.replace(/[._]id$/, '') === name.replace(/[._]id$/, ''));
  expect(required.filter((name) => !filterNames.includes(name) && !isFixed(name))).toEqual([]);
});

it.each(DECLARED)('%s has only filters that the server supports', (path, { columns, filters }) => {
  const supportedNames = [...columns, ...filters]
    .filter(({ searchable }) => searchable !== false)
    .map(({ name }) => name);
  const names = listAt(path).columns.flatMap((column) => (column.filter ? [filterName(column)] : []));
  expect(names.filter((name) => !supportedNames.includes(name))).toEqual([]);
});
