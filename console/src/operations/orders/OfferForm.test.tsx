import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { How } from '@/api/how';
import { Problem } from '@/api/problem';
import { startTexts } from '@/i18n';
import { Queries } from '@/test/Queries';
import { OfferForm } from './OfferForm';

beforeAll(startTexts);
afterEach(cleanup);

const type = (value: string) => fireEvent.change(screen.getByRole('textbox', { name: 'Url' }), { target: { value } });
const press = async (name: RegExp) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));

it('buys under one key, also where something was checked again after a try without an answer', async () => {
  const bought: (string | undefined)[] = [];
  const send = vi.fn(async (_: unknown, how: How) => {
    if (how.dryRun) return { cost: '5' };
    bought.push(how.key);
    if (bought.length === 1) throw new Problem({ status: 0, code: 'unreachable', message: 'No answer.' });
    return { cost: '5' };
  });
  const onClose = vi.fn();
  render(
    <OfferForm
      title="T"
      fields={[{ name: 'url', label: 'Url' }]}
      spec={{ codecs: {} }}
      initial={{ url: '' }}
      bodyOf={({ url }) => ({ url })}
      send={send}
      about={({ cost }) => cost}
      done={() => 'Done.'}
      onClose={onClose}
      onDone={vi.fn()}
    />,
    { wrapper: Queries },
  );
  type('a');
  await press(/cost/);
  await press(/5/);
  type('b');
  type('a');
  await press(/cost/);
  await press(/5/);
  expect([bought.length, new Set(bought).size, onClose.mock.calls.length]).toEqual([2, 1, 1]);
});
