// Connects a list to its URL and to the server: parses the state in the URL, and loads the rows for this state. Aborts the requests
// for an earlier state. The previous rows stay visible until the new rows are loaded.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { asProblem, isAborted } from '@/api/problem';
import { fetchPage, getFilterErrors } from '@/api/table';
import type { List } from './listDefinition';
import {
  formatState,
  formatStateWithPreview,
  getLastQuery,
  parsePreviewedId,
  parseState,
  saveListState,
  type TableState,
  toTableQuery,
} from './listState';
import { Selection } from './selection';

type StateChange = Partial<TableState> & {
  /** Whether the change adds a history entry, so that the Back button reverts the change. False for keystrokes in a search. */
  pushHistory?: boolean;
};

export function useTable<Row extends { id: number }>(list: List<Row>) {
  const urlQuery = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => parseState(list, urlQuery), [list, urlQuery]);
  const query = useMemo(() => toTableQuery(list, state), [list, state]);
  const [selection] = useState(() => new Selection<Row>());

  // The latest state. If two changes occur before the next render, the second change must not overwrite the first.
  const latestState = useRef(state);
  latestState.current = state;
  const applyState = useCallback(
    (newState: TableState, pushHistory: boolean) => {
      latestState.current = newState;
      saveListState(list, newState);
      const search = formatState(newState);
      navigate(search ? `${path}?${search}` : path, { replace: !pushHistory });
    },
    [list, navigate, path],
  );

  const changeState = useCallback(
    ({ pushHistory = true, ...changes }: StateChange) => {
      const returnsToFirstPage =
        changes.filters !== undefined || changes.search !== undefined || changes.size !== undefined;
      applyState({ ...latestState.current, ...changes, ...(returnsToFirstPage ? { page: 1 } : {}) }, pushHistory);
    },
    [applyState],
  );

  const setFilter = useCallback(
    (name: string, value: string, pushHistory = true) => {
      const { [name]: _, ...otherFilters } = latestState.current.filters;
      changeState({ filters: value ? { ...otherFilters, [name]: value } : otherFilters, pushHistory });
    },
    [changeState],
  );

  const previewedId = parsePreviewedId(urlQuery);
  const previewRecord = useCallback(
    (id: number | null) => {
      const search = formatStateWithPreview(latestState.current, id);
      // Opening the side panel adds a history entry, but showing another record in the open side panel does not.
      navigate(search ? `${path}?${search}` : path, { replace: previewedId !== null });
    },
    [navigate, previewedId, path],
  );

  const resetFilters = useCallback(() => {
    const { filters } = latestState.current;
    const persistentEntries = (list.persistentFilters ?? []).map((name) => [name, filters[name] ?? ''] as const);
    const initialFilters = {
      ...(list.fixedFilters ? {} : list.defaultFilters),
      ...Object.fromEntries(persistentEntries),
    };
    const entries = Object.entries(initialFilters).filter(([, value]) => value !== '');
    applyState(parseState(list, new URLSearchParams(entries.map(([name, value]) => [name, value])).toString()), true);
  }, [applyState, list]);

  // If the user opens the list with a URL without parameters, the last state applies. It must not apply later: when the user removes
  // the last filter, the URL has no parameters either, but the list must show all records.
  const openedList = useRef('');
  useEffect(() => {
    if (openedList.current === list.name) return;
    openedList.current = list.name;
    const lastQuery = urlQuery ? '' : getLastQuery(list);
    if (lastQuery) navigate(`${path}?${lastQuery}`, { replace: true });
  }, [urlQuery, list, navigate, path]);

  // The key of the record whose list this is. The list of another record must not show these rows or this selection.
  const ownerKey = JSON.stringify(list.fixedFilters ?? null);
  const filterKey = JSON.stringify([ownerKey, state.search, state.filters]);
  const lastFilterKey = useRef(filterKey);
  const [deselectedCount, setDeselectedCount] = useState(0);
  useEffect(() => {
    if (lastFilterKey.current === filterKey) return;
    lastFilterKey.current = filterKey;
    setDeselectedCount(selection.size);
    selection.clear();
  }, [filterKey, selection]);

  const pageQuery = useQuery({
    queryKey: [list.name, ownerKey, 'page', query, state.page, state.size],
    queryFn: async ({ signal }) => {
      const page = await fetchPage<Row>(list.path, query, (state.page - 1) * state.size, state.size, signal);
      return { ...page, page: state.page, size: state.size };
    },
    placeholderData: (previousPage, previousQuery) =>
      previousQuery?.queryKey[0] === list.name && previousQuery.queryKey[1] === ownerKey ? previousPage : undefined,
    refetchInterval: list.refetchIntervalMs ?? false,
  });
  // After a failure the previous rows stay visible, but dimmed.
  const lastLoadedPage = useRef({ ownerKey, data: pageQuery.data });
  if (pageQuery.data || lastLoadedPage.current.ownerKey !== ownerKey)
    lastLoadedPage.current = { ownerKey, data: pageQuery.data };
  const loadedPage = pageQuery.data ?? lastLoadedPage.current.data;
  const rows = loadedPage?.data;
  useEffect(() => selection.storeLoadedRows(rows ?? []), [rows, selection]);

  const problem = pageQuery.error && !isAborted(pageQuery.error) ? asProblem(pageQuery.error) : null;

  const queryClient = useQueryClient();
  const refresh = useCallback(() => queryClient.invalidateQueries({ queryKey: [list.name] }), [queryClient, list]);

  return {
    list,
    state,
    query,
    selection,
    changeState,
    setFilter,
    resetFilters,
    refresh,
    /** Id of the record that the side panel shows, or null. */
    previewedId,
    previewRecord,
    rows,
    /** Page and page size of the visible rows. After a failure they differ from the values in the URL. */
    loadedPage: { page: loadedPage?.page ?? state.page, size: loadedPage?.size ?? state.size },
    total: loadedPage?.recordsFiltered ?? 0,
    isTotalLowerBound: loadedPage?.recordsFilteredIsAtLeast ?? false,
    problem,
    /** Errors of the filters, by filter name. */
    filterErrors: getFilterErrors(query, problem?.fields ?? {}),
    isLoading: pageQuery.isFetching,
    /** Whether the visible rows belong to an earlier query. */
    isStale: pageQuery.isPlaceholderData || (pageQuery.isError && rows !== undefined),
    /** How many rows the last change of the filters deselected. */
    deselectedCount,
  };
}

export type TableHandle<Row extends { id: number }> = ReturnType<typeof useTable<Row>>;
