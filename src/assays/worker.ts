/** One worker thread of the pool. */
import { ENGINES } from './engines.ts';
import { serve } from '#analysis/pool/serve.ts';

serve(ENGINES);
