import { Type } from 'typebox';
import { inEnglish } from '../../language/text.ts';
import type { Http } from '../../platform/http/surface.ts';
import { Data, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import { getDomainReadiness, getServiceReadiness, type Readiness, type ReadinessDeps } from './readiness.ts';
import { rowNames } from './rows.ts';

const ReadinessRecord = Type.Object(
  {
    domain: Type.String(),
    domain_kind: OneOf(['installation', 'organisation', 'service']),
    verdict: OneOf(['pass', 'warn', 'fail']),
    nothing_is_sent: Type.Boolean({ description: 'The sandbox keeps every email' }),
    rows: Type.Array(
      Type.Object({
        row: OneOf(rowNames),
        verdict: OneOf(['pass', 'warn', 'fail', 'unknown']),
        evidence: Type.String(),
        advice: Nullable(Type.String()),
        sources: Type.Array(Type.Object({ name: Type.String(), url: Type.String() })),
      }),
    ),
  },
  { title: 'Readiness' },
);

function readable({ rows, ...readiness }: Readiness) {
  return {
    ...readiness,
    rows: rows.map(({ evidence, advice, ...row }) => ({
      ...row,
      evidence: inEnglish(evidence),
      advice: advice && inEnglish(advice),
    })),
  };
}

export function readinessRoutes(http: Http, app: ReadinessDeps): void {
  http.get(
    '/sending-domain/:sending_domain_id/readiness',
    {
      schema: {
        summary: 'Get whether Gmail, Yahoo and Outlook will take the emails of a domain, with what to repair first',
        params: Type.Object({ sending_domain_id: Uuid }),
        response: { 200: Data(ReadinessRecord) },
      },
    },
    async ({ params }) => ({ data: readable(await getDomainReadiness(app, params.sending_domain_id)) }),
  );

  http.get(
    '/service/:service_id/readiness',
    {
      schema: {
        summary: 'Get the same for the domain that the emails of a service come from, and for what the service sends',
        params: OfService,
        response: { 200: Data(ReadinessRecord) },
      },
    },
    async ({ params }) => ({ data: readable(await getServiceReadiness(app, params.service_id)) }),
  );
}
