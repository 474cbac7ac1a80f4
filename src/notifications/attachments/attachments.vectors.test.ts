import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { filled, type GcCase, gcCases } from '../../../test/kit/builders/gc-vectors.ts';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { findSentEmail } from '../../delivery/sandbox/email-sources.ts';

interface Expected {
  status?: number;
  errors?: { error: string; message?: string }[];
  message_begins?: string;
  body_matches?: string;
  then?: {
    email?: { attachments?: { filename: string; type: string; base64: string }[]; attachment_count?: number };
    link?: { content_disposition: string };
    body?: string;
    body_matches?: string;
  };
}

interface FileCase extends GcCase {
  template?: string;
  to?: string;
  setup?: never;
}

const cases = gcCases('files') as unknown as FileCase[];
const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

/** What the dialect of GC Notify is to answer. */
function expectedOf({ gc, pennypost }: FileCase): Expected {
  const isOurs = pennypost !== 'same' && !('gc dialect' in pennypost);
  return isOurs ? (pennypost as Expected) : (gc as Expected);
}

describe('files of GC Notify', () => {
  it.each(cases.map((one) => [one.id, one.what, one] as const))(
    '%s: %s',
    { timeout: 30_000 },
    async (_id, _what, one) => {
      const service = await aService(harness);
      const key = await anApiKey(harness, service);
      const email_template = await aTemplate(harness, service, {
        ...{ template_type: 'email', subject: 's', content: one.template ?? 'Hello' },
      });
      const words = { service, email_template, sms_template: await aTemplate(harness, service, { content: 'Hello' }) };
      const { path, body } = filled(one.request, words);
      // Where the case says that the service may not send files, attachments are switched off.
      const { v2 } = 'setup' in one ? await harness.anotherProcess({ email: { attachments: false } }) : harness;
      const payload = one.to === undefined ? body : { ...body, email_address: one.to };
      const authorization = `ApiKey-v1 gcntfy-${key}`;
      const response = await v2('POST', path, key, payload, { authorization });

      const { status, errors, message_begins, body_matches, then } = filled(expectedOf(one), words);
      expect(response.status).toBe(status);
      if (errors) expect(response.body.errors).toMatchObject(errors);
      if (message_begins) expect(response.body.errors[0].message.startsWith(message_begins)).toBe(true);
      if (body_matches) expect(response.body.content.body).toMatch(new RegExp(body_matches));
      if (!then) return;
      await harness.deliver();
      const email = await findSentEmail(harness.app, response.body.id);
      const { attachments } = await PostalMime.parse(email?.source ?? '');
      const sent = attachments.map(({ filename, mimeType, content }) => ({
        ...{ filename, type: mimeType, base64: Buffer.from(content as ArrayBuffer).toString('base64') },
      }));
      if (then.email?.attachments) expect(sent).toEqual(then.email.attachments);
      if (then.email?.attachment_count !== undefined) expect(sent).toHaveLength(then.email.attachment_count);
      // As in every message, spaces at the end are not sent.
      if (then.body !== undefined) expect(response.body.content.body).toBe(then.body.trimEnd());
      if (then.body_matches) expect(response.body.content.body).toMatch(new RegExp(then.body_matches));
      if (then.link) {
        const link = new URL(response.body.content.body.replace('Document: ', ''));
        const page = await harness.request({ method: 'GET', url: `${link.pathname}${link.search}` });
        const [, file = ''] = /href="([^"]*\/download[^"]*|[^"]*key=[^"]*)"/.exec(page.text) ?? [];
        const got = await harness.request({ method: 'GET', url: file.replaceAll('&amp;', '&') });
        expect(String(got.headers['content-disposition']).replaceAll('"', '')).toBe(then.link.content_disposition);
      }
    },
  );
});
