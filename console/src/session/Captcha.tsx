// The captcha's box. Its script is loaded only on the sign-in page and only where the panel is set so; the server's
// content policy lets no other page do this.
import { useEffect, useRef } from 'react';

interface Widget {
  ready: (run: () => void) => void;
  render: (place: HTMLElement, options: Record<string, unknown>) => number;
}

const SCRIPT = 'https://www.google.com/recaptcha/api.js?render=explicit';

interface Props {
  siteKey: string;
  onAnswer: (answer: string) => void;
  errors: readonly string[] | undefined;
}

export function Captcha({ siteKey, onAnswer, errors = [] }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const answer = useRef(onAnswer);
  answer.current = onAnswer;
  useEffect(() => {
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.async = true;
    script.onload = () => {
      const { grecaptcha } = window as unknown as { grecaptcha?: Widget };
      grecaptcha?.ready(() => {
        if (!place.current) return;
        grecaptcha.render(place.current, {
          sitekey: siteKey,
          callback: (text: string) => answer.current(text),
          'expired-callback': () => answer.current(''),
        });
      });
    };
    document.head.append(script);
    return () => script.remove();
  }, [siteKey]);
  return (
    <div className="field">
      <div ref={place} />
      {errors.length > 0 && <small className="field-error">{errors.join(' ')}</small>}
    </div>
  );
}
