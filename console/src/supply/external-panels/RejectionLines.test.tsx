import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { messages as codec, RejectionLines } from './RejectionLines';

beforeAll(initI18n);
afterEach(cleanup);

describe('the messages of a panel', () => {
  it('are sent as they were read, but for lines without words', () => {
    const messages = [
      { message: 'Service #{number} is closed', reason: 'service_disabled' as const },
      { message: '  ', reason: 'invalid_key' as const },
    ];
    expect(codec.parse(codec.format(messages))).toEqual([messages[0]]);
    expect(codec.parse(codec.format(undefined))).toEqual([]);
    expect(codec.parse('')).toEqual([]);
  });

  it('are of one line each: pasted lines become one, and Enter saves', () => {
    const change = vi.fn();
    const save = vi.fn((event: React.FormEvent) => event.preventDefault());
    const value = codec.format([{ message: '', reason: 'service_disabled' }]);
    render(
      <PrimeReactProvider>
        <form onSubmit={save}>
          <RejectionLines value={value} within={{}} onChange={change} />
        </form>
      </PrimeReactProvider>,
    );
    const message = screen.getByRole('textbox', { name: 'Message 1' });
    fireEvent.change(message, { target: { value: 'Service is\r\n  closed' } });
    expect(codec.parse(change.mock.lastCall?.[0])).toEqual([
      { message: 'Service is closed', reason: 'service_disabled' },
    ]);
    fireEvent.keyDown(message, { key: 'Enter' });
    expect(save).toHaveBeenCalledOnce();
  });
});
