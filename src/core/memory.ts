/** The memory that this process may use. */
import { totalmem } from 'node:os';

/** Below it the parts of a service take less and wait for each other. */
const SMALL_BYTES = 1024 ** 3;

/** Reads the limit of the control group where one is set, otherwise the memory of the machine, in bytes. */
export function readMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

export function isMemorySmall(memoryBytes: number): boolean {
  return memoryBytes < SMALL_BYTES;
}
