// All forms of the console with sample records, for tests that check all forms.
import type { ReactNode } from 'react';
import { LabelForm } from '@/catalogue/labels/LabelForm';
import { NetworkForm, ServiceTypeForm } from '@/catalogue/networks/forms';
import { BuyForm } from '@/catalogue/packages/BuyForm';
import PackagePage, { NewPackage } from '@/catalogue/packages/PackagePage';
import ServicePage, { NewService } from '@/catalogue/services/ServicePage';
import CheckerGroups from '@/catalogue/targets/CheckerGroups';
import { TargetForm } from '@/catalogue/targets/TargetForm';
import CustomPage from '@/configuration/menu/CustomItems';
import Pages from '@/configuration/menu/Pages';
import { WebhookForm } from '@/configuration/webhooks/WebhookForm';
import BannerPage from '@/marketing/banners/BannerPage';
import { CouponForm } from '@/marketing/coupons/CouponForm';
import { DiscountForm } from '@/marketing/discounts/DiscountForm';
import { AddServicesDialog } from '@/marketing/offers/AddServicesDialog';
import { OfferForm } from '@/marketing/offers/OfferForm';
import { WidgetForm } from '@/marketing/widgets/WidgetForm';
import { QuestForm } from '@/operations/free-trials/QuestForm';
import { GradeForm } from '@/operations/grades/GradeForm';
import { DeliveryStatisticsForm } from '@/operations/orders/DeliveryStatisticsForm';
import { EditButtons } from '@/operations/orders/EditButtons';
import { PlaceOrderForm } from '@/operations/orders/PlaceOrderForm';
import { Refills } from '@/operations/orders/Refills';
import Bonuses from '@/operations/payment-methods/Bonuses';
import { MethodForm } from '@/operations/payment-methods/MethodForm';
import { ManualPaymentDialog } from '@/operations/payments/ManualPaymentDialog';
import { MemberForm, NewMemberForm, RoleForm, RolesAndPermissionsForm } from '@/operations/staff/forms';
import { Access } from '@/operations/users/Access';
import { Affiliates } from '@/operations/users/Affiliates';
import { Documents } from '@/operations/users/Documents';
import { AccountManagerForm, ProfileForm, DiscountForm as UserDiscountForm } from '@/operations/users/forms';
import { Loyalty } from '@/operations/users/Loyalty';
import { BulkPricesForm, PriceForm } from '@/operations/users/priceForms';
import { DetailsForm } from '@/profile/DetailsForm';
import { ConnectDialog } from '@/supply/external-panels/ConnectDialog';
import { PanelForm } from '@/supply/external-panels/PanelForm';
import { PanelPayments } from '@/supply/external-panels/PanelPayments';
import { PanelImportRule } from '@/supply/imports/ImportRuleTab';
import { ProviderForm } from '@/supply/providers/ProviderForm';
import { createSample } from './sample';

const ON_DONE_PROPS = { onClose: () => undefined, onDone: () => undefined };
const ON_SAVED_PROPS = { onClose: () => undefined, onSaved: () => undefined };
const ON_CHANGED_PROPS = { onClose: () => undefined, onChanged: () => undefined };
const DETECTED_CONNECTION = {
  endpoint: 'https://panel.test/api/v2',
  api_token: 'secret',
  currency: 'EUR',
  balance: '7',
};
const user = createSample('User');
const order = createSample('Order');
// A constant, because the linter reports a literal `role={null}` as an invalid ARIA role.
const NEW_ROLE = null;

