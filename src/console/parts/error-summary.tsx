import type { FormState } from '../page.ts';

/** Gets the focus when the page is shown again, so that a screen reader begins with what is wrong. */
export function ErrorSummary({ problems }: Pick<FormState, 'problems'>) {
  if (problems.size === 0) return null;
  return (
    <div class="error-summary" role="alert" tabIndex={-1} autofocus aria-labelledby="error-summary-title">
      <h2 id="error-summary-title">There is a problem</h2>
      <ul>
        {[...problems].map(([name, text]) => (
          <li key={name}>{name === '' ? text : <a href={`#${name}`}>{text}</a>}</li>
        ))}
      </ul>
    </div>
  );
}
