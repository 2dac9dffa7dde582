import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { type FormField, FormFieldControl } from './FormFieldControl';

beforeAll(initI18n);
afterEach(cleanup);

/** Whether a field with the given value accepts the key while the caret is at index `caret`. */
function acceptsKey(overrides: Partial<FormField>, value: string, caret: number, key: string, modifiers = {}): boolean {
  const field: FormField = { name: 'n', label: 'N', ...overrides };
  render(
    <FormFieldControl
      field={field}
      autoFocus={false}
      values={{ n: value }}
      errors={{}}
      conflicts={{}}
      onChange={vi.fn()}
    />,
  );
  const input = screen.getByLabelText<HTMLInputElement>('N');
  input.setSelectionRange(caret, caret);
  // `fireEvent` returns false if the field has called `preventDefault`.
  const isAccepted = fireEvent.keyDown(input, { key, ...modifiers });
  cleanup();
  return isAccepted;
}

it('accepts only digits in a field for whole numbers', () => {
  const numeric = { mode: 'numeric' } as const;
  for (const key of '0123456789') expect([key, acceptsKey(numeric, '1', 1, key)]).toEqual([key, true]);
  for (const key of 'ae-+.,% ') expect([key, acceptsKey(numeric, '1', 0, key)]).toEqual([key, false]);
});

it('accepts one separator and a leading minus in a decimal field, and no minus in an unsigned field', () => {
  const decimal = { mode: 'decimal' } as const;
  expect(acceptsKey(decimal, '12', 2, '.')).toBe(true);
  expect(acceptsKey(decimal, '12', 2, ',')).toBe(true);
  expect(acceptsKey(decimal, '1.2', 3, '.')).toBe(false);
  expect(acceptsKey(decimal, '12', 2, 'e')).toBe(false);
  expect(acceptsKey(decimal, '12', 0, '-')).toBe(true);
  expect(acceptsKey(decimal, '12', 1, '-')).toBe(false);
  expect(acceptsKey(decimal, '-12', 0, '-')).toBe(false);
  expect(acceptsKey({ ...decimal, unsigned: true }, '12', 0, '-')).toBe(false);
});

it('does not block control keys, shortcuts or keys in text fields', () => {
  const numeric = { mode: 'numeric' } as const;
  for (const key of ['Backspace', 'Tab', 'Enter', 'ArrowLeft']) expect(acceptsKey(numeric, '1', 1, key)).toBe(true);
  expect(acceptsKey(numeric, '1', 1, 'v', { ctrlKey: true })).toBe(true);
  expect(acceptsKey(numeric, '1', 1, 'v', { metaKey: true })).toBe(true);
  expect(acceptsKey({}, '1', 1, 'x')).toBe(true);
});

it('describes a checkbox by its hint', () => {
  const field: FormField = { name: 'n', label: 'Follow labels', mode: 'checkbox', hint: 'Only of this product.' };
  render(
    <FormFieldControl field={field} autoFocus={false} values={{}} errors={{}} conflicts={{}} onChange={vi.fn()} />,
  );
  expect(screen.getByRole('checkbox', { name: 'Follow labels', description: 'Only of this product.' })).toBeTruthy();
});

it('describes a checkbox by its error', () => {
  const errors = { n: ['This panel has no labels.'] };
  const field: FormField = { name: 'n', label: 'Follow labels', mode: 'checkbox' };
  render(
    <FormFieldControl field={field} autoFocus={false} values={{}} errors={errors} conflicts={{}} onChange={vi.fn()} />,
  );
  const checkboxElement = screen.getByRole('checkbox', {
    name: 'Follow labels',
    description: 'This panel has no labels.',
  });
  expect(checkboxElement.getAttribute('aria-invalid')).toBe('true');
});

it('shows the option that another user has saved, and marks a list of rows that another user has changed', () => {
  const props = { autoFocus: false, errors: {}, values: { n: 'percent' }, onChange: vi.fn() };
  const options = [
    { value: 'percent', label: 'Percent' },
    { value: 'fixed', label: 'Fixed amount' },
  ];
  render(<FormFieldControl {...props} field={{ name: 'n', label: 'N', options }} conflicts={{ n: 'fixed' }} />);
  expect(screen.getByText('Another person changed this field too. Current value: Fixed amount')).toBeTruthy();
  cleanup();
  const rowsField: FormField = { name: 'n', label: 'N', fullWidth: true, render: () => 'rows' };
  render(<FormFieldControl {...props} field={rowsField} conflicts={{ n: '[{"id":7}]' }} />);
  expect(screen.getByText('Another person changed this row too.')).toBeTruthy();
});

it('marks a checkbox and a language that another user has changed', () => {
  const renderField = (field: FormField, conflicts: Record<string, string>) =>
    render(
      <FormFieldControl
        field={field}
        autoFocus={false}
        values={{}}
        errors={{}}
        conflicts={conflicts}
        onChange={vi.fn()}
      />,
      { wrapper: TestQueryProvider },
    );
  renderField({ name: 'on', label: 'On', mode: 'checkbox' }, { on: 'yes' });
  expect(
    screen.getByRole('checkbox', { description: 'Another person changed this field too. Current value: Yes' }),
  ).toBeTruthy();
  const texts = [{ name: 'name', label: 'Name' }];
  renderField({ name: 'translations', label: 'Texts', mode: 'texts', texts }, { 'translations.de.name': 'Neu' });
  expect(screen.getByRole('tab', { name: /^Deutsch.*Another person changed this row too/ })).toBeTruthy();
  expect(screen.getByRole('tab', { name: 'English' })).toBeTruthy();
});
