import { render } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Captcha, type CaptchaProvider } from './Captcha';

/** Provider, host of the script, and global variable of the script. */
const PROVIDERS: readonly [CaptchaProvider, string, string][] = [
  ['recaptcha', 'www.google.com', 'grecaptcha'],
  ['hcaptcha', 'js.hcaptcha.com', 'hcaptcha'],
  ['turnstile', 'challenges.cloudflare.com', 'turnstile'],
];

it.each(PROVIDERS)('renders the widget of %s', (provider, host, globalName) => {
  const renderWidget = vi.fn();
  const widget = { render: renderWidget, ready: (callback: () => void) => callback() };
  vi.stubGlobal(globalName, widget);
  const { unmount } = render(<Captcha siteKey="k" provider={provider} onToken={() => undefined} errors={undefined} />);
  const script = document.head.querySelector('script');
  expect(new URL(script?.src ?? '').host).toBe(host);
  script?.dispatchEvent(new Event('load'));
  expect(renderWidget).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ sitekey: 'k' }));
  unmount();
  expect(document.head.querySelector('script')).toBeNull();
  vi.unstubAllGlobals();
});
