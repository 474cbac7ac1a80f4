import type { ComponentChildren } from 'preact';
import { costOfLetter, costOfTexts } from '../../../billing/rates.ts';
import { previewEmail } from '../../../delivery/previews/previews.ts';
import { declared, joined, type Text, t } from '../../../language/text.ts';
import { previewLetterTemplate } from '../../../letters/preview/letter-preview.ts';
import { remainingToday } from '../../../notifications/limits/daily-limits.ts';
import { checkOneOff, sendOneOff } from '../../../notifications/one-off/one-off.ts';
import { findRateOf, hasKnownPrice } from '../../../notifications/rates-abroad.ts';
import { invalid, notFound } from '../../../platform/failure.ts';
import { newId } from '../../../platform/id.ts';
import { addressRules } from '../../../recipients/address-rules.ts';
import { parsePhoneNumber } from '../../../recipients/phone-number.ts';
import { sheetsOf } from '../../../rendering/pdf/letter-geometry.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import { inChosenLanguage } from '../../../templates/languages/chosen-language.ts';
import { languagesInUse } from '../../../templates/languages/languages.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { checkAll } from '../../forms.ts';
import { countedToday, leftToday, postageName } from '../../message-labels.ts';
import { several } from '../../money.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { sendFragment } from '../../parts/live.tsx';
import { sendMailFrame, sendSentFile } from '../../parts/mail-frame.tsx';
import { formatPhoneNumber } from '../../parts/phone-number.ts';
import { nextDay, nightWarning, refuseBadTime, wordsOfHour } from '../../parts/when.tsx';
import type { Viewer } from '../../viewer.ts';
import { atLeast } from './cost.ts';
import {
  decryptValues,
  drawLetter,
  MessagePreview,
  type Preview,
  previewMessage,
  type ToPreview,
} from './message-preview.tsx';
import { Check, FillIn } from './send.tsx';
import {
  buildPersonalisation,
  readFilled,
  readLanguageChoice,
  refuseGaps,
  SendForm,
  toFormProblem,
  withoutGaps,
} from './send-form.ts';
import { getSendableTemplate, listSenderChoices } from './sendable-templates.ts';

const who = { service: 'send', membersOnly: true } as const;
type OfSender = PageRequest<typeof who>;

