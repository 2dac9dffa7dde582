// Starts a server with an empty database for one test. The server prints the one-time setup URL, with which the test creates the
// account of the owner.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServerEnvironment, PANEL_SERVER } from './panel';

/**
 * Starts an empty panel with the given settings, and calls `runTest` with its setup URL. Then stops the panel and deletes its data.
 */
export async function withEmptyPanel(
  settings: Record<string, string>,
  runTest: (setupUrl: string) => Promise<void>,
): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'panel-first-start-'));
  const server = spawn(PANEL_SERVER, ['serve'], {
    env: { ...createServerEnvironment(), PANEL_DATA_DIR: dataFolder, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const setupUrl = await new Promise<string>((resolve, reject) => {
    createInterface(server.stderr).on('line', (line) => {
      const match = /http:\S+\/setup#token=\S+/.exec(line);
      if (match) resolve(match[0]);
    });
    server.once('exit', (code) => reject(new Error(`panel-server ended with ${code}`)));
  });
  await runTest(setupUrl);
  const serverExit = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await serverExit;
  await rm(dataFolder, { recursive: true, force: true });
}
