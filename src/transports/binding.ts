/** Binds each operation to its handler, with the types of its schemas. */
import type { StagedFile } from '#core/blobs.ts';
import type { PublicContext, ReadContext, WitnessedContext, WriteContext } from '#core/context.ts';
import { changesSomething, type Answer, type Input, type Operation, type Output } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { OutwardContext } from '#workflows/installation/outward-context.ts';
import type { FileContext } from '#workflows/lab/preview-raw-files.ts';

export interface AnyInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly upload?: StagedFile | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export type Binding =
  | {
      readonly kind: 'public';
      readonly operation: Operation;
      run(input: AnyInput, context: PublicContext): Promise<unknown>;
    }
  | {
      readonly kind: 'read';
      readonly operation: Operation;
      run(input: AnyInput, context: FileContext): Promise<unknown>;
    }
  | {
      readonly kind: 'witnessed';
      readonly operation: Operation;
      run(input: AnyInput, context: WitnessedContext): Promise<unknown>;
    }
  | {
      readonly kind: 'write';
      readonly operation: Operation;
      run(input: AnyInput, context: WriteContext): Promise<unknown>;
    }
  | {
      readonly kind: 'outward';
      readonly operation: Operation;
      run(input: AnyInput, context: OutwardContext): Promise<unknown>;
    };

type Reply<Op> = Promise<Output<Op> | Answer | RawJson>;

type Handler<Context> = (input: AnyInput, context: Context) => Promise<unknown>;

/**
 * An operation's input type follows from its schemas, and the dispatcher validates the input before it calls the
 * handler.
 */
function toHandler<Context>(handler: unknown): Handler<Context> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- validate.ts checks at run time what this says
  return handler as Handler<Context>;
}

function requireNoChange(operation: Operation): void {
  if (changesSomething(operation)) throw new Error(`${operation.id} changes something and cannot be a read`);
}

function requireChange(operation: Operation): void {
  if (!changesSomething(operation)) throw new Error(`${operation.id} changes nothing and cannot be a write`);
  if (operation.method === 'GET') throw new Error(`${operation.id} is a GET and cannot be a write`);
}

export function bindPublic<Op extends Operation>(
  operation: Op,
  handler: (input: Input<Op>, context: PublicContext) => Reply<Op>,
): Binding {
  requireNoChange(operation);
  return { kind: 'public', operation, run: toHandler<PublicContext>(handler) };
}

export function bindRead<Op extends Operation>(
  operation: Op,
  handler: (input: Input<Op>, context: ReadContext) => Reply<Op>,
): Binding {
  requireNoChange(operation);
  return { kind: 'read', operation, run: toHandler<ReadContext>(handler) };
}

/** Binds a read of what belongs to others: each answer is recorded in the audit trail, with its person. */
export function bindWitnessed<Op extends Operation>(
  operation: Op,
  handler: (input: Input<Op>, context: WitnessedContext) => Reply<Op>,
): Binding {
  requireNoChange(operation);
  return { kind: 'witnessed', operation, run: toHandler<WitnessedContext>(handler) };
}

export function bindWrite<Op extends Operation>(
  operation: Op,
  handler: (input: Input<Op>, context: WriteContext) => Reply<Op>,
): Binding {
  requireChange(operation);
  return { kind: 'write', operation, run: toHandler<WriteContext>(handler) };
}

/**
 * Binds a write that acts outside this process, so that no single transaction can contain it. The handler records its
 * intention, acts without an open transaction, and records the outcome, each in a short transaction of its own.
 */
export function bindOutward<Op extends Operation>(
  operation: Op,
  handler: (input: Input<Op>, context: OutwardContext) => Reply<Op>,
): Binding {
  requireChange(operation);
  return { kind: 'outward', operation, run: toHandler<OutwardContext>(handler) };
}

/** Binds a POST or an upload that changes nothing: it needs no audit entry, and a transaction only to store its answer under a key. */
export function bindCompute<Op extends Operation>(
  operation: Op,
  handler: (input: Input<Op>, context: FileContext) => Reply<Op>,
): Binding {
  requireNoChange(operation);
  return { kind: 'read', operation, run: toHandler<FileContext>(handler) };
}
