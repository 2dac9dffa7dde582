// Checks that every list of the server has a screen with all filters of the list: compares the declarations that are generated from
// openapi.json with the lists that the screens render. A mocked `ServerTable` records the rendered lists, so that a new list needs
// no change in this test.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, waitFor } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import type { ListDeclaration } from './api/listDeclaration';
import { defineDeliveryList } from './configuration/webhooks/Deliveries';
import type { Webhook } from './configuration/webhooks/webhookList';
import { SCREENS } from './shell/screens';
import type { ExternalPanel } from './supply/external-panels/externalPanelList';
import { PanelPayments } from './supply/external-panels/PanelPayments';
import { PanelServices } from './supply/imports/PanelServices';
import { PanelSyncRuns } from './supply/imports/SyncRuns';
import { renderMissingCell } from './table/createColumn';
import { getFilterName, type List } from './table/listDefinition';
import { ServerTable } from './table/ServerTable';

// biome-ignore lint/suspicious/noExplicitAny: the tests do not depend on the row type.
type AnyList = List<any>;

const { renderedLists } = vi.hoisted(() => ({ renderedLists: new Map<string, unknown>() }));
vi.mock('./table/ServerTable', () => ({
  ServerTable: ({ list }: { list: AnyList }) => {
    renderedLists.set(list.path.replace(/\/\d+\//, '/{id}/'), list);
    return null;
  },
}));

/** Paths of lists that have no screen. */
const PATHS_WITHOUT_SCREEN = [
  // The same records as /transactions; the specification requires both lists.
  '/api/v1/admin/payments',
];

const DECLARED_LISTS = Object.values(
  import.meta.glob<Record<string, ListDeclaration>>('./api/lists/*.ts', { eager: true }),
)
  .flatMap((module) => Object.values(module))
  .filter(({ path }) => !PATHS_WITHOUT_SCREEN.includes(path))
  .map((list) => [list.path, list] as const);

const renderedList = (path: string) => renderedLists.get(path) as AnyList;

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
  // These lists are on the pages of records, which need an id in the path.
  renderScreen(<ServerTable list={defineDeliveryList({ id: 1 } as Webhook)} />);
  renderScreen(<PanelPayments panel={{ id: 1, currency: 'USD' } as ExternalPanel} />);
  renderScreen(<PanelServices panel={{ id: 1 }} />);
  renderScreen(<PanelSyncRuns id={1} />);
  const declaredPaths = DECLARED_LISTS.map(([path]) => path);
  await waitFor(() => expect([...renderedLists.keys()]).toEqual(expect.arrayContaining(declaredPaths)), {
    timeout: 60_000,
  });
  // Unmount the screens: otherwise they would render lazy components after the test has removed the document.
  cleanup();
}, 70_000);

it('renders every list of the server', () => {
  expect(DECLARED_LISTS.length).toBeGreaterThan(35);
  expect([...renderedLists.keys()].sort()).toEqual(DECLARED_LISTS.map(([path]) => path).sort());
});

it.each(DECLARED_LISTS)('%s has no duplicate columns', (path) => {
  const names = renderedList(path).columns.map((column) => column.name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it.each(DECLARED_LISTS)('%s has a cell for every column', (path) => {
  const visibleColumns = renderedList(path).columns.filter((column) => !column.filterOnly);
  expect(visibleColumns.filter((column) => column.cell === renderMissingCell).map((column) => column.name)).toEqual([]);
});

it.each(DECLARED_LISTS)('%s has every filter of the server', (path, { columns }) => {
  const { columns: screenColumns, fixedFilters = {} } = renderedList(path);
  const filterNames = screenColumns.flatMap((column) => (column.filter ? [getFilterName(column)] : []));
  const filterableColumns = columns.filter((column) => column.hasLabel !== false && column.searchable !== false);
  const requiredFilters = filterableColumns.map(({ name, filteredBy }) => filteredBy ?? name);
  // A list on the page of a record has a fixed filter for the record.
  const isFixedFilter = (name: string) =>
    Object.keys(fixedFilters).some((key) => key.replace(/[._]id$/, '') === name.replace(/[._]id$/, ''));
  expect(requiredFilters.filter((name) => !filterNames.includes(name) && !isFixedFilter(name))).toEqual([]);
});

it.each(DECLARED_LISTS)('%s has only filters that the server supports', (path, { columns, filters }) => {
  const supportedNames = [...columns, ...filters]
    .filter(({ searchable }) => searchable !== false)
    .map(({ name }) => name);
  const names = renderedList(path).columns.flatMap((column) => (column.filter ? [getFilterName(column)] : []));
  expect(names.filter((name) => !supportedNames.includes(name))).toEqual([]);
});
