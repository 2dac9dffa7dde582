// The four live counters. They are loaded once; then the events of the WebSocket update them. They are in the query cache and not
// in the state of a list, so that an update renders only the counters.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';
import { reachability } from '@/api/reachability';
import { useSettings } from '@/session/settings';

export type Counters = Schemas['Counters'];

const COUNTER_BY_EVENT: Record<string, keyof Counters> = {
  'orders-in-moderation-count-changed': 'ordersInModerationCount',
  'orders-in-processing-count-changed': 'ordersInProcessingCount',
  'orders-with-no-active-providers-count-changed': 'ordersWithNoActiveProvidersCount',
  'free-trials-pending-count-changed': 'freeTrialsInPendingCount',
};

const COUNTERS_QUERY_KEY = ['counters'];
const COMBO_COUNTER_QUERY_KEY = [...COUNTERS_QUERY_KEY, 'combo-orders'];

/** The menu also shows the counter of combo orders, for which the server sends no events. */
export type CounterName = keyof Counters | 'comboOrdersInModerationCount';

export function useCounters(): Counters | undefined {
  return useQuery({
    queryKey: COUNTERS_QUERY_KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/websockets/init'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** Returns a counter of the menu. The counter of combo orders is refetched when the counter of orders in moderation changes. */
export function useCounter(name: CounterName): number | undefined {
  const isCombo = name === 'comboOrdersInModerationCount';
  const counters = useCounters();
  const comboOrderCount = useQuery({
    queryKey: COMBO_COUNTER_QUERY_KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/combo-orders/in-moderation-count'))).count,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isCombo,
  }).data;
  return isCombo ? comboOrderCount : counters?.[name];
}

/** The time limit for each of these: no message from the server, a missing pong, and a connection attempt. */
const WEBSOCKET_TIMEOUT_MS = 2_000;

export type ConnectionState = 'connected' | 'connecting' | 'offline';

/** Keeps the WebSocket open while the component is mounted. Only the shell may use this hook: each use opens a connection. */
export function useLiveCounters(): ConnectionState {
  const queryClient = useQueryClient();
  const { realtime } = useSettings();
  const [state, setState] = useState<ConnectionState>('connecting');
  const isReachable = useSyncExternalStore(reachability.subscribe, reachability.isReachable);
  useEffect(() => {
    let disconnect = () => {};
    let isMounted = true;
    let wasConnected = false;
    // The library is loaded only after the sign-in.
    void import('pusher-js').then(({ default: Pusher }) => {
      if (!isMounted) return;
      const isSecure = location.protocol === 'https:';
      const port = Number(location.port) || (isSecure ? 443 : 80);
      const pusher = new Pusher(realtime.key, {
        cluster: '',
        wsHost: location.hostname,
        wsPort: port,
        wssPort: port,
        wsPath: realtime.path,
        forceTLS: isSecure,
        enabledTransports: ['ws', 'wss'],
        disableStats: true,
        activityTimeout: WEBSOCKET_TIMEOUT_MS,
        pongTimeout: WEBSOCKET_TIMEOUT_MS,
        unavailableTimeout: WEBSOCKET_TIMEOUT_MS,
        channelAuthorization: {
          transport: 'ajax',
          endpoint: '/broadcasting/auth',
        },
      });
      pusher.connection.bind('state_change', ({ current }: { current: string }) => {
        wasConnected ||= current === 'connected';
        // "connecting" is shown only for the first connection: after a lost connection the counters may be out of date.
        setState(
          current === 'connected' ? 'connected' : current === 'connecting' && !wasConnected ? 'connecting' : 'offline',
        );
        // The console missed the events while it was not connected, so it loads the counters again.
        if (current === 'connected') void queryClient.invalidateQueries({ queryKey: COUNTERS_QUERY_KEY });
      });
      const channel = pusher.subscribe('private-admin');
      for (const [event, counter] of Object.entries(COUNTER_BY_EVENT)) {
        channel.bind(event, ({ count }: { count: number }) => {
          queryClient.setQueryData<Counters>(
            COUNTERS_QUERY_KEY,
            (current) => current && { ...current, [counter]: count },
          );
          if (counter === 'ordersInModerationCount')
            void queryClient.invalidateQueries({ queryKey: COMBO_COUNTER_QUERY_KEY });
        });
      }
      disconnect = () => pusher.disconnect();
    });
    return () => {
      isMounted = false;
      disconnect();
    };
  }, [queryClient, realtime.key, realtime.path]);
  return isReachable ? state : 'offline';
}
