import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { deleteOldRequestedMessages } from './account-messages/account-messages.ts';
import { deleteOrganisationInvitesUntil, deleteServiceInvitesUntil } from './invites/invites.sql.ts';
import { inviteLifetime_ms } from './invites/invites.ts';
import { deleteOldGuesses } from './sign-in/password-guesses.ts';
import { deleteVerifyCodesUntil } from './sign-in/sign-in.sql.ts';
import { deleteStatesUntil } from './sign-in/single-sign-on/single-sign-on.sql.ts';
import { deleteChallengesUntil } from './sign-in/webauthn-credentials.sql.ts';

const codesAreKept_ms = day_ms;

export async function deleteOldVerifyCodes(app: Platform): Promise<void> {
  const { db, clock } = app;
  await deleteVerifyCodesUntil(db, timestamp(earlier(clock.now(), codesAreKept_ms)));
  await deleteChallengesUntil(db, timestamp(clock.now()));
  await deleteStatesUntil(db, timestamp(clock.now()));
  await deleteOldGuesses(app);
  await deleteOldRequestedMessages(app);
}

export async function deleteExpiredInvites({ db, clock }: Platform): Promise<void> {
  const moment = timestamp(earlier(clock.now(), inviteLifetime_ms));
  await deleteServiceInvitesUntil(db, moment);
  await deleteOrganisationInvitesUntil(db, moment);
}
