// Stores whether the last request reached the server, and whether the database of the server was available. If not, the shell shows a
// banner.
type Listener = () => void;

let isReachable = true;
let isDatabaseUnavailable = false;
const listeners = new Set<Listener>();

function notify(): void {
  for (const listener of listeners) listener();
}

export const reachability = {
  isReachable: () => isReachable,
  isDatabaseUnavailable: () => isDatabaseUnavailable,
  setReachable(reachable: boolean): void {
    if (reachable === isReachable) return;
    isReachable = reachable;
    notify();
  },
  setDatabaseUnavailable(unavailable: boolean): void {
    if (unavailable === isDatabaseUnavailable) return;
    isDatabaseUnavailable = unavailable;
    notify();
  },
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
