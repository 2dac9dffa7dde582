// The captcha widget. Its script is loaded only when a form requires a captcha, from the provider that the server verifies answers
// with. The server's content security policy allows only that host.

import { useEffect, useRef } from 'react';
import type { Schemas } from '@/api/client';

/** The request field of the captcha's answer, for every provider. */
export const CAPTCHA = 'g-recaptcha-response';

export type CaptchaProvider = Schemas['CaptchaProvider'];

interface Widget {
  render: (place: HTMLElement, options: Record<string, unknown>) => unknown;
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
  onAnswer: (answer: string) => void;
  errors: readonly string[] | undefined;
}

export function Captcha({ siteKey, provider, onAnswer, errors = [] }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const answer = useRef(onAnswer);
  answer.current = onAnswer;
  useEffect(() => {
    const { src, name } = SCRIPTS[provider];
    const renderWidget = () => {
      const widget = (window as unknown as Record<string, Widget | undefined>)[name];
      if (!place.current || !widget) return;
      widget.render(place.current, {
        sitekey: siteKey,
        callback: (text: string) => answer.current(text),
        'expired-callback': () => answer.current(''),
      });
    };
    const script = document.createElement('script');
    script.src = src;
    script.async = true;
    script.onload = () => {
      // reCAPTCHA's script loads further scripts; the other providers are ready on load.
      const { grecaptcha } = window as unknown as { grecaptcha?: { ready?: (run: () => void) => void } };
      if (provider === 'recaptcha' && grecaptcha?.ready) grecaptcha.ready(renderWidget);
      else renderWidget();
    };
    document.head.append(script);
    return () => script.remove();
  }, [siteKey, provider]);
  return (
    <div className="field">
      <div ref={place} />
      {errors.length > 0 && <small className="field-error">{errors.join(' ')}</small>}
    </div>
  );
}
