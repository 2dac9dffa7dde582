// Accessibility violations found by axe, with all rules or with the color rules only.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import axe, { type Result, type RunOptions } from 'axe-core';

/** All rules, or only those about colors when only the color scheme has changed since the last full check. */
export type Rules = 'all' | 'colors';

/** Axe's color rules of WCAG levels A and AA; the rules of AAA are off by default. */
const COLOR_RULES = axe
  .getRules(['cat.color'])
  .filter(({ tags }) => !tags.some((tag) => tag.endsWith('aaa') || tag === 'experimental'))
  .map(({ ruleId }) => ruleId);

/**
 * The violations on the current page. `AxeBuilder` injects axe three times and opens a page per call, which takes four times as
 * long as the rules themselves; this function injects axe once per page. Pages with frames need the builder, because axe inside
 * of a page cannot access a frame without scripts.
 */
export async function violations(page: Page, rules: Rules = 'all'): Promise<Result[]> {
  const ruleIds = rules === 'colors' ? COLOR_RULES : [];
  if (page.frames().length > 1) {
    const builder = new AxeBuilder({ page });
    return (await (ruleIds.length > 0 ? builder.withRules(ruleIds) : builder).analyze()).violations;
  }
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (ruleIds) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // Omits passed rules from the result.
    const options: RunOptions = { resultTypes: ['violations'] };
    if (ruleIds.length > 0) options.runOnly = { type: 'rule', values: ruleIds };
    return (await axe.run(document, options)).violations;
  }, ruleIds);
}
