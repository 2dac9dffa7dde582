// The four live counters. They are loaded once, then the events of the live channel update them. They are in the query cache and
// not in the state of a list, so that an update renders only the counters.
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

const COUNTERS_KEY = ['counters'];
const COMBO_COUNTER_KEY = [...COUNTERS_KEY, 'combo-orders'];

/** The menu also has a counter that is not live. */
export type CounterName = keyof Counters | 'comboOrdersInModerationCount';

export function useCounters(): Counters | undefined {
  return useQuery({
    queryKey: COUNTERS_KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/websockets/init'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** A counter of the menu. Combo orders have no event, so their counter is refetched when the moderation counter changes. */
export function useCounter(name: CounterName): number | undefined {
  const isCombo = name === 'comboOrdersInModerationCount';
  const counters = useCounters();
  const comboOrders = useQuery({
    queryKey: COMBO_COUNTER_KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/combo-orders/in-moderation-count'))).count,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isCombo,
  }).data;
  return isCombo ? comboOrders : counters?.[name];
}

/** How long the channel may be silent, a pong may take and a connection may take, before the shell no longer shows "live". */
const CHANNEL_TIMEOUT_MS = 2_000;

export type ConnectionState = 'live' | 'connecting' | 'offline';

/** Subscribes to the live channel while the caller is mounted. Only the shell may call it. */
export function useLiveCounters(): ConnectionState {
  const queryClient = useQueryClient();
  const { realtime } = useSettings();
  const [state, setState] = useState<ConnectionState>('connecting');
  const isReachable = useSyncExternalStore(reachability.subscribe, reachability.isReachable);
  useEffect(() => {
    let disconnect = () => {};
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
        // "connecting" is only for the first connection: after a lost connection the counters may be out of date.
        setState(current === 'connected' ? 'live' : current === 'connecting' && !wasLive ? 'connecting' : 'offline');
        // Without a connection the console gets no events, so load the counters again.
        if (current === 'connected') void queryClient.invalidateQueries({ queryKey: COUNTERS_KEY });
      });
      const channel = pusher.subscribe('private-admin');
      for (const [event, counter] of Object.entries(COUNTER_BY_EVENT)) {
        channel.bind(event, ({ count }: { count: number }) => {
          queryClient.setQueryData<Counters>(COUNTERS_KEY, (current) => current && { ...current, [counter]: count });
          if (counter === 'ordersInModerationCount')
            void queryClient.invalidateQueries({ queryKey: COMBO_COUNTER_KEY });
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
