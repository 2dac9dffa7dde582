import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { PricePreview } from './PricePreview';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const renderPreview = (default_price: string) =>
  render(<PricePreview values={{ default_price, pricing_per: '1000' }} serviceId={7} />, {
    wrapper: TestQueryProvider,
  });

it('requests the prices for the values in the form, and shows the error of the server', async () => {
  const requestBodies: unknown[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    requestBodies.push(await (input as Request).json());
    const errors = { default_price: ['Give a price such as 12.50.'] };
    return Response.json({ code: 'invalid', message: 'Invalid.', errors }, { status: 422 });
  });
  renderPreview('1 234,5 x');
  expect(await screen.findByText('Give a price such as 12.50.')).toBeTruthy();
  expect(requestBodies).toEqual([
    { default_price: '1234.5x', min_price: '0', pricing_per: 1000, quantity: 1000, service_id: 7 },
  ]);
});

it('sends no request if the price is empty', () => {
  const fetchMock = vi.spyOn(globalThis, 'fetch');
  renderPreview('');
  expect(screen.getByText('Enter a price and a quantity.')).toBeTruthy();
  expect(fetchMock).not.toHaveBeenCalled();
});
