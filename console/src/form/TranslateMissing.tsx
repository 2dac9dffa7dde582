// The button "Translate missing texts": requests machine translations of the English texts that other languages do not have. The
// translations fill only empty fields of the form, and the user must save them.
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { LOCALES } from '@/i18n/locales';
import { Button } from '@/ui/Button';
import { fillMissingTexts, findMissingTexts, type Texts } from '@/ui/texts';
import { useSubmit } from './useSubmit';

interface Props {
  texts: Texts;
  /** Names of the texts that a record has in every language. */
  textNames: readonly string[];
  onFilled: (texts: Texts) => void;
}

export function TranslateMissing({ texts, textNames, onFilled }: Props) {
  const { t } = useTranslation();
  const [message, setMessage] = useState<{ text: string; isError: boolean } | null>(null);
  // The user may edit texts while the requests are pending.
  const latestTexts = useRef(texts);
  latestTexts.current = texts;
  const { data: supportedLocales } = useQuery({
    queryKey: ['application', 'auto-translation'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/application'))).data.auto_translation_locales,
  });
  const incompleteLocales = LOCALES.filter(
    ({ code }) => Object.keys(findMissingTexts(texts, textNames, code)).length > 0,
  );
  const { submit, isPending } = useSubmit({
    send: async () => {
      let translatedCount = 0;
      const incompleteNames: string[] = [];
      for (const { code, name } of incompleteLocales) {
        const fields = findMissingTexts(latestTexts.current, textNames, code);
        if (Object.keys(fields).length === 0) continue;
        const body = { from_language: 'en' as const, to_language: code, fields };
        const { data } = await unwrap(api.POST('/api/v1/admin/translate', { body }));
        latestTexts.current = fillMissingTexts(latestTexts.current, code, data.fields);
        translatedCount += Object.keys(data.fields).length;
        if (data.left_out.length > 0) incompleteNames.push(name);
        onFilled(latestTexts.current);
      }
      return { translatedCount, incompleteNames };
    },
    onDone: ({ translatedCount, incompleteNames }) => {
      const successText = t('ui.translate.done', { count: translatedCount });
      const incompleteText =
        incompleteNames.length > 0 && t('ui.translate.notTranslated', { names: incompleteNames.join(', ') });
      setMessage({
        text: incompleteText ? `${successText} ${incompleteText}` : successText,
        isError: incompleteNames.length > 0,
      });
    },
    onProblem: ({ message }) => setMessage({ text: message, isError: true }),
  });
  const translate = () => {
    if (supportedLocales?.length === 0) return setMessage({ text: t('ui.translate.unavailable'), isError: true });
    setMessage(null);
    void submit();
  };
  return (
    <div className="translate-missing">
      <Button
        icon="language"
        label={t('ui.translate.translateMissing')}
        busy={isPending}
        disabled={incompleteLocales.length === 0}
        onClick={translate}
      />
      <small role="status" className={message?.isError ? 'field-error' : 'field-hint'}>
        {message?.text ?? (incompleteLocales.length === 0 ? t('ui.translate.complete') : '')}
      </small>
    </div>
  );
}
