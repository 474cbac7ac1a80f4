import { accountPages } from './account/account.pages.tsx';
import { themePages } from './account/theme.pages.tsx';
import type { ConsoleApp } from './console-app.ts';
import { type DeclaredPage, type PageModule, Pages } from './pages.ts';
import { servicesPages } from './services/services.pages.tsx';
import { passwordPages } from './sign-in/password.pages.tsx';
import { secondStepPages } from './sign-in/second-step.pages.tsx';
import { signInPages } from './sign-in/sign-in.pages.tsx';

/** Every page of the console. */
const modules: PageModule<ConsoleApp>[] = [
  signInPages,
  secondStepPages,
  passwordPages,
  servicesPages,
  accountPages,
  themePages,
];

export function collectPages(app: ConsoleApp): readonly DeclaredPage[] {
  const pages = new Pages();
  for (const module of modules) module(pages, app);
  return pages.all;
}
