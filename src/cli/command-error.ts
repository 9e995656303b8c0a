/** An error that the person at the terminal can fix: printed as one sentence, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** 1: the command failed; 2: it was called incorrectly. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
