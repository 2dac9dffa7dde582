// Playwright fixtures: a real panel for each worker, and staff who use it. A page that logs an error fails its test.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type APIRequestContext, test as base, expect, type Page } from '@playwright/test';

const PASSWORD = 'panel-demo';
const CONFIRM_EVERY_MS = 300_000;
export const BINARY = join(
  process.env.CARGO_TARGET_DIR ?? join(import.meta.dirname, '../../target'),
  'debug/panel-server',
);

/** The environment without PANEL_* variables, because the server rejects unknown ones such as those of the tests. */
export function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PANEL_')));
}

type Role = 'admin' | 'moderator' | 'finance' | 'catalogue' | 'readonly';

/** A worker's panel: its URL, and one API token per role. */
interface Panel {
  url: string;
  tokens: Map<Role, string>;
  /** Time of the last password confirmation per role, in milliseconds since the epoch. */
  confirmed: Map<Role, number>;
}

/** The session cookie over plain http. */
export const sessionCookie = (url: string, value: string) =>
  ({ name: 'panel_session', value, url, httpOnly: true, sameSite: 'Strict' }) as const;

/** The readable cookie that tells the console that there may be a session. */
const signedInCookie = (url: string) => ({ name: 'panel_signed_in', value: '1', url, sameSite: 'Strict' }) as const;

/** A staff member of the panel, in the browser and by the API. */
export class Staff {
  readonly page: Page;
  readonly url: string;
  readonly #tokens: Map<Role, string>;
  readonly #confirmed: Map<Role, number>;
  readonly #requests: APIRequestContext;

  constructor(page: Page, { url, tokens, confirmed }: Panel, requests: APIRequestContext) {
    this.page = page;
    this.url = url;
    this.#tokens = tokens;
    this.#confirmed = confirmed;
    this.#requests = requests;
  }

