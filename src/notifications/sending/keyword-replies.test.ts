import { describe, expect, it } from 'vitest';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../test/kit/world/console-people.ts';
import { nl } from '../../countries/nl.ts';
import { textReceiver } from '../../delivery/inbound/inbound-hooks.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z', country: nl });
let numbers = 0;

/** A service with a number of its own, and a browser of its manager. */
async function aTeam() {
  numbers += 1;
  const permissions = ['sms', 'inbound_sms', 'international_sms'];
  const name = `Utrecht ${numbers}`;
  const service = await aService(harness, { name, permissions });
  const number = `3161234560${numbers}`;
  const added = await harness.admin('POST', '/inbound-number', { number, provider: 'sandbox' });
  await harness.admin('POST', `/inbound-number/service/${service}`, { inbound_number_id: added.body.data.id });
  const { id } = await aPerson(harness);
  await joinService(harness, service, id);
  const browser = await signedIn(harness, id);
  const receive = async (content: string, from = '31612345678') => {
    const text = { provider: 'sandbox', from, to: number, content, received_at: undefined, reference: undefined };
    expect(await textReceiver(harness.app, 'sandbox')(text)).toBe(true);
  };
  const replies = async () => {
    const rows = await harness.app.db
      .selectFrom('notifications')
      .select('personalisation')
      .where('service_id', '=', service)
      .orderBy('id')
      .execute();
    return rows.map(({ personalisation }) => (personalisation as { text: string }).text);
  };
  const settings = `/console/services/${service}/settings/text/replies`;
  return { name, browser, receive, replies, settings };
}

describe('the reply to STOP and HELP', () => {
  it('is in the language of the country of the number', async () => {
    const team = await aTeam();
    await team.receive('HULP');
    await team.receive('Afmelden');
    await team.receive('STOP', '33612345678');
    await team.receive('STOP', '447400123456');
    await team.receive('STOP', '4791234567');
    const stopped = `U krijgt geen berichten meer van ${team.name}. Antwoord START om ze weer te krijgen.`;
    expect(await team.replies()).toEqual([
      `${team.name}: voor hulp gebruikt u de contactgegevens op de website van deze dienst. Antwoord STOP om geen berichten meer te krijgen.`,
      stopped,
      `Vous ne recevrez plus de SMS de ${team.name}. Répondez START pour en recevoir à nouveau.`,
      `You will get no more texts from ${team.name}. Reply START to get them again.`,
      stopped,
    ]);
  });

  it('is in the language that the service has chosen', async () => {
    const team = await aTeam();
    const page = await team.browser.get(team.settings);
    expect(page.text).toContain(`“<bdi lang="nl">U krijgt geen berichten meer van ${team.name}. Antwoord START`);
    expect(page.text).toContain('AFMELDEN');
    const saved = await team.browser.post(team.settings, { scope: 'service', language: 'de' });
    expect(saved.status).toBe(303);
    await team.receive('STOP');
    expect((await team.replies())[0]).toContain(`Sie erhalten keine SMS mehr von ${team.name}.`);
    expect((await team.browser.post(team.settings, { scope: 'service', language: 'xx' })).status).toBe(404);
  });

  it('is the whole text that the service has written', async () => {
    const team = await aTeam();
    const [stop_reply, help_reply] = ['U bent afgemeld. AANMELDEN kan altijd.', 'Bel 14 030.'];
    await team.browser.post(team.settings, { scope: 'service', stop_reply, help_reply });
    await team.receive('STOP');
    await team.receive('HELP');
    expect(await team.replies()).toEqual([stop_reply, help_reply]);
  });
});
