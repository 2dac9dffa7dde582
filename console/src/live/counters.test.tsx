// Checks that the console detects a hanging server: the WebSocket stays open, but the server does not respond.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useLiveCounters } from './counters';

// The browser build, which uses the WebSocket of this test.
vi.mock('pusher-js', () => import('pusher-js/dist/web/pusher.js' as 'pusher-js'));
vi.mock('@/session/settings', () => ({ useSettings: () => ({ realtime: { key: 'key', path: '' } }) }));

/** Within this time the shell must show that it is offline. */
const MAX_DETECTION_MS = 5_000;

class FakeSocket {
  static instances: FakeSocket[] = [];
  /** While true, the server accepts no connection and responds to no ping. */
  static isServerHanging = false;
  readyState = 0;
  bufferedAmount = 0;
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: (event: object) => void;
  sentMessages: string[] = [];

  constructor() {
    FakeSocket.instances.push(this);
    setTimeout(() => {
      if (FakeSocket.isServerHanging) return;
      this.readyState = 1;
      this.onopen?.();
      const data = JSON.stringify({ socket_id: '1.1', activity_timeout: 120 });
      this.onmessage?.({ data: JSON.stringify({ event: 'pusher:connection_established', data }) });
    });
  }

  send(text: string) {
    this.sentMessages.push(text);
    if (!FakeSocket.isServerHanging && text.includes('pusher:ping'))
      this.onmessage?.({ data: JSON.stringify({ event: 'pusher:pong', data: {} }) });
  }

  close() {
    this.readyState = 3;
    this.onclose?.({ code: 1000, wasClean: true });
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  FakeSocket.instances = [];
  FakeSocket.isServerHanging = false;
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function ConnectionStateText() {
  return <p>{useLiveCounters()}</p>;
}

const advanceTime = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('detects within five seconds that the server hangs, and then that it has recovered', async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ConnectionStateText />
    </QueryClientProvider>,
  );
  expect(screen.getByText('connecting')).toBeDefined();
  await vi.dynamicImportSettled();
  await advanceTime(100);
  expect(screen.getByText('connected')).toBeDefined();
  await advanceTime(60_000);
  expect(screen.getByText('connected')).toBeDefined();
  const [socket] = FakeSocket.instances;
  expect(socket?.sentMessages.some((text) => text.includes('pusher:ping'))).toBe(true);
  FakeSocket.isServerHanging = true;
  await advanceTime(MAX_DETECTION_MS);
  expect(screen.getByText('offline')).toBeDefined();
  FakeSocket.isServerHanging = false;
  await advanceTime(60_000);
  expect(screen.getByText('connected')).toBeDefined();
});
