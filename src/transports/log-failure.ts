/** Writes a failure to the log, whichever transport answered it. */
import type { Logger } from 'pino';
import { getFailureSentence, type Failure } from '#core/failures.ts';

/** Logs the sentence of the code without its values, because client input, even an address, may hold a secret. */
export function logFailure(log: Logger, entry: Readonly<Record<string, unknown>>, failure: Failure): void {
  const { code, status, detail } = failure;
  log[chooseLevel(failure)]({ ...entry, code, status, detail }, getFailureSentence(code));
}

/** An error needs somebody who looks at it: a failure that settles itself is a warning. */
function chooseLevel({ code, status, settlesItself }: Failure): 'error' | 'warn' | 'debug' {
  if (settlesItself) return 'warn';
  return status >= 500 && code !== 'payment_rail_not_served' ? 'error' : 'debug';
}
