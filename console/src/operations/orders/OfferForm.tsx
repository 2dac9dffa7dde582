// A dialog for what costs a customer money: first what it costs, then, once that was seen, the thing itself. One key for
// the whole dialog: pressing twice buys once.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { money } from '@/i18n/format';
import { useMay } from '@/session/hooks';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { toast } from '@/ui/toasts';
import { UserField } from '@/ui/UserField';

type Values = Record<string, string>;

/** How it is sent: to be tried only, or to be done once under a key. */
export type How = { params: { query: { dry_run: '1' } } } | { headers: { 'Idempotency-Key': string } };

interface Props<Body, Made extends { cost: string }> {
  title: string;
  fields: readonly FormField[];
  initial: Values;
  bodyOf: (values: Values) => Body;
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
  const [key] = useState(() => crypto.randomUUID());
  const [offer, setOffer] = useState<{ made: Made; asked: string } | null>(null);
  return (
    <FormDialog
      title={props.title}
      confirm={offer ? t('orders.place.place', { cost: money(offer.made.cost) }) : t('orders.place.check')}
      fields={[...props.fields]}
      initial={props.initial}
      // Something else has another price.
      onChange={() => setOffer(null)}
      note={offer && <output className="hint">{props.about(offer.made)}</output>}
      onClose={props.onClose}
      onSave={async (values) => {
        const body = props.bodyOf(values);
        const asked = JSON.stringify(body);
        if (offer?.asked !== asked) {
          setOffer({ made: await props.send(body, { params: { query: { dry_run: '1' } } }), asked });
          return 'stay';
        }
        const made = await props.send(body, { headers: { 'Idempotency-Key': key } });
        toast({ tone: 'success', text: props.done(made) });
        props.onDone();
      }}
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
