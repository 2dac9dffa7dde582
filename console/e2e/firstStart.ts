// A panel that starts empty: its server runs for one test, and prints the address that makes the owner.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BINARY, environment } from './panel';

/** Starts an empty panel with these settings, lets `use` work with its one-time address, and ends it with its data. */
export async function withEmptyPanel(
  settings: Record<string, string>,
  use: (address: string) => Promise<void>,
): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'panel-first-start-'));
  const server = spawn(BINARY, ['serve'], {
    env: { ...environment(), PANEL_DATA_DIR: data, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(server.stderr).on('line', (line) => {
      const found = /http:\S+\/setup#token=\S+/.exec(line);
      if (found) resolve(found[0]);
    });
    server.once('exit', (code) => reject(new Error(`panel-server ended with ${code}`)));
  });
  await use(address);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await ended;
  await rm(data, { recursive: true, force: true });
}
