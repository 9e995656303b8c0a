/** The `WWW-Authenticate` of a 401 (RFC 6750 §3). */
import type { Failure } from '#core/failures.ts';

/** A token was sent and is refused; without one, the challenge names no error. */
const MISSING = 'unauthenticated';

export function formatBearerChallenge(
  failure: Failure,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const refused =
    failure.code === MISSING
      ? {}
      : { error: 'invalid_token', error_description: toQuotable(failure.message) };
  const written = Object.entries({ ...parameters, ...refused }).map(([name, value]) => `${name}="${value}"`);
  return ['Bearer', written.join(', ')].filter(Boolean).join(' ');
}

/** The characters that an error description may have. */
function toQuotable(text: string): string {
  return text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'");
}
