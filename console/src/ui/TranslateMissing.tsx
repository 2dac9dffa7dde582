// "Translate the missing ones": asks the panel's translator for what other languages lack. What comes back is a
// suggestion in the form, not saved; nothing that somebody wrote is written over.
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import { LOCALES } from '@/i18n/locales';
import { Button } from './Button';
import { filled, missing, type Texts } from './texts';

interface Props {
  all: Texts;
  names: readonly string[];
  onFilled: (all: Texts) => void;
}

export function TranslateMissing({ all, names, onFilled }: Props) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ text: string; bad: boolean } | null>(null);
  // What is typed while the translator works is there when it answers.
  const now = useRef(all);
  now.current = all;
  const { data: spoken } = useQuery({
    queryKey: ['application', 'auto-translation'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await told(api.GET('/api/v1/admin/application'))).data.auto_translation_locales,
  });
  const wanting = LOCALES.filter(({ code }) => Object.keys(missing(all, names, code)).length > 0);
  const run = async () => {
    setBusy(true);
    setSaid(null);
    let count = 0;
    const left: string[] = [];
    try {
      for (const { code, name } of wanting) {
        const fields = missing(now.current, names, code);
        if (Object.keys(fields).length === 0) continue;
        const body = { from_language: 'en', to_language: code, fields } as Schemas['TranslateInput'];
        const { data } = await told(api.POST('/api/v1/admin/translate', { body }));
        now.current = filled(now.current, code, data.fields);
        count += Object.keys(data.fields).length;
        if (data.left_out.length > 0) left.push(name);
        onFilled(now.current);
      }
      const done = t('ui.translate.done', { count });
      setSaid({
        text: left.length > 0 ? `${done} ${t('ui.translate.left', { names: left.join(', ') })}` : done,
        bad: left.length > 0,
      });
    } catch (error) {
      setSaid({ text: asProblem(error).message, bad: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="translate-missing">
      <Button
        icon="language"
        label={t('ui.translate.missing')}
        busy={busy}
        disabled={wanting.length === 0}
        onClick={() => {
          if (spoken?.length === 0) setSaid({ text: t('ui.translate.nobody'), bad: true });
          else void run();
        }}
      />
      <small role="status" className={said?.bad ? 'field-error' : 'field-hint'}>
        {said?.text ?? (wanting.length === 0 ? t('ui.translate.nothing') : '')}
      </small>
    </div>
  );
}
