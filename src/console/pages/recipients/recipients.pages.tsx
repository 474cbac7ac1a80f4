import { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { joined, type Text, t } from '../../../language/text.ts';
import { type Erasure, eraseRecipient } from '../../../operations/recipients/erase-recipient.ts';
import {
  exportRecipient,
  findRecipient,
  type Held,
  heldKinds,
  maxRecipientLength,
} from '../../../operations/recipients/find-recipient.ts';
import { OneOf } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { count } from '../../money.ts';
import type { FormState, PageRequest, Pages, Redirection, Sent, View } from '../../page.ts';
import { TextArea } from '../../parts/field.tsx';
import { Confirm, Submit } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { settingsOf } from '../settings/service-setting.ts';

const Form = Type.Object({
  recipient: Type.String({ maxLength: maxRecipientLength }),
  do: Type.Optional(OneOf(['find', 'export', 'erase'])),
});
const needs = { recipient: t('Enter an email address, a phone number or a postal address.') };

/** Finds, exports or erases the data held about one recipient. The recipient is only in form fields, never in a URL. */
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
    name: t('Data about one person'),
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
        return {
          to: buildPath(request),
          notice: describeErasure(await eraseRecipient(app, form.recipient, serviceId)),
        };
      default: {
        const held = await findRecipient(app, form.recipient, serviceId);
        const typed = new Map([['recipient', form.recipient]]);
        const found = (
          <HeldView
            path={pageUrl(buildPath(request))}
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
    const today = app.country.calendar.day(app.clock.now());
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', contentDisposition(`data about one recipient ${today}.json`))
      .send(Readable.from(parts, { objectMode: false }));
  }
}

const buildPath = ({ service }: PageRequest) =>
  service ? `/services/${service.id}/recipients` : '/operator/recipients';

function formView(request: PageRequest, formState: FormState, found?: View['content']): View {
  const { service } = request;
  return {
    title: t('Data about one person'),
    lead: service
      ? t(
          'Find, download or erase what this service holds about a recipient. Each step is recorded in the audit log, without the address.',
        )
      : t(
          'Find, download or erase what all services hold about a recipient. Each step is recorded in the audit log, without the address.',
        ),
    crumbs: [
      service ? { label: t('Settings'), to: settingsOf(service) } : { label: t('Audit'), to: '/operator/audit' },
    ],
    content: (
      <div class="stack stack--loose">
        <form class="stack stack--tight measure" method="post" action={pageUrl(buildPath(request))} noValidate>
          <TextArea
            formState={formState}
            name="recipient"
            label={t('Email address, phone number or postal address')}
            hint={t(
              'For letters, enter the name and the postcode on separate lines. We search all messages, which can take a while.',
            )}
            rows={3}
          />
          <Submit>{t('Find')}</Submit>
        </form>
        {found}
      </div>
    ),
  };
}

function describeErasure({ erased, left }: Erasure): Text {
  const [gone, rest] = [sumCounts(erased), sumCounts(left)];
  const done = t(
    '{count, plural, one {# record was erased. We keep the totals.} other {# records were erased. We keep the totals.}}',
    { count: gone },
  );
  if (rest === 0) return done;
  const kept = t(
    '{count, plural, one {# record is still in use: erase it later.} other {# records are still in use: erase them later.}}',
    { count: rest },
  );
  return joined([done, kept]);
}

const kindNames: Record<(typeof heldKinds)[number], string> = {
  notification: t('Messages'),
  inbound_text: t('Received texts'),
  file_row: t('Rows of files'),
  contact_list_row: t('Rows of contact lists'),
  document: t('Files sent by email'),
  unsubscribe_request: t('Unsubscribe requests'),
  suppressed_recipient: t('Suppression lists'),
  opted_out_number: t('Opt-outs from texts'),
  plan_message: t('Messages with a channel plan'),
  complaint: t('Complaints'),
  guest_list: t('Guest lists'),
  callback: t('Callbacks'),
};

interface HeldProps {
  /** The URL that the forms are sent to. */
  path: string;
  /** The recipient as typed. It is part of the forms, never of a URL. */
  recipient: string;
  held: Held;
  /** Within one service, its name is not repeated. */
  ofService: boolean;
}

/** The data held about one person, and actions on it. */
function HeldView({ path, recipient, held, ofService }: HeldProps) {
  if (sumCounts(held.total) === 0) {
    return (
      <Empty title={t('We hold nothing about {recipient}', { recipient })}>
        {t(
          'Check the address or number. For letters, write each line as it was sent. The name and the postcode are enough.',
        )}
      </Empty>
    );
  }
  const kinds = heldKinds.filter((kind) => held.total[kind] > 0);
  const shown = kinds.map((kind) => ({ kind, services: held.services.filter(({ counts }) => counts[kind] > 0) }));
  return (
    <section class="stack" aria-labelledby="held">
      <h2 id="held">
        <T>
          What we hold about <bdi>{{ recipient }}</bdi>
        </T>
      </h2>
      <Table
        caption={t('What we hold, and where')}
        rows={shown}
        keyOf={({ kind }) => kind}
        columns={[
          { head: t('Kind'), cell: ({ kind }) => kindNames[kind] },
          ...(ofService
            ? []
            : [
                {
                  head: t('Services'),
                  cell: ({ kind, services }: (typeof shown)[number]) => (
                    <ul class="plain">
                      {services.map(({ service_id, service_name, counts }) => (
                        <li key={service_id}>
                          <bdi>{service_name}</bdi> <span class="muted">{count(counts[kind])}</span>
                        </li>
                      ))}
                    </ul>
                  ),
                },
              ]),
          {
            head: t('Count'),
            numeric: true as const,
            cell: ({ kind }: (typeof shown)[number]) => count(held.total[kind]),
          },
        ]}
      />
      <div class="stack stack--tight">
        <form method="post" action={path}>
          <input type="hidden" name="do" value="export" />
          <input type="hidden" name="recipient" value={recipient} />
          <button class="button" type="submit">
            {t('Download everything')}
          </button>
        </form>
        <Confirm
          label={t('Erase')}
          action={t('Erase everything about {recipient}', { recipient })}
          to={path}
          fields={{ do: 'erase', recipient }}
        >
          <T>
            This erases texts, values, files and rows about <bdi>{{ recipient }}</bdi> and cannot be undone. We keep the
            number of messages, their statuses and costs. You can erase messages that are still being sent later.
          </T>
          {held.total.suppressed_recipient > 0 && (
            <> {t('The address also leaves the suppression list, so it gets emails again.')}</>
          )}
        </Confirm>
      </div>
    </section>
  );
}

function sumCounts(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, amount) => total + amount, 0);
}
