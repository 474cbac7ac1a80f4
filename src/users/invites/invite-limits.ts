import { day_ms, earlier, timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Failure, invalidField } from '../../platform/failure.ts';
import { lockUser } from '../users.ts';
import { countInvitesSince, countOpenServiceInvites, lockTrialService } from './invite-limits.sql.ts';

const maxInvitesADay = 50;
const maxOpenInTrial = 20;

/** Whether the console's limits hold. The API has none: its front end decides. */
export interface InviteLimits {
  isLimited: boolean;
}

/**
 * Invitations go to people who have not asked for them, in the name of the platform. So a person can send few a day, and a
 * service that is not approved yet can have few that are open. Platform administrators are not limited.
 */
export async function refuseTooManyInvites(
  tx: Tx,
  now: Date,
  { invited_by, service_id }: { invited_by: string; service_id?: string },
): Promise<void> {
  const { platform_admin } = await lockUser(tx, invited_by);
  if (platform_admin) return;
  if ((await countInvitesSince(tx, invited_by, timestamp(earlier(now, day_ms)))) >= maxInvitesADay) {
    throw tooMany(`You have sent ${maxInvitesADay} invitations in the last 24 hours. Try again tomorrow.`);
  }
  if (service_id === undefined || !(await lockTrialService(tx, service_id))) return;
  if ((await countOpenServiceInvites(tx, service_id)) >= maxOpenInTrial) {
    throw tooMany(
      `A service in trial mode can have ${maxOpenInTrial} open invitations. Wait until some are accepted, or cancel some.`,
    );
  }
}

function tooMany(text: string): Failure {
  return invalidField('email_address', text);
}
