// A dialog that buys an order or a package for a customer. The first submit is a dry run that shows the price; the second submit
// buys. The dialog uses the same idempotency key until the purchase has succeeded, so that a retry does not buy twice.
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WriteOptions } from '@/api/writeOptions';
import { FormDialog, type FormField } from '@/form/FormDialog';
import type { AnyFormSpec, FormValues } from '@/form/spec';
import { formatMoney } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { UserField } from '@/ui/UserField';

/** The response to a submit: the quote (the result of the dry run), or the purchase. */
interface SubmitResponse<Result> {
  result: Result;
  /** The JSON of the request body. A purchase must have the same body as its quote. */
  requestJson: string;
  isPurchase: boolean;
}

interface Props<Body, Result extends { cost: string }> {
  title: string;
  fields: readonly FormField[];
  spec: AnyFormSpec;
  initialValues: FormValues;
  buildBody: (values: FormValues) => Body;
  send: (body: Body, options: WriteOptions) => Promise<Result>;
  /** Returns the text that describes the quote. */
  formatQuote: (quote: Result) => ReactNode;
  /** Returns the text of the toast after the purchase. */
  formatSuccess: (result: Result) => string;
  onClose: () => void;
  onDone: () => void;
}

export function PurchaseForm<Body, Result extends { cost: string }>(props: Props<Body, Result>) {
  const { t } = useTranslation();
  const [quote, setQuote] = useState<SubmitResponse<Result> | null>(null);
  const send = async (values: FormValues, key: string): Promise<SubmitResponse<Result>> => {
    const body = props.buildBody(values);
    const requestJson = JSON.stringify(body);
    const isPurchase = quote?.requestJson === requestJson;
    const result = await props.send(body, isPurchase ? { dryRun: false, key } : { dryRun: true });
    return { result, requestJson, isPurchase };
  };
  return (
    <FormDialog
      title={props.title}
      confirmLabel={
        quote ? t('orders.place.confirm', { cost: formatMoney(quote.result.cost) }) : t('orders.place.calculateCost')
      }
      fields={[...props.fields]}
      initialValues={props.initialValues}
      // The quote is discarded, because the price may differ for the changed values.
      onChange={() => setQuote(null)}
      note={quote && <output className="hint">{props.formatQuote(quote.result)}</output>}
      spec={props.spec}
      send={({ values }, key) => send(values, key)}
      // The form keeps its idempotency key after a quote: if the response to a purchase is lost, a new quote and a retry do not
      // buy twice.
      isIntermediateResult={({ isPurchase }) => !isPurchase}
      successMessage={({ result, isPurchase }) => (isPurchase ? props.formatSuccess(result) : null)}
      onDone={(response) => {
        if (response.isPurchase) return props.onDone();
        setQuote(response);
        return 'stay';
      }}
      onClose={props.onClose}
    />
  );
}

/** Returns the field for the customer: a picker, or a number field for the id if the staff member may not view users. */
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
