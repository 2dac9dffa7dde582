// Every list offers every filter that the server documents for it, with a control of the filter's kind: openapi.json has
// the parameters of the lists, their declarations have the filters. The screens are drawn with a table that only notes
// its list, so that a new list is compared without a line here.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, waitFor } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { deliveriesOf } from './configuration/webhooks/Deliveries';
import type { Webhook } from './configuration/webhooks/declaration';
import { SCREENS } from './shell/screens';
import { Billing } from './supply/external-panels/Billing';
import type { ExternalPanel } from './supply/external-panels/declaration';
import { PanelServices } from './supply/imports/PanelServices';
import { PanelRuns } from './supply/imports/Runs';
import { type Filter, filterName, type List } from './table/declare';
import { ServerTable } from './table/ServerTable';

// biome-ignore lint/suspicious/noExplicitAny: a list of any rows has filters.
type AnyList = List<any>;

interface Parameter {
  name: string;
  description: string;
}

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

/** What the lists' filters call otherwise: names that the specification has beside ours search the same column. */
const ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/api/v1/admin/audits': { target: 'auditable_id' },
  '/api/v1/admin/coupons': { name: 'translated_name' },
  '/api/v1/admin/free-trials': { quest_id: 'free_trial_quest_id' },
  '/api/v1/admin/panel-menu-items': { menu_item_id: 'id' },
  '/api/v1/admin/panel-pages': { page_id: 'id' },
  '/api/v1/admin/payment-methods': { position: 'sorting' },
  '/api/v1/admin/services': { price: 'default_price', type: 'service_type.name' },
  '/api/v1/admin/services/logs': { target: 'target_id' },
  '/api/v1/admin/users': { seller: 'manager', current_grade: 'grade.name' },
};

/** What a list does not offer, with the reason. */
const NOT_OFFERED: Readonly<Record<string, readonly string[]>> = {
  // A test is sent by staff; no webhook asks for it.
  '/api/v1/admin/webhooks': ['webhook.test'],
  '/api/v1/admin/external-panels': [
    // The end of a secret: the panel's name finds it.
    'api_token_hint',
    'api_token',
    // The page of the panel shows these; its list is short.
    'balance_at',
    'low_balance',
    'auto_recreate_orders_is_allowed',
    'updated_at',
  ],
  '/api/v1/admin/external-panel-payments': ['updated_at'],
  // A link of the run leads to its changes; a change names its service and who decided.
  '/api/v1/admin/external-panels/sync-changes': ['sync_run_id', 'external_panel_service_id', 'decided_by.id'],
  // The provider's page names the service of the panel.
  '/api/v1/admin/external-panels/{id}/services': ['provider.id'],
  // Customers cannot withdraw what quests gave them.
  '/api/v1/admin/withdrawals': ['task'],
};

/** The controls that can ask for what the server says of a parameter. */
const CONTROLS: Readonly<Record<string, readonly Filter['kind'][]>> = {
  'Whole numbers:': ['ids', 'number', 'record'],
  'Amounts:': ['money', 'share'],
  'Percents:': ['number'],
  'A day,': ['time'],
  'Part of the text.': ['text'],
  'Ids,': ['record', 'text'],
  'One or more,': ['words'],
  'Records that name any of these,': ['choices', 'words'],
  'Whole words,': ['text', 'words'],
  'Words that there are,': ['choices', 'text'],
  '1 or 0.': ['flag'],
};

function controlsOf({ description }: Parameter): readonly Filter['kind'][] {
  return Object.entries(CONTROLS).find(([start]) => description.startsWith(start))?.[1] ?? [];
}

const DOCUMENT: { paths: Record<string, { get?: { parameters?: Parameter[] } }> } = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../openapi.json'), 'utf8'),
);

/** The parameters by which a list is filtered, by its path: those behind the ones that every list has. */
const SERVED = new Map(
  Object.entries(DOCUMENT.paths).flatMap(([path, { get }]) => {
    const parameters = get?.parameters ?? [];
    const last = parameters.findIndex(({ name }) => name === 'export_columns');
    return last < 0 ? [] : [[path, parameters.slice(last + 1)] as const];
  }),
);

