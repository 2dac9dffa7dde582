// The form field with the rejection messages of an external panel. A rejection message is a response text that means that the external
// panel did not accept an order, together with its reason. The field shows the server's errors at the messages.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { RejectionReason } from '@/api/enums';
import { rowsCodec } from '@/form/codecs';
import { collectFieldErrors, type FieldErrors } from '@/form/problems';
import { Button } from '@/ui/Button';
import { Select } from '@/ui/Select';

type RejectionMessage = Schemas['RejectionMessage'];

const messagesCodec = rowsCodec<RejectionMessage, RejectionMessage>(
  (message) => message,
  (message) => message,
);

/** Like `messagesCodec`, but omits empty messages from the request body. */
export const rejectionMessagesCodec: typeof messagesCodec = {
  ...messagesCodec,
  parse: (text) => messagesCodec.parse(text).filter(({ message }) => message.trim() !== ''),
};

export function useRejectionReasonOptions() {
  const { t } = useTranslation();
  return RejectionReason.map((reason) => ({ value: reason, label: t(`externalPanels.rejections.reasons.${reason}`) }));
}

interface Props {
  value: string;
  /** Errors of the messages, by the index of the message. */
  innerErrors: FieldErrors;
  onChange: (value: string) => void;
}

export function RejectionMessagesField({ value, innerErrors, onChange }: Props) {
  const { t } = useTranslation();
  const reasonOptions = useRejectionReasonOptions();
  const messages = messagesCodec.parse(value);
  const setMessages = (messages: readonly RejectionMessage[]) => onChange(messagesCodec.format(messages));
  const updateMessage = (changedIndex: number, change: Partial<RejectionMessage>) =>
    setMessages(messages.map((message, index) => (index === changedIndex ? { ...message, ...change } : message)));
  return (
    <fieldset className="part lines">
      <legend>{t('externalPanels.rejections.title')}</legend>
      <p className="none">{t('externalPanels.rejections.hint')}</p>
      {messages.map(({ message, reason }, index) => {
        const errors = collectFieldErrors(innerErrors, String(index)) ?? [];
        const number = index + 1;
        return (
          <div key={index} className="rejection">
            <MessageInput
              label={t('externalPanels.rejections.message', { number })}
              invalid={errors.length > 0}
              value={message}
              onChange={(message) => updateMessage(index, { message })}
            />
            <Select
              label={t('externalPanels.rejections.reason', { number })}
              value={reason}
              options={reasonOptions}
              onChange={(reason) => reason && updateMessage(index, { reason })}
            />
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('externalPanels.rejections.remove', { number })}
              onClick={() => setMessages(messages.filter((_, otherIndex) => otherIndex !== index))}
            />
            {errors.length > 0 && <small className="field-error">{errors.join(' ')}</small>}
          </div>
        );
      })}
      <Button
        icon="plus"
        label={t('externalPanels.rejections.add')}
        onClick={() => setMessages([...messages, { message: '', reason: 'service_disabled' }])}
      />
    </fieldset>
  );
}

interface MessageInputProps {
  label: string;
  invalid: boolean;
  value: string;
  onChange: (value: string) => void;
}

/**
 * An input that grows with its text, so that the user sees a long message completely. A message is a single line, so line breaks
 * become spaces.
 */
function MessageInput({ label, invalid, value, onChange }: MessageInputProps) {
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
          // Enter submits the form, as in a single-line input.
          event.preventDefault();
          if (!event.repeat) event.currentTarget.form?.requestSubmit();
        }}
      />
    </div>
  );
}
