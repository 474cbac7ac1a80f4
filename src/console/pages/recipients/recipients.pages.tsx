import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import { Type } from 'typebox';
import { type Erasure, eraseRecipient } from '../../../operations/recipients/erase-recipient.ts';
import { exportRecipient, findRecipient } from '../../../operations/recipients/find-recipient.ts';
import { maxRecipientLength } from '../../../operations/recipients/recipient-key.ts';
import { londonDay } from '../../../platform/calendar.ts';
import { OneOf } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Asked, Draft, Pages, Redirection, Sent, View } from '../../page.ts';
import { TextArea } from '../../parts/text-area.tsx';
import { settingsOf } from '../settings/setting-page.tsx';
import { HeldView } from './held-view.tsx';

const Form = Type.Object({
  recipient: Type.String({ maxLength: maxRecipientLength }),
  do: Type.Optional(OneOf(['find', 'export', 'erase'])),
});
const needs = { recipient: 'Enter an email address, a phone number or a postal address.' };

/** What is held about one recipient: find it, download it, erase it. The recipient is in forms only, never in an address. */
export function recipientPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/operator/recipients', {
    who: 'platform-admin',
    below: 'Audit',
    show: (asked, draft) => formView(asked, draft),
    form: Form,
    needs,
    act: (asked, form) => act(asked, form),
  });

  pages.add('/services/:service_id/recipients', {
    who: { service: 'manage' },
    below: 'Settings',
    show: (asked, draft) => formView(asked, draft),
    form: Form,
    needs,
    act: (asked, form) => act(asked, form),
  });

  async function act(asked: Asked, form: { recipient: string; do?: string }): Promise<View | Redirection | Sent> {
    const serviceId = asked.service?.id;
    switch (form.do) {
      case 'export': {
        const parts = await exportRecipient(app, form.recipient, serviceId);
        return { sent: sendJson(asked, parts) };
      }
      case 'erase':
        return { to: pathOf(asked), notice: noticeOf(await eraseRecipient(app, form.recipient, serviceId)) };
      default: {
        const held = await findRecipient(app, form.recipient, serviceId);
        const typed = new Map([['recipient', form.recipient]]);
        const found = (
          <HeldView
            path={`/console${pathOf(asked)}`}
            recipient={form.recipient}
            held={held}
            ofService={serviceId !== undefined}
          />
        );
        return formView(asked, { typed, problems: new Map() }, found);
      }
    }
  }

  function sendJson({ reply }: Asked, parts: AsyncIterable<string>) {
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', contentDisposition(`data about one recipient ${londonDay(app.clock.now())}.json`))
      .send(Readable.from(parts, { objectMode: false }));
  }
}

const pathOf = ({ service }: Asked) => (service ? `/services/${service.id}/recipients` : '/operator/recipients');

function formView(asked: Asked, draft: Draft, found?: View['content']): View {
  const { service } = asked;
  return {
    title: 'Data about one person',
    lead: service
      ? 'Find, download or erase what this service holds about a recipient. Each step is recorded in the audit log, without the address.'
      : 'Find, download or erase what all services hold about a recipient. Each step is recorded in the audit log, without the address.',
    crumbs: [service ? { label: 'Settings', to: settingsOf(service) } : { label: 'Audit', to: '/operator/audit' }],
    content: (
      <div class="stack stack--loose">
        <form class="stack stack--tight measure" method="post" action={`/console${pathOf(asked)}`} noValidate>
          <TextArea
            draft={draft}
            name="recipient"
            label="Email address, phone number or postal address"
            hint="For letters: the name and the postcode, or more of the address, on separate lines. All messages are searched, which may take a while."
            rows={3}
          />
          <div>
            <button class="button button--primary" type="submit">
              Find
            </button>
          </div>
        </form>
        {found}
      </div>
    ),
  };
}

function noticeOf({ erased, left }: Erasure): string {
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);
  const rest = sum(left);
  const later = rest > 0 ? ` ${rest} records are still in use: erase them later.` : '';
  return `${sum(erased)} ${sum(erased) === 1 ? 'record was' : 'records were'} erased. Figures stay.${later}`;
}
