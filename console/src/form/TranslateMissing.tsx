// "Translate missing": requests machine translations for texts that other languages lack. The results fill empty fields of the
// form only; they are not saved, and existing texts are not overwritten.
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { LOCALES } from '@/i18n/locales';
import { Button } from '@/ui/Button';
import { fillMissing, missingTexts, type Texts } from '@/ui/texts';
import { useSubmit } from './useSubmit';

interface Props {
  all: Texts;
  names: readonly string[];
  onFilled: (all: Texts) => void;
}

export function TranslateMissing({ all, names, onFilled }: Props) {
  const { t } = useTranslation();
  const [message, setMessage] = useState<{ text: string; isError: boolean } | null>(null);
  // The user may edit texts while the translations are requested.
  const latest = useRef(all);
  latest.current = all;
  const { data: supportedLocales } = useQuery({
    queryKey: ['application', 'auto-translation'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/application'))).data.auto_translation_locales,
  });
  const incomplete = LOCALES.filter(({ code }) => Object.keys(missingTexts(all, names, code)).length > 0);
  const { submit, isPending } = useSubmit({
    send: async () => {
      let count = 0;
      const incompleteNames: string[] = [];
      for (const { code, name } of incomplete) {
        const fields = missingTexts(latest.current, names, code);
        if (Object.keys(fields).length === 0) continue;
        const body = { from_language: 'en' as const, to_language: code, fields };
        const { data } = await unwrap(api.POST('/api/v1/admin/translate', { body }));
        latest.current = fillMissing(latest.current, code, data.fields);
        count += Object.keys(data.fields).length;
        if (data.left_out.length > 0) incompleteNames.push(name);
        onFilled(latest.current);
      }
      return { count, incompleteNames };
    },
    onDone: ({ count, incompleteNames }) => {
      const done = t('ui.translate.done', { count });
      const incompleteText =
        incompleteNames.length > 0 && t('ui.translate.left', { names: incompleteNames.join(', ') });
      setMessage({ text: incompleteText ? `${done} ${incompleteText}` : done, isError: incompleteNames.length > 0 });
    },
    onProblem: ({ message }) => setMessage({ text: message, isError: true }),
  });
  const translate = () => {
    if (supportedLocales?.length === 0) return setMessage({ text: t('ui.translate.nobody'), isError: true });
    setMessage(null);
    void submit();
  };
  return (
    <div className="translate-missing">
      <Button
        icon="language"
        label={t('ui.translate.missing')}
        busy={isPending}
        disabled={incomplete.length === 0}
        onClick={translate}
      />
      <small role="status" className={message?.isError ? 'field-error' : 'field-hint'}>
        {message?.text ?? (incomplete.length === 0 ? t('ui.translate.nothing') : '')}
      </small>
    </div>
  );
}
