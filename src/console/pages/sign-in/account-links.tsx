import { Failure } from '../../../platform/failure.ts';
import { readAccountLink } from '../../../users/sign-in/account-links.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { View } from '../../page.ts';
import { ButtonLink, Submit } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';

type Purpose = Parameters<typeof readAccountLink>[1];

/** What a link in a message says; undefined when it is old, used or altered. */
export async function findLink<P extends Purpose>(app: ConsoleApp, purpose: P, token: string) {
  try {
    return await readAccountLink<P>(app, purpose, token);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid') return undefined;
    throw error;
  }
}

export function brokenLink(lifetime: string): View {
  return {
    title: 'This link does not work',
    status: 400,
    frame: 'door',
    content: (
      <>
        <p class="lead">
          It has been used, or it is older than {lifetime}, or its end is missing. Sign in again, and we send another.
        </p>
        <p>
          <ButtonLink to="/sign-in">Sign in</ButtonLink>
        </p>
      </>
    ),
  };
}

/** The page behind a link: programs that scan mail open links, so only the button does something. */
export function oneMoreClick(title: string, lead: string, warning?: string): View {
  return {
    title,
    lead,
    frame: 'door',
    content: (
      <form class="stack" method="post">
        {warning && <Notice tone="amber">{warning}</Notice>}
        <Submit>Continue</Submit>
      </form>
    ),
  };
}
