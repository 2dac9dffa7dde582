// Connects a list to the URL and the server: reads the state from the URL and loads the rows for it. Requests for an older state
// are aborted, and the previous rows stay visible until the new ones are loaded.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { asProblem, isAborted } from '@/api/problem';
import { fetchPage, filterErrors } from '@/api/table';
import type { List } from './listDefinition';
import { Selection } from './selection';
import {
  formatState,
  formatStateWithOpenRecord,
  parseOpenRecordId,
  parseState,
  rememberedQuery,
  rememberState,
  type TableState,
  toTableQuery,
} from './state';

type StateChange = Partial<TableState> & {
  /** Whether the change adds a history entry, so that Back reverts it; false for keystrokes in a search. */
  pushHistory?: boolean;
};

export function useTable<Row extends { id: number }>(list: List<Row>) {
  const urlQuery = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => parseState(list, urlQuery), [list, urlQuery]);
  const query = useMemo(() => toTableQuery(list, state), [list, state]);
  const [selection] = useState(() => new Selection<Row>());

  // The latest state, so that two changes in the same tick are both applied.
  const latestState = useRef(state);
  latestState.current = state;
  const applyState = useCallback(
    (next: TableState, pushHistory: boolean) => {
      latestState.current = next;
      rememberState(list, next);
      const search = formatState(next);
      navigate(search ? `${path}?${search}` : path, { replace: !pushHistory });
    },
    [list, navigate, path],
  );

  const change = useCallback(
    ({ pushHistory = true, ...changes }: StateChange) => {
      const hasOtherPages = changes.filters !== undefined || changes.search !== undefined || changes.size !== undefined;
      applyState({ ...latestState.current, ...changes, ...(hasOtherPages ? { page: 1 } : {}) }, pushHistory);
    },
    [applyState],
  );

  const filter = useCallback(
    (name: string, value: string, pushHistory = true) => {
      const { [name]: _, ...others } = latestState.current.filters;
      change({ filters: value ? { ...others, [name]: value } : others, pushHistory });
    },
    [change],
  );

  const openId = parseOpenRecordId(urlQuery);
  const peek = useCallback(
    (id: number | null) => {
      const search = formatStateWithOpenRecord(latestState.current, id);
      // Opening the side panel adds a history entry; showing another record in it does not.
      navigate(search ? `${path}?${search}` : path, { replace: openId !== null });
    },
    [navigate, openId, path],
  );

  const reset = useCallback(() => {
    const { filters } = latestState.current;
    const persistentEntries = (list.persistentFilters ?? []).map((name) => [name, filters[name] ?? ''] as const);
    const initial = { ...(list.fixedFilters ? {} : list.defaultFilters), ...Object.fromEntries(persistentEntries) };
    const entries = Object.entries(initial).filter(([, value]) => value !== '');
    applyState(parseState(list, new URLSearchParams(entries.map(([name, value]) => [name, value])).toString()), true);
  }, [applyState, list]);

  // A URL without parameters gets the last state, but only when the list is opened. When the user removes the last filter, the list
  // must show all records.
  const openedList = useRef('');
  useEffect(() => {
    if (openedList.current === list.name) return;
    openedList.current = list.name;
    const lastQuery = urlQuery ? '' : rememberedQuery(list);
    if (lastQuery) navigate(`${path}?${lastQuery}`, { replace: true });
  }, [urlQuery, list, navigate, path]);

  // Rows and selection of one record's list must not appear in another record's list.
  const ownerKey = JSON.stringify(list.fixedFilters ?? null);
  const filterKey = JSON.stringify([ownerKey, state.search, state.filters]);
  const lastFilterKey = useRef(filterKey);
  const [droppedCount, setDroppedCount] = useState(0);
  useEffect(() => {
    if (lastFilterKey.current === filterKey) return;
    lastFilterKey.current = filterKey;
    setDroppedCount(selection.size);
    selection.clear();
  }, [filterKey, selection]);

  const pageQuery = useQuery({
    queryKey: [list.name, ownerKey, 'page', query, state.page, state.size],
    queryFn: async ({ signal }) => {
      const page = await fetchPage<Row>(list.path, query, (state.page - 1) * state.size, state.size, signal);
      return { ...page, page: state.page, size: state.size };
    },
    placeholderData: (previous, previousQuery) =>
      previousQuery?.queryKey[0] === list.name && previousQuery.queryKey[1] === ownerKey ? previous : undefined,
    refetchInterval: list.refetchIntervalMs ?? false,
  });
  // After a failure the previous rows stay visible, dimmed.
  const lastLoaded = useRef({ ownerKey, data: pageQuery.data });
  if (pageQuery.data || lastLoaded.current.ownerKey !== ownerKey)
    lastLoaded.current = { ownerKey, data: pageQuery.data };
  const loadedPage = pageQuery.data ?? lastLoaded.current.data;
  const rows = loadedPage?.data;
  useEffect(() => selection.rememberRows(rows ?? []), [rows, selection]);

  const problem = pageQuery.error && !isAborted(pageQuery.error) ? asProblem(pageQuery.error) : null;

  const queryClient = useQueryClient();
  const refresh = useCallback(() => queryClient.invalidateQueries({ queryKey: [list.name] }), [queryClient, list]);

  return {
    list,
    state,
    query,
    selection,
    change,
    filter,
    reset,
    refresh,
    /** Id of the record in the side panel, or null. */
    openId,
    peek,
    rows,
    /** Page and page size of the visible rows; after a failure they differ from those in the URL. */
    loadedPage: { page: loadedPage?.page ?? state.page, size: loadedPage?.size ?? state.size },
    total: loadedPage?.recordsFiltered ?? 0,
    isTotalLowerBound: loadedPage?.recordsFilteredIsAtLeast ?? false,
    problem,
    /** Errors of the filters, by filter name. */
    filterErrors: filterErrors(query, problem?.fields ?? {}),
    loading: pageQuery.isFetching,
    /** The visible rows belong to an earlier query. */
    stale: pageQuery.isPlaceholderData || (pageQuery.isError && rows !== undefined),
    /** How many rows the last change of the filters has deselected. */
    droppedCount,
  };
}

export type TableHandle<Row extends { id: number }> = ReturnType<typeof useTable<Row>>;
