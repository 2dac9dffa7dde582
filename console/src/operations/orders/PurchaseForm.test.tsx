import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import type { WriteOptions } from '@/api/writeOptions';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { PurchaseForm } from './PurchaseForm';

beforeAll(initI18n);
afterEach(cleanup);

const type = (value: string) => fireEvent.change(screen.getByRole('textbox', { name: 'Url' }), { target: { value } });
const press = async (name: RegExp) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));

it('buys with one idempotency key, also after a purchase without an answer and a new quote', async () => {
  const keys: (string | undefined)[] = [];
  const send = vi.fn(async (_: unknown, options: WriteOptions) => {
    if (options.dryRun) return { cost: '5' };
    keys.push(options.key);
    if (keys.length === 1) throw new Problem({ status: 0, code: 'unreachable', message: 'No answer.' });
    return { cost: '5' };
  });
  const onClose = vi.fn();
  render(
    <PurchaseForm
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
    { wrapper: TestQueryProvider },
  );
  type('a');
  await press(/cost/);
  await press(/5/);
  type('b');
  type('a');
  await press(/cost/);
  await press(/5/);
  expect([keys.length, new Set(keys).size, onClose.mock.calls.length]).toEqual([2, 1, 1]);
});
