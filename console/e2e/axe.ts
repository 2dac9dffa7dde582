// What axe finds on a page, with all of its rules or with those about colours.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import axe, { type Result, type RunOptions } from 'axe-core';

/** Which rules run: all, or those about colours where nothing but the theme has changed since all ran. */
export type Rules = 'all' | 'colours';

/** What axe says about colours for WCAG levels A and AA; the rules of AAA are off by default. */
const COLOUR_RULES = axe
  .getRules(['cat.color'])
  .filter(({ tags }) => !tags.some((tag) => tag.endsWith('aaa') || tag === 'experimental'))
  .map(({ ruleId }) => ruleId);

/**
 * The violations on the page as it is now. `AxeBuilder` injects axe three times and opens a page at each call, which takes
 * four times as long as the rules themselves; so this page gets axe once and runs it. Frames need the builder, as axe
 * inside of a page has no access to a frame without scripts.
 */
export async function violations(page: Page, rules: Rules = 'all'): Promise<Result[]> {
  const ruleIds = rules === 'colours' ? COLOUR_RULES : [];
  if (page.frames().length > 1) {
    const builder = new AxeBuilder({ page });
    return (await (ruleIds.length > 0 ? builder.withRules(ruleIds) : builder).analyze()).violations;
  }
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (ruleIds) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // What the rules passed is not described.
    const options: RunOptions = { resultTypes: ['violations'] };
    if (ruleIds.length > 0) options.runOnly = { type: 'rule', values: ruleIds };
    return (await axe.run(document, options)).violations;
  }, ruleIds);
}
