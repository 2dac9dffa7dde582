// Ties a list to the address and the server: state in, rows out. Overtaken requests are cancelled; the rows of
// before stay until the next ones are there.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { asProblem, isAbandoned } from '@/api/problem';
import { page, wrongFilters } from '@/api/table';
import type { List } from './declare';
import { Selection } from './selection';
import { opened, queryOf, read, remember, remembered, type TableState, withOpened, write } from './state';

type Change = Partial<TableState> & {
  /** Whether Back returns to before the change. Letters of a search do not make steps. */
  step?: boolean;
};

export function useTable<Row extends { id: number }>(list: List<Row>) {
  const address = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => read(list, address), [list, address]);
  const query = useMemo(() => queryOf(list, state), [list, state]);
  const [selection] = useState(() => new Selection<Row>());

  // The newest address, so that two changes at once both count.
  const current = useRef(state);
  current.current = state;
  const go = useCallback(
    (next: TableState, step: boolean) => {
      current.current = next;
      remember(list, next);
      const said = write(next);
      navigate(said ? `${path}?${said}` : path, { replace: !step });
    },
    [list, navigate, path],
  );

  const change = useCallback(
    ({ step = true, ...part }: Change) => {
      const before = current.current;
      const narrowed = part.filters !== undefined || part.search !== undefined || part.size !== undefined;
      go({ ...before, ...part, ...(narrowed ? { page: 1 } : {}) }, step);
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

  const open = opened(address);
  const peek = useCallback(
    (id: number | null) => {
      const said = withOpened(current.current, id);
      // Walking from record to record makes no steps; opening the first one does.
      navigate(said ? `${path}?${said}` : path, { replace: open !== null });
    },
    [navigate, open, path],
  );

  const reset = useCallback(() => {
    const { filters } = current.current;
    const stays = (list.stays ?? []).map((name) => [name, filters[name] ?? ''] as const);
    const wanted = { ...(list.fixed ? {} : list.defaults), ...Object.fromEntries(stays) };
    const said = Object.entries(wanted).filter(([, value]) => value !== '');
    go(read(list, new URLSearchParams(said.map(([name, value]) => [name, value])).toString()), true);
  }, [go, list]);

  // An address that says nothing is filled with what was used last; one that says something is the truth. Only when
  // the list is entered: whoever takes the last filter away wants to see everything.
  const entered = useRef('');
  useEffect(() => {
    if (entered.current === list.name) return;
    entered.current = list.name;
    const before = address ? '' : remembered(list);
    if (before) navigate(`${path}?${before}`, { replace: true });
  }, [address, list, navigate, path]);

  // Rows and marks of one record's list are none of another's.
  const owner = JSON.stringify(list.fixed ?? null);
  const narrowing = JSON.stringify([owner, state.search, state.filters]);
  const narrowedBy = useRef(narrowing);
  const [dropped, setDropped] = useState(0);
  useEffect(() => {
    if (narrowedBy.current === narrowing) return;
    narrowedBy.current = narrowing;
    setDropped(selection.size);
    selection.clear();
  }, [narrowing, selection]);

  const answer = useQuery({
    queryKey: [list.name, owner, 'page', query, state.page, state.size],
    queryFn: async ({ signal }) => {
      const found = await page<Row>(list.path, query, (state.page - 1) * state.size, state.size, signal);
      return { ...found, page: state.page, size: state.size };
    },
    placeholderData: (before, asked) =>
      asked?.queryKey[0] === list.name && asked.queryKey[1] === owner ? before : undefined,
    refetchInterval: list.everyMs ?? false,
  });
  // A failure leaves the rows of before standing, dimmed.
  const kept = useRef({ owner, data: answer.data });
  if (answer.data || kept.current.owner !== owner) kept.current = { owner, data: answer.data };
  const found = answer.data ?? kept.current.data;
  const rows = found?.data;
  useEffect(() => selection.show(rows ?? []), [rows, selection]);

  const problem = answer.error && !isAbandoned(answer.error) ? asProblem(answer.error) : null;

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
    /** The record that is open beside the list. */
    open,
    peek,
    rows,
    /** The page that the rows are, and how many it holds: after a failure not the one that was asked for. */
    at: { page: found?.page ?? state.page, size: found?.size ?? state.size },
    total: found?.recordsFiltered ?? 0,
    isAtLeast: found?.recordsFilteredIsAtLeast ?? false,
    problem,
    /** What is wrong with the filters, by their names. */
    wrong: wrongFilters(query, problem?.fields ?? {}),
    loading: answer.isFetching,
    /** The rows on the screen belong to an earlier question. */
    stale: answer.isPlaceholderData || (answer.isError && rows !== undefined),
    /** How many marks the last change of the filter took away. */
    dropped,
  };
}

export type TableHandle<Row extends { id: number }> = ReturnType<typeof useTable<Row>>;