  /** Opens `path` with a new session, without the sign-in form. */
  async signIn(role: Role = 'admin', path = '/'): Promise<void> {
    const value = await this.#newSession(role);
    await this.page.context().addCookies([sessionCookie(this.url, value), signedInCookie(this.url)]);
    await this.open(path);
    await expect(this.page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  }

  /** Signs in by the form, to which `path` redirects without a session. */
  async signInByForm(role: Role = 'admin', path = '/login'): Promise<void> {
    await this.open(path);
    await this.page.getByLabel('Email').fill(`${role}@panel.test`);
    await this.page.getByLabel('Password').fill(PASSWORD);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await expect(this.page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  }

  open(path: string) {
    return this.page.goto(this.url + path);
  }

  /** An API token that is separate from the browser's session. The tests of a worker share it: only pages refresh tokens. */
  async token(role: Role = 'admin'): Promise<string> {
    const stored = this.#tokens.get(role);
    if (stored) {
      // A confirmation is valid for ten minutes, also in sessions of handoff codes that are created afterwards.
      if (Date.now() - (this.#confirmed.get(role) ?? 0) > CONFIRM_EVERY_MS) {
        const headers = { Authorization: stored };
        await this.#requests.post(`${this.url}/api/v1/profile/confirm`, { headers, data: { password: PASSWORD } });
        this.#confirmed.set(role, Date.now());
      }
      return stored;
    }
    const data = { email: `${role}@panel.test`, password: PASSWORD };
    const answer = await this.#requests.post(`${this.url}/login`, { data });
    const token = answer.headers().authorization ?? '';
    this.#tokens.set(role, token);
    this.#confirmed.set(role, Date.now());
    return token;
  }

  /** Drops the token after all sessions of the role have ended: the next test signs in again. */
  clearToken(role: Role): void {
    this.#tokens.delete(role);
  }

  /**
   * The token of a new session. Every page load refreshes its token, and reusing an old token ends all sessions of the same
   * sign-in, so that tests must not share sessions. A handoff code avoids the slow password hash.
   */
  async #newSession(role: Role): Promise<string> {
    const headers = { Authorization: await this.token(role) };
    const created = await this.#requests.post(`${this.url}/api/v1/admin/handoff-codes`, { headers });
    expect(created.ok(), `handoff code: ${created.status()}`).toBe(true);
    const { code } = (await created.json()).data;
    const answer = await this.#requests.post(`${this.url}/handoff`, { data: { code } });
    return (answer.headers().authorization ?? '').replace(/^Bearer /, '');
  }

  async get<T>(path: string): Promise<T> {
    const answer = await this.#requests.get(this.url + path, { headers: { Authorization: await this.token() } });
    expect(answer.ok(), `${path}: ${answer.status()}`).toBe(true);
    return answer.json();
  }

  async post(path: string, data: unknown): Promise<number> {
    const answer = await this.#requests.post(this.url + path, { data, headers: { Authorization: await this.token() } });
    return answer.status();
  }

  async remove(path: string): Promise<number> {
    const answer = await this.#requests.delete(this.url + path, { headers: { Authorization: await this.token() } });
    return answer.status();
  }

  /** Ids of orders with a status, newest first. */
  async orders(status: string, count: number): Promise<number[]> {
    const query = `columns[0][data]=status&columns[0][search][value]=${status}&length=${count}`;
    const { data } = await this.get<{ data: { id: number }[] }>(`/api/v1/admin/orders?${query}`);
    expect(data).toHaveLength(count);
    return data.map((order) => order.id);
  }

  status(id: number): Promise<string> {
    return this.get<{ data: { status: string } }>(`/api/v1/admin/orders/${id}`).then((order) => order.data.status);
  }

  /**
   * Clicks the option with this name, or the first one, in the open menu. Waits until the menu is closed, because its options would
   * be confused with those of the next menu.
   */
  async selectOption(name?: string): Promise<void> {
    const options = this.page.locator('#overlays').getByRole('option');
    const option = this.page.locator('#overlays').getByRole('option', name === undefined ? {} : { name, exact: true });
    await option.first().click();
    await expect(options).toHaveCount(0);
  }

  /** The visible rows of the list. */
  rows() {
    return this.page.locator('table.grid tbody tr[data-id]');
  }
}

interface Fixtures {
  staff: Staff;
  /** Console messages that this test allows, such as the browser's message about a rejected request. */
  allowedLogs: RegExp[];
}

export const test = base.extend<Fixtures, { panel: Panel }>({
  panel: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern.
    async ({}, use) => {
      const data = await mkdtemp(join(tmpdir(), 'panel-e2e-'));
      // Allows webhook receivers on this machine.
      const limits = {
        PANEL_LIMITS__LOGINS_PER_MINUTE: '100000',
        PANEL_OUTBOUND__ALLOW_HTTP: 'true',
        PANEL_OUTBOUND__ALLOWED_NETWORKS: '["127.0.0.0/8"]',
      };
      const server = spawn(
        BINARY,
        [
          'demo',
          '--data',
          data,
          '--listen',
          '127.0.0.1:0',
          '--orders',
          '3000',
          '--users',
          '300',
          '--seed',
          '7',
          '--still',
        ],
        {
          env: { ...environment(), ...limits },
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
      const url = await new Promise<string>((resolve, reject) => {
        createInterface(server.stderr).on('line', (line) => {
          const match = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
          if (match) resolve(match[0]);
        });
        server.once('exit', (code) => reject(new Error(`panel-server ended with ${code}`)));
      });
      await use({ url, tokens: new Map(), confirmed: new Map() });
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await ended;
      await rm(data, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  // A new array per test: additions must not apply to the next test.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern.
  allowedLogs: async ({}, use) => use([]),
  staff: async ({ page, panel, request, allowedLogs }, use) => {
    const logged: string[] = [];
    page.on('pageerror', (error) => logged.push(error.message));
    page.on('console', (message) => {
      const isLogged = message.type() === 'error' || message.type() === 'warning';
      if (isLogged) logged.push(message.text());
    });
    await use(new Staff(page, panel, request));
    expect(logged.filter((line) => !allowedLogs.some((allowed) => allowed.test(line)))).toEqual([]);
  },
});

/** The browser's console message about a rejected request. */
export const REJECTED_REQUEST = /Failed to load resource: the server responded with a status of 4\d\d/;

export { expect };
