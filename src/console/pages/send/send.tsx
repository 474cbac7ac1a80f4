import type { ComponentChildren } from 'preact';
import { type Text, t } from '../../../language/text.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { type LanguageTags, listLanguages } from '../../../templates/languages/languages.ts';
import { describeLost } from '../../message-labels.ts';
import type { FormState } from '../../page.ts';
import { Choices, Field, Select, TextArea } from '../../parts/field.tsx';
import { ButtonLink } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PlaceholderField } from '../../parts/placeholder-field.tsx';
import { Summary } from '../../parts/table.tsx';
import { nextDay, When } from '../../parts/when.tsx';
import { nameOf } from '../templates/languages/languages.tsx';
import { MessagePreview, type Preview } from './message-preview.tsx';
import type { Filled } from './send-form.ts';
import type { SenderChoice } from './sendable-templates.ts';

interface FillInProps {
  formState: FormState;
  channel: Channel;
  filled: Filled;
  /** Placeholders that only show or hide text. */
  conditions: readonly string[];
  /** Undefined for a template in one language. */
  languages: LanguageTags | undefined;
  senders: readonly SenderChoice[];
  preview: ComponentChildren;
  /** How many messages can be sent today. */
  left: Text;
  now: Date;
  addressHint: Text;
  /** The path of the upload page for the same template, below /console. */
  toFile: string;
}

export function FillIn(props: FillInProps) {
  const { formState, channel, filled, conditions, languages, senders, preview, left, now, addressHint, toFile } = props;
  return (
    <div class="stack">
      <Steps current="fill-in" />
      <div class="aside">
        <form class="stack measure" method="post" noValidate data-previews="preview">
          {/* Enter presses the first button. */}
          <button class="sr" type="submit" name="do" value="check" tabIndex={-1} aria-hidden="true">
            {t('Check')}
          </button>
          {languages && (
            <Select
              formState={formState}
              name="language"
              label={t('Language of the message')}
              choices={listLanguages(languages).map((tag) => ({ value: tag, label: nameOf(tag) }))}
              value={filled.language}
            />
          )}
          <Sender formState={formState} channel={channel} senders={senders} chosen={filled.sender_id} />
          <Recipient formState={formState} channel={channel} addressHint={addressHint} />
          {filled.values.length > 0 && (
            <div class="cols cols--narrow">
              {filled.values.map(({ name, value }, index) => (
                <PlaceholderField
                  key={name}
                  {...{ formState, index, name, value }}
                  isCondition={conditions.includes(name)}
                />
              ))}
            </div>
          )}
          {channel !== 'letter' && <When formState={formState} now={now} within={nextDay} />}
          <Field
            formState={formState}
            name="reference"
            label={t('Reference (optional)')}
            hint={t('A reference of your own, such as a case number.')}
            autocomplete="off"
          />
          <div class="row">
            <button class="button button--primary" type="submit" name="do" value="check">
              {t('Check')}
            </button>
            <ButtonLink to={toFile} look="quiet">
              {t('Upload a list instead')}
            </ButtonLink>
            <span class="small muted">{left}</span>
          </div>
        </form>
        <section class="stack stack--tight sticky" aria-label={t('Preview')} id="preview">
          {preview}
        </section>
      </div>
    </div>
  );
}

const steps = [
  { id: 'fill-in', name: t('Fill in') },
  { id: 'check', name: t('Check') },
  { id: 'sent', name: t('Sent') },
] as const;

function Steps({ current }: { current: 'fill-in' | 'check' }) {
  return (
    <ol class="steps" aria-label={t('Steps')}>
      {steps.map(({ id, name }) => (
        <li key={id} aria-current={id === current ? 'step' : undefined}>
          {name}
        </li>
      ))}
    </ol>
  );
}

function Sender({
  formState,
  channel,
  senders,
  chosen,
}: {
  formState: FormState;
  channel: Channel;
  senders: readonly SenderChoice[];
  chosen: string;
}) {
  if (senders.length < 2) return null;
  const usual = senders.find(({ is_default }) => is_default)?.id ?? '';
  return (
    <Choices
      formState={formState}
      name="sender_id"
      legend={channel === 'sms' ? t('From') : t('Replies go to')}
      kind="one"
      chosen={[chosen || usual]}
      choices={senders.map(({ id, text, is_default, receives_replies }) => ({
        value: id,
        label: text,
        hint: senderHints[is_default ? 'default' : 'other'][receives_replies ? 'replies' : 'silent'],
      }))}
    />
  );
}

const senderHints = {
  default: { replies: t('Default. Receives replies.'), silent: t('Default') },
  other: { replies: t('Receives replies.'), silent: undefined },
};

function Recipient({ formState, channel, addressHint }: Pick<FillInProps, 'formState' | 'channel' | 'addressHint'>) {
  if (channel === 'letter') {
    return <TextArea formState={formState} name="to" label={t('Address')} hint={addressHint} rows={7} />;
  }
  return (
    <Field
      formState={formState}
      name="to"
      label={channel === 'sms' ? t('Phone number') : t('Email address')}
      type={channel === 'sms' ? 'tel' : 'email'}
      autocomplete="off"
      beside={
        <button class="button" type="submit" name="do" value="mine">
          {t('Use mine')}
        </button>
      }
    />
  );
}

interface CheckProps {
  filled: Filled;
  /** An idempotency key, so that a second click on Send, or a reload, sends no second message. */
  sendId: string;
  preview: Preview;
  /** Parts or sheets, and the cost. */
  foot: ComponentChildren;
  facts: { label: Text; value: ComponentChildren }[];
  /** Characters that a text message cannot contain. */
  lost: readonly string[];
}

/** The message as it will be sent. The values are form fields, because URLs reach logs. */
export function Check({ filled, sendId, preview, foot, facts, lost }: CheckProps) {
  return (
    <div class="stack">
      <Steps current="check" />
      <div class="aside">
        <form class="stack measure" method="post">
          <Summary rows={facts} />
          {lost.length > 0 && <Notice tone="amber">{describeLost(lost)}</Notice>}
          <Hidden name="to" value={filled.to} />
          {filled.values.map(({ name, value }) => (
            <>
              <Hidden name="names[]" value={name} />
              <Hidden name="values[]" value={value} />
            </>
          ))}
          {filled.language !== '' && <Hidden name="language" value={filled.language} />}
          <Hidden name="sender_id" value={filled.sender_id} />
          <Hidden name="scheduled_for" value={filled.scheduled_for} />
          <Hidden name="reference" value={filled.reference} />
          <Hidden name="send_id" value={sendId} />
          <div class="row">
            <button class="button button--primary" type="submit" name="do" value="send">
              {t('Send')}
            </button>
            <button class="button" type="submit" name="do" value="change">
              {t('Change it')}
            </button>
          </div>
        </form>
        <section class="stack stack--tight" aria-label={t('The message')}>
          <MessagePreview preview={preview} foot={foot} />
        </section>
      </div>
    </div>
  );
}

function Hidden({ name, value }: { name: string; value: string }) {
  return <input type="hidden" name={name} value={value} />;
}
