// The captcha widget. The script of the captcha provider is loaded only if a form requires a captcha. The content security policy
// of the server allows only the host of the configured provider.

import { useEffect, useRef } from 'react';
import type { Schemas } from '@/api/client';

/** The name of the request field with the captcha token, for all providers. */
export const CAPTCHA_FIELD = 'g-recaptcha-response';

export type CaptchaProvider = Schemas['CaptchaProvider'];

interface Widget {
  render: (container: HTMLElement, options: Record<string, unknown>) => unknown;
}

/** The script URL and the global variable of each provider. */
const CAPTCHA_SCRIPTS: Record<CaptchaProvider, { url: string; globalName: string }> = {
  recaptcha: { url: 'https://www.google.com/recaptcha/api.js?render=explicit', globalName: 'grecaptcha' },
  hcaptcha: { url: 'https://js.hcaptcha.com/1/api.js?render=explicit', globalName: 'hcaptcha' },
  turnstile: { url: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit', globalName: 'turnstile' },
};

interface Props {
  siteKey: string;
  provider: CaptchaProvider;
  /** Called with an empty string when the token has expired. */
  onToken: (token: string) => void;
  errors: readonly string[] | undefined;
}

export function Captcha({ siteKey, provider, onToken, errors = [] }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const latestOnToken = useRef(onToken);
  latestOnToken.current = onToken;
  useEffect(() => {
    const { url, globalName } = CAPTCHA_SCRIPTS[provider];
    const renderWidget = () => {
      const widget = (window as unknown as Record<string, Widget | undefined>)[globalName];
      if (!container.current || !widget) return;
      widget.render(container.current, {
        sitekey: siteKey,
        callback: (token: string) => latestOnToken.current(token),
        'expired-callback': () => latestOnToken.current(''),
      });
    };
    const script = document.createElement('script');
    script.src = url;
    script.async = true;
    script.onload = () => {
      // The script of reCAPTCHA loads more scripts before it is ready.
      const { grecaptcha } = window as unknown as { grecaptcha?: { ready?: (callback: () => void) => void } };
      if (provider === 'recaptcha' && grecaptcha?.ready) grecaptcha.ready(renderWidget);
      else renderWidget();
    };
    document.head.append(script);
    return () => script.remove();
  }, [siteKey, provider]);
  return (
    <div className="field">
      <div ref={container} />
      {errors.length > 0 && <small className="field-error">{errors.join(' ')}</small>}
    </div>
  );
}
