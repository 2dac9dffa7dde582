// All forms of the console with sample records, for tests of what all forms have in common.
import type { ReactNode } from 'react';
import { LabelForm } from '@/catalogue/labels/LabelForm';
import { NetworkForm, ServiceTypeForm } from '@/catalogue/networks/forms';
import { BuyForm } from '@/catalogue/packages/BuyForm';
import PackagePage, { NewPackage } from '@/catalogue/packages/Editor';
import ServicePage, { NewService } from '@/catalogue/services/Editor';
import CheckerGroups from '@/catalogue/targets/CheckerGroups';
import { TargetForm } from '@/catalogue/targets/TargetForm';
import CustomPage from '@/configuration/menu/Custom';
import Pages from '@/configuration/menu/Pages';
import { WebhookForm } from '@/configuration/webhooks/WebhookForm';
import BannerPage from '@/marketing/banners/Editor';
import { CouponForm } from '@/marketing/coupons/CouponForm';
import { DiscountForm } from '@/marketing/discounts/DiscountForm';
import { AddServices } from '@/marketing/offers/AddServices';
import { OfferForm } from '@/marketing/offers/OfferForm';
import { WidgetForm } from '@/marketing/widgets/WidgetForm';
import { QuestForm } from '@/operations/free-trials/QuestForm';
import { GradeForm } from '@/operations/grades/GradeForm';
import { EditButtons } from '@/operations/orders/EditButtons';
import { PlaceForm } from '@/operations/orders/PlaceForm';
import { ProviderStatisticsForm } from '@/operations/orders/ProviderStatisticsForm';
import { Refills } from '@/operations/orders/Refills';
import Bonuses from '@/operations/payment-methods/Bonuses';
import { MethodForm } from '@/operations/payment-methods/MethodForm';
import { ManualPayment } from '@/operations/payments/ManualPayment';
import { GrantsForm, MemberForm, NewMemberForm, RoleForm } from '@/operations/staff/forms';
import { Access } from '@/operations/users/Access';
import { Affiliates } from '@/operations/users/Affiliates';
import { Documents } from '@/operations/users/Documents';
import { ProfileForm, SellerForm, DiscountForm as UserDiscountForm } from '@/operations/users/forms';
import { Loyalty } from '@/operations/users/Loyalty';
import { BulkPricesForm, PriceForm } from '@/operations/users/priceForms';
import { DetailsForm } from '@/profile/DetailsForm';
import { ConnectDialog } from '@/supply/external-panels/ConnectDialog';
import { PanelForm } from '@/supply/external-panels/PanelForm';
import { PanelPayments } from '@/supply/external-panels/PanelPayments';
import { PanelImportRule } from '@/supply/imports/RuleForm';
import { ProviderForm } from '@/supply/providers/ProviderForm';
import { sample } from './sample';

const ON_DONE_PROPS = { onClose: () => undefined, onDone: () => undefined };
const ON_SAVED_PROPS = { onClose: () => undefined, onSaved: () => undefined };
const ON_CHANGED_PROPS = { onClose: () => undefined, onChanged: () => undefined };
const DETECTED_CONNECTION = {
  endpoint: 'https://panel.test/api/v2',
  api_token: 'secret',
  currency: 'EUR',
  balance: '7',
};
const user = sample('User');
const order = sample('Order');
// A constant, because the linter takes a literal `role={null}` for an invalid ARIA role.
const NEW_ROLE = null;

