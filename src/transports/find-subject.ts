/** Finds what an entry of the audit trail is about. */
import type { AnyInput } from '#features/binding.ts';

const SUBJECT_FIELDS = ['experiment_id', 'id', 'token_id', 'user_id'] as const;

/** The id in the path; without one, the id that the answer gives to what was made. */
export function findSubject(input: AnyInput, body: unknown): string | null {
  const [named] = Object.values(input.params);
  if (typeof named === 'string') return named;
  if (typeof body !== 'object' || body === null) return null;
  const record: Readonly<Record<string, unknown>> = { ...body };
  const value = SUBJECT_FIELDS.map((field) => record[field]).find(
    (candidate) => typeof candidate === 'string',
  );
  return typeof value === 'string' ? value : null;
}
