import { Type } from 'typebox';
import { OneOf, Uuid } from '../../../protocol/fields.ts';
import { givenRights, rightNames } from '../../access/may.ts';
import type { FormState } from '../../page.ts';
import { Choices } from '../../parts/choices.tsx';
import { type Folder, methodNames } from './team.ts';

const methods = ['sms_auth', 'email_auth'] as const;

export const memberForm = {
  rights: Type.Array(OneOf(givenRights)),
  folders: Type.Array(Uuid),
  auth_type: Type.Optional(OneOf(methods)),
};

interface MemberFieldsProps {
  formState: FormState;
  folders: readonly Folder[];
  chosen: { rights: readonly string[]; folders: readonly string[]; auth_type: string };
  /** Whether the service may say how this person signs in. */
  choosesMethod: boolean;
}

/** What a member may do and see, and how the person signs in: the same for an invitation. */
export function MemberFields({ formState, folders, chosen, choosesMethod }: MemberFieldsProps) {
  return (
    <>
      <Choices
        formState={formState}
        name="rights"
        legend="Rights"
        hint="Every member sees templates and messages."
        kind="several"
        choices={givenRights.map((value) => ({ value, label: rightNames[value] }))}
        chosen={chosen.rights}
      />
      {folders.length > 0 && (
        <Choices
          formState={formState}
          name="folders"
          legend="Folders of templates"
          hint="Templates that are in no folder are seen by everybody."
          kind="several"
          choices={folders.map(({ id, path }) => ({ value: id, label: path }))}
          chosen={chosen.folders}
        />
      )}
      {choosesMethod && (
        <Choices
          formState={formState}
          name="auth_type"
          legend="Signs in with"
          hint="Besides the password."
          kind="one"
          choices={methods.map((value) => ({ value, label: methodNames[value] }))}
          chosen={[chosen.auth_type]}
        />
      )}
    </>
  );
}
