// An input for an image with a preview. The user can select, drop or paste a file, or remove the image. The value is the URL of the
// stored image, the data URL of a new image, or an empty string.
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

/** The media types that the server accepts. */
const ACCEPTED_TYPES = 'image/png,image/jpeg,image/webp,image/gif';

export function ImageField({ id, label, value, onChange, ...ariaProps }: Props) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [isDragOver, setIsDragOver] = useState(false);
  const readFirstFile = (files: FileList | null) => {
    const file = files?.[0];
    if (file) void readAsDataUrl(file).then(onChange);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsDragOver(false);
    readFirstFile(event.dataTransfer.files);
  };
  const onPaste = (event: ClipboardEvent) => readFirstFile(event.clipboardData.files);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping and pasting are shortcuts for the upload button
    <div
      className={isDragOver ? 'image-field image-field-over' : 'image-field'}
      onDragOver={(event) => {
        event.preventDefault();
        setIsDragOver(true);
      }}
      onDragLeave={() => setIsDragOver(false)}
      onDrop={onDrop}
      onPaste={onPaste}
    >
      {value ? <img src={value} alt={label} /> : <span className="image-field-none">{t('ui.image.noImage')}</span>}
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
            readFirstFile(event.target.files);
            // Without this reset, the browser would report no change if the user selects the same file again.
            event.target.value = '';
          }}
        />
      </div>
    </div>
  );
}

function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
