import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { CouponForm } from './CouponForm';

beforeAll(initI18n);
afterEach(cleanup);

it('accepts only digits in whole-number fields, and also a decimal separator in decimal fields', async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CouponForm id={null} onClose={vi.fn()} onSaved={vi.fn()} />
    </QueryClientProvider>,
  );
  await screen.findByRole('dialog');
  const numericInputs = [
    ...document.querySelectorAll<HTMLInputElement>('input[inputmode=decimal], input[inputmode=numeric]'),
  ];
  expect(numericInputs).toHaveLength(4);
  for (const input of numericInputs) {
    // `fireEvent` returns false if the input rejects the key.
    const isAccepted = [...'5x-%'].map((key) => fireEvent.keyDown(input, { key }));
    expect(isAccepted).toEqual([true, false, false, false]);
    expect(fireEvent.keyDown(input, { key: '.' })).toBe(input.inputMode === 'decimal');
  }
});
