import { createInvalidFieldsFailure } from '#core/failures.ts';
import { removeControls } from '#core/one-line.ts';

/**
 * Reads the reference of a transfer as somebody copied it: two people may copy different spaces, and it is one transfer
 * all the same. Throws `invalid_request` for a blank one.
 */
export function parseTransferReference(text: string): string {
  const reference = removeControls(text);
  if (reference === '')
    throw createInvalidFieldsFailure([
      { path: 'reference', message: 'must have more than spaces: copy it from the bank statement' },
    ]);
  return reference;
}
