import type { Problem } from '#core/failures.ts';
import type { SubmitFeedbackRequest } from './contract.ts';

const JSON_BYTES_MAX = 64 * 1024;

export function findFeedbackProblems({ json_body: json }: SubmitFeedbackRequest): Problem[] {
  if (json === null || json === undefined) return [];
  const isLarge = Buffer.byteLength(JSON.stringify(json)) > JSON_BYTES_MAX;
  return isLarge ? [{ path: 'json_body', message: 'is larger than 64 KiB' }] : [];
}

/** The random end of the id; short enough to be read out. */
export function formatReference(id: string): string {
  return `FB-${id.slice(-10).toUpperCase()}`;
}
