/** A text as it is. Can be scrolled with the keyboard. */
export function Preformatted({ label, children }: { label: string; children: string }) {
  return (
    <section class="code code--wrapped" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>{children}</pre>
    </section>
  );
}
