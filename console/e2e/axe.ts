// What axe finds on a page, with all of its rules.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import axe, { type Result } from 'axe-core';

/**
 * The violations on the page as it is now. `AxeBuilder` injects axe three times and opens a page at each call, which takes
 * four times as long as the rules themselves; so this page gets axe once and runs it. Frames need the builder, as axe
 * inside of a page has no access to a frame without scripts.
 */
export async function violations(page: Page): Promise<Result[]> {
  if (page.frames().length > 1) return (await new AxeBuilder({ page }).analyze()).violations;
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // All rules run; only what they passed is not described.
    return (await axe.run(document, { resultTypes: ['violations'] })).violations;
  });
}
