// The captcha widget. It loads the provider's script only if a form requires a captcha. The content security policy of the server
// allows only the host of the provider that is configured.

import { useEffect, useRef } from 'react';
import type { Schemas } from '@/api/client';

/** The name of the request field with the captcha token, for all providers. */
export const CAPTCHA_FIELD = 'g-recaptcha-response';

export type CaptchaProvider = Schemas['CaptchaProvider'];

interface Widget {
  render: (container: HTMLElement, options: Record<string, unknown>) => unknown;
}

/** The script URL and the global variable of each provider. */
const SCRIPTS: Record<CaptchaProvider, { src: string; name: string }> = {
  recaptcha: { src: 'https://www.google.com/recaptcha/api.js?render=explicit', name: 'grecaptcha' },
  hcaptcha: { src: 'https://js.hcaptcha.com/1/api.js?render=explicit', name: 'hcaptcha' },
  turnstile: { src: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit', name: 'turnstile' },
};

interface Props {
  siteKey: string;
  provider: CaptchaProvider;
  /** Called with an empty text when the token has expired. */
  onToken: (token: string) => void;
  errors: readonly string[] | undefined;
}

export function Captcha({ siteKey, provider, onToken, errors = [] }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const latestOnToken = useRef(onToken);
  latestOnToken.current = onToken;
  useEffect(() => {
    const { src, name } = SCRIPTS[provider];
    const renderWidget = () => {
      const widget = (window as unknown as Record<string, Widget | undefined>)[name];
      if (!container.current || !widget) return;
      widget.render(container.current, {
        sitekey: siteKey,
        callback: (token: string) => latestOnToken.current(token),
        'expired-callback': () => latestOnToken.current(''),
      });
    };
    const script = document.createElement('script');
    script.src = src;
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
