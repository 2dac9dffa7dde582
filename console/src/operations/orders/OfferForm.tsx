// A dialog for what costs a customer money: first what it costs, then, once that was seen, the thing itself. One key for
// the whole dialog: pressing twice buys once.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { How } from '@/api/how';
import { FormDialog, type FormField } from '@/form/FormDialog';
import type { AnySpec, FormValues } from '@/form/spec';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { UserField } from '@/ui/UserField';

/** What was answered to a body: what it would be, or, once it was done, what it is. */
interface Answer<Made> {
  made: Made;
  asked: string;
  isDone: boolean;
}

interface Props<Body, Made extends { cost: string }> {
  title: string;
  fields: readonly FormField[];
  spec: AnySpec;
  initial: FormValues;
  bodyOf: (values: FormValues) => Body;
  send: (body: Body, how: How) => Promise<Made>;
  /** What it would be, in a sentence. */
  about: (offer: Made) => ReactNode;
  /** What was done, in a sentence. */
  done: (made: Made) => string;
  onClose: () => void;
  onDone: () => void;
}

export function OfferForm<Body, Made extends { cost: string }>(props: Props<Body, Made>) {
  const { t } = useTranslation();
  const [offer, setOffer] = useState<Answer<Made> | null>(null);
  const send = async (values: FormValues, key: string): Promise<Answer<Made>> => {
    const body = props.bodyOf(values);
    const asked = JSON.stringify(body);
    const isDone = offer?.asked === asked;
    return { made: await props.send(body, isDone ? { dryRun: false, key } : { dryRun: true }), asked, isDone };
  };
  return (
    <FormDialog
      title={props.title}
      confirm={offer ? t('orders.place.place', { cost: money(offer.made.cost) }) : t('orders.place.check')}
      fields={[...props.fields]}
      initial={props.initial}
      // Something else has another price.
      onChange={() => setOffer(null)}
      note={offer && <output className="hint">{props.about(offer.made)}</output>}
      spec={props.spec}
      send={({ values }, key) => send(values, key)}
      // One key for the question and the answer: whatever is checked again meanwhile, it is bought once.
      isStep={({ isDone }) => !isDone}
      success={({ made, isDone }) => (isDone ? props.done(made) : null)}
      onDone={(answer) => {
        if (answer.isDone) return props.onDone();
        setOffer(answer);
        return 'stay';
      }}
      onClose={props.onClose}
    />
  );
}

/** For whom; who may not look at customers types the id. */
export function useCustomerField(): FormField {
  const { t } = useTranslation();
  const may = useMay();
  if (!may('view users')) return { name: 'user_id', label: t('payments.userId'), mode: 'numeric' };
  const label = t('orders.columns.user');
  const draw: FormField['draw'] = ({ id, invalid, onChange }) => (
    <UserField id={id} label={label} invalid={invalid} onChange={onChange} />
  );
  return { name: 'user_id', label, draw };
}
