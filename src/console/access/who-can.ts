import { list, type Text } from '../../language/text.ts';
import type { Db } from '../../platform/db/database.ts';
import { listServiceMembers } from '../../services/members/service-members.ts';
import { holds, type Right } from './may.ts';

const maxNames = 3;

/** Whom to ask for something that needs a right: "Ada, Grace or Linus". Undefined if nobody in the team has it. */
export async function whoCan(db: Db, serviceId: string, right: Right): Promise<Text | undefined> {
  const members = await listServiceMembers(db, serviceId);
  const holders = members.filter(({ state, permissions }) => state === 'active' && holds(right, permissions));
  return holders.length === 0
    ? undefined
    : list(
        holders.slice(0, maxNames).map(({ name }) => name),
        'disjunction',
      );
}
