import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MessageCentre, receiptText, startMessageCentre } from '../kit/vendors/message-centre.ts';
import { Load } from './kit/load.ts';
import { collectOutcome, countDuplicates } from './kit/outcome.ts';
import { report } from './kit/report.ts';
import { World } from './kit/world.ts';

const perSecond = 500;
const seconds = 20;
const window = 50;
let world: World;
let centre: MessageCentre;

beforeAll(async () => {
  centre = await startMessageCentre();
  world = await World.start({
    env: {
      ...{ SMS_PROVIDERS: 'smpp', SMPP_URL: centre.url, SMPP_SYSTEM_ID: 'x', SMPP_PASSWORD: 'y' },
      SMPP_WINDOW: String(window),
    },
  });
}, 120_000);
afterAll(async () => {
  await world?.close();
  await centre?.close();
});

it('SMPP at 500 messages a second, and the connection is cut twice: none is lost, only what broke off is sent twice', async () => {
  const sender = await world.aSender('SMPP');
  let made = 0;
  const load = new Load(() => world.api.port, { recipient: () => `07${400_000_000 + made++}` });
  const idByNumber = new Map<string, string>();
  // Until the message centre gets a confirmation, it repeats a receipt.
  const tell = (id: string): Promise<unknown> =>
    centre
      .deliver({ esm_class: 0x04, text: receiptText(id, 'DELIVRD') })
      .then((status) => (status === 0 ? undefined : Promise.reject(new Error('not confirmed'))))
      .catch(() => sleep(100).then(() => tell(id)));
  centre.answer = async ({ id, destination, at }) => {
    const reference = () => idByNumber.get(destination) ?? destination;
    world.provider.sends.push({
      gateway: 'smpp',
      at,
      get reference() {
        return reference();
      },
    });
    await sleep(20);
    setTimeout(() => void tell(id), 50 + Math.random() * 100);
    return 'accept' as const;
  };
  const sending = load.sendFor(sender, perSecond, seconds);
  for (let cut = 1; cut <= 2; cut += 1) {
    await sleep((seconds * 1_000) / 3);
    centre.cut();
  }
  await sending;
  for (const { id, number } of await world.query<{ id: string; number: string }>(
    'select id, normalised_recipient as number from notifications',
  )) {
    idByNumber.set(number, id);
  }
  const outcome = await collectOutcome(world, load.accepted, 120);
  const broken = await world.query<{ id: string }>(
    "select notification_id as id from failed_attempts where outcome = 'unknown'",
  );
  const times = world.provider.sends.map(({ at }) => at);
  const took_s = (Math.max(...times) - Math.min(...times)) / 1_000;
  const rate = Math.round(load.accepted.size / took_s);
  report('SMPP connection cut', `2 cuts under ${perSecond} messages/s, window ${window}`, outcome, [
    `${rate} messages/s handed over`,
    `${broken.length} attempts broke off`,
    `responses ${JSON.stringify(load.responses)}`,
  ]);
  const brokenIds = new Set(broken.map(({ id }) => id));
  const doubled = outcome.duplicates.map(([first]) => first?.reference ?? '');
  expect(rate).toBeGreaterThan(perSecond * 0.9);
  expect(outcome.lost).toEqual([]);
  expect(doubled.filter((id) => !brokenIds.has(id))).toEqual([]);
  expect(countDuplicates(outcome.duplicates)).toBeLessThanOrEqual(broken.length);
  expect(broken.length).toBeLessThanOrEqual(2 * window);
  expect(centre.mostUnderway).toBeLessThanOrEqual(window);
  expect(centre.violations).toEqual([]);
});
