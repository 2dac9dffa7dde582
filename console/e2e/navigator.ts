// Opens screens without reloading the page, as the menu of the console does.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Request } from '@playwright/test';

/** How many consecutive checks must find no pending request. More than one, because a response may cause the next request. */
const REQUIRED_CHECK_COUNT = 2;
const CHECK_INTERVAL_MS = 20;
const TIMEOUT_MS = 10_000;

/** Whether the code and the first data of the screen have loaded. Playwright runs this function in the page. */
const isRendered = () => document.querySelector('main h1') !== null && document.querySelector('main .loading') === null;

export class Navigator {
  readonly #page: Page;
  readonly #pendingRequests = new Set<Request>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => this.#pendingRequests.add(request));
    page.on('requestfinished', (request) => this.#pendingRequests.delete(request));
    page.on('requestfailed', (request) => this.#pendingRequests.delete(request));
  }

  /** Opens `path` and waits until the screen has loaded. The caller must check whether the screen redirects. */
  async goTo(path: string): Promise<void> {
    await this.#page.evaluate((path) => history.pushState(null, '', path), path);
    await this.waitUntilLoaded();
  }

  /** Waits until the screen is rendered and no request is pending. After a timeout, throws an error with the pending requests. */
  async waitUntilLoaded(): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (let passedCheckCount = 0; passedCheckCount < REQUIRED_CHECK_COUNT; ) {
      const isSettled = (await this.#page.evaluate(isRendered)) && this.#pendingRequests.size === 0;
      passedCheckCount = isSettled ? passedCheckCount + 1 : 0;
      if (passedCheckCount < REQUIRED_CHECK_COUNT && Date.now() > deadline) {
        const pendingUrls = [...this.#pendingRequests].map((request) => request.url()).join(', ') || 'none';
        throw new Error(`${this.#page.url()} did not load in ${TIMEOUT_MS} ms; pending requests: ${pendingUrls}`);
      }
      if (passedCheckCount < REQUIRED_CHECK_COUNT) await sleep(CHECK_INTERVAL_MS);
    }
  }

  getCurrentPath(): Promise<string> {
    return this.#page.evaluate(() => window.location.pathname);
  }

  /** Returns how many pixels the page is wider than the window. Negative if the page is narrower. */
  measureHorizontalOverflow(): Promise<number> {
    return this.#page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  }

  async resize(width: number): Promise<void> {
    if (this.#page.viewportSize()?.width !== width) await this.#page.setViewportSize({ width, height: 900 });
  }
}
