// A real panel for each worker, and staff who use it. A page that logs an error fails its test.
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

/** This environment without PANEL_* variables: the server refuses those of the tests, as it does not know them. */
export function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PANEL_')));
}

type Who = 'admin' | 'moderator' | 'finance' | 'catalogue' | 'readonly';

/** A worker's panel: its address, and a token of each role that its tests use, for calls of the API. */
interface Panel {
  url: string;
  tokens: Map<Who, string>;
  /** When each of them last gave the password. */
  confirmed: Map<Who, number>;
}

/** The cookie in which a browser keeps a token, over plain http. */
export const sessionCookie = (url: string, value: string) =>
  ({ name: 'panel_session', value, url, httpOnly: true, sameSite: 'Strict' }) as const;

/** The cookie by which the console knows that there may be a session. */
const markCookie = (url: string) => ({ name: 'panel_signed_in', value: '1', url, sameSite: 'Strict' }) as const;

/** One staff member at the panel, in the browser and by its API. */
export class Staff {
  readonly page: Page;
  readonly url: string;
  readonly #tokens: Map<Who, string>;
  readonly #confirmed: Map<Who, number>;
  readonly #requests: APIRequestContext;

  constructor(page: Page, { url, tokens, confirmed }: Panel, requests: APIRequestContext) {
    this.page = page;
    this.url = url;
    this.#tokens = tokens;
    this.#confirmed = confirmed;
    this.#requests = requests;
  }

  /** Opens `path` with a session in the browser, without the form. */
  async signIn(who: Who = 'admin', path = '/'): Promise<void> {
    const value = await this.#newSession(who);
    await this.page.context().addCookies([sessionCookie(this.url, value), markCookie(this.url)]);
    await this.open(path);
    await expect(this.page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  }

  /** Signs in by the form, to which `path` leads while the browser has no session. */
  async signInByForm(who: Who = 'admin', path = '/login'): Promise<void> {
    await this.open(path);
    await this.page.getByLabel('Email').fill(`${who}@panel.test`);
    await this.page.getByLabel('Password').fill(PASSWORD);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await expect(this.page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  }

  open(path: string) {
    return this.page.goto(this.url + path);
  }

  /** A token of the API, beside the browser's. The worker's tests share it: only pages replace a token. */
  async token(who: Who = 'admin'): Promise<string> {
    const known = this.#tokens.get(who);
    if (known) {
      // A confirmation counts for ten minutes, here and in the sessions of codes made from now on.
      if (Date.now() - (this.#confirmed.get(who) ?? 0) > CONFIRM_EVERY_MS) {
        const headers = { Authorization: known };
        await this.#requests.post(`${this.url}/api/v1/profile/confirm`, { headers, data: { password: PASSWORD } });
        this.#confirmed.set(who, Date.now());
      }
      return known;
    }
    const data = { email: `${who}@panel.test`, password: PASSWORD };
    const answer = await this.#requests.post(`${this.url}/login`, { data });
    const token = answer.headers().authorization ?? '';
    this.#tokens.set(who, token);
    this.#confirmed.set(who, Date.now());
    return token;
  }

  /** All sessions of this member have ended: the next test asks for a new token. */
  forgetToken(who: Who): void {
    this.#tokens.delete(who);
  }

  /**
   * The token of a session of its own. Each page that loads replaces its token, which ends all sessions of the same
   * sign-in when the old one is used again; so tests share no session. A handoff code saves the password's slow hash.
   */
  async #newSession(who: Who): Promise<string> {
    const headers = { Authorization: await this.token(who) };
    const made = await this.#requests.post(`${this.url}/api/v1/admin/handoff-codes`, { headers });
    expect(made.ok(), `handoff code: ${made.status()}`).toBe(true);
    const { code } = (await made.json()).data;
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

  /** Ids of orders in a status, newest first. */
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
   * Clicks the open menu's option of this name, or its first one, and waits until the menu is closed: the next menu's
   * options could not be told from those of one that fades.
   */
  async choose(name?: string): Promise<void> {
    const options = this.page.locator('#overlays').getByRole('option');
    const option = this.page.locator('#overlays').getByRole('option', name === undefined ? {} : { name, exact: true });
    await option.first().click();
    await expect(options).toHaveCount(0);
  }

  /** The rows that the list shows now. */
  rows() {
    return this.page.locator('table.grid tbody tr[data-id]');
  }
}

interface Fixtures {
  staff: Staff;
  /** What may be logged in this test, such as the browser's line about a refused call. */
  mayLog: RegExp[];
}

export const test = base.extend<Fixtures, { panel: Panel }>({
  panel: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern.
    async ({}, use) => {
      const data = await mkdtemp(join(tmpdir(), 'panel-e2e-'));
      // Receivers of webhooks are on this machine.
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
          const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
          if (found) resolve(found[0]);
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
  // An array of its own: what one test adds is not allowed in the next.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern.
  mayLog: async ({}, use) => use([]),
  staff: async ({ page, panel, request, mayLog }, use) => {
    const logged: string[] = [];
    page.on('pageerror', (error) => logged.push(error.message));
    page.on('console', (message) => {
      const isLogged = message.type() === 'error' || message.type() === 'warning';
      if (isLogged) logged.push(message.text());
    });
    await use(new Staff(page, panel, request));
    expect(logged.filter((line) => !mayLog.some((allowed) => allowed.test(line)))).toEqual([]);
  },
});

/** The browser's own line about a call that was refused, where the test wants it refused. */
export const REFUSED = /Failed to load resource: the server responded with a status of 4\d\d/;

export { expect };
