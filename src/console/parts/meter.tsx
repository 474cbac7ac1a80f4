/** A part of a whole, as a bar. The figures beside it say the same. */
export function Meter({ share }: { share: number }) {
  const width = Math.min(100, Math.max(0, share * 100));
  return (
    <svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Number(width.toFixed(1))} height="1" />
    </svg>
  );
}