/** Sends to one person: fill in, check, send. */
export function sendPages(pages: Pages, app: ConsoleApp): void {
  async function load({ service, visitor, viewer, param }: OfSender, typed: FormState['typed']): Promise<ToPreview> {
    const own = await getSendableTemplate(app, service.id, visitor.user.id, param('template_id'));
    const template = inLanguage(app, own, readLanguageChoice(own, typed));
    const sending = await app.sending.services.find(service.id);
    if (!sending) throw notFound();
    return { service: sending, template, filled: readFilled(viewer.calendar, template, typed) };
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
      ...buildHeading(request, loaded),
      scripts: ['preview'],
      content: (
        <FillIn
          formState={{ typed, problems: formState.problems }}
          channel={channel}
          filled={filled}
          conditions={template.compiled.conditions}
          languages={languagesInUse(template.row)}
          senders={await listSenderChoices(app.db, template)}
          preview={await renderPreview(request, loaded)}
          left={leftToday(countedToday(app, service, channel), (await remainingToday(app, service, channel)).messages)}
          now={app.clock.now()}
          addressHint={declared(app.country.words.addressHint)}
          toFile={`/services/${service.id}/files/new/${template.row.id}`}
        />
      ),
    };
  }

  /** The number of pages of a letter is unknown until it is rendered. */
  async function renderPreview({ visitor }: OfSender, loaded: ToPreview) {
    const preview = await previewMessage(app, visitor, loaded);
    const foot = preview.channel === 'letter' ? undefined : await describeSizeAndCost(app, loaded, preview);
    return <MessagePreview preview={preview} foot={foot} />;
  }

  function buildRequest({ visitor }: OfSender, { template, filled }: ToPreview) {
    return {
      template_id: template.row.id,
      to: filled.to,
      personalisation: buildPersonalisation(template, filled),
      language: filled.language || null,
      sender_id: filled.sender_id || null,
      reference: filled.reference || null,
      scheduled_for: filled.scheduled_for || null,
      created_by: visitor.user.id,
    };
  }

  /** Reports all problems at once: empty fields, the time, and what the rules reject. */
  async function refuseProblems(request: OfSender, loaded: ToPreview): Promise<void> {
    const { service, template, filled } = loaded;
    await checkAll(
      () => refuseGaps(template, filled),
      () => refuseBadTime(filled.scheduled_for, app.clock.now(), nextDay),
      async () => {
        if (filled.to === '') return;
        const message = buildRequest(request, { ...loaded, filled: { ...withoutGaps(filled), scheduled_for: '' } });
        await checkOneOff(app, service.id, message).catch((error) => {
          throw toFormProblem(app.country, error, filled.values);
        });
      },
    );
  }

  async function check(request: OfSender, loaded: ToPreview): Promise<View> {
    const { template, filled } = loaded;
    await refuseProblems(request, loaded);
    const drawn = template.row.template_type === 'letter' ? await drawLetter(app, loaded) : undefined;
    if (drawn?.message)
      throw invalid(t('The letter has {pageCount} pages. Shorten it to 10 pages.', { pageCount: drawn.page_count }));
    const preview = await previewMessage(app, request.visitor, loaded, drawn?.page_count);
    return {
      ...buildHeading(request, loaded),
      content: (
        <Check
          filled={filled}
          sendId={newId(app.clock.now())}
          preview={preview}
          foot={await describeSizeAndCost(app, loaded, preview)}
          facts={await listFacts(app, request.viewer, loaded)}
          lost={findLost(loaded)}
        />
      ),
    };
  }

  async function send(request: OfSender, loaded: ToPreview, sendId: string | undefined): Promise<Redirection> {
    const message = { ...buildRequest(request, loaded), ...(sendId === undefined ? {} : { send_id: sendId }) };
    try {
      const { id } = await sendOneOff(app, request.service.id, message);
      return {
        to: `/services/${request.service.id}/messages/${id}`,
        notice: loaded.filled.scheduled_for === '' ? t('Message sent.') : t('Message scheduled.'),
      };
    } catch (error) {
      throw toFormProblem(app.country, error, loaded.filled.values);
    }
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
          return sendFragment(request.http, request.reply, await renderPreview(request, loaded));
        case 'send':
          return send(request, loaded, form.send_id);
        default:
          return check(request, loaded);
      }
    },
  });

  /** Shows the email of a preview, whose values are encrypted in the URL. */
  pages.add('/services/:service_id/send/:email_template_id/email', {
    who,
    async show({ service, visitor, param, query, reply }) {
      const own = await getSendableTemplate(app, service.id, visitor.user.id, param('email_template_id'));
      const template = inLanguage(app, own, query('language'));
      if (template.row.template_type !== 'email') throw notFound();
      const personalisation = decryptValues(app, visitor, query('values'));
      const message = { template, recipient: '', personalisation, reply_to_text: null };
      const { html } = await previewEmail(app, service.id, message);
      return sendMailFrame(app, reply, html, { images: false });
    },
  });

  pages.add('/services/:service_id/send/:letter_template_id/pages/:page', {
    who,
    async show({ service, visitor, param, query, reply }) {
      const own = await getSendableTemplate(app, service.id, visitor.user.id, param('letter_template_id'));
      const template = inLanguage(app, own, query('language'));
      const page = Number(param('page'));
      if (template.row.template_type !== 'letter' || !Number.isInteger(page) || page < 1) throw notFound();
      const values = decryptValues(app, visitor, query('values'));
      const { content } = await previewLetterTemplate(app, template, values, 'png', page);
      return sendSentFile(reply, 'image/png', content);
    },
  });
}

