/** The operations by what they ask of a caller and of its request. */
import { changesSomething, takesIdempotencyKey } from '#core/operation.ts';
import type { Binding } from '#features/binding.ts';
import { bindings } from '#transports/operations.ts';

/** Those that need a token. */
export const guarded: readonly Binding[] = bindings.filter(({ kind }) => kind !== 'public');
/** Those that honor `Idempotency-Key`. */
export const keyed: readonly Binding[] = bindings.filter(({ operation }) => takesIdempotencyKey(operation));
export const writes: readonly Binding[] = bindings.filter(({ operation }) => changesSomething(operation));
