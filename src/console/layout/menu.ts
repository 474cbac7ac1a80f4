/** The menus, in their order. A page names its entry; an entry without a page is not shown. */
export const menus = {
  service: ['Home', 'Templates', 'Send', 'Messages', 'Received', 'Team', 'Usage', 'Integration', 'Settings'],
  developer: ['Quick start', 'Sandbox'],
  operator: [
    'Overview',
    'Services',
    'Organisations',
    'People',
    'Providers',
    'Letters',
    'Complaints',
    'Brands',
    'Rates',
    'Reports',
    'Audit',
    'System',
  ],
  account: ['Your services', 'Your account'],
} as const;

export type MenuEntry = (typeof menus)[keyof typeof menus][number];
