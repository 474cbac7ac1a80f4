import { lanes, type NewNotification } from '../../../src/notifications/notification.ts';
import { timestamp } from '../../../src/platform/clock.ts';
import { newId } from '../../../src/platform/id.ts';
import { aLetter } from '../../kit/builders/letters.ts';
import { someQueuedMessages } from '../../kit/builders/queued-messages.ts';
import { aTemplate } from '../../kit/builders/rows.ts';
import type { Harness } from '../../kit/harness.ts';

export interface TownHall {
  text: string;
  email: string;
  letter: string;
}

/** A service at work: templates, messages of every channel, some of them failed. Returns one message of each channel. */
export async function fillTownHall(harness: Harness, service: string): Promise<TownHall> {
  const reminder = await aTemplate(harness, service, {
    name: 'Reminder',
    content: 'Hello ((name)), see you on ((day)) at 10:30. Can’t come? Call 020 7946 0100.',
  });
  const welcome = await aTemplate(harness, service, {
    name: 'Welcome',
    template_type: 'email',
    subject: 'Welcome, ((name))',
    content: '# Hello ((name))\n\nThank you for joining us.\n\n* Bring your letter\n* Come on ((day))',
  });
  const decision = await aTemplate(harness, service, { name: 'Decision', template_type: 'letter' });
  const now = harness.clock.now();
  const text = (index: number): Partial<NewNotification> => ({
    template_id: reminder,
    recipient: `07700 9001${String(index).padStart(2, '0')}`,
    normalised_recipient: `4477009001${String(index).padStart(2, '0')}`,
    personalisation: { name: 'Ada', day: 'Friday' },
    client_reference: `appointment-47${index}`,
    reply_to_text: 'TOWNHALL',
  });
  const mail: Partial<NewNotification> = {
    notification_type: 'email',
    template_id: welcome,
    personalisation: { name: 'Ada', day: 'Friday' },
    client_reference: null,
  };
  const [first = '', failing = '', email = ''] = await someQueuedMessages(harness, service, [
    text(10),
    { ...text(11), recipient: '07700 900003', normalised_recipient: '447700900003' },
    mail,
    ...Array.from({ length: 60 }, (_, index) => text(20 + index)),
  ]);
  await harness.app.db
    .insertInto('failed_attempts')
    .values({
      notification_id: failing,
      attempt: 1,
      provider: 'sandbox',
      outcome: 'failed',
      reason: 'answered 503',
      duration_ms: 128,
      failed_at: timestamp(now),
      retry_at: timestamp(now),
    })
    .execute();
  const letter = await aLetter(harness, service, decision);
  await harness.runTasks();
  await harness.deliver();
  await harness.deliver();
  await someQueuedMessages(harness, service, [
    { ...text(99), id: newId(now), lane: lanes.bulk, due_at: timestamp(new Date(now.getTime() + 3_600_000)) },
  ]);
  return { text: failing || first, email, letter };
}
