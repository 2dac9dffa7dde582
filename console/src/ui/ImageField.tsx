// An image of a record: what it looks like now, a file in its place (chosen, dropped or pasted), or none. Its value is a
// text as the API takes it: an address, a data URL, or nothing.
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';

interface Props {
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

/** What the server takes; anything else it refuses with a sentence. */
const KINDS = 'image/png,image/jpeg,image/webp,image/gif';

export function ImageField({ id, label, value, onChange, ...told }: Props) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file) void dataUrl(file).then(onChange);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const paste = (event: ClipboardEvent) => take(event.clipboardData.files);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping and pasting are shortcuts for the button within
    <div
      className={over ? 'image-field image-field-over' : 'image-field'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      onPaste={paste}
    >
      {value ? <img src={value} alt={label} /> : <span className="image-field-none">{t('ui.image.none')}</span>}
      <div className="image-field-tools">
        <Button
          label={t(value ? 'ui.image.replace' : 'ui.image.choose')}
          icon="upload"
          aria-label={`${t(value ? 'ui.image.replace' : 'ui.image.choose')}: ${label}`}
          onClick={() => input.current?.click()}
        />
        {value && (
          <Button
            look="plain"
            label={t('ui.image.remove')}
            aria-label={`${t('ui.image.remove')}: ${label}`}
            onClick={() => onChange('')}
          />
        )}
        <input
          {...told}
          ref={input}
          id={id}
          type="file"
          accept={KINDS}
          tabIndex={-1}
          className="image-field-input"
          onChange={(event) => {
            take(event.target.files);
            // The same file may be chosen again after it was taken away.
            event.target.value = '';
          }}
        />
      </div>
    </div>
  );
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
