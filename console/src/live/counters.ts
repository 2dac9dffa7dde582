// The four live counters: loaded once, then updated by the live channel. They are in the query cache, outside of the state of
// lists, so that an update renders only the counters.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';
import { reachability } from '@/api/reachability';
import { useSettings } from '@/session/settings';

export type Counters = Schemas['Counters'];

/** Events of the channel and the counter that each updates. */
const EVENTS: Record<string, keyof Counters> = {
  'orders-in-moderation-count-changed': 'ordersInModerationCount',
  'orders-in-processing-count-changed': 'ordersInProcessingCount',
  'orders-with-no-active-providers-count-changed': 'ordersWithNoActiveProvidersCount',
  'free-trials-pending-count-changed': 'freeTrialsInPendingCount',
};

const KEY = ['counters'];
const COMBO_KEY = [...KEY, 'combo-orders'];

/** The counters of the menu. */
export type CounterName = keyof Counters | 'comboOrdersInModerationCount';

export function useCounters(): Counters | undefined {
  return useQuery({
    queryKey: KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/websockets/init'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/**
 * One counter of the menu. Combo orders have no event of their own: their counter refetches when the moderation counter changes.
 */
export function useCounter(name: CounterName): number | undefined {
  const isCombo = name === 'comboOrdersInModerationCount';
  const counters = useCounters();
  const combos = useQuery({
    queryKey: COMBO_KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/combo-orders/in-moderation-count'))).count,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isCombo,
  }).data;
  return isCombo ? combos : counters?.[name];
}

/** Longest silence, wait for a pong and wait for a connection, before the shell stops showing "live". */
const CHANNEL_TIMEOUT_MS = 2_000;

export type ConnectionState = 'live' | 'connecting' | 'offline';

/** Subscribes to the live channel while mounted. Must be mounted once, by the shell. */
export function useLiveCounters(): ConnectionState {
  const queries = useQueryClient();
  const { realtime } = useSettings();
  const [state, setState] = useState<ConnectionState>('connecting');
  const isReachable = useSyncExternalStore(reachability.subscribe, reachability.isReachable);
  useEffect(() => {
    let stop = () => {};
    let isMounted = true;
    let wasLive = false;
    // Loads the library only after the sign-in.
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
        activityTimeout: CHANNEL_TIMEOUT_MS,
        pongTimeout: CHANNEL_TIMEOUT_MS,
        unavailableTimeout: CHANNEL_TIMEOUT_MS,
        channelAuthorization: {
          transport: 'ajax',
          endpoint: '/broadcasting/auth',
        },
      });
      pusher.connection.bind('state_change', ({ current }: { current: string }) => {
        wasLive ||= current === 'connected';
        // "connecting" is shown for the first connection only; after a lost one the numbers may be old.
        setState(current === 'connected' ? 'live' : current === 'connecting' && !wasLive ? 'connecting' : 'offline');
        // Events may have been missed while disconnected.
        if (current === 'connected') void queries.invalidateQueries({ queryKey: KEY });
      });
      const channel = pusher.subscribe('private-admin');
      for (const [event, counter] of Object.entries(EVENTS)) {
        channel.bind(event, ({ count }: { count: number }) => {
          queries.setQueryData<Counters>(KEY, (before) => before && { ...before, [counter]: count });
          if (counter === 'ordersInModerationCount') void queries.invalidateQueries({ queryKey: COMBO_KEY });
        });
      }
      stop = () => pusher.disconnect();
    });
    return () => {
      isMounted = false;
      stop();
    };
  }, [queries, realtime.key, realtime.path]);
  return isReachable ? state : 'offline';
}
