/** One worker thread of the pool. */
import { ASSAYS } from './engines.ts';
import { serve } from '#analysis/pool/serve.ts';

serve(ASSAYS);
