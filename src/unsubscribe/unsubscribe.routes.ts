import { Type } from 'typebox';
import { t } from '../language/text.ts';
import { asHtml, sendPage, withHtml } from '../platform/http/page.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { adminErrors } from '../protocol/error-bodies.ts';
import { Raw, Uuid } from '../protocol/fields.ts';
import { findSubscription, recordUnsubscribe } from './unsubscribe.ts';

const OfLink = Type.Object({ notification_id: Uuid, token: Type.String() });

const brokenLink = () => ({
  title: t('This link does not work'),
  content: `<p>${asHtml(t('It may have been cut short, or be more than a year old.'))}</p>`,
});

export function unsubscribeRoutes(http: Http, app: Platform): void {
  http.post(
    '/unsubscribe/:notification_id/:token',
    {
      schema: {
        summary: 'Unsubscribe from emails with one click (RFC 8058); called by mail clients',
        params: OfLink,
        response: {
          200: Type.Object({ result: Type.Literal('success'), message: Type.String() }),
          404: adminErrors.errorSchema,
        },
      },
    },
    async (request, reply) => {
      const { notification_id, token } = request.params;
      await recordUnsubscribe(app, notification_id, token);
      // The form on our own page gets a page, a mail client gets JSON.
      if (request.type(['json', 'html']) === 'html') {
        const language = findSubscription(app, notification_id, token)?.language;
        const told = t(
          'We have told the sender. You may still get emails that are already on their way, for a few days.',
        );
        return sendPage(app, reply, { status: 200, language }, () => ({
          title: t('You have unsubscribed'),
          content: `<p>${asHtml(told)}</p>`,
        }));
      }
      return { result: 'success' as const, message: 'Unsubscribe successful' };
    },
  );

  http.get(
    '/unsubscribe/:notification_id/:token',
    {
      schema: {
        summary: 'The page behind the unsubscribe link of an email; opening it changes nothing',
        // Not Uuid, because a truncated link must return a page and not a validation error.
        params: Type.Object({ notification_id: Type.String(), token: Type.String() }),
        response: { 200: Raw('text/html', 'The page'), 404: Raw('text/html', 'The link is invalid or expired') },
      },
    },
    async (request, reply) => {
      const subscription = findSubscription(app, request.params.notification_id, request.params.token);
      if (!subscription) return sendPage(app, reply, { status: 404 }, brokenLink);
      const { email_address, language } = subscription;
      const question = (slot: (html: string) => string) =>
        t('Stop sending these emails to {address}?', { address: slot(`<b>${asHtml(email_address)}</b>`) });
      return sendPage(app, reply, { status: 200, language }, () => ({
        title: t('Unsubscribe'),
        content: `<p>${withHtml(question)}</p>
          <form method="post"><button>${asHtml(t('Unsubscribe'))}</button></form>`,
      }));
    },
  );
}
