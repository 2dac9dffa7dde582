import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { Dialog } from './Dialog';
import { Picker } from './Picker';

beforeAll(initI18n);
afterEach(cleanup);

const PEOPLE = ['Alice', 'Bob', 'Bobby'];

function Form({ onSend, onClose = vi.fn() }: { onSend: (name: string | null) => void; onClose?: () => void }) {
  const [name, setName] = useState<string | null>('Alice');
  return (
    <Dialog title="T" onClose={onClose} footer={<button type="submit" form="f" aria-label="Pay" />}>
      <form
        id="f"
        onSubmit={(event) => {
          event.preventDefault();
          onSend(name);
        }}
      >
        <Picker
          label="Who"
          value={name ? { name } : null}
          onChange={(hit) => setName(hit?.name ?? null)}
          find={async (query) => PEOPLE.filter((name) => name.includes(query)).map((name) => ({ name }))}
          labelOf={({ name }) => name}
          placeholder=""
          empty="None"
        />
      </form>
    </Dialog>
  );
}

const input = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Who' });
const type = (text: string) => fireEvent.change(input(), { target: { value: text } });
const hits = () => screen.findAllByRole('option', { hidden: true });

/** Presses Enter; like browsers do, submits the form unless a control prevents the default. */
function enter() {
  if (fireEvent.keyDown(input(), { key: 'Enter', code: 'Enter', keyCode: 13 })) fireEvent.submit(input());
}
const down = () => fireEvent.keyDown(input(), { key: 'ArrowDown', code: 'ArrowDown', keyCode: 40 });

it('never submits the former choice after another name was typed', async () => {
  const onSend = vi.fn();
  render(<Form onSend={onSend} />);
  type('Bob');
  enter();
  await hits();
  enter();
  expect(onSend).not.toHaveBeenCalled();
  fireEvent.blur(input());
  fireEvent.click(screen.getByRole('button', { name: 'Pay' }));
  expect([onSend.mock.calls, input().value]).toEqual([[[null]], '']);
});

it('selects the highlighted hit on Enter, and submits on the next Enter', async () => {
  const onSend = vi.fn();
  render(<Form onSend={onSend} />);
  type('Bob');
  await hits();
  down();
  down();
  enter();
  expect([onSend.mock.calls.length, input().value]).toEqual([0, 'Bobby']);
  enter();
  expect(onSend).toHaveBeenCalledExactlyOnceWith('Bobby');
});

it('selects the only hit on Enter, but no hit of another search text', async () => {
  const onSend = vi.fn();
  render(<Form onSend={onSend} />);
  type('Bobb');
  await hits();
  down();
  type('Bo');
  enter();
  expect(input().value).toBe('Bo');
  type('Bobb');
  await act(async () => new Promise((resolve) => setTimeout(resolve, 400)));
  enter();
  expect(input().value).toBe('Bobby');
  expect(onSend).not.toHaveBeenCalled();
});

it('is empty when the text is deleted, and keeps the choice when the same text is typed again', () => {
  const onSend = vi.fn();
  render(<Form onSend={onSend} />);
  type('Alic');
  type('Alice');
  enter();
  type('');
  enter();
  expect(onSend.mock.calls).toEqual([['Alice'], [null]]);
});

it('closes its list on Escape, and the dialog on the next Escape', async () => {
  const onClose = vi.fn();
  render(<Form onSend={vi.fn()} onClose={onClose} />);
  type('Bob');
  await hits();
  const press = { key: 'Escape', code: 'Escape', keyCode: 27 };
  await act(async () => void fireEvent.keyDown(input(), press));
  expect(onClose).not.toHaveBeenCalled();
  await act(async () => new Promise((resolve) => setTimeout(resolve, 300)));
  expect(screen.queryAllByRole('option', { hidden: true })).toEqual([]);
  await act(async () => void fireEvent.keyDown(input(), press));
  expect(onClose).toHaveBeenCalledOnce();
});