/** Each form with its name, and the name of the button that opens it, if it is closed at first. */
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
    ['promoted services', () => <AddServices {...ON_DONE_PROPS} />],
    ['a banner', () => <BannerPage params={{ place: sample('BannerPlaceSizes').place }} />],
    ['a new quest', () => <QuestForm quest={null} {...ON_SAVED_PROPS} />],
    ['a quest', () => <QuestForm quest={sample('FreeTrialQuest')} {...ON_SAVED_PROPS} />],
    ['a new grade', () => <GradeForm grade={null} {...ON_SAVED_PROPS} />],
    ['a grade', () => <GradeForm grade={sample('Grade')} {...ON_SAVED_PROPS} />],
    ['a new method', () => <MethodForm method={null} {...ON_CHANGED_PROPS} />],
    ['a method', () => <MethodForm method={sample('PaymentMethod')} {...ON_CHANGED_PROPS} />],
    ['a bonus', () => <Bonuses params={{ id: '7' }} />, /^Edit the bonus/],
    ['a new bonus', () => <Bonuses params={{ id: '7' }} />, 'New bonus'],
    ['a manual payment', () => <ManualPayment {...ON_DONE_PROPS} />],
    ['a profile', () => <ProfileForm user={user} {...ON_CHANGED_PROPS} />],
    ['a manager of a user', () => <SellerForm user={user} {...ON_CHANGED_PROPS} />],
    [
      'a discount of a user',
      () => <UserDiscountForm user={user} discount={sample('UserDiscount')} {...ON_CHANGED_PROPS} />,
    ],
    ['a new price', () => <PriceForm user={user} price={null} {...ON_CHANGED_PROPS} />],
    ['a price', () => <PriceForm user={user} price={sample('UserService')} {...ON_CHANGED_PROPS} />],
    ['bulk prices', () => <BulkPricesForm user={user} {...ON_CHANGED_PROPS} />],
    ['a grade of a user', () => <Loyalty user={user} />, 'Change grade'],
    ['an affiliate', () => <Affiliates user={user} />, /^Add/],
    ['a document', () => <Documents user={user} />, /^Add/],
    ['payment methods of a user', () => <Access user={user} />, /^Choose/],
    ['a new member', () => <NewMemberForm {...ON_DONE_PROPS} />],
    ['a member', () => <MemberForm member={sample('StaffRow')} {...ON_DONE_PROPS} />],
    [
      'roles and permissions',
      () => <GrantsForm user={sample('StaffRow')} reload={async () => sample('StaffRow')} {...ON_DONE_PROPS} />,
    ],
    ['a new role', () => <RoleForm role={NEW_ROLE} {...ON_DONE_PROPS} />],
    ['a role', () => <RoleForm role={sample('Role')} {...ON_DONE_PROPS} />],
    ['an order', () => <PlaceForm {...ON_DONE_PROPS} />],
    ['provider statistics of an order', () => <ProviderStatisticsForm order={order} onClose={() => undefined} />],
    ['a link of an order', () => <EditButtons order={order} onChanged={() => undefined} />, 'Edit link'],
    ['a comment of an order', () => <EditButtons order={order} onChanged={() => undefined} />, 'Edit comment'],
    ['a refill', () => <Refills order={{ ...order, status: 'completed' }} />, 'Request refill'],
    ['refill parameters', () => <Refills order={order} />, 'Auto-refill parameters'],
    ['a bought package', () => <BuyForm pkg={sample('Package')} {...ON_DONE_PROPS} />],
    ['a new network', () => <NetworkForm network={null} onClose={() => undefined} />],
    ['a network', () => <NetworkForm network={sample('Network')} onClose={() => undefined} />],
    ['a new service type', () => <ServiceTypeForm id={null} networkId={7} onClose={() => undefined} />],
    ['a service type', () => <ServiceTypeForm id={7} networkId={7} onClose={() => undefined} />],
    ['a new target', () => <TargetForm id={null} {...ON_DONE_PROPS} />],
    ['a target', () => <TargetForm id={7} {...ON_DONE_PROPS} />],
    ['a new check', () => <CheckerGroups />, 'New group'],
    ['a check', () => <CheckerGroups />, 'name'],
    ['a new label', () => <LabelForm label={null} {...ON_DONE_PROPS} />],
    ['a label', () => <LabelForm label={{ ...sample('LabelRow'), is_custom_comments: false }} {...ON_DONE_PROPS} />],
    ['a new package', () => <NewPackage />],
    ['a package', () => <PackagePage params={{ id: '7' }} />],
    ['a new service', () => <NewService />],
    ['a service', () => <ServicePage params={{ id: '7' }} />],
    ['a new menu item', () => <CustomPage />, 'New item'],
    ['a menu item', () => <CustomPage />, /^Edit/],
    ['a new page', () => <Pages />, 'New page'],
    ['a new webhook', () => <WebhookForm webhook={null} {...ON_SAVED_PROPS} />],
    ['a webhook', () => <WebhookForm webhook={sample('Webhook')} {...ON_SAVED_PROPS} />],
    [
      'a detected panel',
      () => <PanelForm panel={null} connection={{ ...DETECTED_CONNECTION, type: 'socpanel' }} {...ON_SAVED_PROPS} />,
    ],
    ['a panel', () => <PanelForm panel={sample('ExternalPanel')} {...ON_SAVED_PROPS} />],
    ['a payment to a panel', () => <PanelPayments panel={sample('ExternalPanel')} />, 'New payment'],
    ['a panel connection', () => <ConnectDialog {...ON_SAVED_PROPS} />],
    ['a new provider', () => <ProviderForm provider={null} {...ON_SAVED_PROPS} />],
    ['a provider', () => <ProviderForm provider={sample('Provider')} {...ON_SAVED_PROPS} />],
    ['an import rule', () => <PanelImportRule id={7} />],
    ['a profile of the current user', () => <DetailsForm />],
  ];
