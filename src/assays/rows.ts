/** Summary rows of the assays that have a shape of their own in the contract. */
import type { Static, TSchema } from '#core/schema.ts';
import { loadParts, type ASSAYS, type AssayName } from './registry.ts';

type RowOf<Name extends AssayName> = Awaited<ReturnType<NonNullable<(typeof ASSAYS)[Name]['loadRow']>>>;

export type AssayRow = { [Name in AssayName]: Static<RowOf<Name>> }[AssayName];

export const ASSAY_ROWS: readonly TSchema[] = Object.values(await loadParts((assay) => assay.loadRow?.()));
