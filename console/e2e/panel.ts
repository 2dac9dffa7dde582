// Playwright fixtures: each worker starts its own panel, and each test gets a staff member who uses the panel. A test fails if its page
// logs an error or a warning.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type APIRequestContext, test as base, expect, type Page } from '@playwright/test';

const PASSWORD = 'panel-demo';
/** Shorter than the ten minutes for which a confirmation is valid. */
const CONFIRMATION_INTERVAL_MS = 300_000;
export const PANEL_SERVER = join(
  process.env.CARGO_TARGET_DIR ?? join(import.meta.dirname, '../../target'),
  'debug/panel-server',
);

/** Returns the environment without PANEL_* variables, because the server would reject the variables of the tests as unknown. */
export function createServerEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PANEL_')));
}

type Role = 'admin' | 'moderator' | 'finance' | 'catalogue' | 'readonly';

/** The running panel of a worker. */
interface Panel {
  url: string;
  /** One API token per role. */
  tokens: Map<Role, string>;
  /** The time of the last password confirmation per role, in milliseconds since the epoch. */
  confirmedAt: Map<Role, number>;
}

export const createSessionCookie = (url: string, value: string) =>
  ({ name: 'panel_session', value, url, httpOnly: true, sameSite: 'Strict' }) as const;

/** The cookie that tells the console that a session may exist. Scripts can read this cookie. */
const createSignedInCookie = (url: string) =>
  ({ name: 'panel_signed_in', value: '1', url, sameSite: 'Strict' }) as const;

/** A staff member, who uses the panel in the browser and through the API. */
export class Staff {
  readonly page: Page;
  readonly url: string;
  readonly #tokens: Map<Role, string>;
  readonly #confirmedAt: Map<Role, number>;
  readonly #request: APIRequestContext;

  constructor(page: Page, { url, tokens, confirmedAt }: Panel, request: APIRequestContext) {
    this.page = page;
    this.url = url;
    this.#tokens = tokens;
    this.#confirmedAt = confirmedAt;
    this.#request = request;
  }

  /** Opens `path` with a new session, without the sign-in form. */
  async signIn(role: Role = 'admin', path = '/'): Promise<void> {
    const value = await this.#startSession(role);
    await this.page.context().addCookies([createSessionCookie(this.url, value), createSignedInCookie(this.url)]);
    await this.open(path);
    await expect(this.page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  }

  /** Signs in with the sign-in form, to which `path` redirects without a session. */
  async signInByForm(role: Role = 'admin', path = '/login'): Promise<void> {
    await this.open(path);
    await this.page.getByLabel('Email').fill(`${role}@panel.test`);
    await this.page.getByLabel('Password').fill(PASSWORD);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await expect(this.page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  }

  open(path: string) {
    return this.page.goto(this.url + path);
  }

  /**
   * Returns an API token of a separate session, and confirms the session if needed. The tests of a worker can share the token, because
   * only pages refresh tokens.
   */
  async getToken(role: Role = 'admin'): Promise<string> {
    const storedToken = this.#tokens.get(role);
    if (storedToken) {
      // A confirmation also applies to the sessions of sign-in codes that the server creates after it.
      if (Date.now() - (this.#confirmedAt.get(role) ?? 0) > CONFIRMATION_INTERVAL_MS) {
        const headers = { Authorization: storedToken };
        await this.#request.post(`${this.url}/api/v1/profile/confirm`, { headers, data: { password: PASSWORD } });
        this.#confirmedAt.set(role, Date.now());
      }
      return storedToken;
    }
    const data = { email: `${role}@panel.test`, password: PASSWORD };
    const response = await this.#request.post(`${this.url}/login`, { data });
    const token = response.headers().authorization ?? '';
    this.#tokens.set(role, token);
    this.#confirmedAt.set(role, Date.now());
    return token;
  }

  /** Removes the stored token. Call it when a test ends all sessions of the role, so that the next test signs in again. */
  clearToken(role: Role): void {
    this.#tokens.delete(role);
  }

  /**
   * Starts a session and returns its token. Tests must not share a session: every page load refreshes the token, and a request with
   * an old token ends all sessions of the sign-in. A sign-in code avoids the slow password hash.
   */
  async #startSession(role: Role): Promise<string> {
    const headers = { Authorization: await this.getToken(role) };
    const handoffResponse = await this.#request.post(`${this.url}/api/v1/admin/handoff-codes`, { headers });
    expect(handoffResponse.ok(), `handoff code: ${handoffResponse.status()}`).toBe(true);
    const { code } = (await handoffResponse.json()).data;
    const response = await this.#request.post(`${this.url}/handoff`, { data: { code } });
    return (response.headers().authorization ?? '').replace(/^Bearer /, '');
  }

  async get<T>(path: string): Promise<T> {
    const response = await this.#request.get(this.url + path, { headers: { Authorization: await this.getToken() } });
    expect(response.ok(), `${path}: ${response.status()}`).toBe(true);
    return response.json();
  }

  async post(path: string, data: unknown): Promise<number> {
    const response = await this.#request.post(this.url + path, {
      data,
      headers: { Authorization: await this.getToken() },
    });
    return response.status();
  }

