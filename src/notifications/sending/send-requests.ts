import { type Static, Type } from 'typebox';
import type { Country } from '../../countries/country.ts';
import { listPostage } from '../../countries/postage.ts';
import { Datetime, Nullable, StoredPostage, Uuid } from '../../protocol/fields.ts';
import * as examples from '../examples.ts';

/** Request and response bodies of the send endpoints. Problems are reported in the order in which fields are declared here. */

const Personalisation = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });
const Reference = Type.String({ maxLength: 1000 });
const strict = { additionalProperties: false };
const whichTemplate = {
  template_id: Type.Optional(Type.String({ format: 'uuid', description: 'Required, unless template_name is given' })),
  template_name: Type.Optional(
    Type.String({ description: 'Instead of template_id; the only template of the channel with this name' }),
  ),
  template_version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The version to send; the newest without it' }),
  ),
};

/** Last in the order of problems. Services without the permission do not have this field. */
const chosenLanguage = {
  language: Type.Optional(
    Type.String({
      format: 'language-tag',
      description: 'BCP 47; of services with the permission template_languages: which text of the template to send',
    }),
  ),
};

const recipientZone = {
  recipient_time_zone: Type.Optional(
    Type.String({ description: 'IANA, such as Europe/Paris: in which the sending times of the service apply' }),
  ),
};

const heldUntil = {
  held_until: Type.Optional(
    Type.String({ ...Datetime, description: 'Only of a message that waits for its sending time: when that begins' }),
  ),
};

export const SmsRequest = Type.Object(
  {
    reference: Type.Optional(Reference),
    phone_number: Type.String(),
    ...whichTemplate,
    personalisation: Type.Optional(Personalisation),
    scheduled_for: Type.Optional(Nullable(Type.String({ description: 'ISO 8601, at most 24 hours ahead' }))),
    sms_sender_id: Type.Optional(Uuid),
    ...recipientZone,
    ...chosenLanguage,
  },
  {
    title: 'SmsRequest',
    ...strict,
    examples: [examples.smsRequest],
  },
);

export const EmailRequest = Type.Object(
  {
    reference: Type.Optional(Reference),
    email_address: Type.String({ format: 'email' }),
    ...whichTemplate,
    personalisation: Type.Optional(Personalisation),
    scheduled_for: Type.Optional(Nullable(Type.String({ description: 'ISO 8601, at most 24 hours ahead' }))),
    email_reply_to_id: Type.Optional(Uuid),
    one_click_unsubscribe_url: Type.Optional(Type.String({ format: 'https-url' })),
    sanitise_content_for: Type.Optional(Nullable(Type.Array(Type.Any()))),
    ...recipientZone,
    ...chosenLanguage,
  },
  {
    title: 'EmailRequest',
    ...strict,
    examples: [examples.emailRequest],
  },
);

export const LetterRequest = Type.Object(
  { reference: Type.Optional(Reference), ...whichTemplate, personalisation: Personalisation, ...chosenLanguage },
  {
    title: 'LetterRequest',
    ...strict,
    examples: [examples.letterRequest],
  },
);

export const PrecompiledLetterRequest = Type.Object(
  {
    reference: Reference,
    content: Type.String({ description: 'PDF in base64' }),
    postage: Type.Optional(Type.String()),
  },
  {
    title: 'PrecompiledLetterRequest',
    ...strict,
    examples: [examples.precompiledLetterRequest],
  },
);

/** The same schema with the postage classes of the country, for the documentation. */
export function precompiledLetterRequest({ postage }: Pick<Country, 'postage'>): typeof PrecompiledLetterRequest {
  const documented = Type.String({ description: listPostage(postage).join(', ') });
  const { reference, content } = PrecompiledLetterRequest.properties;
  return {
    ...PrecompiledLetterRequest,
    properties: { reference, content, postage: Type.Optional(documented) },
  };
}

/** For services that may not choose a language. */
export const withoutLanguage = {
  sms: Type.Omit(SmsRequest, ['language'], strict),
  email: Type.Omit(EmailRequest, ['language'], strict),
  letter: Type.Omit(LetterRequest, ['language'], strict),
};

export type SmsRequest = Static<typeof SmsRequest>;
export type EmailRequest = Static<typeof EmailRequest>;
export type LetterRequest = Static<typeof LetterRequest>;
export type PrecompiledLetterRequest = Static<typeof PrecompiledLetterRequest>;

const responseFields = {
  id: Uuid,
  reference: Nullable(Type.String()),
  uri: Type.String(),
  template: Type.Object({ id: Uuid, version: Type.Integer(), uri: Type.String() }),
  scheduled_for: Nullable(Datetime),
};

export const SmsResponse = Type.Object(
  {
    ...responseFields,
    content: Type.Object({ body: Type.String(), from_number: Nullable(Type.String()) }),
    ...heldUntil,
  },
  { title: 'SmsResponse', examples: [examples.smsResponse] },
);

export const EmailResponse = Type.Object(
  {
    ...responseFields,
    content: Type.Object({
      from_email: Type.String(),
      subject: Type.String(),
      body: Type.String(),
      one_click_unsubscribe_url: Nullable(Type.String()),
    }),
    sanitised_content: Type.Record(Type.String(), Type.Any()),
    ...heldUntil,
  },
  { title: 'EmailResponse', examples: [examples.emailResponse] },
);

export const LetterResponse = Type.Object(
  {
    ...responseFields,
    content: Type.Object({ subject: Type.String(), body: Type.String() }),
  },
  { title: 'LetterResponse', examples: [examples.letterResponse] },
);

export const precompiledLetterResponse = (country: Country) =>
  Type.Object(
    {
      id: Uuid,
      reference: Type.String(),
      postage: StoredPostage(country),
    },
    { title: 'PrecompiledLetterResponse', examples: [examples.precompiledLetterResponse] },
  );

export type SmsResponse = Static<typeof SmsResponse>;
export type EmailResponse = Static<typeof EmailResponse>;
export type LetterResponse = Static<typeof LetterResponse>;
export type PrecompiledLetterResponse = Static<ReturnType<typeof precompiledLetterResponse>>;
