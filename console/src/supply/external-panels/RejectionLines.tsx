// The messages by which a panel says that it took no order, each with what it means; what the server refuses stands at
// its message.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { RejectionReason } from '@/api/words';
import { rows } from '@/form/codecs';
import { errorsAt, type FieldErrors } from '@/form/problems';
import { Button } from '@/ui/Button';
import { Select } from '@/ui/Select';

type RejectionMessage = Schemas['RejectionMessage'];

const all = rows<RejectionMessage, RejectionMessage>(
  (message) => message,
  (message) => message,
);

/** Lines without words are left out. */
export const messages: typeof all = {
  ...all,
  parse: (text) => all.parse(text).filter(({ message }) => message.trim() !== ''),
};

/** What panels mean, to choose from. */
export function useReasons() {
  const { t } = useTranslation();
  return RejectionReason.map((reason) => ({ value: reason, label: t(`externalPanels.rejections.reasons.${reason}`) }));
}

interface Props {
  value: string;
  within: FieldErrors;
  onChange: (value: string) => void;
}

export function RejectionLines({ value, within, onChange }: Props) {
  const { t } = useTranslation();
  const reasons = useReasons();
  const lines = all.parse(value);
  const set = (lines: readonly RejectionMessage[]) => onChange(all.format(lines));
  const change = (at: number, part: Partial<RejectionMessage>) =>
    set(lines.map((one, n) => (n === at ? { ...one, ...part } : one)));
  return (
    <fieldset className="part lines">
      <legend>{t('externalPanels.rejections.title')}</legend>
      <p className="none">{t('externalPanels.rejections.hint')}</p>
      {lines.map((one, at) => {
        const wrong = errorsAt(within, String(at)) ?? [];
        const label = t('externalPanels.rejections.message', { number: at + 1 });
        return (
          <div key={at} className="rejection">
            <Message
              label={label}
              invalid={wrong.length > 0}
              value={one.message}
              onChange={(message) => change(at, { message })}
            />
            <Select
              label={t('externalPanels.rejections.reason', { number: at + 1 })}
              value={one.reason}
              options={reasons}
              onChange={(reason) => reason && change(at, { reason })}
            />
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('externalPanels.rejections.remove', { number: at + 1 })}
              onClick={() => set(lines.filter((_, n) => n !== at))}
            />
            {wrong.length > 0 && <small className="field-error">{wrong.join(' ')}</small>}
          </div>
        );
      })}
      <Button
        icon="plus"
        label={t('externalPanels.rejections.add')}
        onClick={() => set([...lines, { message: '', reason: 'service_disabled' }])}
      />
    </fieldset>
  );
}

interface MessageProps {
  label: string;
  invalid: boolean;
  value: string;
  onChange: (value: string) => void;
}

/** A message in full, however long: the field grows with it. It is one line to the panel, so it has no line breaks. */
function Message({ label, invalid, value, onChange }: MessageProps) {
  return (
    <div className="grows" data-text={value}>
      <textarea
        className="input"
        rows={1}
        aria-label={label}
        aria-invalid={invalid || undefined}
        maxLength={500}
        value={value}
        onChange={(event) => onChange(event.target.value.replace(/\s*[\r\n]+\s*/g, ' '))}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          // As in a field of one line.
          event.preventDefault();
          if (!event.repeat) event.currentTarget.form?.requestSubmit();
        }}
      />
    </div>
  );
}