  async delete(path: string): Promise<number> {
    const response = await this.#request.delete(this.url + path, { headers: { Authorization: await this.getToken() } });
    return response.status();
  }

  /** Fetches the ids of the newest orders with the given status. */
  async fetchOrderIds(status: string, count: number): Promise<number[]> {
    const query = `columns[0][data]=status&columns[0][search][value]=${status}&length=${count}`;
    const { data } = await this.get<{ data: { id: number }[] }>(`/api/v1/admin/orders?${query}`);
    expect(data).toHaveLength(count);
    return data.map((order) => order.id);
  }

  fetchOrderStatus(id: number): Promise<string> {
    return this.get<{ data: { status: string } }>(`/api/v1/admin/orders/${id}`).then((order) => order.data.status);
  }

  /**
   * Clicks the option with the given name in the open menu, or the first option if there is no name. Waits until the menu is closed, so
   * that a later call cannot find the options of this menu.
   */
  async selectOption(name?: string): Promise<void> {
    const options = this.page.locator('#overlays').getByRole('option');
    const option = this.page.locator('#overlays').getByRole('option', name === undefined ? {} : { name, exact: true });
    await option.first().click();
    await expect(options).toHaveCount(0);
  }

  /** Locates the rows of the list. */
  rows() {
    return this.page.locator('table.grid tbody tr[data-id]');
  }
}

interface Fixtures {
  staff: Staff;
  /** Matches the console messages that the test allows, such as the message of the browser about a rejected request. */
  allowedLogs: RegExp[];
}

export const test = base.extend<Fixtures, { panel: Panel }>({
  panel: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires an object pattern.
    async ({}, use) => {
      const dataFolder = await mkdtemp(join(tmpdir(), 'panel-e2e-'));
      // Allows many sign-ins per minute, and webhook receivers on this machine.
      const settings = {
        PANEL_LIMITS__LOGINS_PER_MINUTE: '100000',
        PANEL_OUTBOUND__ALLOW_HTTP: 'true',
        PANEL_OUTBOUND__ALLOWED_NETWORKS: '["127.0.0.0/8"]',
      };
      const server = spawn(
        PANEL_SERVER,
        [
          'demo',
          '--data',
          dataFolder,
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
          env: { ...createServerEnvironment(), ...settings },
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
      await use({ url, tokens: new Map(), confirmedAt: new Map() });
      const serverExit = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await serverExit;
      await rm(dataFolder, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  // A new array for each test, so that a test cannot allow messages in the next test.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires an object pattern.
  allowedLogs: async ({}, use) => use([]),
  staff: async ({ page, panel, request, allowedLogs }, use) => {
    const loggedMessages: string[] = [];
    page.on('pageerror', (error) => loggedMessages.push(error.message));
    page.on('console', (message) => {
      const isProblem = message.type() === 'error' || message.type() === 'warning';
      if (isProblem) loggedMessages.push(message.text());
    });
    await use(new Staff(page, panel, request));
    expect(loggedMessages.filter((text) => !allowedLogs.some((pattern) => pattern.test(text)))).toEqual([]);
  },
});

/** Matches the message that the browser logs if the server rejects a request. */
export const REJECTED_REQUEST = /Failed to load resource: the server responded with a status of 4\d\d/;

export { expect };
