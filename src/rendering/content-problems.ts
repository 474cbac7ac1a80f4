import { maxEmailBytes } from './email/email.ts';
import type { Personalisation } from './personalisation.ts';
import { isEmpty, isTooLong } from './sms/sms.ts';
import type { CompiledTemplate } from './template.ts';

type ContentProblem = 'too-long' | 'empty' | 'qr-code-too-long';

/** Why a message with these values could not be sent; a placeholder without a value counts as its own text. */
export function contentProblems(template: CompiledTemplate, personalisation: Personalisation): ContentProblem[] {
  switch (template.template_type) {
    case 'sms': {
      const message = template.render(personalisation);
      if (isEmpty(message)) return ['empty'];
      return isTooLong(message) ? ['too-long'] : [];
    }
    case 'email': {
      const body = template.body(personalisation);
      if (body.trim() === '') return ['empty'];
      return Buffer.byteLength(body) > maxEmailBytes ? ['too-long'] : [];
    }
    case 'letter':
      if (template.body(personalisation).trim() === '') return ['empty'];
      return template.longQrCodes(personalisation).length > 0 ? ['qr-code-too-long'] : [];
  }
}
