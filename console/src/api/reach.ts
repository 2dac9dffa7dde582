// Whether the server answered the last time that it was asked anything; the shell says when it did not.
type Listener = () => void;

let isReached = true;
const listeners = new Set<Listener>();

export const reachability = {
  isReached: () => isReached,
  set(reached: boolean): void {
    if (reached === isReached) return;
    isReached = reached;
    for (const listener of listeners) listener();
  },
  subscribe(listener: Listener): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
