import { mkdirSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { aService } from '../kit/builders.ts';
import { aPerson, signedIn } from '../kit/console-people.ts';
import { useHarness } from '../kit/harness.ts';
import { useBrowser } from './kit/browser.ts';
import { problemsInEveryLook } from './kit/looks.ts';

const harness = useHarness({ stores: 2 });
const open = useBrowser(harness);
let token: string;

beforeAll(async () => {
  mkdirSync(harness.app.config.storage.dataDir, { recursive: true });
  const operator = await aPerson(harness, { platform_admin: true });
  token = (await signedIn(harness, operator.id)).cookies.get('pennypost_session') ?? '';
  for (const name of ['Parking permits', 'Library reminders']) await aService(harness, { name });
  await sql`update message_stores set is_open = false where number = 0`.execute(harness.app.db);
  await harness.app.configurationCopies.update();
});

it('the message stores of the overview look right, in every size and colour', async () => {
  const { page, origin } = await open();
  await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
  await page.goto('/console/operator');
  expect(await page.getByRole('row', { name: /^Store 2/ }).count()).toBe(1);
  expect(await problemsInEveryLook(page, 'overview-with-stores')).toEqual([]);
  await page.context().close();
}, 120_000);
