import type { ComponentChildren } from 'preact';
import { Summary } from '../../parts/summary.tsx';
import { Steps } from './fill-in.tsx';
import { MessagePreview, type Preview } from './message-preview.tsx';
import type { Filled } from './send-form.ts';

interface CheckProps {
  filled: Filled;
  /** Of this check: a second click on Send, or a reload, sends no second message. */
  sendId: string;
  preview: Preview;
  /** Parts or sheets, and the cost. */
  foot: ComponentChildren;
  facts: { label: string; value: ComponentChildren }[];
}

/** The message as it will be sent. What was typed travels in the form, because addresses reach logs. */
export function Check({ filled, sendId, preview, foot, facts }: CheckProps) {
  return (
    <div class="stack">
      <Steps current="Check" />
      <div class="aside">
        <form class="stack measure" method="post">
          <Summary rows={facts} />
          <Hidden name="to" value={filled.to} />
          {filled.values.map(({ name, value }) => (
            <>
              <Hidden name="names[]" value={name} />
              <Hidden name="values[]" value={value} />
            </>
          ))}
          <Hidden name="sender_id" value={filled.sender_id} />
          <Hidden name="scheduled_for" value={filled.scheduled_for} />
          <Hidden name="reference" value={filled.reference} />
          <Hidden name="send_id" value={sendId} />
          <div class="row">
            <button class="button button--primary" type="submit" name="do" value="send">
              Send
            </button>
            <button class="button" type="submit" name="do" value="change">
              Change it
            </button>
          </div>
        </form>
        <section class="stack stack--tight" aria-label="The message">
          <MessagePreview preview={preview} foot={foot} />
        </section>
      </div>
    </div>
  );
}

function Hidden({ name, value }: { name: string; value: string }) {
  return <input type="hidden" name={name} value={value} />;
}
