import { type Text, t } from '../../../language/text.ts';
import { Failure } from '../../../platform/failure.ts';
import { readAccountLink } from '../../../users/sign-in/account-links.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { View } from '../../page.ts';
import { ButtonLink, Submit } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';

type Purpose = Parameters<typeof readAccountLink>[1];

/** Returns the contents of a link in a message; undefined if it has expired, was used or was altered. */
export async function findLink<P extends Purpose>(app: ConsoleApp, purpose: P, token: string) {
  try {
    return await readAccountLink<P>(app, purpose, token);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid') return undefined;
    throw error;
  }
}

/** How long each link works, and the page that sends a new one. */
const brokenLinks = {
  'email-auth': {
    lead: t(
      'This link has been used, is older than 30 minutes, or its end is missing. Sign in again and we will send you another.',
    ),
    to: '/sign-in',
    label: t('Sign in'),
  },
  'verify-email': {
    lead: t(
      'This link has been used, is older than an hour, or its end is missing. Sign in again and we will send you another.',
    ),
    to: '/sign-in',
    label: t('Sign in'),
  },
  'reset-password': {
    lead: t(
      'This link has been used, is older than an hour, or its end is missing. Enter your email address again and we will send you another.',
    ),
    to: '/forgot-password',
    label: t('Forgotten your password?'),
  },
  'change-email': {
    lead: t(
      'This link has been used, is older than an hour, or its end is missing. Enter your new address again and we will send you another.',
    ),
    to: '/account/email',
    label: t('Change your email address'),
  },
  operator: {
    lead: t(
      'This link has been used, is older than 30 minutes, or its end is missing. Ask the people who run this Pennypost for another.',
    ),
    to: '/sign-in',
    label: t('Sign in'),
  },
};

export function brokenLink(purpose: keyof typeof brokenLinks): View {
  const { lead, to, label } = brokenLinks[purpose];
  return {
    title: t('This link does not work'),
    lead,
    status: 400,
    frame: 'standalone',
    content: (
      <p>
        <ButtonLink to={to}>{label}</ButtonLink>
      </p>
    ),
  };
}

/** The page behind a link. Mail scanners open links, so only the button has an effect. */
export function confirmLinkView(title: Text, lead: Text, warning?: Text): View {
  return {
    title,
    lead,
    frame: 'standalone',
    content: (
      <form class="stack" method="post">
        {warning && <Notice tone="amber">{warning}</Notice>}
        <Submit>{t('Continue')}</Submit>
      </form>
    ),
  };
}