/** `user` for user, user.id, user_id and user.name: whoever picks the record needs none of the others. */
const recordOf = (name: string) => name.replace(/([._]id|\.(name|email|code))$/, '');

/** A status says what the flags beside it say. */
const STANDING = ['is_all', 'is_archived', 'is_enabled', 'is_active'];

function filtersOf(list: AnyList): ReadonlyMap<string, Filter> {
  return new Map(
    list.columns.flatMap((column) => (column.filter ? [[filterName(column), column.filter] as const] : [])),
  );
}

/** What is wrong with a parameter of the list; nothing where it is offered as it should be. */
function fault(path: string, list: AnyList, parameter: Parameter): string | undefined {
  const filters = filtersOf(list);
  const { name, description } = parameter;
  const filter = filters.get(name);
  if (filter) {
    if (!controlsOf(parameter).includes(filter.kind)) return `${name}: ${filter.kind} cannot ask for: ${description}`;
    if (filter.kind !== 'words' || !/^(One or more|Records that name any)/.test(description)) return undefined;
    const words = /: (.+?)\.( Needs .+)?$/.exec(description)?.[1] ?? '';
    const offered = [...filter.words, ...(NOT_OFFERED[path] ?? [])];
    const missing = words.split(', ').filter((word) => !offered.includes(word));
    return missing.length > 0 ? `${name}: without the words ${missing}` : undefined;
  }
  // A list within a record's page asks for that record by itself.
  const offered = [...filters.keys(), ...Object.keys(list.fixed ?? {})];
  const alias = ALIASES[path]?.[name] ?? ALIASES[path]?.[recordOf(name)];
  const isElsewhere =
    (alias !== undefined && filters.has(alias)) ||
    offered.some((other) => recordOf(other) === recordOf(name)) ||
    (STANDING.includes(name) && filters.has('status')) ||
    NOT_OFFERED[path]?.includes(name);
  return isElsewhere ? undefined : `${name}: missing`;
}

const SHOWN = [...SERVED].filter(([path]) => !WITHOUT_SCREEN.includes(path));

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
  draw(<PanelServices panel={{ id: 1, actions: { editable: true, import_packages: true } } as ExternalPanel} />);
  draw(<PanelRuns id={1} />);
  const awaited = SHOWN.map(([path]) => path);
  await waitFor(() => expect([...drawn.keys()]).toEqual(expect.arrayContaining(awaited)), { timeout: 60_000 });
  // The lists are noted. Screens that stayed mounted would draw their late parts when the document is gone.
  cleanup();
}, 70_000);

it('knows every list of the server', () => {
  expect(SERVED.size).toBeGreaterThan(35);
  expect([...drawn.keys()].sort()).toEqual(SHOWN.map(([path]) => path).sort());
});

it.each(SHOWN)('%s has each column once', (path) => {
  const names = (drawn.get(path) as AnyList).columns.map((column) => column.name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

it.each(SHOWN)('%s offers all its filters', (path, parameters) => {
  const list = drawn.get(path) as AnyList;
  expect(parameters.flatMap((parameter) => fault(path, list, parameter) ?? [])).toEqual([]);
});

it.each(SHOWN)('%s filters by what the server knows', (path, parameters) => {
  const known = parameters.map(({ name }) => name);
  const list = drawn.get(path) as AnyList;
  expect([...filtersOf(list).keys()].filter((name) => !known.includes(name))).toEqual([]);
});

it('has no exception without need', () => {
  for (const [path, names] of [...Object.entries(NOT_OFFERED), ...Object.entries(ALIASES)]) {
    const filters = filtersOf(drawn.get(path) as AnyList);
    const excepted = Array.isArray(names) ? names : Object.keys(names);
    expect(excepted.filter((name) => filters.has(name))).toEqual([]);
  }
});
