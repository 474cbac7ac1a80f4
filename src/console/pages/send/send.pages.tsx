import { previewEmail } from '../../../delivery/previews/preview-message.ts';
import { previewLetterTemplate } from '../../../letters/preview/letter-preview.ts';
import { remainingToday } from '../../../notifications/limits/remaining-today.ts';
import { checkOneOff, sendOneOff } from '../../../notifications/one-off/one-off.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { newId } from '../../../platform/id.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { sendFragment } from '../../send-fragment.tsx';
import { sendMailFrame, sendSentFile } from '../sandbox/mail-frame.ts';
import { Check } from './check.tsx';
import { checkedFacts, footOf } from './checked.tsx';
import { FillIn } from './fill-in.tsx';
import { MessagePreview } from './message-preview.tsx';
import { drawLetter, previewOf, readValues, type ToPreview } from './previews.ts';
import { aboutForm } from './refusals.ts';
import { type Filled, readFilled, SendForm, valuesOfMessage } from './send-form.ts';
import { getSendableTemplate } from './sendable-templates.ts';
import { listSenderChoices } from './sender-choices.ts';

const who = { service: 'send', membersOnly: true } as const;
type OfSender = PageRequest<typeof who>;

/** To one person: fill in, check, send. */
export function sendPages(pages: Pages, app: ConsoleApp): void {
  async function load({ service, visitor, param }: OfSender, typed: FormState['typed']): Promise<ToPreview> {
    const template = await getSendableTemplate(app, service.id, visitor.user.id, param('template_id'));
    const sending = await app.sending.services.find(service.id);
    if (!sending) throw notFound();
    return { service: sending, template, filled: readFilled(template, typed) };
  }

  async function fillIn(request: OfSender, formState: FormState): Promise<View> {
    const loaded = await load(request, formState.typed);
    const { template, filled, service } = loaded;
    const channel = template.row.template_type;
    // The fields of placeholders are a list in the form.
    const typed = new Map([
      ...formState.typed,
      ...filled.values.map(({ value }, index): [string, string] => [`value_${index}`, value]),
    ]);
    return {
      ...frameOf(request, loaded),
      scripts: ['preview'],
      content: (
        <FillIn
          formState={{ typed, problems: formState.problems }}
          channel={channel}
          filled={filled}
          senders={await listSenderChoices(app, template)}
          preview={await previewPart(request, loaded)}
          left={(await remainingToday(app, service, channel)).messages}
          now={app.clock.now()}
          toFile={`/services/${service.id}/files/new/${template.row.id}`}
        />
      ),
    };
  }

  /** The number of pages of a letter is not known before it is drawn. */
  async function previewPart({ visitor }: OfSender, loaded: ToPreview) {
    const preview = await previewOf(app, visitor, loaded);
    const foot = preview.channel === 'letter' ? undefined : await footOf(app, loaded, preview);
    return <MessagePreview preview={preview} foot={foot} />;
  }

  function requestOf({ visitor }: OfSender, { template, filled }: ToPreview) {
    return {
      template_id: template.row.id,
      to: filled.to,
      personalisation: valuesOfMessage(template, filled),
      sender_id: filled.sender_id || null,
      reference: filled.reference || null,
      scheduled_for: filled.scheduled_for || null,
      created_by: visitor.user.id,
    };
  }

  async function check(request: OfSender, loaded: ToPreview): Promise<View> {
    const { service, template, filled } = loaded;
    if (filled.to === '') throw invalidField('to', whatIsMissing[template.row.template_type]);
    await checkOneOff(app, service.id, requestOf(request, loaded));
    const drawn = template.row.template_type === 'letter' ? await drawLetter(app, loaded) : undefined;
    if (drawn?.message)
      throw invalidField('', `The letter has ${drawn.page_count} pages, and may have 10. Shorten it.`);
    const preview = await previewOf(app, request.visitor, loaded, drawn?.page_count);
    return {
      ...frameOf(request, loaded),
      content: (
        <Check
          filled={filled}
          sendId={newId(app.clock.now())}
          preview={preview}
          foot={await footOf(app, loaded, preview)}
          facts={await checkedFacts(app, loaded)}
        />
      ),
    };
  }

  async function send(request: OfSender, loaded: ToPreview, sendId: string | undefined): Promise<Redirection> {
    const message = { ...requestOf(request, loaded), ...(sendId === undefined ? {} : { send_id: sendId }) };
    const { id } = await sendOneOff(app, request.service.id, message);
    const isLater = loaded.filled.scheduled_for !== '';
    return {
      to: `/services/${request.service.id}/messages/${id}`,
      notice: isLater ? 'The message will be sent at its time.' : 'The message is on its way.',
    };
  }

  pages.add('/services/:service_id/send/:template_id', {
    who,
    below: 'Send',
    show: fillIn,
    form: SendForm,
    async act(request, form) {
      const typed = new Map(Object.entries(form));
      const loaded = await load(request, typed);
      switch (form.do) {
        case 'mine':
          typed.set('to', ownRecipient(request, loaded));
          return fillIn(request, { typed, problems: new Map() });
        case 'change':
          return fillIn(request, { typed, problems: new Map() });
        case 'preview':
          return sendFragment(request.http, request.reply, await previewPart(request, loaded));
        default:
          return refusing(loaded.filled, () =>
            form.do === 'send' ? send(request, loaded, form.send_id) : check(request, loaded),
          );
      }
    },
  });

  /** The email of a preview; its values are encrypted in the address. */
  pages.add('/services/:service_id/send/:email_template_id/email', {
    who,
    async show({ service, visitor, param, query, reply }) {
      const template = await getSendableTemplate(app, service.id, visitor.user.id, param('email_template_id'));
      if (template.row.template_type !== 'email') throw notFound();
      const personalisation = readValues(app, visitor, query('values'));
      const message = { template, recipient: '', personalisation, reply_to_text: null };
      const { html } = await previewEmail(app, service.id, message);
      return sendMailFrame(app, reply, html, { images: false });
    },
  });

  pages.add('/services/:service_id/send/:letter_template_id/pages/:page', {
    who,
    async show({ service, visitor, param, query, reply }) {
      const template = await getSendableTemplate(app, service.id, visitor.user.id, param('letter_template_id'));
      const page = Number(param('page'));
      if (template.row.template_type !== 'letter' || !Number.isInteger(page) || page < 1) throw notFound();
      const values = readValues(app, visitor, query('values'));
      const { content } = await previewLetterTemplate(app, service.id, template.row.id, values, 'png', page);
      return sendSentFile(reply, 'image/png', content);
    },
  });
}

const whatIsMissing = {
  sms: 'Enter a phone number.',
  email: 'Enter an email address.',
  letter: 'Enter the address.',
};

async function refusing(filled: Filled, work: () => Promise<View | Redirection>): Promise<View | Redirection> {
  try {
    return await work();
  } catch (error) {
    throw aboutForm(error, filled);
  }
}

function ownRecipient({ visitor: { user } }: OfSender, { template }: ToPreview): string {
  return (template.row.template_type === 'sms' ? user.mobile_number : user.email_address) ?? '';
}

function frameOf({ service }: OfSender, { template: { row } }: ToPreview): Pick<View, 'title' | 'crumbs'> {
  return { title: `Send “${row.name}”`, crumbs: [{ label: 'Send', to: `/services/${service.id}/send` }] };
}
