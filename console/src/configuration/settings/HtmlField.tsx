// HTML that will run in customers' browsers: text here. A preview is drawn in a frame without scripts, forms or the
// console's origin, and only when asked for.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';

interface Props {
  id: string;
  label: string;
  value: string;
  most: number;
  onChange: (value: string) => void;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

export function HtmlField({ label, value, most, onChange, ...given }: Props) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<string | null>(null);
  return (
    <div className="html-field">
      <textarea
        {...given}
        className="input html-code"
        rows={8}
        spellCheck={false}
        maxLength={most}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="html-tools">
        <Button icon="eye" label={t('settings.html.preview')} disabled={!value} onClick={() => setShown(value)} />
        {shown !== null && <Button variant="plain" label={t('settings.html.hide')} onClick={() => setShown(null)} />}
      </div>
      {shown !== null && <iframe title={`${t('settings.html.preview')}: ${label}`} sandbox="" srcDoc={shown} />}
    </div>
  );
}
