// The messages by which a panel says that it took no order, each with what it means; what the server refuses stands at
// its message.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { Button } from '@/ui/Button';
import { Select } from '@/ui/Select';

type RejectionMessage = Schemas['RejectionMessage'];
type Reason = Schemas['RejectionReason'];

const REASONS = [
  'invalid_key',
  'account_suspended',
  'insufficient_funds',
  'duplicate_link',
  'quantity_below',
  'quantity_above',
  'unknown_service',
  'service_disabled',
  'invalid_link',
  'invalid_request',
  'too_many_calls',
] as const satisfies readonly Reason[];

const messagesOf = (value: string | undefined) => JSON.parse(value || '[]') as RejectionMessage[];

/** As a form keeps them; `messagesOf` reads them again. */
export const keptMessages = (messages: readonly RejectionMessage[] | undefined) => JSON.stringify(messages ?? []);

/** As the wire has them: lines without words are left out. */
export const sentMessages = (value: string) => messagesOf(value).filter(({ message }) => message.trim() !== '');

/** What panels mean, to choose from. */
export function useReasons() {
  const { t } = useTranslation();
  return REASONS.map((reason) => ({ value: reason, label: t(`externalPanels.rejections.reasons.${reason}`) }));
}

interface Props {
  value: string;
  within: Readonly<Record<string, readonly string[]>>;
  onChange: (value: string) => void;
}

export function RejectionLines({ value, within, onChange }: Props) {
  const { t } = useTranslation();
  const reasons = useReasons();
  const messages = messagesOf(value);
  const set = (messages: readonly RejectionMessage[]) => onChange(keptMessages(messages));
  const change = (at: number, part: Partial<RejectionMessage>) =>
    set(messages.map((one, n) => (n === at ? { ...one, ...part } : one)));
  return (
    <fieldset className="part lines">
      <legend>{t('externalPanels.rejections.title')}</legend>
      <p className="none">{t('externalPanels.rejections.hint')}</p>
      {messages.map((one, at) => {
        const wrong = Object.entries(within).flatMap(([name, all]) => (name.startsWith(`${at}.`) ? all : []));
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
              onChange={(reason) => reason && change(at, { reason: reason as Reason })}
            />
            <Button
              look="plain"
              iconOnly
              icon="times"
              label={t('externalPanels.rejections.remove', { number: at + 1 })}
              onClick={() => set(messages.filter((_, n) => n !== at))}
            />
            {wrong.length > 0 && <small className="field-error">{wrong.join(' ')}</small>}
          </div>
        );
      })}
      <Button
        icon="plus"
        label={t('externalPanels.rejections.add')}
        onClick={() => set([...messages, { message: '', reason: 'service_disabled' }])}
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
