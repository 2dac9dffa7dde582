// The bar of a form: what no field of it shows of a refusal, and what a person can do about it.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { beside } from './problems';
import type { Form } from './useForm';

interface Props {
  form: Pick<Form<unknown>, 'problem' | 'loadNewer' | 'confirmPrice' | 'isPending'>;
  /** Whether what is wrong with a field is shown at the field. */
  isDrawn: (field: string) => boolean;
}

export function FormProblem({ form, isDrawn }: Props) {
  const { t } = useTranslation();
  const { problem, loadNewer, confirmPrice, isPending } = form;
  const rest = beside(problem, isDrawn);
  return (
    <>
      {confirmPrice && <Button label={t('ui.confirmPrice')} busy={isPending} onClick={() => void confirmPrice()} />}
      {rest && (
        <ProblemBar problem={rest}>
          {loadNewer && (
            <Button label={t('ui.newer.load')} icon="refresh" busy={isPending} onClick={() => void loadNewer()} />
          )}
        </ProblemBar>
      )}
    </>
  );
}
