/** As stored with the message. Ids of a gateway may be short numbers, or look like ours. */
export function referenceOf(messageId: string): string {
  return `httpsms:${encodeURIComponent(messageId.slice(0, 80))}`;
}
