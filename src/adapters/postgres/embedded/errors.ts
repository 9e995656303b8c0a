/** The embedded database cannot be started or used; the message is one sentence for the operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** Returns the `code` of a system error such as ENOENT, or undefined. */
export function findSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the message of an unknown thrown value. */
export function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
