// An image input: preview, a new file (chosen, dropped or pasted), or none. The value is what the API accepts: a URL, a data URL,
// or an empty text.
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

/** Types that the server accepts. */
const ACCEPTED_TYPES = 'image/png,image/jpeg,image/webp,image/gif';

export function ImageField({ id, label, value, onChange, ...ariaProps }: Props) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [isDragOver, setIsDragOver] = useState(false);
  const readFirst = (files: FileList | null) => {
    const file = files?.[0];
    if (file) void dataUrl(file).then(onChange);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsDragOver(false);
    readFirst(event.dataTransfer.files);
  };
  const paste = (event: ClipboardEvent) => readFirst(event.clipboardData.files);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping and pasting are shortcuts for the button within
    <div
      className={isDragOver ? 'image-field image-field-over' : 'image-field'}
      onDragOver={(event) => {
        event.preventDefault();
        setIsDragOver(true);
      }}
      onDragLeave={() => setIsDragOver(false)}
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
            variant="plain"
            label={t('ui.image.remove')}
            aria-label={`${t('ui.image.remove')}: ${label}`}
            onClick={() => onChange('')}
          />
        )}
        <input
          {...ariaProps}
          ref={input}
          id={id}
          type="file"
          accept={ACCEPTED_TYPES}
          tabIndex={-1}
          className="image-field-input"
          onChange={(event) => {
            readFirst(event.target.files);
            // Reset, so that the same file can be chosen again after it was removed.
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
