import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Problem } from '@/api/problem';
import type { WriteOptions } from '@/api/writeOptions';
import { initI18n } from '@/i18n';
import { TestQueryProvider } from '@/test/TestQueryProvider';
import { PurchaseForm } from './PurchaseForm';

beforeAll(initI18n);
afterEach(cleanup);

const typeUrl = (value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: 'Url' }), { target: { value } });
const clickButton = async (name: RegExp) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));

it('uses the same idempotency key to retry a purchase whose response was lost, even after a new quote', async () => {
  const idempotencyKeys: (string | undefined)[] = [];
  const send = vi.fn(async (_: unknown, options: WriteOptions) => {
    if (options.dryRun) return { cost: '5' };
    idempotencyKeys.push(options.key);
    if (idempotencyKeys.length === 1) throw new Problem({ status: 0, code: 'unreachable', message: 'No answer.' });
    return { cost: '5' };
  });
  const onClose = vi.fn();
  render(
    <PurchaseForm
      title="T"
      fields={[{ name: 'url', label: 'Url' }]}
      spec={{ codecs: {} }}
      initialValues={{ url: '' }}
      buildBody={({ url }) => ({ url })}
      send={send}
      formatQuote={({ cost }) => cost}
      formatSuccess={() => 'Done.'}
      onClose={onClose}
      onDone={vi.fn()}
    />,
    { wrapper: TestQueryProvider },
  );
  typeUrl('a');
  await clickButton(/cost/);
  await clickButton(/5/);
  typeUrl('b');
  typeUrl('a');
  await clickButton(/cost/);
  await clickButton(/5/);
  expect([idempotencyKeys.length, new Set(idempotencyKeys).size, onClose.mock.calls.length]).toEqual([2, 1, 1]);
});
