// The input for HTML of the customer site, which shows the HTML as text. A button opens a preview in a sandboxed frame. The frame must
// not have scripts, forms or access to the origin of the console.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';

interface Props {
  id: string;
  label: string;
  value: string;
  maxLength: number;
  onChange: (value: string) => void;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

export function HtmlField({ label, value, maxLength, onChange, ...inputProps }: Props) {
  const { t } = useTranslation();
  const [previewedHtml, setPreviewedHtml] = useState<string | null>(null);
  return (
    <div className="html-field">
      <textarea
        {...inputProps}
        className="input html-code"
        rows={8}
        spellCheck={false}
        maxLength={maxLength}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="html-tools">
        <Button
          icon="eye"
          label={t('settings.html.preview')}
          disabled={!value}
          onClick={() => setPreviewedHtml(value)}
        />
        {previewedHtml !== null && (
          <Button variant="plain" label={t('settings.html.hidePreview')} onClick={() => setPreviewedHtml(null)} />
        )}
      </div>
      {previewedHtml !== null && (
        <iframe title={`${t('settings.html.preview')}: ${label}`} sandbox="" srcDoc={previewedHtml} />
      )}
    </div>
  );
}
