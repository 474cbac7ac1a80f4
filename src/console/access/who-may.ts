import { Failure, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { getService, type Service } from '../../services/services.ts';
import type { Visitor } from '../sessions/visitor.ts';
import { type Doing, may, type Who } from './may.ts';

/** Returns the service of the page, or that the visitor has to sign in first. */
export async function refuseUnlessMay(
  app: Pick<Platform, 'db'>,
  who: Who,
  visitor: Visitor | undefined,
  serviceId: string | undefined,
  doing: Doing,
): Promise<'sign-in' | { service: Service | undefined }> {
  const isOfService = typeof who === 'object' && visitor && serviceId !== undefined;
  const service = isOfService ? await getService(app.db, serviceId) : undefined;
  switch (may(who, visitor?.user, service, doing)) {
    case 'yes':
      return { service };
    case 'sign-in':
      return 'sign-in';
    case 'forbidden':
      throw new Failure('forbidden', 'Forbidden', 'You may not open this page');
    case 'not-found':
      throw notFound();
  }
}
