import { joined, list, type Text, t } from '../../language/text.ts';
import type { Mailbox } from './mailboxes.ts';
import { type Evaluation, fails, isUnknown, passes, type ReadinessFacts, type Share, warns } from './rows.ts';

/** The rows about sent emails and their outcomes. */

/** With fewer emails, a share means nothing. */
const minSent = 1_000;
const shownTemplates = 5;

export function evaluateUnsubscribe({ templates }: ReadinessFacts): Evaluation {
  if (templates.length === 0)
    return passes(t('No template was sent to 500 people or more in files of the last 7 days.'));
  const without = templates.filter(({ has_unsubscribe_link }) => !has_unsubscribe_link);
  if (without.length === 0) return passes(t('Every template that was sent to many has an unsubscribe link.'));
  const shown = without.slice(0, shownTemplates).map(({ name, service_name }) => `${name} (${service_name})`);
  const evidence = t(
    'Sent to many without an unsubscribe link: {templates}{more, plural, =0 {} one { and # more} other { and # more}}.',
    { templates: joined(shown, ', '), more: without.length - shown.length },
  );
  const advice = t(
    'Switch the link on where people did not ask for each email, and take them off your list within 2 days.',
  );
  return without.length === templates.length ? fails(evidence, advice) : warns(evidence, advice);
}

export function evaluateComplaints({ complaints }: ReadinessFacts): Evaluation {
  const note = t('Gmail does not report spam to us: check Google Postmaster Tools.');
  if (complaints.of < minSent) {
    const tooFew = t(
      '{sent, plural, one {# email in the last 7 days is} other {# emails in the last 7 days are}} too few to tell: we need {minSent, number}.',
      { sent: complaints.of, minSent },
    );
    return isUnknown(joined([tooFew, note]));
  }
  const share = percent(complaints, 2);
  const evidence = joined([t('{share} of the emails of the last 7 days were reported as spam.', { share }), note]);
  const advice = t('Write only to people who asked for it, and make unsubscribing easy.');
  if (reaches(complaints, 3, 1_000)) return fails(evidence, advice);
  return reaches(complaints, 1, 1_000) ? warns(evidence, advice) : passes(evidence);
}

export function evaluateBounces({ bounces }: ReadinessFacts): Evaluation {
  if (bounces.of < minSent) {
    const evidence = t(
      '{sent, plural, one {# email in the last 24 hours is} other {# emails in the last 24 hours are}} too few to tell: we need {minSent, number}.',
      { sent: bounces.of, minSent },
    );
    return isUnknown(evidence);
  }
  const share = percent(bounces, 1);
  const evidence = t('{share} of the emails of the last 24 hours went to addresses that do not exist.', { share });
  const advice = t('Remove those addresses from your lists.');
  if (reaches(bounces, 10, 100)) return fails(evidence, advice);
  return reaches(bounces, 5, 100) ? warns(evidence, advice) : passes(evidence);
}

/** With this many emails on one day, a sender is a bulk sender; Gmail never withdraws that classification. */
const bulk = 5_000;
const almostBulk = 4_000;

export function evaluateVolume({ best_days }: ReadinessFacts): Evaluation {
  if (best_days.length === 0) return passes(t('No email was sent in the last 30 days.'));
  const days = list(best_days.map(({ mailbox, count }) => dayAt(mailbox, count)));
  const evidence = t('Most emails in one day, in the last 30 days: {days}.', { days });
  const most = Math.max(0, ...best_days.filter(({ mailbox }) => mailbox !== 'other').map(({ count }) => count));
  if (most < almostBulk) return passes(evidence);
  if (most >= bulk) {
    return passes(joined([evidence, t('You are a bulk sender, so every rule on this page applies to you.')]));
  }
  return warns(evidence, t('You will soon count as a bulk sender, permanently. Fix the problems on this page first.'));
}

function dayAt(mailbox: Mailbox, count: number): Text {
  return t(
    '{mailbox, select, google {{count, number} to Gmail} yahoo {{count, number} to Yahoo} microsoft {{count, number} to Outlook} other {{count, number} to others}}',
    { mailbox, count },
  );
}

export function evaluateRefusals({ refusals }: ReadinessFacts): Evaluation {
  const count = refusals.reduce((sum, refusal) => sum + refusal.count, 0);
  if (count === 0) return passes(t('No receiver refused an email of the last 24 hours because of these rules.'));
  const evidence = joined([
    t('Receivers refused {count, plural, one {# email} other {# emails}} of the last 24 hours.', { count }),
    ...refusals.map(({ sentence, count }) => t('{sentence} ({count, number})', { sentence, count })),
  ]);
  const advice = t('Fix what the receivers report. We send messages again that they refused temporarily.');
  return count >= 10 ? fails(evidence, advice) : warns(evidence, advice);
}

/** Compares integers, because 0.1 * 3 is not 0.3. */
function reaches({ part, of }: Share, numerator: number, denominator: number): boolean {
  return part * denominator >= numerator * of;
}

function percent({ part, of }: Share, decimals: number): string {
  return `${((100 * part) / of).toFixed(decimals)}%`;
}