function inLanguage(app: ConsoleApp, template: ReadyTemplate, language: string): ReadyTemplate {
  return inChosenLanguage(app, template, { language: language || undefined });
}

/** Returns the characters of a text message that its recipient will not see. */
function findLost({ template, filled }: ToPreview): string[] {
  const { compiled } = template;
  return compiled.template_type === 'sms' ? compiled.lostCharacters(buildPersonalisation(template, filled)) : [];
}

function ownRecipient({ visitor: { user } }: OfSender, { template }: ToPreview): string {
  return (template.row.template_type === 'sms' ? user.mobile_number : user.email_address) ?? '';
}

function buildHeading({ service }: OfSender, { template: { row } }: ToPreview): Pick<View, 'title' | 'crumbs'> {
  return {
    title: t('Send “{name}”', { name: row.name }),
    crumbs: [{ label: t('Send'), to: `/services/${service.id}/send` }],
  };
}

/** The size of the message and what it costs. */
async function describeSizeAndCost(
  app: ConsoleApp,
  { template, filled }: ToPreview,
  preview: Preview,
): Promise<string | undefined> {
  switch (preview.channel) {
    case 'sms': {
      const parsed = parsePhoneNumber(app.country.phone, filled.to);
      const number = parsed.ok ? await findRateOf(app.country.phone, parsed.number) : undefined;
      const multiplier = number?.multiplier ?? 1;
      const cost = await costOfTexts(app, preview.parts * multiplier);
      const figures = [
        several(preview.characters, 'character'),
        several(preview.parts, 'part'),
        ...(cost === undefined ? [] : [app.country.money.price(cost)]),
      ];
      const size = joined(atLeast(preview.is_minimum, figures), ' · ');
      if (number && !(await hasKnownPrice(app.country.phone, number))) {
        return t('{size} · no price abroad yet', { size });
      }
      if (multiplier <= 1) return size;
      const { inCountry } = app.country.words;
      return t('{size}, {multiplier} times the price of a text {inCountry}', { size, multiplier, inCountry });
    }
    case 'email':
      return undefined;
    case 'letter': {
      const sheets = sheetsOf(preview.pages.length);
      const rules = addressRules(app.country);
      const postage = rules.postage(rules.parse(filled.to.split('\n')), template.row.postage);
      const cost = await costOfLetter(app, sheets, postage);
      const priced = cost === undefined ? [] : [app.country.money.price(cost)];
      return joined([several(sheets, 'sheet'), postageName(app.country, postage), ...priced], ' · ');
    }
  }
}

async function listFacts(
  app: ConsoleApp,
  { calendar }: Viewer,
  { service, template, filled }: ToPreview,
): Promise<{ label: Text; value: ComponentChildren }[]> {
  const channel = template.row.template_type;
  const { messages } = await remainingToday(app, service, channel);
  const counted = countedToday(app, service, channel);
  const now = app.clock.now();
  const at = filled.scheduled_for === '' ? now : new Date(filled.scheduled_for);
  const warning = nightWarning(calendar, at);
  const when = (
    <>
      {at === now ? t('Now') : wordsOfHour(calendar, at, now)}
      {warning !== undefined && <small>{warning}</small>}
    </>
  );
  return [
    {
      label: t('To'),
      value: (
        <span dir="auto">
          {(channel === 'sms' ? formatPhoneNumber(app.country.phone, filled.to) : filled.to)
            .split('\n')
            .flatMap((line, index) => (index === 0 ? [line] : [<br key={index} />, line]))}
        </span>
      ),
    },
    ...(channel === 'letter' ? [] : [{ label: t('When'), value: when }]),
    ...(filled.reference === '' ? [] : [{ label: t('Reference'), value: <span dir="auto">{filled.reference}</span> }]),
    { label: t('Daily limit'), value: t('{left}, with this one', { left: leftToday(counted, messages) }) },
  ];
}
