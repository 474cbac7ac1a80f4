import type { Db } from '../../platform/db/database.ts';
import { countStates, listDomains } from '../../sending-domains/sending-domains.ts';
import { type Finding, finding } from './finding.ts';

/** Reports the installation's domains one by one, and those of services and organisations together, from their latest checks. */
export async function checkDomains(db: Db): Promise<Finding[]> {
  const { domains } = await listDomains(db, { scope: 'installation' });
  const all = (await countStates(db)).filter(({ state }) => state !== 'retired');
  const count = (states: string[]) =>
    all.filter(({ state }) => states.includes(state)).reduce((sum, { count }) => sum + count, 0);
  const total = count(['pending', 'verified', 'warning', 'suspended']);
  const bad = count(['warning', 'suspended']);
  return [
    ...domains.map(({ name, state, checks }) => {
      const wrong = checks
        .filter(({ verdict }) => verdict === 'fail')
        .map((one) => `${one.check_name} (${one.reason})`);
      const found = `${name} is ${state}${wrong.length > 0 ? `: ${wrong.join(', ')}` : ''}`;
      const isRight = state === 'verified';
      return {
        ...finding('domain', true, isRight ? found : `${found}. Look at Domains in the console`),
        ...(isRight ? {} : { is_warning: true }),
      };
    }),
    ...(total === 0
      ? []
      : [
          {
            ...finding('domains', true, `${bad} of ${total} domains need attention`),
            ...(bad > 0 ? { is_warning: true } : {}),
          },
        ]),
  ];
}
