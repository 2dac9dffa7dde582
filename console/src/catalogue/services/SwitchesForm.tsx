// Switches of many services: each stays, is turned on, or is turned off.
import { useTranslation } from 'react-i18next';
import type { FormProps } from '@/table/action';
import { Switches } from '../Switches';
import type { Row } from './calls';
import { type ServiceSwitches, SWITCHES } from './fields';

export function SwitchesForm(props: FormProps<Row, ServiceSwitches>) {
  const { t } = useTranslation();
  const switches = SWITCHES.map((name) => ({ name, label: t(`services.fields.${name}`) }));
  return (
    <div className="switches">
      <Switches {...props} switches={switches} />
    </div>
  );
}
