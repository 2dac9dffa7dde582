import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, configure, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { PackageDialog } from './PackageDialog';

vi.setConfig({ testTimeout: 40_000 });
configure({ asyncUtilTimeout: 10_000 });

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

interface Sent {
  packages: { id: number; fixed_cost?: string; discount_percent?: string }[];
}

let imports: Sent[] = [];
let asked: unknown = null;

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });

const lineOf = (id: number) => ({
  id,
  external_panel_service_id: String(900 + id),
  name: `Pack ${id}`,
  type: 'Package',
  category: 'Packs',
  external_panel_price: '5',
  provider_price: '5',
  lowest_price: '5.5',
  pricing_per: 1,
  refusal: id === 3 ? 'Service 3 is imported already, as package 8 of the panel.' : null,
});

/** A server that refuses fixed costs with three decimals at their places. */
async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const body = request.method === 'POST' ? await request.json() : null;
  if (pathname.endsWith('/external-panels/1/services')) {
    asked = body;
    return json(200, { data: body.ids.map(lineOf) });
  }
  if (pathname.endsWith('/networks')) return json(200, { data: [{ id: 1, name: 'Video' }] });
  const wrong = (body as Sent).packages.flatMap(({ fixed_cost }, at) =>
    /\.\d{3}/.test(fixed_cost ?? '') ? [[`packages.${at}.fixed_cost`, ['Give at most 2 decimals.']]] : [],
  );
  if (wrong.length > 0) {
    return json(422, { message: 'Wrong.', code: 'invalid', request_id: 'r', errors: Object.fromEntries(wrong) });
  }
  const dry_run = searchParams.get('dry_run') === '1';
  if (!dry_run) imports.push(body);
  return json(200, { data: { created: body.packages.length, dry_run, items: [], service_types: [] } });
}

beforeEach(() => {
  imports = [];
  asked = null;
  vi.stubGlobal('fetch', (input: Request | string, init?: RequestInit) =>
    answer(input instanceof Request ? input : new Request(input, init)),
  );
});

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const button = (name: string) => {
  const found = [...document.querySelectorAll('button')].find((one) => one.textContent?.trim() === name);
  if (!found) throw new Error(`There is no button ${name}.`);
  return found;
};
const typedIn = (label: string) => (screen.getByLabelText(label) as HTMLInputElement).value;

it('edits each package, names what is wrong at its field, and sends what was typed', async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PrimeReactProvider>
        <PackageDialog panel={1} ids={[1, 2, 3]} row={null} onClose={vi.fn()} onDone={vi.fn()} />
      </PrimeReactProvider>
    </QueryClientProvider>,
  );
  await screen.findByLabelText('Name of Pack 1');
  expect(asked).toEqual({ ids: [1, 2, 3], as_packages: true });
  expect(screen.getByText(/as package 8 of the panel/)).toBeTruthy();
  await waitFor(() => expect(document.querySelector('option[value="1"]')).toBeTruthy());
  type('Network', '1');
  type('Name of Pack 1', 'Begin');
  type('Start of Pack 1', 'manual');
  type('Fixed cost of Pack 1', '5');
  expect(screen.getByText('The minimum price is $5.50.')).toBeTruthy();
  type('Fixed cost of Pack 1', '');
  expect(screen.queryByText(/The minimum price/)).toBeNull();
  type('Discount, % of Pack 2', '20');
  // A fixed cost takes the place of the discount.
  type('Fixed cost of Pack 2', '7.505');
  expect(typedIn('Discount, % of Pack 2')).toBe('');
  fireEvent.click(button('Import (2)'));
  expect(await screen.findByText('Give at most 2 decimals.')).toBeTruthy();
  const cost = screen.getByLabelText('Fixed cost of Pack 2');
  await waitFor(() => expect(document.activeElement).toBe(cost));
  expect([typedIn('Fixed cost of Pack 2'), typedIn('Name of Pack 1')]).toEqual(['7.505', 'Begin']);
  expect(imports).toEqual([]);
  type('Discount, % of Pack 2', '12,5');
  expect(typedIn('Fixed cost of Pack 2')).toBe('');
  expect(screen.queryByText('Give at most 2 decimals.')).toBeNull();
  fireEvent.click(button('Import (2)'));
  expect(await screen.findByText('Imported: 2')).toBeTruthy();
  const shared = { network_id: 1, sync: false };
  expect(imports).toEqual([
    {
      external_panel_id: 1,
      packages: [
        { id: 1, name: 'Begin', type: 'manual', ...shared },
        { id: 2, discount_percent: '0.125', type: 'auto', ...shared },
      ],
    },
  ]);
});
