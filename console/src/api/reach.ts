// Whether the server answered the last time that it was asked anything, and whether its database was there; the shell
// says when one of them was not.
type Listener = () => void;

let isReached = true;
let isDatabaseAway = false;
const listeners = new Set<Listener>();

function notify(): void {
  for (const listener of listeners) listener();
}

export const reachability = {
  isReached: () => isReached,
  isDatabaseAway: () => isDatabaseAway,
  set(reached: boolean): void {
    if (reached === isReached) return;
    isReached = reached;
    notify();
  },
  setDatabaseAway(away: boolean): void {
    if (away === isDatabaseAway) return;
    isDatabaseAway = away;
    notify();
  },
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
