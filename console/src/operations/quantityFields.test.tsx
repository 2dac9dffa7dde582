import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { FREE_TRIAL_LIST } from '@/operations/free-trials/FreeTrials';
import { ChangeProviderForm } from '@/operations/orders/ChangeProviderForm';
import { createSample } from '@/test/sample';
import { TestQueryProvider } from '@/test/TestQueryProvider';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const ApproveForm = FREE_TRIAL_LIST.actions?.find(({ name }) => name === 'approveTrial')
  ?.Form as unknown as typeof ChangeProviderForm;

it.each([
  ['an order whose provider is changed', ChangeProviderForm],
  ['a free trial', ApproveForm],
])('the form of %s sends the typed quantity, and shows an error if the text is not a whole number', (_, Form) => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ data: [], items: [] }));
  const onChange = vi.fn();
  const row = createSample('OrderRow');
  render(<Form value={{}} onChange={onChange} errors={{}} row={row} count={1} />, { wrapper: TestQueryProvider });
  const input = screen.getByRole('textbox', { name: /^Quantity/ });
  const typeQuantity = (value: string) => fireEvent.change(input, { target: { value } });
  typeQuantity('1 500');
  expect(onChange).toHaveBeenLastCalledWith({ quantity: 1500 });
  expect(input.getAttribute('aria-invalid')).toBeNull();
  typeQuantity('1500.00');
  expect(onChange).toHaveBeenLastCalledWith({ quantity: '1500.00' });
  expect(input.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('Enter a whole number, digits only.').className).toBe('field-error');
  typeQuantity('');
  expect(onChange).toHaveBeenLastCalledWith({ quantity: null });
});
