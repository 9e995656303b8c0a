/** The engines of all assays, which worker threads and the analysis of the service load. */
import { loadParts, type ASSAYS, type AssayName } from './registry.ts';

type Engines = { readonly [Name in AssayName]: Awaited<ReturnType<(typeof ASSAYS)[Name]['loadEngine']>> };

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is loaded by the entry of its name
export const ENGINES = (await loadParts((assay) => assay.loadEngine())) as unknown as Engines;
