// The four live counters: read once, then told by the live channel. Outside of React state that lists hang on, so a
// tick draws four numbers and nothing else.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api, type Schemas, unwrap } from '@/api/client';
import { reachability } from '@/api/reach';
import { useSettings } from '@/session/settings';

export type Counters = Schemas['Counters'];

/** The channel's events and the counter that each carries. */
const EVENTS: Record<string, keyof Counters> = {
  'orders-in-moderation-count-changed': 'ordersInModerationCount',
  'orders-in-processing-count-changed': 'ordersInProcessingCount',
  'orders-with-no-active-providers-count-changed': 'ordersWithNoActiveProvidersCount',
  'free-trials-pending-count-changed': 'freeTrialsInPendingCount',
};

const KEY = ['counters'];
const COMBO_KEY = [...KEY, 'combo-orders'];

/** Everything that the menu counts. */
export type CounterName = keyof Counters | 'comboOrdersInModerationCount';

export function useCounters(): Counters | undefined {
  return useQuery({
    queryKey: KEY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/websockets/init'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** One counter of the menu; combo orders are counted by themselves, whenever orders come into moderation or leave it. */
export function useCount(name: CounterName): number | undefined {
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

/** How long the channel may be silent, a ping unanswered and a connection missing, before the shell stops saying "live". */
const SILENT_MS = 2_000;

export type Link = 'live' | 'connecting' | 'offline';

/** Listens as long as someone is signed in. Called once, by the shell. */
export function useLiveCounters(): Link {
  const queries = useQueryClient();
  const { realtime } = useSettings();
  const [link, setLink] = useState<Link>('connecting');
  const isReached = useSyncExternalStore(reachability.subscribe, reachability.isReached);
  useEffect(() => {
    let stop = () => {};
    let here = true;
    let wasLive = false;
    // The library is only loaded by those who are signed in.
    void import('pusher-js').then(({ default: Pusher }) => {
      if (!here) return;
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
        activityTimeout: SILENT_MS,
        pongTimeout: SILENT_MS,
        unavailableTimeout: SILENT_MS,
        channelAuthorization: {
          transport: 'ajax',
          endpoint: '/broadcasting/auth',
        },
      });
      pusher.connection.bind('state_change', ({ current }: { current: string }) => {
        wasLive ||= current === 'connected';
        // Only the first connection is awaited; one that was lost leaves old numbers standing.
        setLink(current === 'connected' ? 'live' : current === 'connecting' && !wasLive ? 'connecting' : 'offline');
        // What was missed while away.
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
      here = false;
      stop();
    };
  }, [queries, realtime.key, realtime.path]);
  return isReached ? link : 'offline';
}
