import { describe, expect, it } from 'vitest';
import { inTransaction } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/id.ts';
import { seedTemplates } from '../src/templates/seeded-templates.ts';
import { platformUserId } from '../src/users/platform-user.ts';
import { aService } from './kit/builders/rows.ts';
import { useHarness } from './kit/harness.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

interface Text {
  subject: string | null;
  content: string;
}

const first = { subject: 'Hello', content: 'The first text' };
const second = { subject: 'Hello', content: 'The second text' };
const third = { subject: 'Hello again', content: 'The third text' };

async function aSeededTemplate() {
  const service_id = await aService(harness);
  const id = newId(harness.clock.now());
  const seed = (text: Text, formerly: Text[] = []) =>
    inTransaction(harness.app.db, (tx) => {
      const template = { id, service_id, name: 'Notice', template_type: 'email', process_type: 'priority' } as const;
      return seedTemplates(
        tx,
        [{ ...template, ...text, created_by_id: platformUserId, formerly }],
        harness.clock.now(),
      );
    });
  const path = `/service/${service_id}/template/${id}`;
  const versions = async () => {
    const { body } = await harness.admin('GET', `${path}/versions`);
    return body.data.map(({ version, subject, content, updated_at }: Record<string, unknown>) => ({
      ...{ version, subject, content, updated_at },
    }));
  };
  return { seed, versions, path };
}

describe('templates of the product', () => {
  it('a text of any earlier release becomes a new version with the current text', async () => {
    const { seed, versions } = await aSeededTemplate();
    await seed(first);
    harness.clock.advance({ seconds: 60 });
    await seed(third, [first, second]);
    await seed(third, [first, second]);
    expect(await versions()).toEqual([
      { version: 2, ...third, updated_at: expect.stringContaining('2026-11-15T12:01:00') },
      { version: 1, ...first, updated_at: null },
    ]);
  });

  it('a text that a user has changed is kept', async () => {
    const { seed, versions, path } = await aSeededTemplate();
    await seed(first);
    await harness.admin('POST', path, { content: 'Our own words' });
    await seed(second, [first]);
    expect(await versions()).toMatchObject([{ version: 2, content: 'Our own words' }, { version: 1 }]);
  });

  it('an earlier release that starts beside a later one changes nothing', async () => {
    const { seed, versions } = await aSeededTemplate();
    await seed(first);
    await seed(second, [first]);
    await seed(first);
    expect(await versions()).toMatchObject([{ version: 2, ...second }, { version: 1 }]);
  });
});
