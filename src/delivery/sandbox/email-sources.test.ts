import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';
import { findSource } from './email-sources.ts';
import { cleanSandbox, eraseSandboxMessages } from './sandbox.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const folder = () => join(harness.app.config.storage.dataDir, 'outbox');
const files = () => readdir(folder());
const sourceOf = async (id: string) => (await findSource(harness.app, id))?.toString();

/** Sends three emails in one batch, with a text message between them. */
async function threeEmails(): Promise<string[]> {
  const email = (name: string) => ({ notification_type: 'email' as const, personalisation: { name, thing: 'x' } });
  const messages = [email('Ada'), email('Grace'), {}, email('Zoë')];
  const ids = await someQueuedMessages(harness, await aService(harness), messages);
  await harness.deliver();
  return ids.filter((_, index) => index !== 2);
}

it('emails of one commit share a file, and each is read alone', async () => {
  const ids = await threeEmails();
  expect(await files()).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\.emails$/)]);
  for (const [index, name] of ['Ada', 'Grace', 'Zo=C3=AB'].entries()) {
    const source = await sourceOf(ids[index] ?? '');
    expect(source).toMatch(/^From: /);
    expect(source?.match(/^Message-ID: .*$/gm)).toEqual([`Message-ID: <${ids[index]}@notifications.example>`]);
    expect(source).toContain(`Hello ${name}`);
    expect(source?.trimEnd().endsWith(`--=_${ids[index]}--`)).toBe(true);
  }
});

it('erases one email and leaves the others', async () => {
  const [first = '', erased = '', last = ''] = await threeEmails();
  const before = [await sourceOf(first), await sourceOf(last)];
  expect(await eraseSandboxMessages(harness.app, [erased])).toBe(1);
  expect(await sourceOf(erased)).toBeUndefined();
  expect([await sourceOf(first), await sourceOf(last)]).toEqual(before);
  const contents = await Promise.all((await files()).map((name) => readFile(join(folder(), name), 'utf8')));
  expect(contents.filter((content) => content.includes(erased))).toEqual([]);
});

it('erases an email whose notification is deleted', async () => {
  const [kept = '', deleted = ''] = await threeEmails();
  await harness.app.db.deleteFrom('notifications').where('id', '=', deleted).execute();
  await cleanSandbox(harness.app);
  expect(await sourceOf(deleted)).toBeUndefined();
  expect(await sourceOf(kept)).toContain('Hello Ada');
});

it('deletes files after a week', async () => {
  await threeEmails();
  harness.clock.advance({ days: 6, hours: 23 });
  await cleanSandbox(harness.app);
  expect(await files()).not.toEqual([]);
  harness.clock.advance({ hours: 1, seconds: 1 });
  await cleanSandbox(harness.app);
  expect(await files()).toEqual([]);
});

it('an email whose file is on another machine has no source', async () => {
  const [id = ''] = await threeEmails();
  await harness.app.db
    .updateTable('sandbox_messages')
    .set({ source_file: newId(new Date()) })
    .where('reference', '=', id)
    .execute();
  expect(await sourceOf(id)).toBeUndefined();
});
