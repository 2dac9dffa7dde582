import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { PackageImportDialog } from './PackageImportDialog';

vi.setConfig({ testTimeout: 40_000 });
configure({ asyncUtilTimeout: 10_000 });

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

interface ImportBody {
  packages: { id: number; fixed_cost?: string; discount_fraction?: string }[];
}

/** Bodies of the import requests, except the dry runs. */
let importBodies: ImportBody[] = [];
let linesRequestBody: unknown = null;

const createJsonResponse = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });

const createLine = (id: number) => ({
  id,
  external_panel_service_id: String(900 + id),
  name: `Pack ${id}`,
  type: 'Package',
  category: 'Packs',
  external_panel_price: '5',
  provider_price: '5',
  lowest_price: '5.5',
  pricing_per: 1,
  rejection: id === 3 ? 'Service 3 is imported already, as package 8.' : null,
});

/** A fake server that rejects fixed costs with three decimals with a field error. */
async function handleRequest(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const body = request.method === 'POST' ? await request.json() : null;
  if (pathname.endsWith('/external-panels/1/services')) {
    linesRequestBody = body;
    return createJsonResponse(200, { data: body.ids.map(createLine) });
  }
  if (pathname.endsWith('/networks')) return createJsonResponse(200, { data: [{ id: 1, name: 'Video' }] });
  const fieldErrors = (body as ImportBody).packages.flatMap(({ fixed_cost }, index) =>
    /\.\d{3}/.test(fixed_cost ?? '') ? [[`packages.${index}.fixed_cost`, ['Give at most 2 decimals.']]] : [],
  );
  if (fieldErrors.length > 0) {
    return createJsonResponse(422, {
      message: 'Wrong.',
      code: 'invalid',
      request_id: 'r',
      errors: Object.fromEntries(fieldErrors),
    });
  }
  const dry_run = searchParams.get('dry_run') === '1';
  if (!dry_run) importBodies.push(body);
  return createJsonResponse(200, { data: { created: body.packages.length, dry_run, items: [], service_types: [] } });
}

beforeEach(() => {
  importBodies = [];
  linesRequestBody = null;
  vi.stubGlobal('fetch', (input: Request | string, init?: RequestInit) =>
    handleRequest(input instanceof Request ? input : new Request(input, init)),
  );
});

const typeInto = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const findButton = (name: string) => {
  const match = [...document.querySelectorAll('button')].find((element) => element.textContent?.trim() === name);
  if (!match) throw new Error(`There is no button ${name}.`);
  return match;
};
const getInputValue = (label: string) => (screen.getByLabelText(label) as HTMLInputElement).value;

it('lets the user edit each package, shows errors at the fields, and sends the edits', async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PrimeReactProvider>
        <PackageImportDialog externalPanelId={1} ids={[1, 2, 3]} row={null} onClose={vi.fn()} onDone={vi.fn()} />
      </PrimeReactProvider>
    </QueryClientProvider>,
  );
  await screen.findByLabelText('Name of Pack 1');
  expect(linesRequestBody).toEqual({ ids: [1, 2, 3], as_packages: true });
  expect(screen.getByText(/as package 8/)).toBeTruthy();
  await waitFor(() => expect(document.querySelector('option[value="1"]')).toBeTruthy());
  typeInto('Network', '1');
  typeInto('Name of Pack 1', 'Begin');
  typeInto('Start of Pack 1', 'manual');
  typeInto('Fixed cost of Pack 1', '5');
  expect(screen.getByText('The minimum price is $5.50.')).toBeTruthy();
  typeInto('Fixed cost of Pack 1', '');
  expect(screen.queryByText(/The minimum price/)).toBeNull();
  typeInto('Discount, % of Pack 2', '20');
  // A fixed cost replaces the discount.
  typeInto('Fixed cost of Pack 2', '7.505');
  expect(getInputValue('Discount, % of Pack 2')).toBe('');
  fireEvent.click(findButton('Import (2)'));
  expect(await screen.findByText('Give at most 2 decimals.')).toBeTruthy();
  const cost = screen.getByLabelText('Fixed cost of Pack 2');
  await waitFor(() => expect(document.activeElement).toBe(cost));
  expect([getInputValue('Fixed cost of Pack 2'), getInputValue('Name of Pack 1')]).toEqual(['7.505', 'Begin']);
  expect(importBodies).toEqual([]);
  typeInto('Discount, % of Pack 2', '12,5');
  expect(getInputValue('Fixed cost of Pack 2')).toBe('');
  expect(screen.queryByText('Give at most 2 decimals.')).toBeNull();
  fireEvent.click(findButton('Import (2)'));
  expect(await screen.findByText('Imported: 2')).toBeTruthy();
  const sharedValues = { network_id: 1, sync: false };
  expect(importBodies).toEqual([
    {
      external_panel_id: 1,
      packages: [
        { id: 1, name: 'Begin', type: 'manual', ...sharedValues },
        { id: 2, discount_fraction: '0.125', type: 'auto', ...sharedValues },
      ],
    },
  ]);
});
