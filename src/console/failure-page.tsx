import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failure } from '../platform/failure.ts';
import type { ConsoleApp } from './console-app.ts';
import { emptyForm, problemsOf } from './forms.ts';
import { renderPage, sendHtml } from './render.tsx';

/** What a person can do about a failure. The sentences of the API are for programs. */
const pages = new Map([
  [403, { title: 'You cannot open this page', text: 'Ask a person who manages the service to give you the right.' }],
  [
    404,
    {
      title: 'Page not found',
      text: 'The web address is wrong, or the page has been deleted. If you followed a link in a message, check that you opened the whole address.',
    },
  ],
  [405, { title: 'Page not found', text: 'Open the page with the form, and send it from there.' }],
  [413, { title: 'That was too large', text: 'Go back and send less at once.' }],
  [429, { title: 'Too many tries', text: 'Wait a minute, then try again.' }],
  [
    503,
    {
      title: 'Pennypost is busy',
      text: 'Nothing was changed. Go back and send the form again in a moment.',
    },
  ],
]);

const unexpected = {
  title: 'Something went wrong',
  text: 'Sorry, this is our fault. We have recorded the problem. Try again. If it happens again, tell the people who run this Pennypost.',
};

export function sendFailurePage(
  { country }: Pick<ConsoleApp, 'country'>,
  failure: Failure,
  status: number,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const isForPeople = status === 400 || failure.code === 'CrossSiteRequest';
  const page = isForPeople
    ? { title: 'That did not work', text: [...problemsOf(country, failure.detail).values()].join(' ') }
    : (pages.get(status) ?? unexpected);
  const content = (
    <>
      <p class="lead">{waitOf(failure) ?? page.text}</p>
      <p>
        <a href="/console">Go to the home page</a>
      </p>
    </>
  );
  const html = renderPage({ title: page.title, content }, emptyForm, {
    pages: [],
    request,
    visitor: undefined,
    viewer: undefined,
    service: undefined,
    openService: undefined,
    current: undefined,
    notice: undefined,
    now: undefined,
    platformName: 'Pennypost',
  });
  return sendHtml(reply, status, html);
}

function waitOf({ kind, headers }: Failure): string | undefined {
  const wait_s = Number(headers?.['retry-after']);
  if (kind !== 'too-many' || Number.isNaN(wait_s)) return undefined;
  return `Try again in ${wait_s} ${wait_s === 1 ? 'second' : 'seconds'}.`;
}
