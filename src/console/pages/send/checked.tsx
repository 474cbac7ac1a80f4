import type { ComponentChildren } from 'preact';
import { remainingToday } from '../../../notifications/limits/remaining-today.ts';
import { parsePhoneNumber } from '../../../recipients/phone-number.ts';
import { parsePostalAddress, postageForAddress } from '../../../recipients/postal-address.ts';
import { sheetsOf } from '../../../rendering/letter/length.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { wordsOfHour } from '../../parts/when.tsx';
import { costInWords, costOfLetter, costOfTexts } from './cost.ts';
import { type Preview, partsInWords } from './message-preview.tsx';
import type { ToPreview } from './previews.ts';

/** The size of the message and what it costs. */
export async function footOf(
  app: ConsoleApp,
  { template, filled }: ToPreview,
  preview: Preview,
): Promise<string | undefined> {
  switch (preview.channel) {
    case 'sms': {
      const parsed = parsePhoneNumber(filled.to);
      const multiplier = parsed.ok ? parsed.number.multiplier : 1;
      const cost = costInWords(await costOfTexts(app, preview.parts * multiplier));
      const abroad = multiplier > 1 ? `, abroad: ${multiplier} times the price` : '';
      const { length } = preview.text;
      return `${length} ${length === 1 ? 'character' : 'characters'} · ${partsInWords(preview.parts)} · ${cost}${abroad}`;
    }
    case 'email':
      return undefined;
    case 'letter': {
      const sheets = sheetsOf(preview.pages.length);
      const postage = postageForAddress(parsePostalAddress(filled.to.split('\n')), template.row.postage ?? 'second');
      const cost = await costOfLetter(app, sheets, postage);
      const paper = sheets === 1 ? '1 sheet' : `${sheets} sheets`;
      return `${paper} · ${postageNames[postage]}${cost === undefined ? '' : ` · ${costInWords(cost)}`}`;
    }
  }
}

const postageNames = {
  first: 'first class',
  second: 'second class',
  economy: 'economy',
  europe: 'to Europe',
  'rest-of-world': 'to the rest of the world',
};

export async function checkedFacts(
  app: ConsoleApp,
  { service, template, filled }: ToPreview,
): Promise<{ label: string; value: ComponentChildren }[]> {
  const channel = template.row.template_type;
  const { messages } = await remainingToday(app, service, channel);
  const when = filled.scheduled_for === '' ? 'Now' : wordsOfHour(new Date(filled.scheduled_for), app.clock.now());
  return [
    {
      label: 'To',
      value: filled.to.split('\n').flatMap((line, index) => (index === 0 ? [line] : [<br key={index} />, line])),
    },
    ...(channel === 'letter' ? [] : [{ label: 'When', value: when }]),
    ...(filled.reference === '' ? [] : [{ label: 'Reference', value: filled.reference }]),
    { label: 'Left today', value: `${messages.toLocaleString('en-GB')}, with this one` },
  ];
}
