import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { DeclaredField, type FormField } from './DeclaredField';

beforeAll(startTexts);
afterEach(cleanup);

/** Whether the field takes a key where the caret stands. */
function takes(given: Partial<FormField>, value: string, caret: number, key: string, more = {}): boolean {
  const field: FormField = { name: 'n', label: 'N', ...given };
  render(
    <DeclaredField field={field} first={false} values={{ n: value }} errors={{}} conflicts={{}} onChange={vi.fn()} />,
  );
  const input = screen.getByLabelText<HTMLInputElement>('N');
  input.setSelectionRange(caret, caret);
  // `fireEvent` answers false where the key was refused.
  const isTaken = fireEvent.keyDown(input, { key, ...more });
  cleanup();
  return isTaken;
}

it('takes only digits where a whole number is typed', () => {
  const numeric = { mode: 'numeric' } as const;
  for (const key of '0123456789') expect([key, takes(numeric, '1', 1, key)]).toEqual([key, true]);
  for (const key of 'ae-+.,% ') expect([key, takes(numeric, '1', 0, key)]).toEqual([key, false]);
});

it('takes one separator and a leading minus in a decimal number, and no minus in one that is never below zero', () => {
  const decimal = { mode: 'decimal' } as const;
  expect(takes(decimal, '12', 2, '.')).toBe(true);
  expect(takes(decimal, '12', 2, ',')).toBe(true);
  expect(takes(decimal, '1.2', 3, '.')).toBe(false);
  expect(takes(decimal, '12', 2, 'e')).toBe(false);
  expect(takes(decimal, '12', 0, '-')).toBe(true);
  expect(takes(decimal, '12', 1, '-')).toBe(false);
  expect(takes(decimal, '-12', 0, '-')).toBe(false);
  expect(takes({ ...decimal, unsigned: true }, '12', 0, '-')).toBe(false);
});

it('leaves keys that write nothing, shortcuts and fields of text alone', () => {
  const numeric = { mode: 'numeric' } as const;
  for (const key of ['Backspace', 'Tab', 'Enter', 'ArrowLeft']) expect(takes(numeric, '1', 1, key)).toBe(true);
  expect(takes(numeric, '1', 1, 'v', { ctrlKey: true })).toBe(true);
  expect(takes(numeric, '1', 1, 'v', { metaKey: true })).toBe(true);
  expect(takes({}, '1', 1, 'x')).toBe(true);
});

it('gives a tick its hint', () => {
  const field: FormField = { name: 'n', label: 'Follow labels', mode: 'tick', hint: 'Only of this product.' };
  render(<DeclaredField field={field} first={false} values={{}} errors={{}} conflicts={{}} onChange={vi.fn()} />);
  expect(screen.getByRole('checkbox', { name: 'Follow labels', description: 'Only of this product.' })).toBeTruthy();
});

it('says at a tick what is wrong with it', () => {
  const errors = { n: ['This panel does not tell labels.'] };
  const field: FormField = { name: 'n', label: 'Follow labels', mode: 'tick' };
  render(<DeclaredField field={field} first={false} values={{}} errors={errors} conflicts={{}} onChange={vi.fn()} />);
  const box = screen.getByRole('checkbox', { name: 'Follow labels', description: 'This panel does not tell labels.' });
  expect(box.getAttribute('aria-invalid')).toBe('true');
});

it('names what another person chose, and says that they changed rows', () => {
  const given = { first: false, errors: {}, values: { n: 'percent' }, onChange: vi.fn() };
  const options = [
    { value: 'percent', label: 'Percent' },
    { value: 'fixed', label: 'Fixed amount' },
  ];
  render(<DeclaredField {...given} field={{ name: 'n', label: 'N', options }} conflicts={{ n: 'fixed' }} />);
  expect(screen.getByText('Another person changed this too. It is now: Fixed amount')).toBeTruthy();
  cleanup();
  const rows: FormField = { name: 'n', label: 'N', row: true, draw: () => 'rows' };
  render(<DeclaredField {...given} field={rows} conflicts={{ n: '[{"id":7}]' }} />);
  expect(screen.getByText('Another person changed this too.')).toBeTruthy();
});

it('says at a box to tick and at a language what another person made of it', () => {
  const draw = (field: FormField, conflicts: Record<string, string>) =>
    render(
      <DeclaredField field={field} first={false} values={{}} errors={{}} conflicts={conflicts} onChange={vi.fn()} />,
      { wrapper: Queries },
    );
  draw({ name: 'on', label: 'On', mode: 'tick' }, { on: 'yes' });
  expect(screen.getByRole('checkbox', { description: 'Another person changed this too. It is now: Yes' })).toBeTruthy();
  const texts = [{ name: 'name', label: 'Name' }];
  draw({ name: 'translations', label: 'Texts', mode: 'texts', texts }, { 'translations.de.name': 'Neu' });
  expect(screen.getByRole('tab', { name: /^Deutsch.*Another person changed this too/ })).toBeTruthy();
  expect(screen.getByRole('tab', { name: 'English' })).toBeTruthy();
});
