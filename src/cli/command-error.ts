/**
 * Errors that the person at the terminal can act upon, and their exit codes: sentences without a stack for people, one
 * JSON object where `--json` is given.
 */
import type { CommanderError } from 'commander';
import { toPlainLines } from './terminal.ts';

/** What the exit code of a command says; the guide of the command line has the same table. */
export const EXIT = { done: 0, failed: 1, misused: 2, away: 3, interrupted: 130 } as const;

/** Those by which a person or a supervisor ends a command. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The meaning of each code, for the help and the guide. */
export const EXIT_MEANINGS: Readonly<Record<(typeof EXIT)[keyof typeof EXIT], string>> = {
  [EXIT.done]: 'done',
  [EXIT.failed]:
    'the service rejected the request, what was asked for is not there yet, an experiment was canceled, or time ran out',
  [EXIT.misused]: 'the command was used incorrectly',
  [EXIT.away]: 'the service cannot be reached, is busy or broke off: the same command can work later',
  [EXIT.interrupted]: 'interrupted with Ctrl+C, or ended by a signal',
};

/** Printed as its sentence. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export interface ProblemShown {
  readonly path: string;
  readonly message: string;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** The sentence of the service alone; the message of the error also has problems and request id. */
  readonly sentence: string;
  readonly problems: readonly ProblemShown[];
  readonly requestId: string | undefined;
  /** The seconds after which the service takes the request, where it says so. */
  readonly retryAfterS: number | undefined;
}

/** Answers by which the service is busy or away for a while, and has done nothing. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The server rejected the request. */
export class RefusedError extends CommandError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string) {
    super(message, PASSING_STATUSES.has(refusal.status) ? EXIT.away : EXIT.failed);
    this.refusal = refusal;
  }
}

/** Whether the same request can succeed a little later, as somebody who watches for long supposes. */
export function isPassing(error: unknown): boolean {
  if (error instanceof RefusedError && error.refusal.status >= 500) return true;
  return error instanceof CommandError && error.exitCode === EXIT.away;
}

/** Whether nobody knows what became of a change that ended so. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof RefusedError))
    return error instanceof UnknownOutcomeError || error instanceof ForeignError;
  const { status, code } = error.refusal;
  return [500, 502, 504].includes(status) || code === 'idempotency_in_flight';
}

/** Something answered that is not this service, although a change may have gone through it. */
export class ForeignError extends CommandError {}

/** A command stopped where a change may have been made; its key repeats it without a second effect. */
export class UnfinishedError extends CommandError {
  readonly key: string;
  readonly advice: string;

  constructor(error: CommandError, key: string, advice: string) {
    super(`${error.message}\n${advice}`, error.exitCode, { cause: error });
    this.key = key;
    this.advice = advice;
  }
}

/** Nothing that is this service answered at the address, or the answer broke off. */
export class UnreachableError extends CommandError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, EXIT.away, options);
  }
}

/** No answer came, and nobody knows whether the request arrived. */
export class UnknownOutcomeError extends UnreachableError {}

/** The same because the connection broke: a request that may be repeated can succeed at once. */
export class BrokenError extends UnknownOutcomeError {}

/** The error of a command as one JSON object, for programs that asked for `--json`. */
interface ErrorReport {
  readonly error: {
    /** A code of the API, or `usage_error`, `service_unreachable`, `interrupted`, `command_failed`, `internal_error`. Codes never change. */
    readonly code: string;
    readonly message: string;
    /** The field or option that is wrong, if exactly one is. */
    readonly field: string | null;
    /** HTTP status; null where the service refused nothing. */
    readonly status: number | null;
    readonly problems: readonly ProblemShown[];
    readonly request_id: string | null;
    /** When the service takes the request, in seconds; null where it does not say so. */
    readonly retry_after_s: number | null;
    /** With which the command is repeated where a change may have been made; null elsewhere. */
    readonly idempotency_key: string | null;
    readonly exit_code: number;
  };
}

export function describeError(error: CommandError, args: readonly string[]): string {
  return isJsonWanted(args) ? JSON.stringify(createReport(error)) : toPlainLines(error.message);
}

