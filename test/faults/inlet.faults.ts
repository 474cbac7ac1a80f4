import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimPort } from '../kit/process/claim-port.ts';
import { SmtpClient } from '../kit/vendors/smtp-client.ts';
import type { Supervised } from './kit/supervised.ts';
import { World } from './kit/world.ts';

/** Software that sends over SMTP, and tries again, while the process that it sends to is killed. */

const platformUser = '6af522d0-2915-4e52-83a3-3690455a5fe6';
let world: World;
let api: Supervised;
let port: number;

beforeAll(async () => {
  port = await claimPort();
  world = await World.start({
    processes: ['api'],
    env: { SMTP_INLET_LISTEN: `127.0.0.1:${port}`, SMTP_INLET_PLAIN_LOOPBACK: 'true' },
  });
  api = world.api;
}, 120_000);
afterAll(() => world?.close());

/** Returns the API key of a service that sends over SMTP. */
async function aKey(name: string, changes = {}): Promise<string> {
  const { data } = (await world.admin('/service', { name, user_id: platformUser, restricted: false })) as {
    data: { id: string };
  };
  await world.admin(`/service/${data.id}`, { rate_limit: 1_000_000, permissions: ['email', 'smtp'], ...changes });
  const fields = { name: 'k', key_type: 'normal', created_by: platformUser, send_over_smtp: true };
  const { data: secret } = (await world.admin(`/service/${data.id}/api-key`, fields)) as { data: string };
  return `k-${data.id}-${secret}`;
}

const mail = (messageId: string) =>
  ['From: alarm@example.org', 'Subject: Door', `Message-ID: <${messageId}@software.example>`, '', 'It is open'].join(
    '\r\n',
  );

it('killed while emails arrive: none that was queued is lost, and each is stored once, however often it is sent', async () => {
  const key = await aKey('Killed');
  const queued = new Map<string, Set<string>>();
  let broken = 0;
  let running = true;
  const send = async (client: number) => {
    for (let number = 0; running; number += 1) {
      const id = `mail-${client}-${number}`;
      const recipients = [`${id}@example.org`, `${id}-copy@example.org`];
      // Every third one again after its answer, as if the software had not heard it.
      for (let answers = 0; answers <= Number(number % 3 === 0); ) {
        const answer = await sendOnce(key, id, recipients);
        const [, queuedAs] = /^250 2\.0\.0 Queued as (\S+)$/.exec(answer) ?? [];
        if (queuedAs === undefined) {
          if (!/^(451.*)?$/.test(answer)) throw new Error(answer);
          broken += 1;
          await sleep(50);
          continue;
        }
        queued.set(id, (queued.get(id) ?? new Set()).add(queuedAs));
        answers += 1;
      }
    }
  };
  const sending = Promise.all(Array.from({ length: 8 }, (_, client) => send(client)));
  for (let kill = 0; kill < 6; kill += 1) {
    await sleep(1_000 + kill * 37);
    api.kill();
    await sleep(500);
    await world.untilReady();
  }
  running = false;
  await sending;
  const stored = await world.query<{ id: string; recipient: string }>('select id, recipient from notifications');
  const ids = new Set(stored.map(({ id }) => id));
  expect(broken).toBeGreaterThan(0);
  expect([...queued.values()].filter((answers) => answers.size > 1)).toEqual([]);
  expect([...queued.values()].flatMap((answers) => [...answers]).filter((id) => !ids.has(id))).toEqual([]);
  expect(stored.map(({ recipient }) => recipient).sort()).toEqual(
    [...queued.keys()].flatMap((id) => [`${id}@example.org`, `${id}-copy@example.org`]).sort(),
  );
});

/** Each is sent by a hundred clients of four services at the same time. The process may grow by four times BODY_MEMORY_MB; the last number was measured. */
const bursts: [string, { files: string; source: string; recipients: number }, number][] = [
  ['10 MB that are removed', { files: 'drop', source: mailWithFiles(1, 9_900_000), recipients: 1 }, 106],
  ['10 MB that become links', { files: 'link', source: mailWithFiles(5, 1_970_000), recipients: 1 }, 104],
  ['60 kB for each of 50 recipients', { files: 'refuse', source: mailWithText(60_000), recipients: 50 }, 128],
];

it.each(bursts)(
  'a hundred clients with %s: all are queued, and the process grows by what it may',
  async (name, { files: smtp_files, source, recipients }) => {
    await api.restart();
    const changes = { smtp_files, contact_link: 'help@example.org', email_message_limit: 1_000_000 };
    // Each service may have a quarter of the connections.
    const keys = await Promise.all([1, 2, 3, 4].map((number) => aKey(`${name} ${number}`, changes)));
    const keyOf = (index: number) => keys[index % keys.length] ?? '';
    const email = Buffer.from(`${source}\r\n.\r\n`);
    const send = async (client: SmtpClient, index: number): Promise<string> => {
      const prefix = `client${index}`;
      const to = Array.from({ length: recipients }, (_, number) => `RCPT TO:<${prefix}-${number}@example.org>`);
      await client.sayAll('MAIL FROM:<a@example.org>', ...to, 'DATA');
      client.write(email);
      const reply = await client.reply();
      client.close();
      // On a slow machine an email waits more than five minutes for its turn.
      return reply.startsWith('4') ? send(await SmtpClient.signedIn(port, keyOf(index)), index) : reply;
    };
    expect(await send(await SmtpClient.signedIn(port, keyOf(0)), 100)).toMatch(/^250/);
    const clients: SmtpClient[] = [];
    // Not all at once: those that have not signed in may have a quarter of the connections.
    while (clients.length < 100) {
      const next = Array.from({ length: 20 }, (_, index) => SmtpClient.signedIn(port, keyOf(index)));
      clients.push(...(await Promise.all(next)));
    }
    const before_mb = api.memoryMb();
    let most_mb = before_mb;
    const sampling = setInterval(() => {
      most_mb = Math.max(most_mb, api.memoryMb());
    }, 50);
    const answers = await Promise.all(clients.map(send));
    clearInterval(sampling);
    expect(answers.filter((answer) => !answer.startsWith('250'))).toEqual([]);
    expect(most_mb - before_mb).toBeLessThan(4 * 48);
  },
  600_000,
);

function mailWithFiles(count: number, bytes: number): string {
  const line = `${'QUJDREVG'.repeat(9)}\r\n`;
  const file = [
    ...['--b', 'Content-Type: application/pdf; name=report.pdf', 'Content-Transfer-Encoding: base64', ''],
    line.repeat(bytes / line.length),
  ];
  return [
    ...['From: alarm@example.org', 'Subject: Report', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/plain', '', 'Here it is'],
    ...[...Array<string[]>(count).fill(file).flat(), '--b--'],
  ].join('\r\n');
}

function mailWithText(bytes: number): string {
  const line = `${'A line of a report.'.repeat(4)}\r\n`;
  return ['From: alarm@example.org', 'Subject: Report', '', line.repeat(bytes / line.length)].join('\r\n');
}

/** Returns the answer to the email, or an empty text if the connection broke. */
async function sendOnce(key: string, id: string, recipients: string[]): Promise<string> {
  const client = await SmtpClient.open(port);
  try {
    await client.say('EHLO test');
    const login = await client.login(key);
    return login.startsWith('235') ? await client.send(mail(id), ...recipients) : login;
  } finally {
    client.close();
  }
}
