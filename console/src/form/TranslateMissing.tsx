// "Translate the missing ones": asks the panel's translator for what other languages lack. What comes back is a
// suggestion in the form, not saved; nothing that a person wrote is written over.
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { LOCALES } from '@/i18n/locales';
import { Button } from '@/ui/Button';
import { filled, missing, type Texts } from '@/ui/texts';
import { useSubmit } from './useSubmit';

interface Props {
  all: Texts;
  names: readonly string[];
  onFilled: (all: Texts) => void;
}

export function TranslateMissing({ all, names, onFilled }: Props) {
  const { t } = useTranslation();
  const [message, setMessage] = useState<{ text: string; isBad: boolean } | null>(null);
  // What is typed while the translator works is there when it answers.
  const now = useRef(all);
  now.current = all;
  const { data: spoken } = useQuery({
    queryKey: ['application', 'auto-translation'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/application'))).data.auto_translation_locales,
  });
  const wanting = LOCALES.filter(({ code }) => Object.keys(missing(all, names, code)).length > 0);
  const { submit, isPending } = useSubmit({
    send: async () => {
      let count = 0;
      const left: string[] = [];
      for (const { code, name } of wanting) {
        const fields = missing(now.current, names, code);
        if (Object.keys(fields).length === 0) continue;
        const body = { from_language: 'en' as const, to_language: code, fields };
        const { data } = await unwrap(api.POST('/api/v1/admin/translate', { body }));
        now.current = filled(now.current, code, data.fields);
        count += Object.keys(data.fields).length;
        if (data.left_out.length > 0) left.push(name);
        onFilled(now.current);
      }
      return { count, left };
    },
    onDone: ({ count, left }) => {
      const done = t('ui.translate.done', { count });
      const rest = left.length > 0 && t('ui.translate.left', { names: left.join(', ') });
      setMessage({ text: rest ? `${done} ${rest}` : done, isBad: left.length > 0 });
    },
    onProblem: ({ message }) => setMessage({ text: message, isBad: true }),
  });
  const translate = () => {
    if (spoken?.length === 0) return setMessage({ text: t('ui.translate.nobody'), isBad: true });
    setMessage(null);
    void submit();
  };
  return (
    <div className="translate-missing">
      <Button
        icon="language"
        label={t('ui.translate.missing')}
        busy={isPending}
        disabled={wanting.length === 0}
        onClick={translate}
      />
      <small role="status" className={message?.isBad ? 'field-error' : 'field-hint'}>
        {message?.text ?? (wanting.length === 0 ? t('ui.translate.nothing') : '')}
      </small>
    </div>
  );
}