/** The test name of each form, a function that creates its element, and the label of the button that opens it, if there is one. */
export const FORMS: readonly (readonly [name: string, createElement: () => ReactNode, openButton?: string | RegExp])[] =
  [
    ['a new coupon', () => <CouponForm id={null} {...ON_SAVED_PROPS} />],
    ['a coupon', () => <CouponForm id={7} {...ON_SAVED_PROPS} />],
    ['a new widget', () => <WidgetForm id={null} {...ON_SAVED_PROPS} />],
    ['a widget', () => <WidgetForm id={7} {...ON_SAVED_PROPS} />],
    ['a new offer', () => <OfferForm id={null} {...ON_SAVED_PROPS} />],
    ['an offer', () => <OfferForm id={7} {...ON_SAVED_PROPS} />],
    ['a new discount', () => <DiscountForm id={null} {...ON_SAVED_PROPS} />],
    ['a discount', () => <DiscountForm id={7} {...ON_SAVED_PROPS} />],
    ['services of auto-promotion', () => <AddServicesDialog {...ON_DONE_PROPS} />],
    ['a banner', () => <BannerPage params={{ place: createSample('BannerPlaceSizes').place }} />],
    ['a new quest', () => <QuestForm quest={null} {...ON_SAVED_PROPS} />],
    ['a quest', () => <QuestForm quest={createSample('FreeTrialQuest')} {...ON_SAVED_PROPS} />],
    ['a new grade', () => <GradeForm grade={null} {...ON_SAVED_PROPS} />],
    ['a grade', () => <GradeForm grade={createSample('Grade')} {...ON_SAVED_PROPS} />],
    ['a new payment method', () => <MethodForm method={null} {...ON_CHANGED_PROPS} />],
    ['a payment method', () => <MethodForm method={createSample('PaymentMethod')} {...ON_CHANGED_PROPS} />],
    ['a payment bonus', () => <Bonuses params={{ id: '7' }} />, /^Edit the bonus/],
    ['a new payment bonus', () => <Bonuses params={{ id: '7' }} />, 'New bonus'],
    ['a manual payment', () => <ManualPaymentDialog {...ON_DONE_PROPS} />],
    ['the profile of a customer', () => <ProfileForm user={user} {...ON_CHANGED_PROPS} />],
    ['the account manager of a customer', () => <AccountManagerForm user={user} {...ON_CHANGED_PROPS} />],
    [
      'the discount of a customer',
      () => <UserDiscountForm user={user} discount={createSample('UserDiscount')} {...ON_CHANGED_PROPS} />,
    ],
    ['a new custom price', () => <PriceForm user={user} price={null} {...ON_CHANGED_PROPS} />],
    ['a custom price', () => <PriceForm user={user} price={createSample('UserService')} {...ON_CHANGED_PROPS} />],
    ['several custom prices', () => <BulkPricesForm user={user} {...ON_CHANGED_PROPS} />],
    ['the grade of a customer', () => <Loyalty user={user} />, 'Change grade'],
    ['an affiliate', () => <Affiliates user={user} />, /^Add/],
    ['a document', () => <Documents user={user} />, /^Add/],
    ['the payment methods of a customer', () => <Access user={user} />, /^Choose/],
    ['a new staff member', () => <NewMemberForm {...ON_DONE_PROPS} />],
    ['a staff member', () => <MemberForm member={createSample('StaffRow')} {...ON_DONE_PROPS} />],
    [
      'roles and permissions',
      () => (
        <RolesAndPermissionsForm
          user={createSample('StaffRow')}
          reload={async () => createSample('StaffRow')}
          {...ON_DONE_PROPS}
        />
      ),
    ],
    ['a new role', () => <RoleForm role={NEW_ROLE} {...ON_DONE_PROPS} />],
    ['a role', () => <RoleForm role={createSample('Role')} {...ON_DONE_PROPS} />],
    ['a new order', () => <PlaceOrderForm {...ON_DONE_PROPS} />],
    ['delivery statistics of an order', () => <DeliveryStatisticsForm order={order} onClose={() => undefined} />],
    ['the link of an order', () => <EditButtons order={order} onChanged={() => undefined} />, 'Edit link'],
    ['the comment of an order', () => <EditButtons order={order} onChanged={() => undefined} />, 'Edit comment'],
    ['a refill', () => <Refills order={{ ...order, status: 'completed' }} />, 'Request refill'],
    ['refill parameters', () => <Refills order={order} />, 'Auto-refill parameters'],
    ['the sale of a package', () => <BuyForm pkg={createSample('Package')} {...ON_DONE_PROPS} />],
    ['a new network', () => <NetworkForm network={null} onClose={() => undefined} />],
    ['a network', () => <NetworkForm network={createSample('Network')} onClose={() => undefined} />],
    ['a new service type', () => <ServiceTypeForm id={null} networkId={7} onClose={() => undefined} />],
    ['a service type', () => <ServiceTypeForm id={7} networkId={7} onClose={() => undefined} />],
    ['a new target', () => <TargetForm id={null} {...ON_DONE_PROPS} />],
    ['a target', () => <TargetForm id={7} {...ON_DONE_PROPS} />],
    ['a new link check', () => <CheckerGroups />, 'New group'],
    ['a link check', () => <CheckerGroups />, 'name'],
    ['a new label', () => <LabelForm label={null} {...ON_DONE_PROPS} />],
    [
      'a label',
      () => <LabelForm label={{ ...createSample('LabelRow'), is_custom_comments: false }} {...ON_DONE_PROPS} />,
    ],
    ['a new package', () => <NewPackage />],
    ['a package', () => <PackagePage params={{ id: '7' }} />],
    ['a new service', () => <NewService />],
    ['a service', () => <ServicePage params={{ id: '7' }} />],
    ['a new menu item', () => <CustomPage />, 'New item'],
    ['a menu item', () => <CustomPage />, /^Edit/],
    ['a new page', () => <Pages />, 'New page'],
    ['a new webhook', () => <WebhookForm webhook={null} {...ON_SAVED_PROPS} />],
    ['a webhook', () => <WebhookForm webhook={createSample('Webhook')} {...ON_SAVED_PROPS} />],
    [
      'a new external panel',
      () => <PanelForm panel={null} connection={{ ...DETECTED_CONNECTION, type: 'socpanel' }} {...ON_SAVED_PROPS} />,
    ],
    ['an external panel', () => <PanelForm panel={createSample('ExternalPanel')} {...ON_SAVED_PROPS} />],
    ['a payment to an external panel', () => <PanelPayments panel={createSample('ExternalPanel')} />, 'New payment'],
    ['the connection of an external panel', () => <ConnectDialog {...ON_SAVED_PROPS} />],
    ['a new provider', () => <ProviderForm provider={null} {...ON_SAVED_PROPS} />],
    ['a provider', () => <ProviderForm provider={createSample('Provider')} {...ON_SAVED_PROPS} />],
    ['an import rule', () => <PanelImportRule id={7} />],
    ['the own profile', () => <DetailsForm />],
  ];
