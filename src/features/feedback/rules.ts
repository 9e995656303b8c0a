import type { Problem } from '#core/failures.ts';
import type { SubmitFeedbackRequest } from './contract.ts';

const JSON_BYTES_MAX = 64 * 1024;

export function findFeedbackProblems(request: SubmitFeedbackRequest): Problem[] {
  const { title, human_note: note, json_body: json } = request;
  if (isBlank(title) && isBlank(note) && Object.keys(json ?? {}).length === 0) {
    const message = 'must have content, unless title or json_body has some';
    return [{ path: 'human_note', message }];
  }
  const isLarge = Buffer.byteLength(JSON.stringify(json ?? null)) > JSON_BYTES_MAX;
  return isLarge ? [{ path: 'json_body', message: 'is larger than 64 KiB' }] : [];
}

function isBlank(text: string | null | undefined): boolean {
  return text === null || text === undefined || text.trim() === '';
}

/** The random end of the id; short enough to be read out. */
export function formatReference(id: string): string {
  return `FB-${id.slice(-10).toUpperCase()}`;
}
