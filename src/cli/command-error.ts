/** Something the person at the terminal can repair: printed as it is, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** 1: it did not work; 2: it was asked wrongly. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
