// Navigation between screens without reloading the page, as the menu does it.
import { setTimeout as pause } from 'node:timers/promises';
import type { Page, Request } from '@playwright/test';

/** Consecutive checks that must find a screen settled, and the interval between them. */
const CHECKS = 2;
const PAUSE_MS = 20;
const TIMEOUT_MS = 10_000;

/** The screen's code and initial data have loaded. */
const isDrawn = () => document.querySelector('main h1') !== null && document.querySelector('main .loading') === null;

/** A page whose screens are opened without a reload. */
export class Navigator {
  readonly #page: Page;
  /** Pending requests. */
  readonly #pending = new Set<Request>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => this.#pending.add(request));
    page.on('requestfinished', (request) => this.#pending.delete(request));
    page.on('requestfailed', (request) => this.#pending.delete(request));
  }

  /** Opens `path` and waits until it has settled. The caller handles screens that redirect. */
  async to(path: string): Promise<void> {
    await this.#page.evaluate((path) => history.pushState(null, '', path), path);
    await this.settle();
  }

  /** Waits until the screen is rendered and no request is pending. Throws with the pending requests after a timeout. */
  async settle(): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (let checks = 0; checks < CHECKS; ) {
      const isSettled = (await this.#page.evaluate(isDrawn)) && this.#pending.size === 0;
      checks = isSettled ? checks + 1 : 0;
      if (checks < CHECKS && Date.now() > deadline) {
        const open = [...this.#pending].map((request) => request.url()).join(', ') || 'none';
        throw new Error(`${this.#page.url()} did not settle in ${TIMEOUT_MS} ms; open requests: ${open}`);
      }
      if (checks < CHECKS) await pause(PAUSE_MS);
    }
  }

  /** The current path. */
  path(): Promise<string> {
    return this.#page.evaluate(() => window.location.pathname);
  }

  /** Horizontal overflow of the page in pixels. */
  overflow(): Promise<number> {
    return this.#page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  }

  async resize(width: number): Promise<void> {
    if (this.#page.viewportSize()?.width !== width) await this.#page.setViewportSize({ width, height: 900 });
  }
}
