import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { Dialog } from './Dialog';
import { Picker } from './Picker';

beforeAll(initI18n);
afterEach(cleanup);

const NAMES = ['Alice', 'Bob', 'Bobby'];

function Form({ onSubmit, onClose = vi.fn() }: { onSubmit: (name: string | null) => void; onClose?: () => void }) {
  const [name, setName] = useState<string | null>('Alice');
  return (
    <Dialog title="T" onClose={onClose} footer={<button type="submit" form="f" aria-label="Pay" />}>
      <form
        id="f"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(name);
        }}
      >
        <Picker
          label="Who"
          value={name ? { name } : null}
          onChange={(item) => setName(item?.name ?? null)}
          search={async (query) => NAMES.filter((name) => name.includes(query)).map((name) => ({ name }))}
          formatLabel={({ name }) => name}
          placeholder=""
          emptyText="None"
        />
      </form>
    </Dialog>
  );
}

const getInput = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Who' });
const typeText = (text: string) => fireEvent.change(getInput(), { target: { value: text } });
const findResults = () => screen.findAllByRole('option', { hidden: true });

/** Presses Enter. Like a browser, submits the form unless the control prevents that. */
function pressEnter() {
  if (fireEvent.keyDown(getInput(), { key: 'Enter', code: 'Enter', keyCode: 13 })) fireEvent.submit(getInput());
}
const pressArrowDown = () => fireEvent.keyDown(getInput(), { key: 'ArrowDown', code: 'ArrowDown', keyCode: 40 });

it('never submits the old selection after the user has typed another name', async () => {
  const onSubmit = vi.fn();
  render(<Form onSubmit={onSubmit} />);
  typeText('Bob');
  pressEnter();
  await findResults();
  pressEnter();
  expect(onSubmit).not.toHaveBeenCalled();
  fireEvent.blur(getInput());
  fireEvent.click(screen.getByRole('button', { name: 'Pay' }));
  expect([onSubmit.mock.calls, getInput().value]).toEqual([[[null]], '']);
});

it('selects the highlighted result on Enter, and submits on the next Enter', async () => {
  const onSubmit = vi.fn();
  render(<Form onSubmit={onSubmit} />);
  typeText('Bob');
  await findResults();
  pressArrowDown();
  pressArrowDown();
  pressEnter();
  expect([onSubmit.mock.calls.length, getInput().value]).toEqual([0, 'Bobby']);
  pressEnter();
  expect(onSubmit).toHaveBeenCalledExactlyOnceWith('Bobby');
});

it('selects the only result on Enter, but no result of an older query', async () => {
  const onSubmit = vi.fn();
  render(<Form onSubmit={onSubmit} />);
  typeText('Bobb');
  await findResults();
  pressArrowDown();
  typeText('Bo');
  pressEnter();
  expect(getInput().value).toBe('Bo');
  typeText('Bobb');
  await act(async () => new Promise((resolve) => setTimeout(resolve, 400)));
  pressEnter();
  expect(getInput().value).toBe('Bobby');
  expect(onSubmit).not.toHaveBeenCalled();
});

it('is empty after the text is deleted, and keeps the selection if the same text is typed again', () => {
  const onSubmit = vi.fn();
  render(<Form onSubmit={onSubmit} />);
  typeText('Alic');
  typeText('Alice');
  pressEnter();
  typeText('');
  pressEnter();
  expect(onSubmit.mock.calls).toEqual([['Alice'], [null]]);
});

it('closes its list on Escape, and the dialog on the next Escape', async () => {
  const onClose = vi.fn();
  render(<Form onSubmit={vi.fn()} onClose={onClose} />);
  typeText('Bob');
  await findResults();
  const escapeKey = { key: 'Escape', code: 'Escape', keyCode: 27 };
  await act(async () => void fireEvent.keyDown(getInput(), escapeKey));
  expect(onClose).not.toHaveBeenCalled();
  await act(async () => new Promise((resolve) => setTimeout(resolve, 300)));
  expect(screen.queryAllByRole('option', { hidden: true })).toEqual([]);
  await act(async () => void fireEvent.keyDown(getInput(), escapeKey));
  expect(onClose).toHaveBeenCalledOnce();
});
