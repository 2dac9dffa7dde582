// Switches of many services: each stays, is turned on, or is turned off.
import { useTranslation } from 'react-i18next';
import type { FormProps } from '@/table/action';
import { Switches } from '../Switches';
import type { Row } from './calls';
import { FIELDS } from './fields';

export function SwitchesForm(props: FormProps<Row>) {
  const { t } = useTranslation();
  const switches = FIELDS.filter(({ mode }) => mode === 'tick').map(({ name }) => ({
    name,
    label: t(`services.fields.${name as 'slug'}`),
  }));
  return (
    <div className="switches">
      <Switches {...props} switches={switches} />
    </div>
  );
}
