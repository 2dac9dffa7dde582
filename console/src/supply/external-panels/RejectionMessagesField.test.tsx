import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { PrimeReactProvider } from 'primereact/api';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { RejectionMessagesField, rejectionMessagesCodec } from './RejectionMessagesField';

beforeAll(initI18n);
afterEach(cleanup);

describe('the rejection messages of an external panel', () => {
  it('sends messages unchanged, and omits empty messages', () => {
    const messages = [
      { message: 'Service #{number} is closed', reason: 'service_disabled' as const },
      { message: '  ', reason: 'invalid_key' as const },
    ];
    expect(rejectionMessagesCodec.parse(rejectionMessagesCodec.format(messages))).toEqual([messages[0]]);
    expect(rejectionMessagesCodec.parse(rejectionMessagesCodec.format(undefined))).toEqual([]);
    expect(rejectionMessagesCodec.parse('')).toEqual([]);
  });

  it('replaces line breaks in pasted text by spaces, and submits the form on Enter', () => {
    const onChange = vi.fn();
    const onSubmit = vi.fn((event: React.FormEvent) => event.preventDefault());
    const value = rejectionMessagesCodec.format([{ message: '', reason: 'service_disabled' }]);
    render(
      <PrimeReactProvider>
        <form onSubmit={onSubmit}>
          <RejectionMessagesField value={value} innerErrors={{}} onChange={onChange} />
        </form>
      </PrimeReactProvider>,
    );
    const message = screen.getByRole('textbox', { name: 'Message 1' });
    fireEvent.change(message, { target: { value: 'Service is\r\n  closed' } });
    expect(rejectionMessagesCodec.parse(onChange.mock.lastCall?.[0])).toEqual([
      { message: 'Service is closed', reason: 'service_disabled' },
    ]);
    fireEvent.keyDown(message, { key: 'Enter' });
    expect(onSubmit).toHaveBeenCalledOnce();
  });
});
