import { type Found, type Hint, type HintedText, type HintRule, hintRules } from './hint.ts';
import { messageOf } from './hint-texts.ts';
import { countAddresses, findIpLink, findShortener, findVagueLinkText } from './link-hints.ts';
import { readWriting, type Writing } from './plain-writing.ts';
import { findCapitals, findHardReading, findLongSentence, listSentences } from './reading-hints.ts';
import { findCostlyCharacters, findMissingSender, findSavedPart, measureCost } from './text-message-hints.ts';

/** Only the beginning of a longer text is checked: the advice is the same, and it is shown while somebody types. */
const maxEvaluated = 100_000;

/** Returns the first finding of each rule. Takes time linear in the length of the text. */
export function findHints(hinted: HintedText): Hint[] {
  const { channel, english } = hinted;
  const body = readWriting(hinted.content.slice(0, maxEvaluated), { hasLinks: channel === 'email' });
  const heading = (channel === 'sms' ? '' : (hinted.subject ?? '')).slice(0, maxEvaluated);
  const subject = readWriting(heading, { hasLinks: false });
  const sentences = english ? listSentences(body) : [];
  const cost = channel === 'sms' ? measureCost(hinted) : undefined;
  const inBody = (found: Found | undefined) => found && { ...found, field: 'body' as const, writing: body };
  const inSubject = (found: Found | undefined) => found && { ...found, field: 'subject' as const, writing: subject };
  const hasLinks = channel !== 'letter';
  const found: Record<HintRule, ReturnType<typeof inBody> | ReturnType<typeof inSubject> | false> = {
    'link-shortener': hasLinks && inBody(findShortener(body)),
    'vague-link-text': hasLinks && english && inBody(findVagueLinkText(body)),
    'ip-link': hasLinks && inBody(findIpLink(body)),
    'many-links': inBody(countAddresses(body, channel)),
    capitals: inSubject(findCapitals(subject)) ?? inBody(findCapitals(body)),
    'no-sender': channel === 'sms' && inBody(findMissingSender(body, hinted.service)),
    'long-sentence': inBody(findLongSentence(sentences)),
    'hard-to-read': inBody(findHardReading(sentences)),
    'no-unsubscribe':
      channel === 'email' &&
      hinted.sent_to_many === true &&
      hinted.has_unsubscribe_link !== true &&
      inBody({ found: null, place: null }),
    'dear-characters': cost !== undefined && inBody(findCostlyCharacters(body, cost)),
    'save-a-part': cost !== undefined && inBody(findSavedPart(cost)),
  };
  return hintRules.flatMap((rule) => {
    const hint = found[rule];
    return hint ? [hintOf(rule, hint, hinted)] : [];
  });
}

function hintOf(
  rule: HintRule,
  hint: Found & { field: 'subject' | 'body'; writing: Writing },
  { channel, content }: HintedText,
): Hint {
  const { found, place, count = null, other = null, field, writing } = hint;
  const at = place && writing.placeOf(place);
  const isOpen = content.includes('((');
  return {
    rule,
    message: messageOf(rule, { found: found ?? '', count: count ?? 0, other: other ?? 0, channel, isOpen }),
    found,
    field: at && field,
    start: at?.start ?? null,
    end: at?.end ?? null,
    count,
    other,
  };
}
