import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { Preview } from './Preview';

beforeAll(startTexts);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const draw = (default_price: string) =>
  render(<Preview values={{ default_price, pricing_per: '1000' }} service={7} />, { wrapper: Queries });

it('asks for prices as they are typed, and says why there are none', async () => {
  const bodies: unknown[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    bodies.push(await (input as Request).json());
    const errors = { default_price: ['Give a price such as 12.50.'] };
    return Response.json({ code: 'invalid', message: 'Refused.', errors }, { status: 422 });
  });
  draw('1 234,5 x');
  expect(await screen.findByText('Give a price such as 12.50.')).toBeTruthy();
  expect(bodies).toEqual([
    { default_price: '1234.5x', min_price: '0', pricing_per: 1000, quantity: 1000, service_id: 7 },
  ]);
});

it('asks nothing without a price', () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  draw('');
  expect(screen.getByText('Enter a price and a quantity.')).toBeTruthy();
  expect(fetched).not.toHaveBeenCalled();
});
