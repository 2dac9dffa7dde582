// Connects a list to the URL and the server: state in, rows out. Outdated requests are aborted, and the previous rows stay until
// the next ones are loaded.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { asProblem, isAborted } from '@/api/problem';
import { fetchPage, filterErrors } from '@/api/table';
import type { List } from './listDefinition';
import { Selection } from './selection';
import {
  openRecordId,
  readState,
  rememberedState,
  rememberState,
  type TableState,
  toTableQuery,
  withOpenRecord,
  writeState,
} from './state';

type Change = Partial<TableState> & {
  /** Whether the change adds a history entry, so that Back reverts it. Keystrokes in a search do not. */
  step?: boolean;
};

export function useTable<Row extends { id: number }>(list: List<Row>) {
  const address = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => readState(list, address), [list, address]);
  const query = useMemo(() => toTableQuery(list, state), [list, state]);
  const [selection] = useState(() => new Selection<Row>());

  // The latest state, so that two changes in the same tick are both applied.
  const current = useRef(state);
  current.current = state;
  const go = useCallback(
    (next: TableState, step: boolean) => {
      current.current = next;
      rememberState(list, next);
      const search = writeState(next);
      navigate(search ? `${path}?${search}` : path, { replace: !step });
    },
    [list, navigate, path],
  );

  const change = useCallback(
    ({ step = true, ...part }: Change) => {
      const before = current.current;
      const isNewSelection = part.filters !== undefined || part.search !== undefined || part.size !== undefined;
      go({ ...before, ...part, ...(isNewSelection ? { page: 1 } : {}) }, step);
    },
    [go],
  );

  const filter = useCallback(
    (name: string, value: string, step = true) => {
      const { [name]: _, ...others } = current.current.filters;
      change({ filters: value ? { ...others, [name]: value } : others, step });
    },
    [change],
  );

  const open = openRecordId(address);
  const peek = useCallback(
    (id: number | null) => {
      const search = withOpenRecord(current.current, id);
      // Opening the first record adds a history entry; moving from record to record does not.
      navigate(search ? `${path}?${search}` : path, { replace: open !== null });
    },
    [navigate, open, path],
  );

  const reset = useCallback(() => {
    const { filters } = current.current;
    const persistent = (list.persistentFilters ?? []).map((name) => [name, filters[name] ?? ''] as const);
    const initial = { ...(list.fixedFilters ? {} : list.defaults), ...Object.fromEntries(persistent) };
    const entries = Object.entries(initial).filter(([, value]) => value !== '');
    go(readState(list, new URLSearchParams(entries.map(([name, value]) => [name, value])).toString()), true);
  }, [go, list]);

  // A URL without parameters gets the last state, but only when the list is opened: after the user has removed the last filter, the
  // list shows everything.
  const entered = useRef('');
  useEffect(() => {
    if (entered.current === list.name) return;
    entered.current = list.name;
    const last = address ? '' : rememberedState(list);
    if (last) navigate(`${path}?${last}`, { replace: true });
  }, [address, list, navigate, path]);

  // Rows and selection of one record's list must not appear in another record's list.
  const owner = JSON.stringify(list.fixedFilters ?? null);
  const filterKey = JSON.stringify([owner, state.search, state.filters]);
  const lastFilterKey = useRef(filterKey);
  const [droppedCount, setDroppedCount] = useState(0);
  useEffect(() => {
    if (lastFilterKey.current === filterKey) return;
    lastFilterKey.current = filterKey;
    setDroppedCount(selection.size);
    selection.clear();
  }, [filterKey, selection]);

  const answer = useQuery({
    queryKey: [list.name, owner, 'page', query, state.page, state.size],
    queryFn: async ({ signal }) => {
      const loaded = await fetchPage<Row>(list.path, query, (state.page - 1) * state.size, state.size, signal);
      return { ...loaded, page: state.page, size: state.size };
    },
    placeholderData: (previous, previousQuery) =>
      previousQuery?.queryKey[0] === list.name && previousQuery.queryKey[1] === owner ? previous : undefined,
    refetchInterval: list.refetchIntervalMs ?? false,
  });
  // After a failure the previous rows stay visible, dimmed.
  const lastLoaded = useRef({ owner, data: answer.data });
  if (answer.data || lastLoaded.current.owner !== owner) lastLoaded.current = { owner, data: answer.data };
  const loaded = answer.data ?? lastLoaded.current.data;
  const rows = loaded?.data;
  useEffect(() => selection.rememberRows(rows ?? []), [rows, selection]);

  const problem = answer.error && !isAborted(answer.error) ? asProblem(answer.error) : null;

  const queries = useQueryClient();
  const refresh = useCallback(() => queries.invalidateQueries({ queryKey: [list.name] }), [queries, list]);

  return {
    list,
    state,
    query,
    selection,
    change,
    filter,
    reset,
    refresh,
    /** Id of the record in the side panel. */
    open,
    peek,
    rows,
    /** Page and page size of the visible rows; after a failure they differ from the requested ones. */
    loadedPage: { page: loaded?.page ?? state.page, size: loaded?.size ?? state.size },
    total: loaded?.recordsFiltered ?? 0,
    isTotalLowerBound: loaded?.recordsFilteredIsAtLeast ?? false,
    problem,
    /** Errors of the filters, by filter name. */
    filterErrors: filterErrors(query, problem?.fields ?? {}),
    loading: answer.isFetching,
    /** The visible rows belong to an earlier query. */
    stale: answer.isPlaceholderData || (answer.isError && rows !== undefined),
    /** How many selected rows the last change of the filters deselected. */
    droppedCount,
  };
}

export type TableHandle<Row extends { id: number }> = ReturnType<typeof useTable<Row>>;
