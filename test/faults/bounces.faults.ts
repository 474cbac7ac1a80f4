import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bounceEmail, startMailbox, startMailServer } from '../kit/vendors/mail-servers.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

/** The worker that reads the mailbox is killed after it recorded bounces and before it moved them. */

const messages = 200;
const bounces = 150;
const complaints = 10;
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let mailbox: Awaited<ReturnType<typeof startMailbox>>;
let world: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  mailbox = await startMailbox();
  world = await World.start({
    env: {
      ...{ EMAIL_PROVIDERS: 'smtp', SMTP_URL: mailServer.url, SMTP_RETURN_PATH: 'bounces@mail.example' },
      ...{ SMTP_BOUNCE_IMAP_URL: mailbox.url, SMTP_BOUNCE_POLL_S: '1' },
    },
  });
}, 120_000);
afterAll(async () => {
  await world?.close();
  await mailServer?.close();
  await mailbox?.close();
});

it('the reader of bounces is killed: none is lost, and none counted twice', async () => {
  const accepted = await sendEmails();
  await until(async () => mailServer.mails.length >= messages);
  // A handed-over message is `sending`; a bounce may come before, and that is another test.
  await until(async () => (await countStatus('sending')) === messages);
  const mailOf = (id: string) => mailServer.mails.find(({ from }) => from.includes(id.replaceAll('-', '')))?.from ?? '';
  const bounced = accepted.slice(0, bounces);
  const complained = accepted.slice(bounces, bounces + complaints);
  for (const id of complained) mailbox.add(bounceEmail('yahoo-abuse.complaint', { returnPath: mailOf(id) }));
  for (const id of bounced) mailbox.add(bounceEmail('postfix-unknown-user.hard-bounce', { returnPath: mailOf(id) }));

  await until(async () => (await countStatus('permanent-failure')) > 0);
  for (const worker of world.workers) worker.kill();
  const readAgain = mailbox.counts().INBOX - (bounces + complaints - (await countStatus('permanent-failure')));
  await until(async () => mailbox.counts().INBOX === 0, 240);

  const failed = await world.query<{ id: string }>("select id from notifications where status = 'permanent-failure'");
  const recorded = await world.query<{ notification_id: string }>('select notification_id from complaints');
  const [counted] = await world.query<{ count: number }>(
    "select sum(count)::integer as count from status_counts where status = 'permanent-failure'",
  );
  const lost = bounced.filter((id) => !failed.some((row) => row.id === id));
  const outcome = { accepted: messages, final: failed.length, seen: messages, duplicates: [], lost, seconds: 0 };
  report('kill -9 of the reader of bounces', `1 kill with ${readAgain} bounces recorded and not moved`, outcome, [
    `${recorded.length} complaints`,
    `${counted?.count} permanent failures counted`,
  ]);
  expect(lost).toEqual([]);
  expect(failed).toHaveLength(bounces);
  expect(recorded.map(({ notification_id }) => notification_id).sort()).toEqual(complained.toSorted());
  expect(counted?.count).toBe(bounces);
  expect(mailbox.counts()).toMatchObject({ Processed: bounces + complaints, Unrecognised: 0 });
});

async function sendEmails(): Promise<string[]> {
  const { service_id, key } = await world.aSender('Bounces');
  const template_id = await world.aTemplate(service_id, { template_type: 'email', subject: 'Hello', content: 'Hello' });
  const ids: string[] = [];
  for (let sent = 0; sent < messages; sent += 1) {
    const response = await fetch(`${world.api.url}/v2/notifications/email`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ email_address: `ada${sent}@example.org`, template_id }),
    });
    ids.push(((await response.json()) as { id: string }).id);
  }
  return ids;
}

async function countStatus(status: string): Promise<number> {
  const [row] = await world.query<{ count: number }>(
    'select count(*)::integer as count from notifications where status = $1',
    [status],
  );
  return row?.count ?? 0;
}

async function until(isSo: () => Promise<boolean>, patience_s = 60): Promise<void> {
  for (const end = Date.now() + patience_s * 1_000; Date.now() < end; ) {
    if (await isSo()) return;
    await sleep(20);
  }
  throw new Error('it did not happen in time');
}
