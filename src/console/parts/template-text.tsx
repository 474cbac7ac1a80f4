import { splitAtPlaceholders } from '../../rendering/placeholders.ts';

/** A text of a template as written, with its placeholders marked. */
export function TemplateText({ text }: { text: string }) {
  return (
    <>
      {splitAtPlaceholders(text).map((part, index) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span key={`${index} ${part.name}`} class="placeholder">
            {part.written}
          </span>
        ),
      )}
    </>
  );
}