/** Describes an error that no command expects, which is a mistake of this program: with its stack, to be reported. */
export function describeDefect(error: unknown, args: readonly string[]): string {
  const text = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  const sentence =
    'This is a mistake of assayer or of the service, not of yours. Please report the text above with the command.';
  if (!isJsonWanted(args)) return `${text}\n\n${sentence}`;
  const { error: report } = createReport(new CommandError(text));
  return JSON.stringify({ error: { ...report, code: 'internal_error' } } satisfies ErrorReport);
}

export function isJsonWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).includes('--json');
}

function createReport(error: CommandError): ErrorReport {
  const refusal = findRefusal(error);
  const { key = null, advice = '' } = error instanceof UnfinishedError ? error : {};
  const problems = refusal?.problems ?? [];
  return {
    error: {
      code: refusal?.code ?? getOwnCode(error),
      message: refusal === undefined ? error.message : `${refusal.sentence} ${advice}`.trimEnd(),
      field: problems.length === 1 ? (problems[0]?.path ?? null) : findOption(error),
      status: refusal?.status ?? null,
      problems,
      request_id: refusal?.requestId ?? null,
      retry_after_s: refusal?.retryAfterS ?? null,
      idempotency_key: key,
      exit_code: error.exitCode,
    },
  };
}

/** A command may say more about a refusal, and then keeps it as the cause. */
function findRefusal(error: unknown): Refusal | undefined {
  if (error instanceof RefusedError) return error.refusal;
  return error instanceof CommandError && error.cause !== undefined ? findRefusal(error.cause) : undefined;
}

function getOwnCode(error: CommandError): string {
  if (error instanceof UnreachableError || error.cause instanceof UnreachableError)
    return 'service_unreachable';
  if (error.exitCode === EXIT.interrupted) return 'interrupted';
  return error.exitCode === EXIT.misused ? 'usage_error' : 'command_failed';
}

function findOption({ exitCode, message }: CommandError): string | null {
  if (exitCode !== EXIT.misused) return null;
  return /^(?:.*has no option )?(--[a-z](?:[a-z\d.-]*[a-z\d])?)/.exec(message)?.[1] ?? null;
}

/** The sentence of this program for a mistake that the parser has found. */
export function describeMistake({ code, message }: CommanderError, words: string): string {
  const named = /'([^']+)'/.exec(message)?.[1] ?? '';
  const near = /Did you mean (?:one of )?([^,?]+)/.exec(message)?.[1];
  if (code === 'commander.unknownOption')
    return `"assayer ${words}" has no option ${named}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
  if (code === 'commander.missingArgument') return `${named.toUpperCase()} is missing`;
  if (code === 'commander.excessArguments') return 'There is one argument too many; fields are flags';
  return describeValueMistake(message);
}

/** What the parsers say of an option without its value, or of a switch with one. */
export function describeValueMistake(message: string): string {
  const option = /(--[\w.-]+)/.exec(message)?.[1] ?? 'The option';
  if (message.includes('does not take')) return `${option} is a switch and takes no value`;
  const hint = message.includes('ambiguous') ? `; one that begins with "-" is written ${option}=VALUE` : '';
  return `${option} needs a value${hint}`;
}

/** Of an option that takes one value: to keep one of two would lose the other without a word. */
export function createRepeatError(name: string): CommandError {
  return new CommandError(`--${name} is given twice; it takes one value.`, EXIT.misused);
}

const KEY = /^[!-~]{1,200}$/;

/** Refuses the value of an option that can never be meant: an unset variable of the shell gives an empty one. */
export function requireValue(name: string, text: string): void {
  if (text === '')
    throw new CommandError(
      `--${name} is empty: give it a value or leave it out. Is a variable of the shell unset?`,
      EXIT.misused,
    );
  if (name === 'idempotency-key' && !KEY.test(text))
    throw new CommandError(
      '--idempotency-key takes up to 200 characters of ASCII without blanks, such as a UUID.',
      EXIT.misused,
    );
}
