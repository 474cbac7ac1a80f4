import { type Static, Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import { acceptsLongText } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Nullable, OfService, OneOf } from '../../protocol/fields.ts';
import { hintRules } from '../../rendering/hints/hint.ts';
import type { TemplateSettings } from '../settings.ts';
import { TemplateTypes } from '../template-record.ts';
import { checkText, countShown } from './template-hints.ts';

const Written = Type.Object(
  {
    type: TemplateTypes,
    subject: Type.Optional(Nullable(Type.String())),
    body: Type.String(),
    has_unsubscribe_link: Type.Optional(Type.Boolean()),
    sent_to_many: Type.Optional(
      Type.Boolean({ description: 'Whether the template is for files or lists of recipients' }),
    ),
  },
  {
    title: 'TextToCheck',
    additionalProperties: false,
    examples: [{ type: 'email', subject: 'Your permit', body: 'Renew it at https://bit.ly/3xYz.' }],
  },
);

const Checked = Type.Object(
  {
    hints: Type.Array(
      Type.Object({
        rule: OneOf([...hintRules]),
        message: Type.String(),
        found: Nullable(Type.String()),
        field: Nullable({ ...OneOf(['subject', 'body']), description: 'What start and end are places of' }),
        start: Nullable(Type.Integer({ minimum: 0, description: 'In UTF-16 code units' })),
        end: Nullable(Type.Integer({ minimum: 0 })),
      }),
    ),
  },
  {
    title: 'CheckedText',
    examples: [
      {
        hints: [
          {
            rule: 'link-shortener',
            message:
              'People cannot see where bit.ly leads, and networks block texts with it. Write the address in full.',
            found: 'bit.ly',
            field: 'body',
            start: 12,
            end: 31,
          },
        ],
      },
    ],
  },
);

type Deps = Platform & { config: { templates: TemplateSettings } };

const summary = 'Get advice on the wording, links and costs of a template; nothing is stored';

/** An API key can check any text of its service. */
export function publicHintRoutes(http: Http, app: Deps): void {
  http.post(
    '/v2/template/check',
    { ...acceptsLongText, schema: { summary, body: Written, response: { 200: Checked } } },
    async (request) => checked(app, apiCallerOf(request).service_id, request.body),
  );
}

export function hintRoutes(http: Http, app: Deps): void {
  http.post(
    '/service/:service_id/template/check',
    { ...acceptsLongText, schema: { summary, params: OfService, body: Written, response: { 200: Checked } } },
    async ({ params, body }) => checked(app, params.service_id, body),
  );
}

async function checked(
  app: Deps,
  serviceId: string,
  { type, subject = null, body, ...use }: Static<typeof Written>,
): Promise<Static<typeof Checked>> {
  const hints = await checkText(app, serviceId, { template_type: type, subject, content: body, ...use });
  countShown(app, hints);
  return {
    hints: hints.map(({ rule, message, found, field, start, end }) => ({ rule, message, found, field, start, end })),
  };
}
