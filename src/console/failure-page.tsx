import type { FastifyReply, FastifyRequest } from 'fastify';
import { joined, type Text, t } from '../language/text.ts';
import type { Failure } from '../platform/failure.ts';
import type { ConsoleApp } from './console-app.ts';
import { emptyForm, problemsOf } from './forms.ts';
import { languageOf } from './language-of.ts';
import { renderPage, sendHtml } from './render.tsx';

/** Advice for people about a failure. The messages of the API are for programs. */
const pages = new Map([
  [
    403,
    { title: t('You cannot open this page'), text: t('Ask someone who manages the service to give you permission.') },
  ],
  [
    404,
    {
      title: t('Page not found'),
      text: t(
        'The web address is wrong, or the page has been deleted. If you followed a link in a message, check that you opened the whole address.',
      ),
    },
  ],
  [405, { title: t('Page not found'), text: t('Open the page with the form, and send it from there.') }],
  [413, { title: t('That was too large'), text: t('Go back and send a smaller file or a shorter text.') }],
  [429, { title: t('Too many attempts'), text: t('Wait a minute, then try again.') }],
  [
    503,
    {
      title: t('Pennypost is busy'),
      text: t('Nothing was changed. Go back and send the form again in a moment.'),
    },
  ],
]);

const unexpected = {
  title: t('Something went wrong'),
  text: t(
    'Sorry, this is our fault. We have recorded the problem. Try again. If it happens again, tell the people who run this Pennypost.',
  ),
};

export function sendFailurePage(
  app: Pick<ConsoleApp, 'languages'>,
  failure: Failure,
  status: number,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const isForPeople = status === 400 || failure.code === 'CrossSiteRequest';
  const page = isForPeople
    ? { title: t('That did not work'), text: joined([...problemsOf(failure).values()]) }
    : (pages.get(status) ?? unexpected);
  const content = (
    <>
      <p class="lead">{waitOf(failure) ?? page.text}</p>
      <p>
        <a href="/console">{t('Go to the home page')}</a>
      </p>
    </>
  );
  const html = renderPage({ title: page.title, content }, emptyForm, {
    pages: [],
    request,
    visitor: undefined,
    viewer: undefined,
    language: languageOf(app, request),
    service: undefined,
    openService: undefined,
    current: undefined,
    notice: undefined,
    now: undefined,
    platformName: 'Pennypost',
  });
  return sendHtml(reply, status, html);
}

function waitOf({ kind, headers }: Failure): Text | undefined {
  const wait_s = Number(headers?.['retry-after']);
  if (kind !== 'too-many' || Number.isNaN(wait_s)) return undefined;
  return t('{count, plural, one {Try again in # second.} other {Try again in # seconds.}}', { count: wait_s });
}
