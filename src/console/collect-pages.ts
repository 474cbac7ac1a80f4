import { accountPages } from './account/account.pages.tsx';
import { devicePages } from './account/devices.pages.tsx';
import { profilePages } from './account/profile.pages.tsx';
import { themePages } from './account/theme.pages.tsx';
import type { ConsoleApp } from './console-app.ts';
import { invitationPages } from './invitations/invitations.pages.tsx';
import { type DeclaredPage, type PageModule, Pages } from './pages.ts';
import { quickStartPages } from './quick-start/quick-start.pages.tsx';
import { sandboxPages } from './sandbox/sandbox.pages.tsx';
import { addServicePages } from './services/add-service.pages.tsx';
import { joinPages } from './services/join.pages.tsx';
import { joinRequestPages } from './services/join-requests.pages.tsx';
import { servicesPages } from './services/services.pages.tsx';
import { confirmPages } from './sign-in/confirm.pages.tsx';
import { passwordPages } from './sign-in/password.pages.tsx';
import { secondStepPages } from './sign-in/second-step.pages.tsx';
import { signInPages } from './sign-in/sign-in.pages.tsx';
import { operatorLinkPages } from './start/operator-link.pages.tsx';
import { startPages } from './start/start.pages.tsx';
import { supportPages } from './support/support.pages.tsx';

/** Every page of the console. */
const modules: PageModule<ConsoleApp>[] = [
  signInPages,
  secondStepPages,
  passwordPages,
  confirmPages,
  invitationPages,
  startPages,
  operatorLinkPages,
  servicesPages,
  addServicePages,
  joinPages,
  joinRequestPages,
  quickStartPages,
  accountPages,
  profilePages,
  devicePages,
  themePages,
  sandboxPages,
  supportPages,
];

export function collectPages(app: ConsoleApp): readonly DeclaredPage[] {
  const pages = new Pages();
  for (const module of modules) module(pages, app);
  return pages.all;
}
