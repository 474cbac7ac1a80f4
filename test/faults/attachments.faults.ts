import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bounceEmail, startMailbox, startMailServer } from '../kit/vendors/mail-servers.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

/**
 * While emails with files are accepted and sent, the API and the workers are killed at random, without warning. Afterwards no accepted
 * email may be missing or have lost its file, and once all have bounced no file may be left behind.
 */

const seconds = Number(process.env.FAULT_SECONDS ?? 30);
const perSecond = 20;

let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let mailbox: Awaited<ReturnType<typeof startMailbox>>;
let world: World;
let kills = 0;

beforeAll(async () => {
  mailServer = await startMailServer();
  // Long enough for many attempts to be in flight when a worker is killed.
  mailServer.beforeAnswer = () => sleep(100);
  mailbox = await startMailbox();
  world = await World.start({
    processes: ['api', 'worker', 'worker'],
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

it('kills while files are sent: none is lost, and none left behind', async () => {
  const { service_id, key } = await world.aSender('Files');
  const template_id = await world.aTemplate(service_id, {
    template_type: 'email',
    subject: 'Your file',
    content: 'Hi',
  });
  const end = Date.now() + seconds * 1_000;
  const [accepted] = await Promise.all([sendFiles(key, template_id, end), killAtRandom(end)]);
  await world.untilReady();

  // Also those whose response was lost with the API.
  const stored = (await world.query<{ id: string }>('select id from notifications')).map(({ id }) => id);
  const received = await untilReceived(stored);
  const lost = [...accepted].filter(([id, content]) => !received.get(id)?.every((one) => one.content === content));
  const copies = [...received.values()].reduce((sum, { length }) => sum + length - 1, 0);
  await until(async () => (await countStatus('sending')) === stored.length);
  for (const mails of received.values()) {
    mailbox.add(bounceEmail('postfix-unknown-user.hard-bounce', { returnPath: mails[0]?.from ?? '' }));
  }
  await until(async () => (await countStatus('permanent-failure')) === stored.length, 240);
  const before = leftBehind();
  // Until an hour has passed, a file without its message may belong to a request that still runs.
  await world.query("update unconfirmed_files set created_at = created_at - interval '2 hours'");
  const twoHoursAgo = new Date(Date.now() - 7_200_000);
  for (const path of filesIn('.unfinished')) utimesSync(path, twoHoursAgo, twoHoursAgo);
  for (const task of ['delete-attachments', 'delete-expired-data']) {
    await world.query('select graphile_worker.add_job($1)', [task]);
  }
  await until(async () => leftBehind().length === 0);
  const rows = await world.query('select from attachments union all select from unconfirmed_files');

  const outcome = {
    ...{ accepted: accepted.size, final: await countStatus('permanent-failure'), seen: received.size },
    ...{ duplicates: [], lost: lost.map(([id]) => id), seconds: 0 },
  };
  report('kill -9 while files are sent', `${kills} kills in ${seconds} s`, outcome, [
    `${copies} emails sent again`,
    `${before.length} files before the clean-up, of which ${before.length - stored.length} had no message`,
  ]);
  expect(accepted.size).toBeGreaterThan(0);
  expect(lost).toEqual([]);
  expect(before.length).toBeGreaterThanOrEqual(stored.length);
  expect(leftBehind()).toEqual([]);
  expect(rows).toEqual([]);
});

/** The content of the file of each message with a 201 response, by its id. */
async function sendFiles(key: string, template_id: string, end: number): Promise<Map<string, string>> {
  const accepted = new Map<string, string>();
  const under = new Set<Promise<void>>();
  for (let sent = 0; Date.now() < end; sent += 1) {
    const content = `The file of request ${sent}`;
    const one = send(key, template_id, content)
      .then((id) => void (id && accepted.set(id, content)))
      .finally(() => under.delete(one));
    under.add(one);
    await sleep(1_000 / perSecond);
  }
  await Promise.all(under);
  return accepted;
}

async function send(key: string, template_id: string, content: string): Promise<string | undefined> {
  const file = Buffer.from(content).toString('base64');
  const personalisation = { doc: { file, filename: 'file.txt', sending_method: 'attach' } };
  const response = await fetch(`${world.api.url}/v2/notifications/email`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ email_address: 'ada@example.org', template_id, personalisation }),
  }).catch(() => undefined);
  const body = await response?.text().catch(() => undefined);
  return response?.status === 201 && body !== undefined ? JSON.parse(body).id : undefined;
}

async function killAtRandom(end: number): Promise<void> {
  await sleep(2_000);
  while (Date.now() < end - 1_000) {
    const victims = [world.api, ...world.workers];
    victims[Math.floor(Math.random() * victims.length)]?.kill();
    kills += 1;
    await sleep(1_000 + Math.random() * 2_000);
  }
}

interface Received {
  from: string;
  content: string;
}

/** What arrived of each message: several emails where it was sent again. */
async function untilReceived(ids: string[]): Promise<Map<string, Received[]>> {
  const received = new Map<string, Received[]>();
  let read = 0;
  await until(async () => {
    for (const { text, from } of mailServer.mails.slice(read)) {
      const id = ids.find((one) => from.includes(one.replaceAll('-', ''))) ?? '';
      const [file] = (await PostalMime.parse(text)).attachments;
      const content = Buffer.from((file?.content ?? new ArrayBuffer(0)) as ArrayBuffer).toString();
      received.set(id, [...(received.get(id) ?? []), { from, content }]);
      read += 1;
    }
    return received.size === ids.length;
  }, 120);
  return received;
}

const leftBehind = () => [...filesIn('attachments'), ...filesIn('.unfinished')];

function filesIn(name: string): string[] {
  const folder = join(world.dataDir, 'files', name);
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
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
    await sleep(50);
  }
  throw new Error('it did not happen in time');
}
