import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { aReplyTo, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';
import { findTemplate, getTemplateForDelivery } from './compiled-templates.ts';
import { templateOfCaller } from './public-templates.ts';

const getTemplate = async (serviceId: string, templateId: string) =>
  templateOfCaller(await findTemplate(harness.app, serviceId, templateId));

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cd';
let service: string;
let id: string;

beforeEach(async () => {
  service = await aService(harness);
  id = await aTemplate(harness, service, { content: 'Hello ((name))' });
  await drainNotifications();
});

/** Waits for a marker notification. They arrive in order, so none from the test setup is still pending after it. */
async function drainNotifications(): Promise<void> {
  const { db, changeListener } = harness.app;
  const mark = newId(harness.clock.now());
  const received = new Promise<void>((resolve) => {
    changeListener.on('service_changed', (payload) => payload === mark && resolve());
  });
  await sql`select pg_notify('service_changed', ${mark})`.execute(db);
  await received;
}

/** Retries, because a database notification takes some milliseconds to arrive. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await check();
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function contentNow(): Promise<string> {
  return (await getTemplate(service, id)).row.content;
}

describe('findTemplate', () => {
  it('distinguishes a template of the service, of another service and an unknown one', async () => {
    const other = await aService(harness);
    expect(await findTemplate(harness.app, service, id)).toMatchObject({ found: 'here', template: { row: { id } } });
    expect(await findTemplate(harness.app, other, id)).toEqual({ found: 'in-another-service' });
    expect(await findTemplate(harness.app, service, unknown)).toEqual({ found: 'nowhere' });
  });

  it('finds archived templates, but not hidden ones', async () => {
    const archived = await aTemplate(harness, service, { archived: true });
    const hidden = await aTemplate(harness, service, { template_type: 'letter', hidden: true });
    expect((await findTemplate(harness.app, service, archived)).found).toBe('here');
    expect((await findTemplate(harness.app, service, hidden)).found).toBe('nowhere');
  });

  it('accepts an id in any notation', async () => {
    const written = id.toUpperCase().replaceAll('-', '');
    expect((await findTemplate(harness.app, service, written)).found).toBe('here');
  });

  it('returns cached templates and compiles each version once', async () => {
    const first = await getTemplate(service, id);
    const second = await getTemplate(service, id);
    expect(second).toBe(first);
    harness.app.changeListener.reset();
    const afterReset = await getTemplate(service, id);
    expect(afterReset).not.toBe(first);
    expect(afterReset.compiled).toBe(first.compiled);
  });

  it('picks up a change by another process', async () => {
    expect(await contentNow()).toBe('Hello ((name))');
    await harness.app.db
      .updateTable('templates')
      .set({ content: 'Changed', version: 2 })
      .where('id', '=', id)
      .execute();
    await eventually(async () => expect(await contentNow()).toBe('Changed'));
  });

  it('picks up a change of the default sender', async () => {
    expect((await getTemplate(service, id)).row.reply_to_text).toBe('TESTING');
    await harness.app.db
      .updateTable('service_sms_senders')
      .set({ sms_sender: '07700900123' })
      .where('service_id', '=', service)
      .execute();
    await eventually(async () => expect((await getTemplate(service, id)).row.reply_to_text).toBe('447700900123'));
  });

  it('keeps the cached templates of other services when one changes', async () => {
    const other = await aService(harness);
    const kept = await aTemplate(harness, other);
    await drainNotifications();
    const before = await getTemplate(other, kept);
    await contentNow();
    await harness.app.db
      .updateTable('templates')
      .set({ content: 'Changed', version: 2 })
      .where('id', '=', id)
      .execute();
    await eventually(async () => expect(await contentNow()).toBe('Changed'));
    expect(await getTemplate(other, kept)).toBe(before);
  });

  it('does not cache templates that are not found', async () => {
    const other = await aService(harness);
    expect((await findTemplate(harness.app, other, id)).found).toBe('in-another-service');
    await harness.app.db.updateTable('templates').set({ service_id: other }).where('id', '=', id).execute();
    expect((await findTemplate(harness.app, other, id)).found).toBe('here');
  });

  it('returns an edit through the API immediately', async () => {
    expect(await contentNow()).toBe('Hello ((name))');
    await harness.admin('POST', `/service/${service}/template/${id}`, { content: 'Edited' });
    expect(await contentNow()).toBe('Edited');
  });
});

describe('a template for sending', () => {
  it('rejects what the public API rejects', async () => {
    await expect(getTemplate(service, unknown)).rejects.toMatchObject({ kind: 'not-found' });
    await expect(getTemplate(await aService(harness), id)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'AuthError',
      problems: [{ error: 'AuthError', message: 'Invalid token: service not found' }],
    });
  });

  it('requires the values of the contact block and of the Welsh letter', async () => {
    const reply_to = await aReplyTo(harness, service, 'letter', { text: 'Room ((room))' });
    const welsh = { letter_welsh_subject: '((pwnc))', letter_welsh_content: '' };
    const inWelsh = await aTemplate(harness, service, {
      template_type: 'letter',
      letter_languages: 'welsh_then_english',
      ...welsh,
      subject: '((thing))',
      content: '',
      reply_to,
    });
    const { compiled, row } = await getTemplate(service, inWelsh);
    expect(compiled.placeholders).toEqual(['room', 'pwnc', 'thing']);
    expect(row.reply_to_text).toBe('Room ((room))');
    await harness.app.db
      .updateTable('service_letter_contacts')
      .set({ contact_block: 'Floor ((floor))' })
      .where('id', '=', reply_to)
      .execute();
    await eventually(async () => {
      const changed = await getTemplate(service, inWelsh);
      expect(changed.compiled.placeholders).toEqual(['floor', 'pwnc', 'thing']);
    });
  });

  it('omits the Welsh texts of a letter in English', async () => {
    const english = await aTemplate(harness, service, {
      template_type: 'letter',
      letter_welsh_subject: '((pwnc))',
      letter_welsh_content: '((corff))',
      subject: '((thing))',
      content: '',
    });
    expect((await getTemplate(service, english)).compiled.placeholders).toEqual(['thing']);
  });
});

describe('getTemplateForDelivery', () => {
  it('returns and caches the version that a message was accepted with', async () => {
    await harness.admin('POST', `/service/${service}/template/${id}`, { content: 'Edited' });
    const message = { template_id: id, notification_type: 'sms' as const, reply_to_text: 'TESTING', language: null };
    const first = await getTemplateForDelivery(harness.app, { ...message, template_version: 1 });
    expect(first.row).toMatchObject({ version: 1, content: 'Hello ((name))' });
    expect(await getTemplateForDelivery(harness.app, { ...message, template_version: 1 })).toBe(first);
    expect((await getTemplateForDelivery(harness.app, { ...message, template_version: 2 })).row.content).toBe('Edited');
  });

  it('prints the contact block that a letter was accepted with', async () => {
    const reply_to = await aReplyTo(harness, service, 'letter', { text: 'New address' });
    const letter = await aTemplate(harness, service, { template_type: 'letter', subject: '', content: '', reply_to });
    const { compiled } = await getTemplateForDelivery(harness.app, {
      template_id: letter,
      template_version: 1,
      notification_type: 'letter',
      reply_to_text: 'Old ((room))',
      language: null,
    });
    expect(compiled.placeholders).toEqual(['room']);
  });

  it('throws for an unknown version', async () => {
    const message = {
      ...{
        template_id: id,
        template_version: 9,
        notification_type: 'sms' as const,
        reply_to_text: null,
        language: null,
      },
    };
    await expect(getTemplateForDelivery(harness.app, message)).rejects.toThrow('has no version 9');
  });
});
