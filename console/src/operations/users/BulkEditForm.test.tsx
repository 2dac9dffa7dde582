import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { BulkEditForm, type BulkUserChanges } from './BulkEditForm';

beforeAll(initI18n);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('clears a field that is unchecked and checked again, and sends null for this field', () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ data: [] }));
  let formValue: BulkUserChanges = {};
  function Form() {
    const [value, setValue] = useState<BulkUserChanges>({});
    formValue = value;
    return <BulkEditForm value={value} onChange={setValue} errors={{}} row={null} count={2} />;
  }
  render(<Form />, { wrapper: TestQueryProvider });
  const checkbox = screen.getByRole('checkbox', { name: 'Referral share, %' });
  const findInput = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Referral share, %' });
  fireEvent.click(checkbox);
  fireEvent.change(findInput(), { target: { value: '12,5' } });
  expect(formValue).toEqual({ referral_program_fraction: '0.125' });
  fireEvent.click(checkbox);
  fireEvent.click(checkbox);
  expect([formValue, findInput().value]).toEqual([{ referral_program_fraction: null }, '']);
});
