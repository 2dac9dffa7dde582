// A dialog that buys something for a customer. The first submit is a dry run that shows the price; the second submit buys. The
// whole dialog has one idempotency key, so that a double click buys once.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WriteOptions } from '@/api/writeOptions';
import { FormDialog, type FormField } from '@/form/FormDialog';
import type { AnyFormSpec, FormValues } from '@/form/spec';
import { formatMoney } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { UserField } from '@/ui/UserField';

/** The answer to a request: a quote from the dry run, or the purchase. */
interface Answer<Result> {
  result: Result;
  /** The JSON of the request body. A purchase must have the same body as its quote. */
  request: string;
  isPurchase: boolean;
}

interface Props<Body, Result extends { cost: string }> {
  title: string;
  fields: readonly FormField[];
  spec: AnyFormSpec;
  initial: FormValues;
  bodyOf: (values: FormValues) => Body;
  send: (body: Body, options: WriteOptions) => Promise<Result>;
  /** The text that describes the quote. */
  about: (quote: Result) => ReactNode;
  /** The text of the toast after the purchase. */
  done: (result: Result) => string;
  onClose: () => void;
  onDone: () => void;
}

export function PurchaseForm<Body, Result extends { cost: string }>(props: Props<Body, Result>) {
  const { t } = useTranslation();
  const [quote, setQuote] = useState<Answer<Result> | null>(null);
  const send = async (values: FormValues, key: string): Promise<Answer<Result>> => {
    const body = props.bodyOf(values);
    const request = JSON.stringify(body);
    const isPurchase = quote?.request === request;
    const result = await props.send(body, isPurchase ? { dryRun: false, key } : { dryRun: true });
    return { result, request, isPurchase };
  };
  return (
    <FormDialog
      title={props.title}
      confirm={quote ? t('orders.place.place', { cost: formatMoney(quote.result.cost) }) : t('orders.place.check')}
      fields={[...props.fields]}
      initial={props.initial}
      // A changed form may have another price, so the quote is dropped.
      onChange={() => setQuote(null)}
      note={quote && <output className="hint">{props.about(quote.result)}</output>}
      spec={props.spec}
      send={({ values }, key) => send(values, key)}
      // A quote does not end the use of the key: after a lost answer and a new quote, the retry still buys once.
      isStep={({ isPurchase }) => !isPurchase}
      success={({ result, isPurchase }) => (isPurchase ? props.done(result) : null)}
      onDone={(answer) => {
        if (answer.isPurchase) return props.onDone();
        setQuote(answer);
        return 'stay';
      }}
      onClose={props.onClose}
    />
  );
}

/** The field for the customer: a picker, or the id as a number for staff who may not view users. */
export function useCustomerField(): FormField {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  if (!hasPermission('view users')) return { name: 'user_id', label: t('payments.userId'), mode: 'numeric' };
  const label = t('orders.columns.user');
  const render: FormField['render'] = ({ id, invalid, onChange }) => (
    <UserField id={id} label={label} invalid={invalid} onChange={onChange} />
  );
  return { name: 'user_id', label, render };
}
