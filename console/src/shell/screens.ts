// Every screen: its path, who may enter, its place in the menu and the file that draws it, loaded when it is entered.
// A new screen is a row here.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type english from '@/i18n/texts/en.json';
import type { CounterName } from '@/live/counters';
import type { Permission } from '@/session/hooks';

/** The groups of the menu, in their order. Their texts stand under `menuGroup`. */
export const GROUPS = ['orders', 'people', 'money', 'catalogue', 'marketing', 'supply', 'system'] as const;
export type Group = (typeof GROUPS)[number];

export interface Screen {
  path: string;
  /** Any one of these; an empty list asks for nothing but a sign-in. */
  permissions: readonly Permission[];
  /** Key under `menu`; screens without one are reached from others. */
  menu?: keyof (typeof english)['menu'];
  /** Where it stands in the menu; one without stands above all groups. */
  group?: Group;
  icon?: string;
  /** What the menu counts, and the filter that shows what is counted. */
  counter?: { name: CounterName; filter: string };
  draw: LazyExoticComponent<ComponentType<{ params: Record<string, string | undefined> }>>;
}

export const SCREENS: readonly Screen[] = [
  { path: '/', permissions: [], menu: 'home', icon: 'home', draw: lazy(() => import('@/home/Home')) },
  {
    path: '/orders',
    permissions: ['view orders'],
    menu: 'orders',
    group: 'orders',
    icon: 'shopping-cart',
    counter: { name: 'ordersInModerationCount', filter: 'status=in_moderation' },
    draw: lazy(() => import('@/operations/orders/Orders')),
  },
  { path: '/orders/:id', permissions: ['view orders'], draw: lazy(() => import('@/operations/orders/OrderPage')) },
  {
    path: '/subscriptions',
    permissions: ['view orders'],
    menu: 'subscriptions',
    group: 'orders',
    icon: 'bell',
    draw: lazy(() => import('@/operations/subscriptions/Subscriptions')),
  },
  {
    path: '/subscriptions/:id',
    permissions: ['view orders'],
    draw: lazy(() => import('@/operations/subscriptions/SubscriptionPage')),
  },
  {
    path: '/drip-feed',
    permissions: ['view orders'],
    menu: 'dripFeeds',
    group: 'orders',
    icon: 'sync',
    draw: lazy(() => import('@/operations/drip-feeds/DripFeeds')),
  },
  {
    path: '/combo-orders',
    permissions: ['view orders'],
    menu: 'comboOrders',
    group: 'orders',
    icon: 'box',
    counter: { name: 'comboOrdersInModerationCount', filter: 'status=in_moderation' },
    draw: lazy(() => import('@/operations/combo-orders/ComboOrders')),
  },
  {
    path: '/requests',
    permissions: ['manage free trials'],
    menu: 'requests',
    group: 'orders',
    icon: 'gift',
    counter: { name: 'freeTrialsInPendingCount', filter: 'status=pending' },
    draw: lazy(() => import('@/operations/free-trials/FreeTrials')),
  },
  {
    path: '/quests',
    permissions: ['manage free trials'],
    menu: 'quests',
    group: 'marketing',
    icon: 'flag',
    draw: lazy(() => import('@/operations/free-trials/Quests')),
  },
  {
    path: '/child-panels',
    permissions: ['view orders'],
    menu: 'childPanels',
    group: 'orders',
    icon: 'sitemap',
    draw: lazy(() => import('@/operations/orders/ChildPanels')),
  },
  {
    path: '/transactions',
    permissions: ['view finances'],
    menu: 'transactions',
    group: 'money',
    icon: 'wallet',
    draw: lazy(() => import('@/operations/payments/Transactions')),
  },
  {
    path: '/invoices',
    permissions: ['view invoices'],
    menu: 'invoices',
    group: 'money',
    icon: 'receipt',
    draw: lazy(() => import('@/operations/invoices/Invoices')),
  },
  {
    path: '/withdrawal',
    permissions: ['view withdrawals'],
    menu: 'withdrawals',
    group: 'money',
    icon: 'money-bill',
    draw: lazy(() => import('@/operations/withdrawals/Withdrawals')),
  },
  {
    path: '/payment-methods',
    permissions: ['manage payment methods'],
    menu: 'paymentMethods',
    group: 'money',
    icon: 'credit-card',
    draw: lazy(() => import('@/operations/payment-methods/PaymentMethods')),
  },
  {
    path: '/payment-methods/:id',
    permissions: ['manage payment methods'],
    draw: lazy(() => import('@/operations/payment-methods/MethodPage')),
  },
  {
    path: '/payment-method-bonuses/:id',
    permissions: ['manage payment methods'],
    draw: lazy(() => import('@/operations/payment-methods/Bonuses')),
  },
  {
    path: '/users',
    permissions: ['view users'],
    menu: 'users',
    group: 'people',
    icon: 'users',
    draw: lazy(() => import('@/operations/users/Users')),
  },
  { path: '/users/:id/:tab?', permissions: ['view users'], draw: lazy(() => import('@/operations/users/UserPage')) },
  {
    path: '/staff',
    permissions: ['manage staff'],
    menu: 'staff',
    group: 'people',
    icon: 'id-card',
    draw: lazy(() => import('@/operations/staff/Staff')),
  },
  { path: '/staff/roles', permissions: ['manage staff'], draw: lazy(() => import('@/operations/staff/Roles')) },
  { path: '/staff/:id', permissions: ['manage staff'], draw: lazy(() => import('@/operations/staff/Member')) },
  {
    path: '/services',
    permissions: ['view services'],
    menu: 'services',
    group: 'catalogue',
    icon: 'tags',
    draw: lazy(() => import('@/catalogue/Services')),
  },
  {
    path: '/services/create',
    permissions: ['manage services and providers'],
    draw: lazy(() => import('@/catalogue/services/Create')),
  },
  {
    path: '/services/labels',
    permissions: ['view services'],
    draw: lazy(() => import('@/catalogue/labels/Labels')),
  },
  {
    path: '/services/types',
    permissions: ['view services', 'manage service types'],
    draw: lazy(() => import('@/catalogue/networks/ServiceTypes')),
  },
  {
    path: '/services/positions',
    permissions: ['view services', 'manage service types'],
    draw: lazy(() => import('@/catalogue/networks/Positions')),
  },
  {
    path: '/services/:id',
    permissions: ['view services'],
    draw: lazy(() => import('@/catalogue/services/Editor')),
  },
  {
    path: '/targets',
    permissions: ['manage targets'],
    menu: 'targets',
    group: 'catalogue',
    icon: 'question-circle',
    draw: lazy(() => import('@/catalogue/targets/Targets')),
  },
  {
    path: '/targets/groups',
    permissions: ['view services'],
    draw: lazy(() => import('@/catalogue/targets/Groups')),
  },
  {
    path: '/packages',
    permissions: ['manage packages'],
    menu: 'packages',
    group: 'catalogue',
    icon: 'box',
    draw: lazy(() => import('@/catalogue/packages/Packages')),
  },
  {
    path: '/packages/create',
    permissions: ['manage packages'],
    draw: lazy(() => import('@/catalogue/packages/Create')),
  },
  {
    path: '/packages/providers',
    permissions: ['manage packages', 'manage external panels'],
    draw: lazy(() => import('@/catalogue/packages/Provided')),
  },
  {
    path: '/packages/:id',
    permissions: ['manage packages'],
    draw: lazy(() => import('@/catalogue/packages/Editor')),
  },
  {
    path: '/providers',
    permissions: ['manage services and providers'],
    menu: 'providers',
    group: 'supply',
    icon: 'truck',
    draw: lazy(() => import('@/supply/providers/Providers')),
  },
  {
    path: '/providers/report',
    permissions: ['manage services and providers'],
    draw: lazy(() => import('@/supply/providers/Report')),
  },
  {
    path: '/providers/:id',
    permissions: ['manage services and providers'],
    draw: lazy(() => import('@/supply/providers/ProviderPage')),
  },
  {
    path: '/external-panel-orders',
    permissions: ['manage external panel orders'],
    menu: 'externalPanelOrders',
    group: 'supply',
    icon: 'send',
    draw: lazy(() => import('@/supply/external-panel-orders/ExternalPanelOrders')),
  },
  {
    path: '/external-panel-orders/:id',
    permissions: ['manage external panel orders'],
    draw: lazy(() => import('@/supply/external-panel-orders/AttemptPage')),
  },
  {
    path: '/discounts',
    permissions: ['manage discounts'],
    menu: 'discounts',
    group: 'marketing',
    icon: 'percentage',
    draw: lazy(() => import('@/marketing/discounts/Discounts')),
  },
  {
    path: '/coupons',
    permissions: ['manage coupons'],
    menu: 'coupons',
    group: 'marketing',
    icon: 'ticket',
    draw: lazy(() => import('@/marketing/coupons/Coupons')),
  },
  {
    path: '/coupons/statistics',
    permissions: ['manage coupons'],
    draw: lazy(() => import('@/marketing/coupons/Statistics')),
  },
  {
    path: '/order-widgets',
    permissions: ['manage order widgets'],
    menu: 'orderWidgets',
    group: 'marketing',
    icon: 'window-maximize',
    draw: lazy(() => import('@/marketing/widgets/OrderWidgets')),
  },
  {
    path: '/order-widgets/statistics',
    permissions: ['manage order widgets'],
    draw: lazy(() => import('@/marketing/widgets/Statistics')),
  },
  {
    path: '/special-offers',
    permissions: ['manage discounts'],
    menu: 'offers',
    group: 'marketing',
    icon: 'sparkles',
    draw: lazy(() => import('@/marketing/offers/SpecialOffers')),
  },
  {
    path: '/special-offers/auto-promotion',
    permissions: ['manage panel settings'],
    draw: lazy(() => import('@/marketing/offers/AutoPromotion')),
  },
  {
    path: '/banners',
    permissions: [],
    menu: 'banners',
    group: 'marketing',
    icon: 'images',
    draw: lazy(() => import('@/marketing/banners/Banners')),
  },
  { path: '/banners/:place', permissions: [], draw: lazy(() => import('@/marketing/banners/Editor')) },
  {
    path: '/loyalty-program',
    permissions: ['view grades', 'manage grades'],
    menu: 'grades',
    group: 'people',
    icon: 'star',
    draw: lazy(() => import('@/operations/grades/Grades')),
  },
  {
    path: '/loyalty-program/:id',
    permissions: ['view grades', 'manage grades'],
    draw: lazy(() => import('@/operations/grades/GradePage')),
  },
  {
    path: '/referral-program',
    permissions: ['view referral statistics'],
    menu: 'referrals',
    group: 'people',
    icon: 'share-alt',
    draw: lazy(() => import('@/operations/referrals/Referrals')),
  },
  {
    path: '/external-panels',
    permissions: ['manage external panels'],
    menu: 'externalPanels',
    group: 'supply',
    icon: 'link',
    draw: lazy(() => import('@/supply/external-panels/ExternalPanels')),
  },
  {
    path: '/external-panels/:id/:tab?',
    permissions: ['manage external panels'],
    draw: lazy(() => import('@/supply/external-panels/PanelPage')),
  },
  {
    path: '/held-changes',
    permissions: ['manage external panels'],
    menu: 'heldChanges',
    group: 'supply',
    icon: 'history',
    draw: lazy(() => import('@/supply/imports/Changes')),
  },
  {
    path: '/change-logs',
    permissions: ['view change logs'],
    menu: 'changeLogs',
    group: 'system',
    icon: 'history',
    draw: lazy(() => import('@/catalogue/ChangeLog')),
  },
  {
    path: '/audit-log',
    permissions: ['view audits'],
    menu: 'auditLog',
    group: 'system',
    icon: 'shield',
    draw: lazy(() => import('@/operations/audit/AuditLog')),
  },
  {
    path: '/webhooks',
    permissions: ['manage webhooks'],
    menu: 'webhooks',
    group: 'system',
    icon: 'send',
    draw: lazy(() => import('@/configuration/webhooks/Webhooks')),
  },
  {
    path: '/webhooks/:id',
    permissions: ['manage webhooks'],
    draw: lazy(() => import('@/configuration/webhooks/WebhookPage')),
  },
  {
    path: '/system-status',
    permissions: ['manage panel settings'],
    menu: 'systemStatus',
    group: 'system',
    icon: 'server',
    draw: lazy(() => import('@/configuration/system/SystemStatus')),
  },
  {
    path: '/panel-settings',
    permissions: ['manage panel settings'],
    menu: 'panelSettings',
    group: 'system',
    icon: 'cog',
    draw: lazy(() => import('@/configuration/settings/Settings')),
  },
  {
    path: '/panel-settings/notifications',
    permissions: ['manage panel settings'],
    draw: lazy(() => import('@/configuration/settings/Notifications')),
  },
  {
    path: '/menu-and-pages',
    permissions: ['manage panel settings'],
    menu: 'menuAndPages',
    group: 'system',
    icon: 'bars',
    draw: lazy(() => import('@/configuration/menu/Menu')),
  },
  {
    path: '/menu-and-pages/items',
    permissions: ['manage panel settings'],
    draw: lazy(() => import('@/configuration/menu/Items')),
  },
  {
    path: '/menu-and-pages/custom',
    permissions: ['manage panel settings'],
    draw: lazy(() => import('@/configuration/menu/Custom')),
  },
  {
    path: '/menu-and-pages/pages',
    permissions: ['manage panel settings'],
    draw: lazy(() => import('@/configuration/menu/Pages')),
  },
];

/** Paths of old links. */
export const MOVED: Readonly<Record<string, string>> = { '/finances': '/transactions' };
