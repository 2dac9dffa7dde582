// Going from screen to screen inside of a loaded page, as the menu does.
import { setTimeout as pause } from 'node:timers/promises';
import type { Page, Request } from '@playwright/test';

/** How many checks in a row must find a screen settled, and the time between two of them. */
const CHECKS = 2;
const PAUSE_MS = 20;
const TIMEOUT_MS = 10_000;

/** The screen's own code has come, and what it shows first. */
const isDrawn = () => document.querySelector('main h1') !== null && document.querySelector('main .loading') === null;

/** A page whose screens are opened without another load. */
export class Navigator {
  readonly #page: Page;
  /** Requests without an answer. */
  readonly #pending = new Set<Request>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => this.#pending.add(request));
    page.on('requestfinished', (request) => this.#pending.delete(request));
    page.on('requestfailed', (request) => this.#pending.delete(request));
  }

  /** Shows `path`, and waits until it has settled. A screen that leads elsewhere by itself is left to the caller. */
  async to(path: string): Promise<void> {
    await this.#page.evaluate((path) => history.pushState(null, '', path), path);
    await this.settle();
  }

  /** Waits until the screen is drawn and all requests are answered; throws, with those that are open, where it takes too long. */
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

  /** The path that the page shows now. */
  path(): Promise<string> {
    return this.#page.evaluate(() => window.location.pathname);
  }

  /** How many pixels the page is wider than its window. */
  overflow(): Promise<number> {
    return this.#page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  }

  async resize(width: number): Promise<void> {
    if (this.#page.viewportSize()?.width !== width) await this.#page.setViewportSize({ width, height: 900 });
  }
}
