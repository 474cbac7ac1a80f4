import type { NewNotification } from '../../../src/notifications/notification.ts';
import { checkPrecompiledLetter, composeLetter, letterFiles } from '../../../src/notifications/tasks-for-others.ts';
import { timestamp } from '../../../src/platform/clock.ts';
import type { Harness } from '../harness.ts';
import { aNotification, aTemplate, aUser } from './rows.ts';

/** Letters as the public API accepts them, with their task still queued. */

export async function aLetter(
  harness: Harness,
  serviceId: string,
  templateId: string,
  fields: Partial<NewNotification> = {},
): Promise<string> {
  const personalisation = {
    address_line_1: 'Ada Sender',
    address_line_2: '1 High Street',
    postcode: 'SW1A 1AA',
    name: 'Ada',
    thing: 'your claim',
    ...fields.personalisation,
  };
  const recipient = 'Ada Sender\n1 High Street\nSW1A 1AA';
  const id = await aNotification(harness, serviceId, templateId, {
    notification_type: 'letter',
    recipient,
    ...fields,
    personalisation,
  });
  await harness.app.queue.add(harness.app.db, composeLetter, { notification_id: id });
  return id;
}

export async function anUploadedLetter(
  harness: Harness,
  serviceId: string,
  pdf: Uint8Array,
  fields: Partial<NewNotification> = {},
): Promise<string> {
  const template = await precompiledTemplate(harness, serviceId);
  const id = await aNotification(harness, serviceId, template, {
    notification_type: 'letter',
    status: 'pending-virus-check',
    recipient: 'Provided as PDF',
    client_reference: 'upload',
    personalisation: { address_line_1: 'Provided as PDF' },
    ...fields,
  });
  await harness.files.put(letterFiles.uploaded(id), pdf);
  await harness.app.queue.add(harness.app.db, checkPrecompiledLetter, { notification_id: id });
  return id;
}

async function precompiledTemplate(harness: Harness, serviceId: string): Promise<string> {
  const known = await harness.app.db
    .selectFrom('templates')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('hidden', '=', true)
    .executeTakeFirst();
  if (known) return known.id;
  return aTemplate(harness, serviceId, {
    template_type: 'letter',
    hidden: true,
    name: 'Pre-compiled PDF',
    subject: 'Pre-compiled PDF',
    content: '',
  });
}

export function letterRow({ app }: Harness, id: string) {
  return app.db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export async function aLetterBranding(harness: Harness, name = 'Borough of Example'): Promise<string> {
  const response = await harness.admin('POST', '/letter-branding', {
    name: `${name} ${timestamp(harness.clock.now())}`,
    filename: `${name} ${Math.random()}`,
    created_by_id: await aUser(harness),
  });
  return response.body.id;
}
