import { describe, expect, it } from 'vitest';
import { keptMessages, sentMessages } from './RejectionLines';

describe('the messages of a panel', () => {
  it('are sent as they were read, but for lines without words', () => {
    const messages = [
      { message: 'Service #{number} is closed', reason: 'service_disabled' as const },
      { message: '  ', reason: 'invalid_key' as const },
    ];
    expect(sentMessages(keptMessages(messages))).toEqual([messages[0]]);
    expect(sentMessages(keptMessages(undefined))).toEqual([]);
    expect(sentMessages('')).toEqual([]);
  });
});
