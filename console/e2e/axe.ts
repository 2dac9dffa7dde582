// Finds accessibility violations with axe, with all rules or with the color rules only.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import axe, { type Result, type RunOptions } from 'axe-core';

/** Use `colors` if only the color scheme has changed since the last check of all rules. */
export type RuleSet = 'all' | 'colors';

/** The color rules of WCAG levels A and AA, which axe also checks by default. */
const COLOR_RULES = axe
  .getRules(['cat.color'])
  .filter(({ tags }) => !tags.some((tag) => tag.endsWith('aaa') || tag === 'experimental'))
  .map(({ ruleId }) => ruleId);

/**
 * Finds the violations on the current page. Injects axe only once per page: `AxeBuilder` injects axe three times and opens a new page
 * in each call, which takes four times as long as the rules themselves. Uses `AxeBuilder` only for pages with frames, because axe in
 * the page itself cannot access frames that do not allow scripts.
 */
export async function findViolations(page: Page, rules: RuleSet = 'all'): Promise<Result[]> {
  const ruleIds = rules === 'colors' ? COLOR_RULES : [];
  if (page.frames().length > 1) {
    const builder = new AxeBuilder({ page });
    return (await (ruleIds.length > 0 ? builder.withRules(ruleIds) : builder).analyze()).violations;
  }
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (ruleIds) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // Omits the passed rules from the result, because there are many.
    const options: RunOptions = { resultTypes: ['violations'] };
    if (ruleIds.length > 0) options.runOnly = { type: 'rule', values: ruleIds };
    return (await axe.run(document, options)).violations;
  }, ruleIds);
}
