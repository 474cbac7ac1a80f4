import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import { Type } from 'typebox';
import { type Erasure, eraseRecipient } from '../../../operations/recipients/erase-recipient.ts';
import { exportRecipient, findRecipient, maxRecipientLength } from '../../../operations/recipients/find-recipient.ts';
import { londonDay } from '../../../platform/calendar.ts';
import { OneOf } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { FormState, PageRequest, Pages, Redirection, Sent, View } from '../../page.ts';
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
    show: (request, formState) => formView(request, formState),
    form: Form,
    needs,
    act: (request, form) => act(request, form),
  });

  pages.add('/services/:service_id/recipients', {
    who: { service: 'manage' },
    below: 'Settings',
    show: (request, formState) => formView(request, formState),
    form: Form,
    needs,
    act: (request, form) => act(request, form),
  });

  async function act(
    request: PageRequest,
    form: { recipient: string; do?: string },
  ): Promise<View | Redirection | Sent> {
    const serviceId = request.service?.id;
    switch (form.do) {
      case 'export': {
        const parts = await exportRecipient(app, form.recipient, serviceId);
        return { sent: sendJson(request, parts) };
      }
      case 'erase':
        return { to: pathOf(request), notice: noticeOf(await eraseRecipient(app, form.recipient, serviceId)) };
      default: {
        const held = await findRecipient(app, form.recipient, serviceId);
        const typed = new Map([['recipient', form.recipient]]);
        const found = (
          <HeldView
            path={`/console${pathOf(request)}`}
            recipient={form.recipient}
            held={held}
            ofService={serviceId !== undefined}
          />
        );
        return formView(request, { typed, problems: new Map() }, found);
      }
    }
  }

  function sendJson({ reply }: PageRequest, parts: AsyncIterable<string>) {
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', contentDisposition(`data about one recipient ${londonDay(app.clock.now())}.json`))
      .send(Readable.from(parts, { objectMode: false }));
  }
}

const pathOf = ({ service }: PageRequest) => (service ? `/services/${service.id}/recipients` : '/operator/recipients');

function formView(request: PageRequest, formState: FormState, found?: View['content']): View {
  const { service } = request;
  return {
    title: 'Data about one person',
    lead: service
      ? 'Find, download or erase what this service holds about a recipient. Each step is recorded in the audit log, without the address.'
      : 'Find, download or erase what all services hold about a recipient. Each step is recorded in the audit log, without the address.',
    crumbs: [service ? { label: 'Settings', to: settingsOf(service) } : { label: 'Audit', to: '/operator/audit' }],
    content: (
      <div class="stack stack--loose">
        <form class="stack stack--tight measure" method="post" action={`/console${pathOf(request)}`} noValidate>
          <TextArea
            formState={formState}
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
