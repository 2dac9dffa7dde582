// Starts the server of an empty panel for one test. The server prints a one-time setup URL with which the owner's account is
// created.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PANEL_SERVER, serverEnvironment } from './panel';

/**
 * Starts an empty panel with these settings and calls `use` with its setup URL. Afterwards stops the panel and deletes its data.
 */
export async function withEmptyPanel(
  settings: Record<string, string>,
  use: (setupUrl: string) => Promise<void>,
): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'panel-first-start-'));
  const server = spawn(PANEL_SERVER, ['serve'], {
    env: { ...serverEnvironment(), PANEL_DATA_DIR: dataFolder, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const setupUrl = await new Promise<string>((resolve, reject) => {
    createInterface(server.stderr).on('line', (line) => {
      const match = /http:\S+\/setup#token=\S+/.exec(line);
      if (match) resolve(match[0]);
    });
    server.once('exit', (code) => reject(new Error(`panel-server ended with ${code}`)));
  });
  await use(setupUrl);
  const exited = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await exited;
  await rm(dataFolder, { recursive: true, force: true });
}
