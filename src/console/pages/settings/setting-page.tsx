import type { ComponentChildren } from 'preact';
import type { Static, TObject } from 'typebox';
import { Type } from 'typebox';
import { invalidField } from '../../../platform/failure.ts';
import { maxInteger, OneOf } from '../../../protocol/fields.ts';
import type { Service } from '../../../services/services.ts';
import type { OfService } from '../../access/may.ts';
import type { FormState, PageRequest, Pages } from '../../page.ts';
import { Choices } from '../../parts/choices.tsx';
import { SaveForm } from '../../parts/save-form.tsx';

/** Who changes a setting: the team, or the operator for it. */
export const team = { service: 'manage' } as const;
export const operator = { service: 'any', platformAdminsOnly: true } as const;

export function settingsOf(service: { id: string }): string {
  return `/services/${service.id}/settings`;
}

interface SettingPage<S extends TObject> {
  /** Below /settings. */
  path: string;
  who: OfService;
  title: string;
  lead?: string;
  fields(service: Service, formState: FormState): ComponentChildren | Promise<ComponentChildren>;
  form: S;
  needs?: { [Name in keyof Static<S>]?: string };
  /** Returns what to say when it is not "saved". */
  save(service: Service, form: Static<S>, request: PageRequest<OfService>): Promise<string | undefined>;
}

/** A page that changes one setting and leads back to the summary. */
export function addSettingPage<S extends TObject>(pages: Pages, setting: SettingPage<S>): void {
  const { path, who, title, lead, fields, form, needs, save } = setting;
  pages.add(`/services/:service_id/settings/${path}`, {
    who,
    below: 'Settings',
    async show({ service }, formState) {
      return {
        title,
        lead,
        crumbs: [{ label: 'Settings', to: settingsOf(service) }],
        content: <SaveForm back={settingsOf(service)}>{await fields(service, formState)}</SaveForm>,
      };
    },
    form,
    ...(needs ? { needs } : {}),
    async act(request, sent) {
      const notice = await save(request.service, sent, request);
      return { to: settingsOf(request.service), notice: notice ?? 'The setting is saved.' };
    },
  });
}

export const yesOrNo = Type.Object({ value: OneOf(['yes', 'no']) });
export const needsYesOrNo = { value: 'Choose yes or no.' };

interface YesNoProps {
  formState: FormState;
  legend: string;
  isYes: boolean;
  hints?: { yes?: string; no?: string };
}

export function YesNo({ formState, legend, isYes, hints = {} }: YesNoProps) {
  return (
    <Choices
      formState={formState}
      name="value"
      legend={legend}
      kind="one"
      choices={[
        { value: 'yes', label: 'Yes', hint: hints.yes },
        { value: 'no', label: 'No', hint: hints.no },
      ]}
      chosen={[isYes ? 'yes' : 'no']}
    />
  );
}

export const oneNumber = Type.Object({ value: Type.String({ maxLength: 20 }) });

/** A whole number as a person types it: thousands may be separated. */
export function readNumber(
  text: string,
  { min = 0, max = maxInteger, field = 'value' }: { min?: number; max?: number; field?: string } = {},
): number {
  const digits = text.replaceAll(/[\s,.]/g, '');
  const value = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  if (value >= min && value <= max) return value;
  const bounds = max === maxInteger ? `from ${min}` : `from ${min} to ${max.toLocaleString('en-GB')}`;
  throw invalidField(field, `Enter a whole number ${bounds}.`);
}

/** The permissions of a service with one more or less. */
export function withPermission(service: Pick<Service, 'permissions'>, name: string, isOn: boolean): string[] {
  const others = service.permissions.filter((permission) => permission !== name);
  return isOn ? [...others, name] : others;
}
