// Screenshots of a running demo. Copy into console/ of your worktree as shoot.tmp.mjs (never commit it), then:
//   BASE=http://127.0.0.1:PORT SCHEMES=light,dark WIDTHS=1440,768 node shoot.tmp.mjs 'name=/path' 'name=/path=>css or text selector to click=>another click'
// Makes /tmp/shot-NAME-SCHEME-WIDTH.png; prints console errors, overflow and size. LANG_=de sets a language (localStorage), WHO=admin.
import { chromium } from '@playwright/test';
const base = process.env.BASE, who = process.env.WHO ?? 'admin';
const schemes = (process.env.SCHEMES ?? 'light,dark').split(','), widths = (process.env.WIDTHS ?? '1440,768').split(',').map(Number);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'] });
for (const scheme of schemes) for (const width of widths) {
  const context = await browser.newContext({ viewport: { width, height: Number(process.env.HEIGHT ?? 900) }, colorScheme: scheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.on('console', (m) => m.type() === 'error' && console.log('CONSOLE', m.text()));
  page.on('pageerror', (e) => console.log('PAGEERROR', e.message));
  await page.goto(base + '/login');
  await page.getByLabel('E-mail').fill(`${who}@panel.test`);
  await page.getByLabel('Password').fill('panel-demo');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  for (const arg of process.argv.slice(2)) {
    const [name, rest] = [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)];
    const [path, ...clicks] = rest.split('=>');
    await page.goto(base + path);
    await page.waitForLoadState('networkidle').catch(() => {});
    for (const c of clicks) { await page.locator(c).first().click({ timeout: 4000 }).catch((e) => console.log('CLICK', name, c, e.message.split('\n')[0])); await page.waitForTimeout(500); }
    await page.waitForTimeout(400);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (over > 0) console.log('OVERFLOW', name, scheme, width, over);
    await page.screenshot({ path: `/tmp/shot-${name}-${scheme}-${width}.png`, fullPage: !!process.env.FULL });
  }
  await context.close();
}
await browser.close();
