import type { ComponentChildren } from 'preact';
import { day_ms, later } from '../../../platform/clock.ts';
import type { Channel } from '../../../protocol/channels.ts';
import type { FormState } from '../../page.ts';
import { Choices } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { When } from '../../parts/when.tsx';
import type { Filled } from './send-form.ts';

export interface SenderChoice {
  id: string;
  text: string;
  is_default: boolean;
  receives_replies: boolean;
}

interface FillInProps {
  formState: FormState;
  channel: Channel;
  filled: Filled;
  senders: readonly SenderChoice[];
  preview: ComponentChildren;
  /** What can be sent today. */
  left: number;
  now: Date;
  /** Leads to sending a file with the same template, below /console. */
  toFile: string;
}

export function FillIn({ formState, channel, filled, senders, preview, left, now, toFile }: FillInProps) {
  return (
    <div class="stack">
      <Steps current="Fill in" />
      <div class="aside">
        <form class="stack measure" method="post" noValidate data-previews="preview">
          {/* The first button is the one that Enter presses. */}
          <button class="sr" type="submit" name="do" value="check" tabIndex={-1} aria-hidden="true">
            Check
          </button>
          <Sender formState={formState} channel={channel} senders={senders} chosen={filled.sender_id} />
          <Recipient formState={formState} channel={channel} />
          {filled.values.length > 0 && (
            <div class="cols cols--narrow">
              {filled.values.map(({ name, value }, index) => (
                <div key={name}>
                  <input type="hidden" name="names[]" value={name} />
                  <Field
                    formState={formState}
                    name={`value_${index}`}
                    sentAs="values[]"
                    label={name}
                    value={value}
                    autocomplete="off"
                  />
                </div>
              ))}
            </div>
          )}
          {channel !== 'letter' && (
            <When formState={formState} now={now} until={later(now, day_ms)} hint="London time, within 24 hours." />
          )}
          <Field
            formState={formState}
            name="reference"
            label="Reference (optional)"
            hint="Your own number, to find the message again."
            autocomplete="off"
          />
          <div class="row">
            <button class="button button--primary" type="submit" name="do" value="check">
              Check
            </button>
            <a class="button button--quiet" href={`/console${toFile}`}>
              Send to a file instead
            </a>
            <span class="small muted">{left.toLocaleString('en-GB')} left today</span>
          </div>
        </form>
        <section class="stack stack--tight sticky" aria-label="Preview" id="preview">
          {preview}
        </section>
      </div>
    </div>
  );
}

export function Steps({ current }: { current: 'Fill in' | 'Check' }) {
  return (
    <ol class="steps" aria-label="Steps">
      {['Fill in', 'Check', 'Sent'].map((step) => (
        <li key={step} aria-current={step === current ? 'step' : undefined}>
          {step}
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
      legend={channel === 'sms' ? 'From' : 'Answers go to'}
      kind="one"
      chosen={[chosen || usual]}
      choices={senders.map(({ id, text, is_default, receives_replies }) => ({
        value: id,
        label: text,
        hint: [is_default && 'The usual one.', receives_replies && 'Receives replies.'].filter(Boolean).join(' '),
      }))}
    />
  );
}

function Recipient({ formState, channel }: { formState: FormState; channel: Channel }) {
  if (channel === 'letter') {
    return (
      <TextArea
        formState={formState}
        name="to"
        label="Address"
        hint="3 to 7 lines. The last line is the postcode, or the country."
        rows={7}
      />
    );
  }
  return (
    <Field
      formState={formState}
      name="to"
      label={channel === 'sms' ? 'Phone number' : 'Email address'}
      type={channel === 'sms' ? 'tel' : 'email'}
      autocomplete="off"
      beside={
        <button class="button" type="submit" name="do" value="mine">
          Use mine
        </button>
      }
    />
  );
}
