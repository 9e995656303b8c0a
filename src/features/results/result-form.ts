import type { Site } from '#core/context.ts';
import type { ResultForm } from './store.ts';

/** How this installation writes its results: every list and every detail alike. */
export function getResultForm({ baseUrl, resultSummary }: Site): ResultForm {
  return { apiUrl: `${baseUrl}/api/v1`, summary: resultSummary };
}
