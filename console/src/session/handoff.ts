// A single-use code in the address signs in where the page is opened: it is used up and taken out of the address before
// anything else can read it.
import { exchange } from './calls';
import { saveDestination, takeDestination } from './destination';

/** Takes the code of `?token=`. At the root of the console, the saved destination is followed. */
export async function takeCode(): Promise<void> {
  const address = new URL(location.href);
  const code = address.searchParams.get('token');
  if (!code || address.pathname === '/setup') return;
  const wanted = address.searchParams.get('redirect');
  address.searchParams.delete('token');
  address.searchParams.delete('redirect');
  history.replaceState(null, '', address);
  if (wanted) saveDestination(wanted, '');
  const isIn = await exchange(code).then(
    () => true,
    () => false,
  );
  if (!isIn || address.pathname !== '/') return;
  const destination = takeDestination();
  if (destination !== '/') history.replaceState(null, '', destination);
}
