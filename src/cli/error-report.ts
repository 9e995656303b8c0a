/** The error of a command as one JSON object, for programs that asked for `--json`. */
import { RefusedError, UnreachableError, type ProblemShown } from './api.ts';
import { CommandError } from './command-error.ts';

export interface ErrorReport {
  readonly error: {
    /** A code of the API, or `usage_error`, `service_unreachable`, `command_failed`. Codes never change. */
    readonly code: string;
    readonly message: string;
    /** The field or option that is wrong, if exactly one is. */
    readonly field: string | null;
    /** HTTP status; null where the service refused nothing. */
    readonly status: number | null;
    readonly problems: readonly ProblemShown[];
    readonly request_id: string | null;
    readonly exit_code: number;
  };
}

export function isJsonWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).includes('--json');
}

export function createErrorReport(error: CommandError): ErrorReport {
  const refusal = findRefusal(error);
  const problems = refusal?.problems ?? [];
  return {
    error: {
      code: refusal?.code ?? getOwnCode(error),
      message: refusal?.sentence ?? error.message,
      field: problems.length === 1 ? (problems[0]?.path ?? null) : findOption(error),
      status: refusal?.status ?? null,
      problems,
      request_id: refusal?.requestId ?? null,
      exit_code: error.exitCode,
    },
  };
}

/** A command may say more about a refusal, and then keeps it as the cause. */
function findRefusal(error: unknown): RefusedError | undefined {
  if (error instanceof RefusedError) return error;
  return error instanceof CommandError && error.cause !== undefined ? findRefusal(error.cause) : undefined;
}

function getOwnCode(error: CommandError): string {
  if (error instanceof UnreachableError) return 'service_unreachable';
  return error.exitCode === 2 ? 'usage_error' : 'command_failed';
}

function findOption({ exitCode, message }: CommandError): string | null {
  return exitCode === 2 ? (/^(?:.*has no option )?(--[a-z][a-z-]*)/.exec(message)?.[1] ?? null) : null;
}
