import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { Dialog } from './Dialog';
import { Picker } from './Picker';

beforeAll(startTexts);
afterEach(cleanup);

const PEOPLE = ['Alice', 'Bob', 'Bobby'];

/** Sends who is chosen. */
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
          shown={({ name }) => name}
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

/** Enter, which sends the form where no control takes the key, as browsers do. */
function enter() {
  if (fireEvent.keyDown(input(), { key: 'Enter', code: 'Enter', keyCode: 13 })) fireEvent.submit(input());
}
const down = () => fireEvent.keyDown(input(), { key: 'ArrowDown', code: 'ArrowDown', keyCode: 40 });

it('never sends the person who was chosen before another name was typed', async () => {
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

it('takes on Enter the hit that is marked, and only then sends it', async () => {
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

it('takes on Enter the only hit, and none that was found for another text', async () => {
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

it('is empty at once where everything was deleted, and as it was where the same was typed again', () => {
  const onSend = vi.fn();
  render(<Form onSend={onSend} />);
  type('Alic');
  type('Alice');
  enter();
  type('');
  enter();
  expect(onSend.mock.calls).toEqual([['Alice'], [null]]);
});

it('closes on Escape its list, and the dialog around it on the next', async () => {
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
