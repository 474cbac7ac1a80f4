import type { Status } from '../../../notifications/notification.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { channelWords, shownChannels } from '../../message-words.ts';
import type { Pages } from '../../page.ts';
import { MessageStatus } from '../../parts/status.tsx';

export const statusHelp = '/help/statuses';

/** What the words in the message log mean. Pages show it as a drawer. */
export function statusHelpPages(pages: Pages): void {
  pages.add(statusHelp, {
    who: 'signed-in',
    below: 'Messages',
    show: () => ({
      title: 'What the statuses mean',
      content: (
        <div class="stack measure">
          {shownChannels.map((channel) => (
            <section key={channel} class="stack stack--tight" aria-labelledby={`statuses-${channel}`}>
              <h2 id={`statuses-${channel}`}>{channelWords[channel].names}</h2>
              <dl class="facts">
                {meanings[channel].map(([status, meaning]) => [
                  <dt key={status}>
                    <MessageStatus status={status} channel={channel} />
                  </dt>,
                  <dd key={`${status} meaning`}>{meaning}</dd>,
                ])}
              </dl>
            </section>
          ))}
        </div>
      ),
    }),
  });
}

type Meaning = [status: Status, meaning: string];

const accepted: Meaning = ['created', 'We have the message and will hand it to a provider in a moment.'];
const technical: Meaning = [
  'technical-failure',
  'No provider took the message, so it was not sent. Send it again when the provider works.',
];

const meanings: Record<Channel, Meaning[]> = {
  email: [
    accepted,
    ['sending', 'The provider has the email. We are waiting to hear whether it arrived.'],
    ['delivered', 'The email reached the inbox.'],
    ['temporary-failure', 'The inbox did not accept the email, for example because it was full. Try again later.'],
    ['permanent-failure', 'The email address does not exist, or it is on your suppression list. Check the address.'],
    technical,
  ],
  sms: [
    accepted,
    ['sending', 'The provider has the text. We are waiting to hear whether it arrived.'],
    ['pending', 'The network is still trying to reach the phone. This can take up to 3 days.'],
    ['sent', 'The text went to another country, whose network does not say whether it arrived.'],
    ['delivered', 'The text reached the phone.'],
    ['temporary-failure', 'The phone was switched off or out of reach for too long. Try again later.'],
    ['permanent-failure', 'The phone number does not exist. Check the number.'],
    technical,
  ],
  letter: [
    ['pending-virus-check', 'We are checking your file for viruses.'],
    ['created', 'The letter waits for the next print run. You can cancel it until then.'],
    ['sending', 'The printer has the letter.'],
    ['delivered', 'The letter was printed and posted. The post does not say when it arrives.'],
    ['cancelled', 'Somebody cancelled the letter before it was printed.'],
    ['returned-letter', 'The post brought the letter back. Check the address.'],
    ['validation-failed', 'The printer cannot print your file. Correct the file and send it again.'],
    ['virus-scan-failed', 'Your file has a virus, so we deleted it.'],
    ['permanent-failure', 'The printer refused the letter.'],
    ['technical-failure', 'The letter was not printed and you will not be charged. Send it again.'],
  ],
};
