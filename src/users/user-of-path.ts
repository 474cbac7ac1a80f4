import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Db } from '../platform/db/database.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { notFound } from '../platform/failure.ts';
import { isUuid } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { Uuid } from '../protocol/fields.ts';

export const OfUser = Type.Object({ user_id: Uuid });

/** Returns a `preValidation` hook that responds with 404 for an unknown user before the body is validated. */
export function userOfPathExists(app: Platform) {
  return async (request: FastifyRequest): Promise<void> => {
    const { user_id } = request.params as { user_id: string };
    // The schema of the path rejects invalid ids.
    if (isUuid(user_id) || unhyphenated.test(user_id)) {
      await refuseUnlessExists(app.db, 'users', user_id);
    }
  };
}

const unhyphenated = /^[0-9a-f]{32}$/i;

export async function refuseUnlessUserExists(db: Db, userId: unknown): Promise<void> {
  if (!isUuid(userId)) throw notFound();
  await refuseUnlessExists(db, 'users', userId);
}
