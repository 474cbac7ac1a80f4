import type { ComponentChildren } from 'preact';
import { type Text, t } from '../../language/text.ts';
import { pageUrl } from '../links.ts';
import type { FormState } from '../page.ts';
import { HintAndError } from './field.tsx';
import { Notice } from './notice.tsx';

interface SaveFormProps {
  children: ComponentChildren;
  action?: string;
  /** Destructive: the button is red. */
  danger?: boolean;
  /** The target of "Cancel", below /console. */
  back: string;
  /** The URL that the form is sent to, if it is not that of the page. */
  to?: string;
  /** The last field is a file. */
  withFile?: boolean;
  /** For buttons outside of the form. */
  id?: string;
}

/** The form of a page that changes one thing, with a link to cancel. */
export function SaveForm({ children, action = t('Save'), danger, back, to, withFile, id }: SaveFormProps) {
  return (
    <form
      class="stack measure"
      id={id}
      method="post"
      action={to}
      encType={withFile ? 'multipart/form-data' : undefined}
      noValidate
    >
      {children}
      <Submit back={back} danger={danger}>
        {action}
      </Submit>
    </form>
  );
}

interface SubmitProps {
  children: ComponentChildren;
  /** The target of "Cancel", below /console; without it, there is only the button. */
  back?: string;
  /** Destructive: the button is red. */
  danger?: boolean | undefined;
}

/** The last row of a form. */
export function Submit({ children, back, danger }: SubmitProps) {
  return (
    <div class={back === undefined ? undefined : 'row'}>
      <button class={danger ? 'button button--danger' : 'button button--primary'} type="submit">
        {children}
      </button>
      {back !== undefined && (
        <ButtonLink to={back} look="quiet">
          {t('Cancel')}
        </ButtonLink>
      )}
    </div>
  );
}

interface ButtonLinkProps {
  /** Below /console. */
  to: string;
  look?: 'primary' | 'quiet' | undefined;
  small?: boolean;
  download?: boolean;
  children: ComponentChildren;
}

/** A link that looks like a button, to a page with an action. */
export function ButtonLink({ to, look, small, download, children }: ButtonLinkProps) {
  const classes = ['button', look && `button--${look}`, small && 'button--small'].filter(Boolean);
  return (
    <a class={classes.join(' ')} href={pageUrl(to)} download={download}>
      {children}
    </a>
  );
}

interface ConfirmProps {
  /** The button that asks for confirmation, such as "Revoke". */
  label: ComponentChildren;
  /** Says what will happen. */
  children: ComponentChildren;
  /** The button that confirms; names the object. */
  action: Text;
  /** The URL that the form is sent to. */
  to: string;
  fields?: Record<string, string>;
  /** A second action for the same request, as a checkbox. */
  option?: { name: string; label: Text; hint: Text } | undefined;
}

/** Asks for confirmation on the same page before a destructive action; works without script. */
export function Confirm({ label, children, action, to, fields = {}, option }: ConfirmProps) {
  return (
    <details class="confirm">
      <summary class="button button--small button--danger">{label}</summary>
      <form class="stack stack--tight" method="post" action={to}>
        <p>{children}</p>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {option && (
          <label class="choice">
            <input type="checkbox" name={option.name} value="yes" />
            <span>{option.label}</span>
            <span class="hint">{option.hint}</span>
          </label>
        )}
        <div>
          <button class="button button--danger" type="submit">
            {action}
          </button>
        </div>
      </form>
    </details>
  );
}

interface TouchKeyProps {
  formState: FormState;
  /** Whether the browser registers a new key or uses a registered one. */
  task: 'create' | 'get';
  /** The path that returns what the key has to sign, below /console. */
  options: string;
  label: Text;
  /** Shown beside the button. */
  children?: ComponentChildren;
}

/** `browser/security-key.ts` shows the one that applies. */
const whyNoKey = {
  'no-script': t('Security keys need JavaScript. Allow it for this page, then open the page again.'),
  insecure: t('Security keys need an address that begins with https.'),
  unsupported: t('This browser cannot use security keys. Update it, or use another one.'),
  'signed-out': t('You are no longer signed in. Open the page again.'),
  'no-answer': t('The server did not respond. Try again in a moment.'),
  'no-key': t('The browser returned no key. Try again.'),
  'known-key': t('This security key is registered already.'),
  'wrong-address': t('The browser refuses security keys at this address.'),
  closed: t('No key responded in time, or the dialog was closed. Try again.'),
};

/** A button that opens the browser's dialog for security keys and submits the key's response as a form. */
export function TouchKey({ formState, task, options, label, children }: TouchKeyProps) {
  const error = formState.problems.get('response');
  return (
    <form class="stack" method="post" data-security-key={task} data-options={pageUrl(options)} noValidate>
      <input type="hidden" name="response" />
      <div data-problem>
        <Notice tone="amber">
          {Object.entries(whyNoKey).map(([reason, sentence]) => (
            <span key={reason} data-reason={reason} hidden={reason !== 'no-script'}>
              {sentence}
            </span>
          ))}
        </Notice>
      </div>
      <HintAndError name="response" hint={undefined} error={error} />
      <div class="row">
        <button class="button button--primary" type="button" id="response" hidden>
          {label}
        </button>
        {children}
      </div>
    </form>
  );
}
