// The live channel with a server that hangs: the socket stays open, but the server does not answer.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useLiveCounters } from './counters';

// The browser build, which uses the WebSocket of this test.
vi.mock('pusher-js', () => import('pusher-js/dist/web/pusher.js' as 'pusher-js'));
vi.mock('@/session/settings', () => ({ useSettings: () => ({ realtime: { key: 'key', path: '' } }) }));

/** Longest time until the shell shows that the channel is offline. */
const DETECTION_MS = 5_000;

class Socket {
  static all: Socket[] = [];
  /** The server accepts no connection and answers no ping. */
  static hangs = false;
  readyState = 0;
  bufferedAmount = 0;
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: (event: object) => void;
  sent: string[] = [];

  constructor() {
    Socket.all.push(this);
    setTimeout(() => {
      if (Socket.hangs) return;
      this.readyState = 1;
      this.onopen?.();
      const data = JSON.stringify({ socket_id: '1.1', activity_timeout: 120 });
      this.onmessage?.({ data: JSON.stringify({ event: 'pusher:connection_established', data }) });
    });
  }

  send(text: string) {
    this.sent.push(text);
    if (!Socket.hangs && text.includes('pusher:ping'))
      this.onmessage?.({ data: JSON.stringify({ event: 'pusher:pong', data: {} }) });
  }

  close() {
    this.readyState = 3;
    this.onclose?.({ code: 1000, wasClean: true });
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', Socket);
  Socket.all = [];
  Socket.hangs = false;
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function LinkState() {
  return <p>{useLiveCounters()}</p>;
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('detects a server that hangs within five seconds, and its recovery', async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LinkState />
    </QueryClientProvider>,
  );
  expect(screen.getByText('connecting')).toBeDefined();
  await vi.dynamicImportSettled();
  await pass(100);
  expect(screen.getByText('live')).toBeDefined();
  await pass(60_000);
  expect(screen.getByText('live')).toBeDefined();
  const [socket] = Socket.all;
  expect(socket?.sent.some((text) => text.includes('pusher:ping'))).toBe(true);
  Socket.hangs = true;
  await pass(DETECTION_MS);
  expect(screen.getByText('offline')).toBeDefined();
  Socket.hangs = false;
  await pass(60_000);
  expect(screen.getByText('live')).toBeDefined();
});
