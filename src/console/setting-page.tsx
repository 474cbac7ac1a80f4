import type { ComponentChildren } from 'preact';
import { type Static, type TObject, Type } from 'typebox';
import { type Text, t } from '../language/text.ts';
import { OneOf } from '../protocol/fields.ts';
import type { Who } from './access/may.ts';
import type { MenuEntry } from './layout/menus.ts';
import type { Crumb, FormState, PageRequest, Pages } from './page.ts';
import { Choices, Field, TextArea } from './parts/field.tsx';
import { SaveForm } from './parts/form.tsx';
import { TypedValue } from './parts/value-fields.tsx';

/** The declaration of a setting of any owner. */
export interface Setting<Owner, S extends TObject> {
  path: string;
  title: Text;
  lead?: Text;
  fields(owner: Owner, formState: FormState): ComponentChildren | Promise<ComponentChildren>;
  form: S;
  needs?: { [Name in keyof Static<S>]?: Text };
}

interface SettingPage<W extends Who, Owner, S extends TObject> extends Setting<Owner, S> {
  who: W;
  below: MenuEntry;
  /** Returns what the setting belongs to: a service or an organisation. */
  owner(request: PageRequest<W>): Owner | Promise<Owner>;
  /** Returns the summary of all settings, which the page redirects to. */
  summary(owner: Owner): Crumb;
  /** Returns the notice if it is not "saved". */
  save(owner: Owner, form: Static<S>, request: PageRequest<W>): Promise<Text | undefined>;
}

/** Adds a page that changes one setting and redirects to the summary. */
export function addSettingPage<const W extends Who, Owner, S extends TObject>(
  pages: Pages,
  setting: SettingPage<W, Owner, S>,
): void {
  const { path, who, below, title, lead, owner: find, summary, fields, form, needs, save } = setting;
  pages.add(path, {
    who,
    below,
    name: title,
    async show(request, formState) {
      const owner = await find(request);
      const back = summary(owner);
      return {
        title,
        lead,
        crumbs: [back],
        content: <SaveForm back={back.to}>{await fields(owner, formState)}</SaveForm>,
      };
    },
    form,
    ...(needs ? { needs } : {}),
    async act(request, sent) {
      const owner = await find(request);
      const notice = await save(owner, sent, request);
      return { to: summary(owner).to, notice: notice ?? t('Setting saved.') };
    },
  });
}

/** The form of a setting that is on or off. */
export const yesOrNo = {
  form: Type.Object({ value: OneOf(['yes', 'no']) }),
  needs: { value: t('Choose yes or no.') },
};

interface YesNoProps {
  formState: FormState;
  legend: Text;
  isYes: boolean;
  hints?: { yes?: Text; no?: Text };
}

export function YesNo({ formState, legend, isYes, hints = {} }: YesNoProps) {
  return (
    <Choices
      formState={formState}
      name="value"
      legend={legend}
      kind="one"
      choices={[
        { value: 'yes', label: t('Yes'), hint: hints.yes },
        { value: 'no', label: t('No'), hint: hints.no },
      ]}
      chosen={[isYes ? 'yes' : 'no']}
    />
  );
}

/** The form of a setting that is a number. */
export const oneNumber = { form: Type.Object({ value: TypedValue }), needs: { value: t('Enter a number.') } };

/** The form of a text setting, which may be left empty. */
export function oneText(maxLength: number) {
  return { form: Type.Object({ value: Type.Optional(Type.String({ maxLength })) }) };
}

interface OneTextProps {
  formState: FormState;
  label: Text;
  maxLength: number;
  value: string | null;
}

/** Uses a text area for long texts. */
export function OneText({ formState, label, maxLength, value }: OneTextProps) {
  return maxLength > 255 ? (
    <TextArea formState={formState} name="value" label={label} rows={5} value={value ?? ''} />
  ) : (
    <Field formState={formState} name="value" label={label} value={value ?? undefined} autocomplete="off" />
  );
}
