/** The sentence of a failure as the documentation shows it. */
import { getFailureSentence, type FailureCode } from '#core/failures.ts';
import { markup, type Part } from '#ui/markup.ts';

/** The sentence of the catalog; what differs from case to case stands in ‹angle marks›. */
export function renderSentence(code: FailureCode): Part {
  return getFailureSentence(code)
    .replaceAll('{{}}', '{ }')
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 === 1 ? markup`<var>‹${piece.replaceAll('_', ' ')}›</var>` : piece));
}
