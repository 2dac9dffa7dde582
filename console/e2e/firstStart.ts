// An empty panel: its server runs for one test, and prints the one-time setup URL.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BINARY, environment } from './panel';

/** Starts an empty panel with these settings, passes its one-time setup URL to `use`, then stops it and deletes its data. */
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
      const match = /http:\S+\/setup#token=\S+/.exec(line);
      if (match) resolve(match[0]);
    });
    server.once('exit', (code) => reject(new Error(`panel-server ended with ${code}`)));
  });
  await use(address);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await ended;
  await rm(data, { recursive: true, force: true });
}
