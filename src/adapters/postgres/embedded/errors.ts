/** The embedded database cannot be started or used; the message is one sentence for the operator. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
