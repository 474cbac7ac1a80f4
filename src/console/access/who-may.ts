import { getOrganisation, type Organisation } from '../../organisations/organisations.ts';
import { Failure, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { getService, type Service } from '../../services/services.ts';
import type { UserRecord } from '../../users/user-record.ts';
import { type Doing, may, type Who } from './may.ts';

interface Path {
  service_id?: string;
  organisation_id?: string;
}

/** Returns the service or the organisation of the page, or that the visitor has to sign in first. */
export async function refuseUnlessMay(
  app: Platform,
  who: Who,
  user: UserRecord | undefined,
  { service_id, organisation_id }: Path,
  doing: Doing,
): Promise<'sign-in' | { service: Service | undefined; organisation: Organisation | undefined }> {
  const isOfService = typeof who === 'object' && 'service' in who && user && service_id !== undefined;
  const isOfOrganisation = typeof who === 'object' && 'membersOf' in who && user && organisation_id !== undefined;
  const service = isOfService ? await getService(app.db, service_id) : undefined;
  const organisation = isOfOrganisation ? await getOrganisation(app.db, organisation_id) : undefined;
  const scope = service ?? (organisation && { organisation: organisation.id });
  switch (may(who, user, scope, doing)) {
    case 'yes':
      return { service, organisation };
    case 'sign-in':
      return 'sign-in';
    case 'forbidden':
      throw new Failure('forbidden', 'Forbidden', 'You may not open this page');
    case 'not-found':
      throw notFound();
  }
}
